"""Refuse to start where the process may not have the memory that its libraries take before any work begins.

Without this they end it in ways of their own: by a signal, by a traceback, or
with the exit code of an audit that found a violation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

_LEAST = 2 << 30
"""So many bytes of addresses the libraries reserve, used or not; with a little less some of them fail to load."""
_LIGHT = frozenset({"--help", "-h", "--version", "completion"})
"""What loads none of them."""


def refuse_little_memory(arguments: Sequence[str]) -> None:
    """Refuse a command under a limit of addresses (`ulimit -v`) that is too low for any table.

    Args:
        arguments: What the command was called with.
    """
    try:
        import resource  # noqa: PLC0415 - not on every system
    except ImportError:
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY or limit >= _LEAST or not arguments or _LIGHT & {*arguments}:
        return
    msg = (
        f"The memory was too little: this process may have {limit >> 20:,} MiB, and the libraries alone take "
        f"{_LEAST >> 20:,}. Raise the limit (`ulimit -v`)."
    )
    raise InputError(msg)
