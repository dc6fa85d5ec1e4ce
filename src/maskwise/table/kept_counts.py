"""What was counted of a table before, where somebody asks about it more than once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    Found = TypeVar("Found")


class KeptCounts:
    """Keeps counts by what was counted: the records, the columns and the way."""

    def __init__(self) -> None:
        self._found: dict[Hashable, Any] = {}

    def get(self, key: Hashable, count: Callable[[], Found]) -> Found:
        """What was counted before; the first time it is counted.

        Args:
            key: What is counted.
            count: Counts it.
        """
        if key not in self._found:
            self._found[key] = count()
        found: Found = self._found[key]
        return found

    def give(self, key: Hashable, found: Any) -> None:
        """Keep what follows from other counts, so that it is not counted by itself."""
        self._found[key] = found


class NothingKept(KeptCounts):
    """Counts every time what it was not given: a run asks hardly anything twice, and memory is for its table."""

    def get(self, key: Hashable, count: Callable[[], Found]) -> Found:
        """What was given, or is counted now."""
        return self._found[key] if key in self._found else count()
