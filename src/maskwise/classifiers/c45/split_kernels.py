"""Which attribute C4.5 splits a node on, compiled.

No names and no objects: arrays in, arrays out. `tree` calls it node by node,
`record_kernels` moves the records. A record is a row number and a weight, because
a record with a missing value goes to several branches in parts. Values are
codes, counted from 0; -1 is missing. Arguments are tagged IN, OUT or INOUT.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from maskwise.values.kernel import kernel

TINY = 1e-6
"""Weights, gains and ratios closer than this are equal."""
SLACK = 1e-3
"""A split this far below the average gain still counts as average."""
MISSING = -1
CATEGORY = -1
"""The cut of a split that has a branch for each value."""
LARGEST_SHARE = 25.0
"""No numeric split needs more records than this in a branch."""
SPARSE = 8
"""With more values than this per record, sorting the records is faster than counting the values."""


@kernel
def xlog2x(x: float) -> float:
    """Return x log2 x, and 0 for 0."""
    return float(x * np.log2(x)) if x > TINY else 0.0


@kernel
def count_classes(
    rows: Any, weights: Any, labels: Any, column: Any, n_values: int, hist: Any, present: Any
) -> tuple[int, float]:
    """Count the classes of each value of one attribute.

    Args:
        rows: IN (n,) the records.
        weights: IN (n,) their weights.
        labels: IN (n_rows,) class of each row.
        column: IN (n_rows,) code of each row.
        n_values: IN one past the largest code.
        hist: OUT (at least min(n, n_values), n_classes) weight by present value and class, zero before.
        present: OUT (at least min(n, n_values),) the codes that occur, ascending.

    Returns:
        How many values are present, and the weight of the records that have one.
    """
    n, n_classes = len(rows), hist.shape[1]
    known = 0.0
    n_present = 0
    if n_values > SPARSE * n:
        keys = np.empty(n, np.int64)
        n_known = 0
        for i in range(n):
            code = column[rows[i]]
            if code != MISSING:
                keys[n_known] = code * n + i
                n_known += 1
        keys = np.sort(keys[:n_known])
        for j in range(n_known):
            code, i = keys[j] // n, keys[j] % n
            if n_present == 0 or present[n_present - 1] != code:
                present[n_present] = code
                n_present += 1
            hist[n_present - 1, labels[rows[i]]] += weights[i]
            known += weights[i]
        return n_present, known
    for i in range(n):
        code = column[rows[i]]
        if code != MISSING:
            hist[code, labels[rows[i]]] += weights[i]
            known += weights[i]
    for code in range(n_values):
        total = 0.0
        for c in range(n_classes):
            total += hist[code, c]
        if total > 0:
            if n_present < code:
                for c in range(n_classes):
                    hist[n_present, c] = hist[code, c]
                    hist[code, c] = 0.0
            present[n_present] = code
            n_present += 1
    return n_present, known


@kernel
def category_gain(hist: Any, n_present: int, known: float, weight: float, min_records: int) -> tuple[float, float]:
    """Return gain and gain ratio of a branch per value; no gain is -1.

    Args:
        hist: IN (n_present, n_classes) as `count_classes` leaves it.
        n_present: IN how many values there are.
        known: IN weight of the records with a value.
        weight: IN weight of all records.
        min_records: IN what at least two branches must weigh.
    """
    n_classes = hist.shape[1]
    n_large = 0
    inside = 0.0
    split = xlog2x(weight) - xlog2x(weight - known)
    classes = np.zeros(n_classes)
    for v in range(n_present):
        total = 0.0
        for c in range(n_classes):
            total += hist[v, c]
            classes[c] += hist[v, c]
            inside -= xlog2x(hist[v, c])
        inside += xlog2x(total)
        split -= xlog2x(total)
        if total > min_records - TINY:
            n_large += 1
    if n_large < 2:  # noqa: PLR2004 - a split has two sides
        return -1.0, 0.0
    before = xlog2x(known)
    for c in range(n_classes):
        before -= xlog2x(classes[c])
    gain = (before - inside) / weight
    if gain < TINY or split < TINY:
        return max(gain, 0.0), 0.0
    return gain, gain * weight / split


@kernel
def number_gain(hist: Any, n_present: int, known: float, weight: float, min_records: int) -> tuple[float, float, int]:
    """Find the best threshold; return its gain, its gain ratio and the place of the value below it.

    Release 8 charges a numeric split for the choice among its thresholds. No gain is -1.

    Args:
        hist: IN (n_present, n_classes) as `count_classes` leaves it.
        n_present: IN how many values there are.
        known: IN weight of the records with a value.
        weight: IN weight of all records.
        min_records: IN what both branches must weigh, or more where there are many records.
    """
    n_classes = hist.shape[1]
    need = max(float(min_records), min(0.1 * known / n_classes, LARGEST_SHARE))
    left = np.zeros(n_classes)
    right = np.zeros(n_classes)
    for v in range(n_present):
        for c in range(n_classes):
            right[c] += hist[v, c]
    before = xlog2x(known)
    for c in range(n_classes):
        before -= xlog2x(right[c])
    best, at, best_left, n_tried, below = 0.0, -1, 0.0, 0, 0.0
    for v in range(n_present - 1):
        for c in range(n_classes):
            below += hist[v, c]
            left[c] += hist[v, c]
            right[c] -= hist[v, c]
        above = known - below
        if below < need - TINY:
            continue
        if above < need - TINY:
            break
        inside = xlog2x(below) + xlog2x(above)
        for c in range(n_classes):
            inside -= xlog2x(left[c]) + xlog2x(right[c])
        gain = (before - inside) / weight
        n_tried += 1
        if gain > best + TINY:
            best, at, best_left = gain, v, below
    if at < 0:
        return -1.0, 0.0, -1
    best -= np.log2(n_tried) / weight
    if best < TINY:
        return -1.0, 0.0, -1
    split = xlog2x(weight) - xlog2x(weight - known) - xlog2x(best_left) - xlog2x(known - best_left)
    return best, best * weight / split, at


@kernel
def choose_split(
    rows: Any,
    weights: Any,
    labels: Any,
    codes: Any,
    n_values: Any,
    is_number: Any,
    averages: Any,
    min_records: int,
    hist: Any,
    present: Any,
) -> tuple[int, int, int]:
    """Find the attribute of largest gain ratio among those of at least average gain.

    Args:
        rows: IN (n,) the node's records.
        weights: IN (n,) their weights.
        labels: IN (n_rows,) class of each row.
        codes: IN (n_attributes, n_rows) code of each value.
        n_values: IN (n_attributes,) one past each attribute's largest code.
        is_number: IN (n_attributes,) whether codes are ordered.
        averages: IN (n_attributes,) whether the attribute's gain enters the average.
        min_records: IN what at least two branches must weigh.
        hist: INOUT (most values, n_classes) scratch, zero between uses.
        present: INOUT (most values,) scratch.

    Returns:
        The attribute, and for a number the codes on both sides of the cut. -1 for none. Of equal ratios the first.
    """
    n_attributes, n_classes = len(n_values), hist.shape[1]
    gains = np.full(n_attributes, -1.0)
    ratios = np.zeros(n_attributes)
    sides = np.full((n_attributes, 2), CATEGORY, np.int64)
    classes = np.zeros(n_classes)
    weight = 0.0
    for i in range(len(rows)):
        classes[labels[rows[i]]] += weights[i]
        weight += weights[i]
    if weight < 2 * min_records - TINY or classes.max() > weight - TINY:
        return -1, -1, -1
    average, n_averaged = 0.0, 0
    for a in range(n_attributes):
        n_present, known = count_classes(rows, weights, labels, codes[a], n_values[a], hist, present)
        if is_number[a]:
            gains[a], ratios[a], at = number_gain(hist, n_present, known, weight, min_records)
            if at >= 0:
                sides[a, 0], sides[a, 1] = present[at], present[at + 1]
        else:
            gains[a], ratios[a] = category_gain(hist, n_present, known, weight, min_records)
        hist[:n_present] = 0.0
        if gains[a] >= 0 and averages[a]:
            average += gains[a]
            n_averaged += 1
    best, chosen = 0.0, -1
    if n_averaged > 0:
        average /= n_averaged
        for a in range(n_attributes):
            if gains[a] >= 0 and gains[a] >= average - SLACK and ratios[a] > best + TINY:
                best, chosen = ratios[a], a
    if chosen < 0:
        return -1, -1, -1
    return chosen, sides[chosen, 0], sides[chosen, 1]
