"""The loops over records of C4.5 once a split is chosen, compiled.

Sending records down the branches, what a leaf will get wrong, and reading a
finished tree. Records, codes and tags are as in `split_kernels`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maskwise.classifiers.c45.split_kernels import CATEGORY, MISSING, TINY
from maskwise.values.kernel import kernel


@kernel
def split_records(
    rows: Any, weights: Any, labels: Any, column: Any, cut: int, n_branches: int, n_classes: int
) -> tuple[Any, Any, Any, Any]:
    """Send records to the branches of a split, those without a value to all in parts.

    Args:
        rows: IN (n,) the records.
        weights: IN (n,) their weights.
        labels: IN (n_rows,) class of each row.
        column: IN (n_rows,) code of each row.
        cut: IN the largest code of the first branch, or CATEGORY.
        n_branches: IN how many branches there are.
        n_classes: IN how many classes there are.

    Returns:
        The rows by branch, their weights, (n_branches + 1,) where each branch starts, and
        (n_branches, n_classes) its class weights.
    """
    n = len(rows)
    branch = np.empty(n, np.int64)
    size = np.zeros(n_branches, np.int64)
    share = np.zeros(n_branches)
    n_missing, known = 0, 0.0
    for i in range(n):
        code = column[rows[i]]
        if code == MISSING:
            branch[i] = MISSING
            n_missing += 1
            continue
        b = code if cut == CATEGORY else int(code > cut)
        branch[i] = b
        size[b] += 1
        share[b] += weights[i]
        known += weights[i]
    if n_missing > 0:
        for b in range(n_branches):
            share[b] = share[b] / known if known > TINY else 1.0 / n_branches
            if share[b] > TINY:
                size[b] += n_missing
    start = np.zeros(n_branches + 1, np.int64)
    start[1:] = np.cumsum(size)
    into = start[:-1].copy()
    out_rows = np.empty(start[-1], rows.dtype)
    out_weights = np.empty(start[-1], np.float64)
    counts = np.zeros((n_branches, n_classes))
    for i in range(n):
        first, last, whole = branch[i], branch[i] + 1, True
        if branch[i] == MISSING:
            first, last, whole = 0, n_branches, False
        for b in range(first, last):
            w = weights[i] if whole else weights[i] * share[b]
            if whole or share[b] > TINY:
                out_rows[into[b]] = rows[i]
                out_weights[into[b]] = w
                counts[b, labels[rows[i]]] += w
                into[b] += 1
    return out_rows, out_weights, start, counts


@kernel
def estimate_errors(total: float, wrong: float, cf: float, z: float) -> float:
    """Estimate how many of a leaf's records later ones like them would get wrong.

    The upper end of a one-sided confidence interval for a binomial, by its
    normal approximation; below one error and next to `total` errors it is
    interpolated.

    Args:
        total: IN weight of the records.
        wrong: IN weight of those not of the leaf's class.
        cf: IN the confidence.
        z: IN the normal deviate that is exceeded with probability `cf`.
    """
    if total < TINY:
        return 0.0
    at_least_one = max(wrong, 1.0)
    if at_least_one + 0.5 >= total:
        upper = max(total, at_least_one)
    else:
        f = (at_least_one + 0.5) / total
        spread = z * np.sqrt(f / total - f * f / total + z * z / (4 * total * total))
        upper = total * (f + z * z / (2 * total) + spread) / (1 + z * z / total)
    if wrong < 1:
        none = total * (1 - cf ** (1 / total))
        return float(wrong + none + wrong * (upper - 1.0 - none))
    return float(upper)


@kernel
def leaf_errors(counts: Any, cf: float, z: float) -> Any:
    """Apply `estimate_errors` to (n, n_classes) class weights."""
    errors = np.empty(len(counts))
    for i in range(len(counts)):
        total = counts[i].sum()
        errors[i] = estimate_errors(total, total - counts[i].max(), cf, z)
    return errors


@kernel
def walk(codes: Any, attribute: Any, cut: Any, first: Any, n_branches: Any, share: Any, chances: Any) -> Any:
    """Read the chances of each class off a tree.

    A record without a value at a node goes down all its branches in parts.

    Args:
        codes: IN (n_attributes, n_rows) code of each value.
        attribute: IN (n_nodes,) what a node asks for; -1 in a leaf.
        cut: IN (n_nodes,) the largest code of the first branch, or CATEGORY.
        first: IN (n_nodes,) the first child; the others follow.
        n_branches: IN (n_nodes,) how many children there are.
        share: IN (n_nodes,) the part of the parent's weight.
        chances: IN (n_nodes, n_classes) what a leaf says.

    Returns:
        (n_rows, n_classes), each row of sum 1.
    """
    n_rows, n_classes = codes.shape[1], chances.shape[1]
    chances_by_row = np.zeros((n_rows, n_classes))
    nodes = np.empty(len(attribute), np.int64)
    parts = np.empty(len(attribute))
    for row in range(n_rows):
        nodes[0], parts[0], n_open = 0, 1.0, 1
        while n_open > 0:
            n_open -= 1
            node, weight = nodes[n_open], parts[n_open]
            if attribute[node] < 0:
                for c in range(n_classes):
                    chances_by_row[row, c] += weight * chances[node, c]
                continue
            code = codes[attribute[node], row]
            lo, hi = 0, n_branches[node]
            if code != MISSING:
                lo = code if cut[node] == CATEGORY else int(code > cut[node])
                hi = lo + 1
            for b in range(lo, hi):
                child = first[node] + b
                if code != MISSING or share[child] > 0:
                    nodes[n_open] = child
                    parts[n_open] = weight if code != MISSING else weight * share[child]
                    n_open += 1
    return chances_by_row
