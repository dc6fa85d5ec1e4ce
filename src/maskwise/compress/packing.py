"""Several counters side by side in one 64-bit word.

A counter of a group never exceeds that of the whole table, so as many bits as
the whole table's needs are enough for it, always. Words are then added and
subtracted as if they were single counters: no sum runs over into its
neighbour, and no difference of a group and a part of it borrows from one. The
records and three rare sensitive values of a million records fit into one word,
so counting the rows by them costs as much as counting the rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maskwise.compress.spill import Workspace
from maskwise.values.kernel import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

BITS = 63
"""The sign stays out of it."""
_ROWS = 1 << 20
"""So many rows are packed at a time: the table may be larger than memory."""


class Layout(NamedTuple):
    """Where each counter is."""

    word: Any  # (n_counts,) in which word; the first counter is in the first
    shift: Any  # (n_counts,) from which bit on
    mask: Any  # (n_counts,) its bits, shifted down


def pack(
    counts: NDArray[np.int64], whole: NDArray[np.int64], workspace: Workspace | None = None
) -> tuple[NDArray[np.int64], Layout]:
    """Put the counters of each row side by side into as few words as they fill in order.

    Claim: packing keeps counts. `spread` gives back the sum over any set of
    rows, and the difference of such a sum and one over a part of the rows.

    Args:
        counts: (n_rows, n_counts) the counters of each row, none negative.
        whole: (n_counts,) their sums.
        workspace: Where the words are kept.

    Examples:
        >>> words, layout = pack(np.array([[2, 1], [3, 0]]), np.array([5, 1]))
        >>> words.tolist(), layout.shift.tolist()
        ([[10], [3]], [0, 3])
    """
    word, shift, wide = [], [], [max(int(n).bit_length(), 1) for n in whole]
    at, used = 0, 0
    for bits in wide:
        if used + bits > BITS:
            at, used = at + 1, 0
        word.append(at)
        shift.append(used)
        used += bits
    words = (workspace or Workspace()).zeros((len(counts), at + 1), np.int64)
    for start in range(0, len(counts), _ROWS):
        part = slice(start, start + _ROWS)
        for c, (w, s) in enumerate(zip(word, shift, strict=True)):
            words[part, w] += counts[part, c] << s
    mask = np.array([(1 << bits) - 1 for bits in wide], np.int64)
    return words, Layout(np.array(word, np.int64), np.array(shift, np.int64), mask)


def side_by_side(n_counts: int) -> Layout:
    """The layout of counters that fill a word each."""
    return Layout(np.arange(n_counts), np.zeros(n_counts, np.int64), np.full(n_counts, 2**BITS - 1, np.int64))


@kernel
def spread(layout: Layout, words: Any, counts: Any) -> None:
    """Take counters out of their words.

    Args:
        layout: IN where they are.
        words: IN (n_words,)
        counts: OUT (n_counts,)
    """
    for c in range(counts.shape[0]):
        counts[c] = (words[layout.word[c]] >> layout.shift[c]) & layout.mask[c]
