"""Count the distinct rows of small codes: the loops over records, compiled.

`coded_rows` makes their arrays. Arguments are tagged IN, OUT or INOUT.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maskwise.values.kernel import kernel

WORD = 8
"""The bytes of a word."""
_BYTE = np.uint64(8)
_ODD, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)


@kernel
def lay_rows(columns: Any, begin: int, end: int, rows: Any, hashes: Any) -> None:
    """Put the bytes of each record side by side into words, and hash them.

    Args:
        columns: IN (n_bytes, n_records) the bytes, one by one.
        begin: IN the first record.
        end: IN one past the last.
        rows: OUT (n_records, n_words) the first byte is the lowest one of the first word.
        hashes: OUT (n_records,)
    """
    n_bytes = columns.shape[0]
    for i in range(begin, end):
        mixed = np.uint64(0)
        for w in range(rows.shape[1]):
            word = np.uint64(0)
            for b in range(min((w + 1) * WORD, n_bytes) - 1, w * WORD - 1, -1):
                word = (word << _BYTE) | np.uint64(columns[b, i])
            rows[i, w] = word
            mixed = (mixed ^ (mixed >> _SHIFT) ^ word) * _ODD
        hashes[i] = mixed ^ (mixed >> _SHIFT)


@kernel
def count_distinct(
    rows: Any, hashes: Any, marks: Any, part: int, n_parts: int, slots: Any, distinct: Any, counts: Any
) -> int:
    """Count the distinct rows among those whose hashes fall into one of several parts; give how many they are.

    Args:
        rows: IN (n_records, n_words)
        hashes: IN (n_records,) equal for equal rows.
        marks: IN (n_marks, n_records) ones and zeros.
        part: IN which part.
        n_parts: IN how many parts there are, a power of 2.
        slots: INOUT (n_slots,) zeros, a power of 2, more than there are rows: a hash table of rows, from 1.
        distinct: OUT (most_rows, n_words) each row once, in the order of the records.
        counts: OUT (most_rows, 1 + n_marks) its records, and those with each mark.
    """
    n_words, n_marks = rows.shape[1], marks.shape[0]
    mask = slots.shape[0] - 1
    n_rows = 0
    for i in range(rows.shape[0]):
        mixed = np.int64(hashes[i])
        if mixed & (n_parts - 1) != part:
            continue
        slot = (mixed >> 3) & mask
        at = np.int64(-1)
        while slots[slot] != 0:
            known = np.int64(slots[slot]) - 1
            is_same = True
            for w in range(n_words):
                if distinct[known, w] != rows[i, w]:
                    is_same = False
                    break
            if is_same:
                at = known
                break
            slot = (slot + 1) & mask
        if at < 0:
            at = np.int64(n_rows)
            n_rows += 1
            slots[slot] = n_rows
            for w in range(n_words):
                distinct[at, w] = rows[i, w]
            for m in range(n_marks + 1):
                counts[at, m] = 0
        counts[at, 0] += 1
        for m in range(n_marks):
            counts[at, m + 1] += marks[m, i]
    return n_rows
