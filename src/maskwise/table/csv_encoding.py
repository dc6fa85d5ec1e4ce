"""In which letters a csv is written: UTF-8, or Windows-1252, in which Western European spreadsheets save."""

from __future__ import annotations

import codecs
import re

WINDOWS = "cp1252"
_OF_UTF_8 = re.compile(rb"[\xc2-\xf4][\x80-\xbf]")
"""Two bytes that are one letter of UTF-8, and in Windows-1252 two that hardly ever follow each other."""
_IN_NEITHER = frozenset(b"\x00\x81\x8d\x8f\x90\x9d")
"""Bytes that are no letter of Windows-1252, or of no text."""


def decode_start(start: bytes, *, is_whole: bool) -> tuple[str, str]:
    r"""The beginning of a csv as text, and its encoding.

    Args:
        start: Its first bytes.
        is_whole: Whether they are all; else a letter may be cut at their end.

    Raises:
        UnicodeDecodeError: It is neither; or UTF-8 that is damaged, whose other letters Windows-1252 would spoil.

    >>> decode_start("Größe;Sex\n".encode("cp1252"), is_whole=True)
    ('Größe;Sex\n', 'cp1252')
    >>> decode_start("Größe;Sex\n".encode(), is_whole=True)
    ('Größe;Sex\n', 'utf-8')
    """
    try:
        return codecs.getincrementaldecoder("utf-8-sig")().decode(start, final=is_whole), "utf-8"
    except UnicodeDecodeError:
        if _OF_UTF_8.search(start) or not _IN_NEITHER.isdisjoint(start):
            raise
    return start.decode(WINDOWS), WINDOWS


def is_windows(start: bytes, *, is_whole: bool) -> bool:
    """Whether a csv is read as Windows-1252; `start` and `is_whole` as in `decode_start`."""
    try:
        return decode_start(start, is_whole=is_whole)[1] == WINDOWS
    except UnicodeDecodeError:
        return False
