"""What each refinement would gain, for all candidates of one attribute at once.

Rows of codes stand together by the cell they are in. Each function looks at
every cell by itself, counts its records by leaf and class, and adds up how much
the impurity of the cell falls. Everything is whole numbers, so that the order
of rows and cells changes nothing. `utility` says what the impurities are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maskwise.values.kernel import kernel

UNIT = 1024
"""One in the fixed-point numbers of the Gini impurity."""
_MOST_SQUARED = 3_000_000_000
"""Up to here the square of a number of records fits into 64 bits."""


@kernel
def impurity(counts: Any, prior: Any) -> int:
    """The Gini impurity of a cell, rounded down; 0 for an empty cell.

    Args:
        counts: (n_classes,) the records by class.
        prior: (n_classes,) records of each class that every cell is taken to have besides.
    """
    total = 0
    for c in range(counts.shape[0]):
        total += counts[c]
    if total == 0:
        return 0
    return int(_gini(counts, prior) - _gini(np.zeros_like(counts), prior))


@kernel
def _gini(counts: Any, prior: Any) -> int:
    total = 0
    for c in range(counts.shape[0]):
        total += counts[c] + prior[c]
    if total == 0:
        return 0
    if total > _MOST_SQUARED:
        return int(_gini_of_many(counts, prior, total))
    squares = 0
    for c in range(counts.shape[0]):
        n = counts[c] + prior[c]
        squares += n * n
    rest = total * total - squares
    # In two steps: the product with the unit would pass 64 bits.
    return UNIT * (rest // total) + UNIT * (rest % total) // total


@kernel
def _gini_of_many(counts: Any, prior: Any, total: int) -> int:
    """The same where squares pass 64 bits: each is divided by the total while it is made, 16 bits at a time.

    It is exact, as the sensitivity needs it: up to 2**46 records nothing below passes 64 bits.
    """
    whole, rest = 0, 0
    for c in range(counts.shape[0]):
        n = counts[c] + prior[c]
        quotient, remainder = 0, 0
        for place in (32, 16, 0):
            remainder = remainder * 65536 + n * ((n >> place) & 65535)
            quotient = quotient * 65536 + remainder // total
            remainder %= total
        whole += quotient
        rest += remainder
    whole += rest // total
    rest %= total
    # The squares are whole + rest / total; what is taken away is rounded up, so that the result is rounded down.
    return UNIT * (total - whole) - (UNIT * rest + total - 1) // total


@kernel
def split_gains(
    starts: Any,
    leaves: Any,
    classes: Any,
    counts: Any,
    value_of_leaf: Any,
    child_of_leaf: Any,
    shape: tuple[int, int],
    prior: Any,
) -> Any:
    """What replacing each value by its children gains, over the cells that show it.

    Args:
        starts: (n_cells + 1,) where the rows of each cell begin.
        leaves: (n_rows,) the leaf of each row on the attribute.
        classes: (n_rows,) its class.
        counts: (n_rows,) its records.
        value_of_leaf: (n_leaves,) which value shows a leaf.
        child_of_leaf: (n_leaves,) which child of that value a leaf is below; -1 if the value has no children.
        shape: How many values there are, and how many children one has at most.
        prior: As for `impurity`.
    """
    n_classes = prior.shape[0]
    gains = np.zeros(shape[0], np.int64)
    table = np.zeros((shape[1], n_classes), np.int64)
    whole = np.zeros(n_classes, np.int64)
    for g in range(starts.shape[0] - 1):
        first, last = starts[g], starts[g + 1]
        if first == last or child_of_leaf[leaves[first]] < 0:
            continue
        table[:] = 0
        whole[:] = 0
        for i in range(first, last):
            table[child_of_leaf[leaves[i]], classes[i]] += counts[i]
            whole[classes[i]] += counts[i]
        gain = impurity(whole, prior)
        for child in range(shape[1]):
            gain -= impurity(table[child], prior)
        gains[value_of_leaf[leaves[first]]] += gain
    return gains


@kernel
def boundary_gains(starts: Any, leaves: Any, classes: Any, counts: Any, n_leaves: int, prior: Any) -> Any:
    """What splitting an interval before each leaf gains, over the cells that show the interval.

    Args:
        starts: As for `split_gains`.
        leaves: As for `split_gains`.
        classes: As for `split_gains`.
        counts: As for `split_gains`.
        n_leaves: How many leaves there are; each interval is a range of them.
        prior: As for `impurity`.

    Returns:
        (n_leaves,) the gain of a boundary just before each leaf; meaningless at the first leaf of an interval.
    """
    n_classes = prior.shape[0]
    # What each boundary gains more than the one before it.
    steps = np.zeros(n_leaves + 1, np.int64)
    table = np.zeros((n_leaves, n_classes), np.int64)
    whole = np.zeros(n_classes, np.int64)
    left = np.zeros(n_classes, np.int64)
    right = np.zeros(n_classes, np.int64)
    touched = np.zeros(n_leaves, np.int64)
    for g in range(starts.shape[0] - 1):
        first, last = starts[g], starts[g + 1]
        n_touched = 0
        whole[:] = 0
        for i in range(first, last):
            leaf = leaves[i]
            is_new = True
            for c in range(n_classes):
                is_new = is_new and table[leaf, c] == 0
            if is_new:
                touched[n_touched] = leaf
                n_touched += 1
            table[leaf, classes[i]] += counts[i]
            whole[classes[i]] += counts[i]
        at = np.sort(touched[:n_touched])
        base = impurity(whole, prior)
        left[:] = 0
        before = 0
        for k in range(n_touched):
            leaf = at[k]
            for c in range(n_classes):
                left[c] += table[leaf, c]
                right[c] = whole[c] - left[c]
                table[leaf, c] = 0
            now = base - impurity(left, prior) - impurity(right, prior)
            # The boundary before the next leaf separates all up to this one.
            steps[leaf + 1] += now - before
            before = now
    gains = np.zeros(n_leaves, np.int64)
    running = 0
    for leaf in range(n_leaves):
        running += steps[leaf]
        gains[leaf] = running
    return gains


@kernel
def disclosure_gains(starts: Any, leaves: Any, classes: Any, counts: Any, is_hidden: Any, prior: Any) -> Any:
    """What showing each hidden value by itself gains, over the cells that hide it.

    Args:
        starts: As for `split_gains`.
        leaves: As for `split_gains`.
        classes: As for `split_gains`.
        counts: As for `split_gains`.
        is_hidden: (n_leaves,) whether a leaf is hidden.
        prior: As for `impurity`.
    """
    n_leaves, n_classes = is_hidden.shape[0], prior.shape[0]
    gains = np.zeros(n_leaves, np.int64)
    table = np.zeros((n_leaves, n_classes), np.int64)
    whole = np.zeros(n_classes, np.int64)
    rest = np.zeros(n_classes, np.int64)
    for g in range(starts.shape[0] - 1):
        first, last = starts[g], starts[g + 1]
        if first == last or not is_hidden[leaves[first]]:
            continue
        whole[:] = 0
        for i in range(first, last):
            table[leaves[i], classes[i]] += counts[i]
            whole[classes[i]] += counts[i]
        base = impurity(whole, prior)
        for i in range(first, last):
            leaf = leaves[i]
            n_here = 0
            for c in range(n_classes):
                n_here += table[leaf, c]
                rest[c] = whole[c] - table[leaf, c]
            if n_here:
                gains[leaf] += base - impurity(table[leaf], prior) - impurity(rest, prior)
                table[leaf] = 0
    return gains


@kernel
def order_by_value(starts: Any, values: Any, n_values: int) -> Any:
    """Put the rows of each cell in the order of their values, and say where the new cells begin.

    Args:
        starts: As for `split_gains`.
        values: (n_rows,) the value of each row.
        n_values: How many values there are.

    Returns:
        (n_rows,) the row that comes at each place, and (n_cells + 1,) where the rows of each new cell begin.
    """
    n_rows = values.shape[0]
    order = np.empty(n_rows, np.int64)
    is_start = np.zeros(n_rows + 1, np.bool_)
    place = np.zeros(n_values + 1, np.int64)
    for g in range(starts.shape[0] - 1):
        first, last = starts[g], starts[g + 1]
        lowest, highest = n_values, 0
        for i in range(first, last):
            lowest = min(lowest, values[i])
            highest = max(highest, values[i])
        place[lowest : highest + 2] = 0
        for i in range(first, last):
            place[values[i] + 1] += 1
        at = first
        for value in range(lowest, highest + 1):
            n_here = place[value + 1]
            is_start[at] = is_start[at] or n_here > 0
            place[value] = at
            at += n_here
        for i in range(first, last):
            order[place[values[i]]] = i
            place[values[i]] += 1
        place[lowest : highest + 2] = 0
    is_start[n_rows] = True
    is_start[0] = True
    return order, np.flatnonzero(is_start)
