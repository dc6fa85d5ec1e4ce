"""The text of a taxonomy file, or one sentence on why it has none.

Only regular files are read: a device or a pipe might never end.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from maskwise.errors import InputError, did_you_mean, plural
from maskwise.values.location import is_there

if TYPE_CHECKING:
    from pathlib import Path

MOST_BYTES = 256 << 20
"""A larger file is refused; a million values with five levels take a fifth of it."""
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_bytes(path: Path) -> bytes:
    """Read a regular file of a reasonable size."""
    try:
        if not is_there(path):
            near = did_you_mean(path.name, (p.name for p in path.parent.iterdir())) if path.parent.is_dir() else ""
            msg = f"There is no file `{path}`.{near}"
            raise InputError(msg)
        if not path.is_file():
            what = "a folder" if path.is_dir() else "no regular file"
            msg = f"`{path}` is {what}. Name a file that holds a taxonomy."
            raise InputError(msg)
        size = path.stat().st_size
        if size > MOST_BYTES:
            msg = (
                f"`{path}` has {size >> 20:,} MB. A taxonomy file has at most {MOST_BYTES >> 20} MB; is this the table "
                "itself?"
            )
            raise InputError(msg)
        return path.read_bytes()
    except OSError as error:
        msg = f"`{path}` cannot be read: {error.strerror}."
        raise InputError(msg) from None


def read_source(path: Path) -> str:
    """Read UTF-8 text with line ends as they are, with or without a byte order mark."""
    return decode(read_bytes(path), str(path))


def decode(content: bytes, name: str) -> str:
    r"""Turn bytes into text.

    Args:
        content: UTF-8.
        name: What messages call the file.

    >>> decode(b"\xef\xbb\xbfAny\r\n", "tree.txt")
    'Any\r\n'
    """
    if content.startswith(_UTF16):
        msg = f"`{name}` is UTF-16 text. Save it as UTF-8."
        raise InputError(msg)
    at = content.find(b"\0")
    if at >= 0:
        msg = f"`{name}`, line {_line(content, at)}: there is a NUL byte, so this is no text file. Export it as text."
        raise InputError(msg)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        n_odd = plural(len([byte for byte in content if byte >= 128]), "byte")  # noqa: PLR2004 - beyond ASCII
        msg = (
            f"`{name}`, line {_line(content, error.start)}: this is not UTF-8 text ({n_odd} beyond ASCII; perhaps "
            "Latin-1 or Windows-1252). Save it as UTF-8."
        )
        raise InputError(msg) from None


def _line(content: bytes, at: int) -> int:
    return content.count(b"\n", 0, at) + 1
