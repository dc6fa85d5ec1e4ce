"""Amounts of memory: what a run may use, and how it is shared between the engine and the search."""

from __future__ import annotations

import os
import re
from pathlib import Path

from maskwise.errors import InputError

_UNITS = {"M": 2, "G": 3, "T": 4}
_MOST = 1 << 55
"""No run may ask for more: 36,000 TB. Engines count in 64 bits, and add to it."""


def parse_memory(text: str | None) -> int | None:
    """Read an amount of memory in bytes; None if none is given.

    >>> parse_memory("4GB"), parse_memory("4GiB")
    (4000000000, 4294967296)
    """
    if text is None:
        return None
    found = re.fullmatch(r"([1-9][0-9]{0,11})([MGT])(i?)B", text, re.IGNORECASE)
    if found is None:
        msg = f"`{text}` is no amount of memory. Write it as 500MB or 4GB."
        raise InputError(msg)
    unit: int = (1024 if found[3] else 1000) ** _UNITS[found[2].upper()]
    if int(found[1]) * unit > _MOST:
        msg = f"`{text}` is more memory than any machine has. Write it as 500MB or 4GB."
        raise InputError(msg)
    return int(found[1]) * unit


def memory_of_run(given: int | None) -> int:
    """How many bytes a run may use: what was given, or four fifths of what the machine allows."""
    return _allowed() // 5 * 4 if given is None else given


def for_engine(memory: int) -> int:
    """The part of a run's memory that the engine may use; it spills what does not fit."""
    return memory // 4 * 3


def for_held_files(memory: int) -> int:
    """How large files may be that this process holds, where they may take several times as much; others are spilled."""
    return memory // 12


def for_search(memory: int) -> int:
    """The part of a run's memory for compressed tables and the buffers of the search."""
    return memory // 4


def _allowed() -> int:
    """The memory of the machine, of the container, or what the process is limited to, whichever is least."""
    found = [_physical(), *_limits()]
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        try:
            text = Path("/sys/fs/cgroup", name).read_text().strip()
        except OSError:
            continue
        found += [int(text)] if text.isdigit() else []
    return min(found)


def _physical() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 << 30


def _limits() -> list[int]:
    try:
        import resource  # noqa: PLC0415 - not on every system
    except ImportError:
        return []
    kinds = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    return [soft for soft, _ in map(resource.getrlimit, kinds) if soft != resource.RLIM_INFINITY]
