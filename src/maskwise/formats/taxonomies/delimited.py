"""Rows of a taxonomy that is kept as a table: any of four delimiters, quoted cells, any line ends."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, TypeAlias

from maskwise.errors import PolicyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

DELIMITERS = (";", "\t", "|", ",")
"""What may separate cells. Of several that stand in as many lines the first one does: commas stand in labels, too."""
_LOOKED_AT = 100_000
"""So many letters say what the delimiter is."""
_QUOTED = re.compile(r'(?<![^;\t|,\r\n])"(?:[^"]|"")*"')

Row: TypeAlias = tuple[int, tuple[str, ...]]
"""The line on which a row begins, and its cells."""


def find_delimiter(text: str) -> str | None:
    r"""The delimiter of a table, or None where its lines have none.

    >>> find_delimiter("Boston, MA;East\nReno, NV;West"), find_delimiter("a|A"), find_delimiter("a")
    (';', '|', None)
    """
    lines = re.findall(r"[^\r\n]+", _QUOTED.sub("", text[:_LOOKED_AT]))
    n_lines = {mark: sum(mark in line for line in lines) for mark in DELIMITERS}
    best = max(DELIMITERS, key=lambda mark: n_lines[mark])
    return best if n_lines[best] else None


def read_rows(text: str, name: str, delimiter: str | None = None) -> Iterator[Row]:
    """Yield the rows of a text that have a cell; cells that are left empty at the end of a row are cut off.

    Args:
        text: The table.
        name: What messages call the file.
        delimiter: What separates cells; None finds out.
    """
    if not text.strip():
        raise PolicyError([f"{name}: the file holds no value."])
    delimiter = delimiter or find_delimiter(text)
    if delimiter is None:
        raise PolicyError(
            [f"{name}, line 1: there is one column only. Write for each value a row: the value, then what is above it."]
        )
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            begun, line = line, reader.line_num + 1
            while row and not row[-1]:
                row.pop()
            if row:
                # A tuple of texts is nothing that the garbage collector has to look at, a million times.
                yield begun, tuple(row)
    except csv.Error as error:
        raise PolicyError([f"{name}, line {max(reader.line_num, 1)}: {_complaint(str(error))}"]) from None


def _complaint(text: str) -> str:
    if "field limit" in text:
        return f"a cell is longer than {csv.field_size_limit():,} letters. Is a quote not closed?"
    if "end of data" in text:
        return "a quote is opened and never closed. Close it, or write a quote in a quoted cell twice."
    return "a quote is closed in the middle of a cell. Write a quote in a quoted cell twice."


def write_rows(rows: Iterable[Sequence[str]], delimiter: str) -> str:
    r"""Write rows so that other tools read the same cells: what they might trim or cut is quoted.

    >>> write_rows([["a;1", " b", "c"]], ";")
    '"a;1";" b";c\n'
    """
    is_odd = re.compile(rf'[{re.escape(delimiter)}"\r\n\ufeff]|^\s|\s$|^$')

    def cell(text: str) -> str:
        if not is_odd.search(text):
            return text
        doubled = text.replace('"', '""')
        return f'"{doubled}"'

    return "".join(f"{delimiter.join(map(cell, row))}\n" for row in rows)
