"""The loops of gradient boosting over records and bins, compiled.

Arrays in, arrays out; `tree` calls them node by node, `model` iteration by iteration.
Gradients and hessians are whole numbers of 1 / SCALE, so that every sum is exact.
A histogram has a line for each bin of each column, all columns one after the other, with
the sums of gradients and hessians and the number of records; the last bin of a column
holds its missing cells. Arguments are tagged IN, OUT or INOUT.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maskwise.values.kernel import kernel

SCALE = 2.0**29
"""Gradients lie between -2 and 2, so each fits into 32 bits; 2**32 of them can be added up."""
MIN_GAIN = 1e-9 * SCALE
"""A split that lowers the loss by less is none: rounding alone can do as much."""
MIN_HESSIAN = int(1e-3 * SCALE)
"""What the hessians of a leaf must add up to."""
CATEGORY_SUPPORT = 10.0
"""A category with fewer records in a node always goes right; the gradients of others are smoothed with as many."""
MAX_EXPONENT = 40.0
"""Beyond this, chances are 0 or 1 to all digits."""
LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10
"""The logarithm of 2 in two parts, the first with so few digits that small multiples of it are exact."""
N_TERMS = 14


@kernel
def add_histogram(rows: Any, bins: Any, offsets: Any, gradients: Any, histogram: Any) -> None:
    """Add up the gradients of some records, by bin of each column.

    Args:
        rows: IN (n,) the records.
        bins: IN (n_records, n_columns) the bin of each cell.
        offsets: IN (n_columns + 1,) where the bins of each column start in the histogram.
        gradients: IN (n_records, 2) gradient and hessian.
        histogram: OUT (n_lines, 3) gradients, hessians, records; zero before.
    """
    n_columns = np.uint64(bins.shape[1])
    for i in range(len(rows)):
        row = rows[i]
        gradient, hessian = np.int64(gradients[row, 0]), np.int64(gradients[row, 1])
        for c in range(n_columns):
            line = offsets[c] + bins[row, c]
            histogram[line, 0] += gradient
            histogram[line, 1] += hessian
            histogram[line, 2] += 1


@kernel
def scan_splits(histogram: Any, sequence: Any, n_scanned: int, total: Any, min_records: int) -> tuple[float, int]:
    """Move the bins of a sequence to the left side one by one; the largest gain, and how many bins are left then.

    Args:
        histogram: IN (n_lines, 3).
        sequence: IN (at least n_scanned,) the lines of the bins.
        n_scanned: IN how many of them may be on the left side.
        total: IN (3,) the sums of the node.
        min_records: IN what each side must have.
    """
    gradient, hessian, n = 0, 0, 0
    loss = np.float64(total[0]) * np.float64(total[0]) / np.float64(total[1])
    best, at = MIN_GAIN, 0
    for i in range(n_scanned):
        line = sequence[i]
        gradient += histogram[line, 0]
        hessian += histogram[line, 1]
        n += histogram[line, 2]
        if n < min_records or hessian < MIN_HESSIAN:
            continue
        if total[2] - n < min_records or total[1] - hessian < MIN_HESSIAN:
            break
        left, right = np.float64(gradient), np.float64(total[0] - gradient)
        gain = left * left / np.float64(hessian) + right * right / np.float64(total[1] - hessian) - loss
        if gain > best:
            best, at = gain, i + 1
    return best, at


@kernel
def order_numbers(histogram: Any, first: int, missing: int, turn: int, sequence: Any) -> int:
    """Put the bins of a column of numbers in the order in which they move left; return how many may be there.

    Args:
        histogram: IN (n_lines, 3).
        first: IN the line of the first bin.
        missing: IN the line of the bin of missing cells.
        turn: IN 0: missing cells stay right. 1: they move left first, if there are some.
        sequence: OUT (256,) the lines of the bins.
    """
    if turn == 1 and histogram[missing, 2] == 0:
        return 0
    sequence[0] = missing
    for i in range(missing - first):
        sequence[turn + i] = first + i
    return turn + missing - first


@kernel
def order_categories(histogram: Any, first: int, missing: int, turn: int, total: Any, means: Any, sequence: Any) -> int:
    """Put the categories of a column in the order in which they move left; return how many may be there: half of them.

    The order is that of their mean gradients; equal ones keep the order of their bins. The
    missing cells are one more category.

    Args:
        histogram: IN (n_lines, 3).
        first: IN the line of the first bin.
        missing: IN the line of the bin of missing cells.
        turn: IN 0: the lowest mean comes first. 1: the highest.
        total: IN (3,) the sums of the node.
        means: INOUT (256,) scratch.
        sequence: OUT (256,) the lines of the categories that have enough records.
    """
    n = 0
    for line in range(first, missing + 1):
        hessian = np.float64(histogram[line, 1])
        if hessian * total[2] < CATEGORY_SUPPORT * total[1]:
            continue
        mean = (1 - 2 * turn) * histogram[line, 0] / (hessian + CATEGORY_SUPPORT * SCALE)
        i = n
        while i > 0 and means[i - 1] > mean:
            means[i], sequence[i] = means[i - 1], sequence[i - 1]
            i -= 1
        means[i], sequence[i] = mean, line
        n += 1
    return (n + 1) // 2 - turn


@kernel
def find_split(
    histogram: Any, offsets: Any, is_category: Any, min_records: int, left: Any, left_total: Any
) -> tuple[float, int]:
    """Find the split of largest gain; of equal ones the first column's, then the first that is tried.

    Each column has two turns. Numbers: the lower bins go left, the missing cells right, then
    left. Categories: those of the lowest gradients go left, then those of the highest; of
    the others, some are rare and always go right. Where the node has no missing cell, those
    of later records go to the side with more records, the right one if both have as many.

    Args:
        histogram: IN (n_lines, 3).
        offsets: IN (n_columns + 1,) where the bins of each column start.
        is_category: IN (n_columns,).
        min_records: IN what each side must have.
        left: OUT (256,) whether records of a bin go left.
        left_total: OUT (3,) the sums of the left side.

    Returns:
        The gain and the column; -1 if there is no split.
    """
    total = np.zeros(3, np.int64)
    for line in range(offsets[0], offsets[1]):
        for i in range(3):
            total[i] += histogram[line, i]
    best, column = MIN_GAIN, -1
    if total[2] < 2 * min_records or total[1] < 2 * MIN_HESSIAN:
        return best, column
    sequence = np.empty(256, np.int64)
    means = np.empty(256)
    for c in range(len(is_category)):
        first, missing = np.int64(offsets[c]), np.int64(offsets[c + 1]) - 1
        for turn in range(2):
            if is_category[c]:
                n_scanned = order_categories(histogram, first, missing, turn, total, means, sequence)
            else:
                n_scanned = order_numbers(histogram, first, missing, turn, sequence)
            gain, n_left = scan_splits(histogram, sequence, n_scanned, total, min_records)
            if gain > best:
                best, column = gain, c
                left[:] = False
                left_total[:] = 0
                for i in range(n_left):
                    left[sequence[i] - first] = True
                    left_total[0] += histogram[sequence[i], 0]
                    left_total[1] += histogram[sequence[i], 1]
                    left_total[2] += histogram[sequence[i], 2]
                if histogram[missing, 2] == 0:
                    left[missing - first] = 2 * left_total[2] > total[2]
    return best, column


@kernel
def split_rows(rows: Any, column: Any, left: Any, scratch: Any) -> None:
    """Move the records of the left side to the front; both sides keep their order.

    Args:
        rows: INOUT (n,) the records.
        column: IN (n_records,) the bin of each record.
        left: IN (256,) whether records of a bin go left.
        scratch: INOUT (at least n,).
    """
    n_left, n_right = 0, 0
    for i in range(len(rows)):
        row = rows[i]
        if left[column[row]]:
            rows[n_left] = row
            n_left += 1
        else:
            scratch[n_right] = row
            n_right += 1
    for i in range(n_right):
        rows[n_left + i] = scratch[i]


@kernel
def add_tree(bins: Any, columns: Any, children: Any, left: Any, values: Any, scores: Any) -> None:
    """Add the value of each record's leaf to its score.

    Args:
        bins: IN (n_records, n_columns) the bin of each cell.
        columns: IN (n_nodes,) the column that a node asks for.
        children: IN (n_nodes,) the left child, which the right one follows; 0 in a leaf.
        left: IN (n_nodes, 256) whether records of a bin go left.
        values: IN (n_nodes,) the value of a leaf.
        scores: INOUT (n_records,).
    """
    for row in range(len(scores)):
        node = 0
        while children[node] > 0:
            node = children[node] + (not left[node, bins[row, columns[node]]])
        scores[row] += values[node]


@kernel
def exponential(exponent: float) -> float:
    """E to a power between -40 and 40, with basic arithmetic only: libraries differ in the last digit."""
    exponent = min(max(exponent, -MAX_EXPONENT), MAX_EXPONENT)
    doublings = int(np.floor(exponent * LOG2_E + 0.5))
    rest = exponent - doublings * LN2_HIGH - doublings * LN2_LOW
    power = 1.0
    for term in range(N_TERMS, 0, -1):
        power = 1.0 + power * rest / term
    return power * (1 << doublings) if doublings >= 0 else power / (1 << -doublings)


@kernel
def to_chances(scores: Any) -> Any:
    """The chance of each class; of two classes, which share one score, that of the second.

    Args:
        scores: IN (n_scores, n_records).

    Returns:
        (n_scores, n_records).
    """
    n_scores, n_records = scores.shape
    chances = np.empty((n_scores, n_records))
    for row in range(n_records):
        if n_scores == 1:
            chances[0, row] = 1.0 / (1.0 + exponential(-scores[0, row]))
            continue
        highest, total = scores[0, row], 0.0
        for s in range(1, n_scores):
            highest = max(highest, scores[s, row])
        for s in range(n_scores):
            chances[s, row] = exponential(scores[s, row] - highest)
            total += chances[s, row]
        for s in range(n_scores):
            chances[s, row] /= total
    return chances
