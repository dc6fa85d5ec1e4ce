"""How a csv is written: what separates its cells and its lines, and whether it begins with a byte order mark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MARK = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8, by which some spreadsheets tell that text is UTF-8."""
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class CsvForm:
    """How a csv is written."""

    delimiter: str = ","
    """What separates its cells."""
    has_mark: bool = False
    """Whether it begins with a byte order mark."""
    line_end: str = "\n"
    """What separates its lines."""

    @classmethod
    def of(cls, start: bytes, delimiter: str) -> CsvForm:
        r"""The form in which a release of a csv is written, so that the same programs open both.

        Commas are read everywhere, so a csv with commas is released in the plain form.

        Args:
            start: Its first bytes.
            delimiter: What separates its cells.

        >>> CsvForm.of(b"a;b\r\n1;2\r\n", ";")
        CsvForm(delimiter=';', has_mark=False, line_end='\r\n')
        >>> CsvForm.of(b"a,b\r\n1,2\r\n", ",") == PLAIN
        True
        """
        if delimiter == ",":
            return PLAIN
        end = "\r\n" if b"\r\n" in start.partition(b"\n")[0] + b"\n" else "\n"
        return cls(delimiter, start.startswith(MARK), end)


PLAIN = CsvForm()
"""Commas and line feeds, without a mark."""


def put_mark(path: Path) -> None:
    """Put a byte order mark before everything in a file, in its place: another file could be read by others."""
    with path.open("r+b") as file:
        carried, at = MARK, 0
        while block := file.read(_BLOCK):
            file.seek(at)
            shifted = carried + block
            file.write(shifted[: len(block)])
            carried, at = shifted[len(block) :], at + len(block)
        file.write(carried)
