"""What a csv holds, found from its bytes alone: how many records, and whether every parser would read it alike.

Others parse a csv. This counts its records in another way, so that a file that
is read in part is never taken for the whole.
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
_QUOTE, _FEED, _RETURN, _BLANK = b'"\n\r '
_LONGEST_CELL = 1 << 30
"""Python's own reader refuses cells above a limit, which is a setting of the whole process."""


@dataclass(frozen=True, slots=True)
class CsvFacts:
    """What the bytes of a csv say."""

    n_records: int
    """The records, if every quote opens or closes a cell or is doubled."""
    has_blanks_beside_quotes: bool
    """Whether a blank stands before or after a quoted cell; engines drop it."""
    is_doubtful: bool = False
    """Whether readers may find different cells: text behind the quote that closes a cell, line ends of several kinds, a
    line of a megabyte or more, a quote that is never closed, or a line end of two bytes in a cell that is parted where
    two megabytes meet: Arrow leaves its second byte out if one of its blocks ends there."""


@contextmanager
def facts_meanwhile(files: DataFiles) -> Iterator[Future[list[CsvFacts]]]:
    """Look into csv files in another thread, while they are parsed.

    Args:
        files: The files.
    """
    assert files.delimiter is not None  # noqa: S101 - every csv has one
    delimiter = files.delimiter
    with ThreadPoolExecutor(1) as thread:
        yield thread.submit(lambda: [find_facts(path, files.n_columns, delimiter) for path in files.paths])


def find_facts(path: Path, n_columns: int, delimiter: str = ",") -> CsvFacts:
    """Count the records of a csv by its line ends outside quotes, and look for what readers do not agree on.

    Args:
        path: The file; with a name that ends in `.gz` it is unpacked.
        n_columns: How many columns it has. In a file of one, an empty line is a record with a missing cell.
        delimiter: What separates its cells.
    """
    n_lines = n_feeds = n_returns = n_pairs = 0
    is_at_start, is_quoted, was_return, was_closing = True, False, False, False
    has_blanks, is_doubtful, last = False, False, b""
    with _read_to_end(path) as file:
        while block := file.read(_BLOCK):
            is_full = len(block) == _BLOCK
            is_doubtful = is_doubtful or (is_quoted and last == b"\r" and block.startswith(b"\n"))
            if not last:
                block = block.removeprefix(codecs.BOM_UTF8)
            codes = np.frombuffer(block, np.uint8)
            if not len(codes):
                continue
            has_blanks = has_blanks or _has_blanks_beside_quotes(codes, last, is_quoted=is_quoted)
            quotes = _as_bits(codes == _QUOTE)
            inside, is_quoted = _inside_quotes(quotes, is_quoted=is_quoted)
            closing = quotes & ~inside
            feeds = _as_bits(codes == _FEED) & ~inside
            returns = _as_bits(codes == _RETURN) & ~inside
            behind_return, behind_closing = _moved_up(returns, was_return), _moved_up(closing, was_closing)
            # A line ends in one byte or in two; the first of them counts.
            ends = returns | (feeds & ~behind_return)
            n_lines += _count(ends)
            if n_columns > 1:
                n_lines -= _count(ends & _moved_up(feeds | returns, is_at_start))
            n_feeds, n_returns = n_feeds + _count(feeds), n_returns + _count(returns)
            n_pairs += _count(feeds & behind_return)
            if behind_closing.any():
                may_follow = [codes == code for code in (_QUOTE, ord(delimiter), _FEED, _RETURN, _BLANK)]
                goes_on = _as_bits(~np.logical_or.reduce(may_follow))
                is_doubtful = is_doubtful or bool((behind_closing & goes_on).any())
            # Engines refuse lines of two megabytes, in which there is a whole block without an end.
            is_doubtful = is_doubtful or (is_full and not ends.any())
            was_return, was_closing, is_at_start = (_last(bits, codes) for bits in (returns, closing, feeds | returns))
            last = block[-1:]
    is_mixed = n_feeds > 0 < n_returns and not n_feeds == n_returns == n_pairs
    n_records = max(n_lines + (not is_at_start) - 1, 0)
    return CsvFacts(n_records, has_blanks, is_doubtful or is_mixed or is_quoted)


def _inside_quotes(quotes: Bits, *, is_quoted: bool) -> tuple[Bits, bool]:
    """Which bytes are inside of quotes, one bit each, and whether a quote is open behind the last.

    A quote that opens is inside, one that closes is not. 64 bytes become the bits of one number: that took a quarter of
    the time of adding up the quotes of each line.

    Args:
        quotes: Which bytes are quotes.
        is_quoted: Whether a quote is open before the first.
    """
    is_open = (np.bitwise_xor.accumulate(np.bitwise_count(quotes)) & 1 == 1) ^ is_quoted
    inside = quotes
    for distance in (1, 2, 4, 8, 16, 32):
        # At last each bit is the sum of the quotes up to its byte.
        inside = inside ^ (inside << np.uint64(distance))
    before = np.concatenate([[is_quoted], is_open[:-1]])
    return np.where(before, ~inside, inside), bool(is_open[-1])


def _count(bits: Bits) -> int:
    return int(np.bitwise_count(bits).sum())


def _last(bits: Bits, codes: Bytes) -> bool:
    """The bit of the last byte."""
    return bool(int(bits[-1]) >> (len(codes) - 1) % 64 & 1)


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


@contextmanager
def _read_to_end(path: Path) -> Iterator[IO[bytes]]:
    """Open a file; a disk or a packed file that fails in the middle of it is said by its name."""
    try:
        with opened(path) as file:
            yield file
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or "it is damaged"
        msg = f"`{path.name}` could not be read to its end: {reason[:1].lower()}{reason[1:]}."
        raise InputError(msg) from None


def opened(path: Path) -> IO[bytes]:
    """Open a csv, which is unpacked if its name ends in `.gz`."""
    return gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb")  # type: ignore[return-value]
