"""Split the lines of a csv into cells and number the different ones of each column: the loop over bytes, compiled.

`csv_dictionaries` says which bytes, and makes columns of the numbers. Arguments are tagged IN, OUT or INOUT.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from maskwise.values.kernel import kernel

_QUOTE, _LINE_END = b'"\n'
_WORD = 8
"""The bytes of a word."""
_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_ONES = np.uint64(0x0101010101010101)
_HIGH_BITS = np.uint64(0x8080808080808080)
_NONE, _ONE, _BITS_BELOW = np.uint64(0), np.uint64(1), np.uint64(7)
_LAST_BYTE, _LAST_BIT = np.uint64(56), np.uint64(63)

DONE, IRREGULAR, NO_ROOM = 0, 1, 2
"""How it ended: at the end of the bytes; at a line that not every parser reads alike; where an array is full."""


class DistinctCells(NamedTuple):
    """The different cells of all columns, numbered in the order in which they are met."""

    slots: Any  # (n_columns, n_slots) hash tables of a power of 2: a cell's number in its column, from 1; 0 is free
    cells: Any  # (n_columns, most_cells) the number of each cell over all columns
    n_of: Any  # (n_columns,) how many cells there are
    starts: Any  # (n_columns * most_cells, 2) the first two words of each cell, by its number over all columns
    offsets: Any  # (n_columns * most_cells + 1,) where the bytes of each begin; those of the next begin where they end
    pool: Any  # (n_bytes,) the bytes of all cells


@kernel
def _zeros(word: Any) -> Any:
    """Mark the bytes of a word that are zero; above the first of them others may be marked as well."""
    return (word - _ONES) & ~word & _HIGH_BITS


@kernel
def number_cells(  # noqa: PLR0912, PLR0915 - one pass over the bytes
    text: Any, words: Any, begin: int, end: int, delimiter: int, cells: DistinctCells, places: Any, tally: Any
) -> None:
    """Number the cells of lines.

    Cells are whole: a quote opens at the beginning of a cell and closes at its end, and none is inside. Each line has
    a cell for each column.

    Args:
        text: IN bytes; the last one before `end` is a line end.
        words: IN the same bytes, and eight behind `end` at least, as words of which the first byte is the lowest.
        begin: IN where the first line begins.
        end: IN where the last line ends.
        delimiter: IN what separates cells.
        cells: INOUT the different cells.
        places: INOUT (n_columns, most_records) the number of each record's cell within its column; -1 is a missing one.
        tally: INOUT (3,) how many records there are, and how many cells over all columns; OUT how it ended.
    """
    n_columns, most_cells = cells.cells.shape
    mask = cells.slots.shape[1] - 1
    n_records, n_all = tally[0], tally[1]
    tally[2] = DONE
    quotes, line_ends, delimiters = (
        _ONES * np.uint64(_QUOTE),
        _ONES * np.uint64(_LINE_END),
        _ONES * np.uint64(delimiter),
    )
    at = begin
    while at < end:
        if n_records == places.shape[1]:
            tally[2] = NO_ROOM
            break
        for c in range(n_columns):
            is_quoted = text[at] == _QUOTE
            at += is_quoted
            first = at
            # In a quoted cell a delimiter is a letter: a line end is looked for twice.
            third = line_ends if is_quoted else delimiters
            mixed, opening, following = _NONE, _NONE, _NONE
            while True:
                shift = np.uint64(at % _WORD * 8)
                word = (words[at // _WORD] >> shift) | ((words[at // _WORD + 1] << _ONE) << (_LAST_BIT - shift))
                found = _zeros(word ^ quotes) | _zeros(word ^ line_ends) | _zeros(word ^ third)
                n_letters = np.int64(_WORD)
                if found != _NONE:
                    below = (found & (~found + _ONE)) - _ONE
                    n_letters = np.int64(((below & _ONES) * _ONES) >> _LAST_BYTE) - 1
                    word &= below >> _BITS_BELOW
                if at == first:
                    opening = word
                elif at == first + _WORD:
                    following = word
                mixed = (mixed ^ (mixed >> _SHIFT) ^ word) * _ODD
                at += n_letters
                if found != _NONE:
                    break
            n = at - first
            letter = text[at]
            if is_quoted:
                if letter != _QUOTE:
                    tally[2] = IRREGULAR
                    break
                at += 1
                letter = text[at]
            if letter != (delimiter if c + 1 < n_columns else _LINE_END):
                tally[2] = IRREGULAR
                break
            at += 1
            if n == 0 and not is_quoted:
                places[c, n_records] = -1
                continue
            slot = np.int64(mixed >> np.uint64(32)) & mask
            place = np.int64(-1)
            while cells.slots[c, slot] != 0:
                number = np.int64(cells.slots[c, slot]) - 1
                cell = cells.cells[c, number]
                start = cells.offsets[cell]
                if (
                    cells.starts[cell, 0] == opening
                    and cells.starts[cell, 1] == following
                    and cells.offsets[cell + 1] - start == n
                ):
                    is_same = True
                    if n > 2 * _WORD:
                        for i in range(2 * _WORD, n):
                            if cells.pool[start + i] != text[first + i]:
                                is_same = False
                                break
                    if is_same:
                        place = number
                        break
                slot = (slot + 1) & mask
            if place < 0:
                start = np.int64(cells.offsets[n_all])
                if cells.n_of[c] == most_cells or start + n > cells.pool.shape[0]:
                    tally[2] = NO_ROOM
                    break
                for i in range(n):
                    cells.pool[start + i] = text[first + i]
                place = np.int64(cells.n_of[c])
                cells.slots[c, slot] = place + 1
                cells.cells[c, place] = n_all
                cells.starts[n_all, 0], cells.starts[n_all, 1] = opening, following
                n_all += 1
                cells.offsets[n_all] = start + n
                cells.n_of[c] += 1
            places[c, n_records] = place
        if tally[2] != DONE:
            break
        n_records += 1
    tally[0], tally[1] = n_records, n_all
