"""What a csv holds, found from its bytes alone: how many records, and whether every parser would read it alike.

The engine parses a csv. This counts its records in another way, so that a file
that the engine reads in part is never taken for the whole.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import IO, TYPE_CHECKING

import numpy as np

from maskwise.errors import InputError, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    import pyarrow as pa

    from maskwise.engines.base import DataFiles

_BLOCK = 1 << 24
_QUOTE, _LINE_END = b'"\n'
_LONGEST_CELL = 1 << 30
"""Python's own reader refuses cells above a limit, which is a setting of the whole process."""


@dataclass(frozen=True, slots=True)
class CsvFacts:
    """What the bytes of a csv say."""

    n_records: int
    """The records, if every quote opens or closes a cell or is doubled."""
    has_blanks_beside_quotes: bool
    """Whether blanks stand between a quote and the end of its cell; some parsers drop them."""


@contextmanager
def facts_meanwhile(paths: Sequence[Path], n_columns: int) -> Iterator[Future[list[CsvFacts]]]:
    """Look into csv files in another thread, while an engine parses them.

    Args:
        paths: The files.
        n_columns: How many columns each has.
    """
    with ThreadPoolExecutor(1) as thread:
        yield thread.submit(lambda: [find_facts(path, n_columns) for path in paths])


def find_facts(path: Path, n_columns: int) -> CsvFacts:
    """Count the records of a csv by its line ends outside quotes.

    Args:
        path: The file; with a name that ends in `.gz` it is unpacked.
        n_columns: How many columns it has. In a file of one, an empty line is a record with a missing cell.
    """
    n_lines = n_quotes = 0
    is_at_start, has_blanks, last = True, False, b""
    with _opened(path) as file:
        while block := file.read(_BLOCK):
            has_blanks = has_blanks or _has_blanks_beside_quotes(last + block)
            lines = _with_plain_ends(block, last)
            codes = np.frombuffer(lines, np.uint8)
            ends = np.flatnonzero(codes == _LINE_END)
            if b'"' in lines:
                quotes = np.flatnonzero(codes == _QUOTE)
                ends = ends[(np.searchsorted(quotes, ends) + n_quotes) % 2 == 0]
                n_quotes += len(quotes)
            elif n_quotes % 2:
                ends = ends[:0]
            n_empty = int((np.diff(ends, prepend=-1 if is_at_start else -2) == 1).sum())
            n_lines += len(ends) - (n_empty if n_columns > 1 else 0)
            is_at_start = bool(ends[-1] == len(codes) - 1) if len(ends) else is_at_start and not len(codes)
            last = block[-1:]
    return CsvFacts(max(n_lines + (not is_at_start) - 1, 0), has_blanks)


def _with_plain_ends(block: bytes, last: bytes) -> bytes:
    """A block in which every line ends in one byte.

    Args:
        block: Some bytes.
        last: The byte before.
    """
    if last == b"\r" and block.startswith(b"\n"):
        block = block[1:]
    return block.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in block else block


def _has_blanks_beside_quotes(block: bytes) -> bool:
    if not any(pair in block for pair in (b' "', b'" ', b'\t"', b'"\t')):
        return False
    return re.search(rb'(?:^|[,;|\t\r\n])[ \t]*[ ]"|"[ ][ \t]*(?:[,;|\t\r\n]|$)', block) is not None


def count_one_by_one(path: Path, delimiter: str, n_columns: int) -> int:
    """Count the records as Python's own reader sees them: slow, and right also where quotes stand inside cells."""
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        with _opened(path) as file:
            text = io.TextIOWrapper(file, "utf-8", errors="replace", newline="")
            n = sum(1 for row in csv.reader(text, delimiter=delimiter) if row or n_columns == 1)
    finally:
        csv.field_size_limit(before)
    return max(n - 1, 0)


def refuse_other_count(files: DataFiles, facts: Sequence[CsvFacts], n_read: int) -> None:
    """Refuse csv files of which the engine did not read every record.

    Args:
        files: The files.
        facts: What their bytes say.
        n_read: How many records the engine has of all.
    """
    if n_read == sum(each.n_records for each in facts):
        return
    n_found = sum(count_one_by_one(path, str(files.delimiter), files.n_columns) for path in files.paths)
    if n_read != n_found:
        name = f"`{files.paths[0].name}` has" if len(files.paths) == 1 else "The files have"
        msg = (
            f"{name} {plural(n_found, 'record')}, but {n_read:,} could be read. Save with one kind of line end, and "
            "with quotes around every cell that holds a line end or a quote."
        )
        raise InputError(msg)


def read_csv(paths: Sequence[Path], delimiter: str, n_columns: int) -> pa.Table:
    """Read csv files that an engine would not read as they are: line ends in the header, blanks beside quotes."""
    import pyarrow as pa  # noqa: PLC0415 - heavy
    from pyarrow import csv as arrow_csv  # noqa: PLC0415 - heavy

    names = [f"c{i}" for i in range(n_columns)]
    how = partial(
        arrow_csv.read_csv,
        read_options=arrow_csv.ReadOptions(column_names=names, skip_rows_after_names=1),
        parse_options=arrow_csv.ParseOptions(
            delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=n_columns > 1
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    parts = []
    for path in paths:
        try:
            with _opened(path) as file:
                parts.append(how(file))
        except (pa.ArrowException, OSError, EOFError):
            msg = f"{path.name} cannot be read: it does not follow the csv format."
            raise InputError(msg) from None
    return pa.concat_tables(parts)


def _opened(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb")  # type: ignore[return-value]
