"""What a csv holds, found from its bytes alone: how many records, and whether every parser would read it alike.

The engine parses a csv. This counts its records in another way, so that a file
that the engine reads in part is never taken for the whole.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv

from maskwise.errors import InputError, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from numpy.typing import NDArray

    from maskwise.engines.base import DataFiles

    Bits = NDArray[np.uint64]
    Bytes = NDArray[np.uint8]

_BLOCK = 1 << 20
_QUOTE, _LINE_END, _BLANK = b'"\n '
_LONGEST_CELL = 1 << 30
"""Python's own reader refuses cells above a limit, which is a setting of the whole process."""


@dataclass(frozen=True, slots=True)
class CsvFacts:
    """What the bytes of a csv say."""

    n_records: int
    """The records, if every quote opens or closes a cell or is doubled."""
    has_blanks_beside_quotes: bool
    """Whether a blank stands before or after a quoted cell; engines drop it."""
    is_regular: bool = False
    """Whether all readers find the same cells: every quote opens or closes a whole cell or is doubled, no cell has a
    line end, lines end in one way, and none is very long."""


@contextmanager
def facts_meanwhile(files: DataFiles) -> Iterator[Future[list[CsvFacts]]]:
    """Look into csv files in another thread, while an engine parses them.

    Args:
        files: The files.
    """
    with ThreadPoolExecutor(1) as thread:
        yield thread.submit(lambda: [find_facts(path, files.n_columns, files.delimiter) for path in files.paths])


def find_facts(path: Path, n_columns: int, delimiter: str | None = None) -> CsvFacts:
    """Count the records of a csv by its line ends outside quotes.

    Args:
        path: The file; with a name that ends in `.gz` it is unpacked.
        n_columns: How many columns it has. In a file of one, an empty line is a record with a missing cell.
        delimiter: What separates its cells; None does not ask whether it is regular.
    """
    n_lines = 0
    is_at_start, is_quoted, has_blanks, last = True, False, False, b""
    is_regular = delimiter is not None
    with _read_to_end(path) as file:
        while block := file.read(_BLOCK):
            if not last:
                block = block.removeprefix(codecs.BOM_UTF8)
            is_regular = is_regular and b"\r" not in block
            lines = _with_plain_ends(block, last)
            codes = np.frombuffer(lines, np.uint8)
            has_blanks = has_blanks or _has_blanks_beside_quotes(codes, last, is_quoted=is_quoted)
            if len(codes):
                was_quoted = is_quoted
                ends, inside, is_quoted = _line_ends(codes, is_quoted=is_quoted)
                if is_regular and delimiter is not None:
                    is_regular = _are_cells_whole(codes, inside, ord(delimiter), last, was_quoted=was_quoted)
                    # Engines refuse lines of two megabytes, in which there is a whole block without an end.
                    is_regular = is_regular and bool(len(block) < _BLOCK or ends.any())
                n_lines += int(np.bitwise_count(ends).sum())
                n_lines -= _n_empty(ends, is_at_start=is_at_start) if n_columns > 1 else 0
                is_at_start = bool(int(ends[-1]) >> (len(codes) - 1) % 64 & 1)
            last = block[-1:]
    return CsvFacts(max(n_lines + (not is_at_start) - 1, 0), has_blanks, is_regular and not is_quoted)


def _with_plain_ends(block: bytes, last: bytes) -> bytes:
    """A block in which every line ends in one byte.

    Args:
        block: Some bytes.
        last: The byte before.
    """
    if last == b"\r" and block.startswith(b"\n"):
        block = block[1:]
    return block.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in block else block


def _line_ends(codes: Bytes, *, is_quoted: bool) -> tuple[Bits, Bits, bool]:
    """Which bytes are line ends outside quotes, and which are inside, one bit each; is a quote open after the last?

    64 bytes become the bits of one number: that took a quarter of the time of adding up the quotes of each line.

    Args:
        codes: Some bytes.
        is_quoted: Whether a quote is open before the first.
    """
    ends, quotes = _as_bits(codes == _LINE_END), _as_bits(codes == _QUOTE)
    is_open = (np.bitwise_xor.accumulate(np.bitwise_count(quotes)) & 1 == 1) ^ is_quoted
    inside = quotes
    for distance in (1, 2, 4, 8, 16, 32):
        # At last each bit is the sum of the quotes up to its byte; a line end is none of them.
        inside = inside ^ (inside << np.uint64(distance))
    before = np.concatenate([[is_quoted], is_open[:-1]])
    inside = np.where(before, ~inside, inside)
    return ends & ~inside, inside, bool(is_open[-1])


def _are_cells_whole(codes: Bytes, inside: Bits, delimiter: int, last: bytes, *, was_quoted: bool) -> bool:
    """Whether quotes stand at both ends of cells only, or doubled inside one, and no line end is inside.

    Args:
        codes: Some bytes.
        inside: Which of them are inside of quotes; a quote that opens is, one that closes is not.
        delimiter: What separates cells.
        last: The byte before.
        was_quoted: Whether a quote is open before the first.
    """
    ends, quotes = _as_bits(codes == _LINE_END), _as_bits(codes == _QUOTE)
    if not was_quoted and last != b'"' and not quotes.any():
        return True
    apart = (ends | _as_bits(codes == delimiter)) & ~inside
    closing = quotes & ~inside
    is_apart = last in {b"", b"\n", bytes([delimiter])} and not was_quoted
    before, closed = _moved_up(apart, is_apart), _moved_up(closing, last == b'"' and not was_quoted)
    opens_within = quotes & inside & ~(before | closed)
    goes_on = closed & ~(apart | quotes)
    if len(codes) % 64:
        # Behind the last byte there is none.
        goes_on[-1] &= np.uint64((1 << len(codes) % 64) - 1)
    return not ((ends & inside).any() or opens_within.any() or goes_on.any())


def _moved_up(bits: Bits, first: bool) -> Bits:  # noqa: FBT001 - a bit
    """Each bit in the place of the next, with another before the first."""
    carried = np.concatenate([np.array([first], np.uint64), bits[:-1] >> np.uint64(63)])
    moved: Bits = (bits << np.uint64(1)) | carried
    return moved


def _as_bits(marks: NDArray[np.bool_]) -> Bits:
    """Truth values as the bits of whole numbers, the first one lowest."""
    n_words = -(-len(marks) // 64)
    bits = np.zeros(8 * n_words, np.uint8)
    packed = np.packbits(marks, bitorder="little")
    bits[: len(packed)] = packed
    return bits.view("<u8")


def _n_empty(ends: Bits, *, is_at_start: bool) -> int:
    """How many lines are empty: a line end follows another one.

    Args:
        ends: Which bytes are line ends, one bit for each.
        is_at_start: Whether the first byte begins a line.
    """
    return int(np.bitwise_count(ends & _moved_up(ends, is_at_start)).sum())


def _has_blanks_beside_quotes(codes: Bytes, last: bytes, *, is_quoted: bool) -> bool:
    """Whether a blank stands before a quote that opens, or after one that closes; a doubled one does both.

    Args:
        codes: Some bytes.
        last: The byte before.
        is_quoted: Whether a quote is open before the first.
    """
    is_blank = codes == _BLANK
    if last != b" " and not is_blank.any():
        return False
    is_quote = codes == _QUOTE
    if len(codes) and not is_quoted and ((last == b" " and is_quote[0]) or (last == b'"' and is_blank[0])):
        return True
    if not ((is_quote[1:] & is_blank[:-1]).any() or (is_quote[:-1] & is_blank[1:]).any()):
        return False
    quotes = np.flatnonzero(is_quote)
    opening, closing = quotes[int(is_quoted) :: 2], quotes[1 - int(is_quoted) :: 2]
    after = closing[closing < len(codes) - 1] + 1
    return bool(is_blank[opening[opening > 0] - 1].any() or is_blank[after].any())


def count_one_by_one(path: Path, delimiter: str, n_columns: int) -> int:
    """Count the records as Python's own reader sees them: slow, and right also where quotes stand inside cells."""
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        with _read_to_end(path) as file:
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


def read_csv(paths: Sequence[Path], delimiter: str, n_columns: int, encodings: Sequence[str]) -> pa.Table:
    """Read csv files that an engine would not read as they are: line ends in the header, blanks beside quotes, letters.

    Args:
        paths: The files.
        delimiter: What separates their cells.
        n_columns: How many columns each has.
        encodings: In which letters each is written.
    """
    names = [f"c{i}" for i in range(n_columns)]
    how = (
        arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=n_columns > 1),
        arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=n_columns == 1,
        ),
    )
    parts = []
    for path, encoding in zip(paths, encodings, strict=True):
        begin = arrow_csv.ReadOptions(column_names=names, skip_rows_after_names=1, encoding=encoding)
        try:
            with _opened(path) as file:
                parts.append(arrow_csv.read_csv(file, begin, *how))
        except UnicodeDecodeError:
            msg = f"{path.name} cannot be read: it is not UTF-8 text; save the file as UTF-8."
            raise InputError(msg) from None
        except (pa.ArrowException, OSError, EOFError, zlib.error):
            msg = f"{path.name} cannot be read: it does not follow the csv format."
            raise InputError(msg) from None
    return pa.concat_tables(parts)


@contextmanager
def _read_to_end(path: Path) -> Iterator[IO[bytes]]:
    """Open a file; a disk or a packed file that fails in the middle of it is said by its name."""
    try:
        with _opened(path) as file:
            yield file
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or "it is damaged"
        msg = f"`{path.name}` could not be read to its end: {reason[:1].lower()}{reason[1:]}."
        raise InputError(msg) from None


def _opened(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb")  # type: ignore[return-value]
