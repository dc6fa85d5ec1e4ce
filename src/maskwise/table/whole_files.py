"""Files that are read whole into memory, whatever an engine could put on disk: how large they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import InputError
from maskwise.values.location import suffix_of

if TYPE_CHECKING:
    from pathlib import Path

_WHOLE = (".arrow", ".feather", ".parquet.gz")


def refuse_beyond_memory(path: Path, memory: int) -> None:
    """Refuse a file that has to be read whole and is larger than what a run may use.

    Args:
        path: The file; one that is not there, or a pattern, is none of our concern.
        memory: How many bytes that is.
    """
    try:
        if not (path.is_file() and suffix_of(path).startswith(_WHOLE)):
            return
        n_bytes = _unpacked_size(path)
    except (OSError, InputError):
        # Said where it is opened.
        return
    if n_bytes > memory:
        msg = (
            f"`{path.name}` is read whole, {n_bytes / 1e6:,.0f} MB unpacked, and a run may use {memory / 1e6:,.0f} MB. "
            "Give more with --memory, or save it as parquet or csv, which are read in parts."
        )
        raise InputError(msg)


def _unpacked_size(path: Path) -> int:
    """The bytes of a file; of a packed one what its end says (in 32 bits), or its own if these are more."""
    size = path.stat().st_size
    if path.suffix.lower() != ".gz":
        return size
    with path.open("rb") as file:
        file.seek(max(size - 4, 0))
        return max(int.from_bytes(file.read(4), "little"), size)
