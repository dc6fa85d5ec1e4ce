"""Work that is shared among the processors of a machine: compiled loops and databases leave Python free meanwhile."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Item = TypeVar("Item")
    Found = TypeVar("Found")
    Other = TypeVar("Other")

_MOST_THREADS = 4
"""More loops at once would wait for the same memory."""


def n_processors() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def for_each(work: Callable[[Item], Found], items: Sequence[Item], *, pays: bool = True) -> list[Found]:
    """Do something for each of some items, several at once; give what was found in their order.

    Args:
        work: Does it, without changing what it looks at for another item.
        items: The items.
        pays: Whether the work is worth the time that threads take to start.
    """
    n_threads = min(n_processors(), _MOST_THREADS, len(items))
    if not pays or n_threads < 2:  # noqa: PLR2004 - one after the other
        return [work(item) for item in items]
    with ThreadPoolExecutor(n_threads) as threads:
        return list(threads.map(work, items))


def both(first: Callable[[], Found], second: Callable[[], Other], *, pays: bool = True) -> tuple[Found, Other]:
    """Do two things at once that do not concern each other.

    Args:
        first: One of them; done here.
        second: The other.
        pays: As for `for_each`.
    """
    if not pays or n_processors() < 2:  # noqa: PLR2004 - one after the other
        return first(), second()
    with ThreadPoolExecutor(1) as thread:
        other = thread.submit(second)
        return first(), other.result()
