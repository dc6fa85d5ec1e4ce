"""The arrays that the compiled loops over regions share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maskwise.compress.compressed_table import Compact
    from maskwise.search.rule_kernels import Rules

SCALE = 2.0**30
"""What is taught of a record is a whole number of 1 / SCALE."""
ALL = -1
"""Stands for all children of a value at once, where a split names a child."""
MIN_GAIN = 1e-9
"""A split that gains less is none."""
SHRINKAGE = 1.0
"""Added to the openness of the class in each part, so that parts of a few records are not trusted."""
BREADTH = 8
"""So many splits of a region are tried at most before one is chosen."""
AHEAD = 20_000
"""Splits are tried beforehand in regions of at most so many rows."""
INTERVAL, TREE = 0, 1
"""Kinds of attributes."""
LOW, HIGH, MISSING = 0, 1, 2
"""What a region shows of an interval attribute: its first bin, one past its last, and whether missing cells too."""
NODE = 0
"""What a region shows of a tree attribute: its node; children that were told are no longer in the region."""


class Rows(NamedTuple):
    """The distinct rows of all masked attributes."""

    codes: Any  # (n_rows, n_attributes)
    counts: Any  # (n_rows, n_counts) the records, and those with each sensitive value
    sums: Any  # (n_rows, n_targets, 2) what is taught: first and second order, in whole numbers of 1 / SCALE
    order: Any  # (n_rows,) the rows, region by region
    scratch: Any  # (n_rows,) room to sort a region's rows
    person: Any  # (n_rows,) where persons have several rows; else (0,)
    block: Any  # (n_rows,) what earlier releases show of it, as a number; (0,) without such releases


class Domains(NamedTuple):
    """The values that regions may show, for all attributes."""

    kind: Any  # (n_attributes,) INTERVAL or TREE
    offset: Any  # (n_attributes,) where the codes of each begin, when those of all are numbered through
    n_bins: Any  # (n_attributes,) of an interval attribute; the code of a missing cell comes next
    place: Any  # (n_attributes, most_bins + 1) where each bin begins, from 0 to 1 over the range
    first: Any  # (n_nodes,) the first code below a node of a tree attribute
    stop: Any  # (n_nodes,) one past the last
    first_child: Any  # (n_nodes,)
    n_children: Any  # (n_nodes,)
    spread: Any  # (n_nodes,) what showing it hides: 0 the exact value, 1 everything
    weight: Any  # (n_attributes,) how much an attribute's information counts


class Terms(NamedTuple):
    """What parts must satisfy, and how they are weighed."""

    rules: Rules
    least: int
    """The smallest part, in records."""
    least_block: int
    """The smallest part of a block, in records, or in persons where these have several rows."""
    is_by_size: bool
    """Whether the rules ask for nothing but sizes, none of them above `least`."""
    shrinkage: float
    """Added to the second order of a part: the larger, the less small parts are trusted."""
    depth: int
    """So many levels below a split are tried before it is chosen."""
    breadth: int
    """So many splits are tried at most."""
    ahead: int
    """In a region of more rows nothing is tried before a split is chosen, which would take too long."""


class Scratch(NamedTuple):
    """Room for counts by code, and for what is shown at each level of a trial."""

    counts: Any  # (n_codes, n_counts) by code, those of all attributes numbered through
    sums: Any  # (n_codes, n_targets, 2)
    shown: Any  # (depth + 1, n_attributes, 3)
    gain: Any  # (depth + 1, n_attributes) of the best split of each attribute
    at: Any  # (depth + 1, n_attributes) which it is: a border, or a child
    parts: Any  # (depth + 1, most_parts, 2) the codes of each part
    nodes: Any  # (depth + 1, most_parts, 3) what each part shows of the attribute
    stops: Any  # (depth + 1, most_parts + 2) where the rows of each part begin, and of the rest; one past their last
    n_parts: Any  # (depth + 1,) how many parts there are
    next_part: Any  # (depth + 1,) the part that is tried next
    split_on: Any  # (depth + 1,) the attribute
    is_allowed: Any  # (n_codes,) by code, whether blocks allow a border before it, or missing cells apart
    allowed_nodes: Any  # (n_nodes, 3) by node, whether blocks allow it as a part, what is left without it, and its rest


def make_scratch(compact: Compact, sums: NDArray[np.int64], domains: Domains, depth: int) -> Scratch:
    """Room for the kernels."""
    n_attributes, n_levels = compact.codes.shape[1], depth + 1
    n_codes = int(domains.offset[-1])
    # An interval has two parts and the missing cells.
    most_parts = max(int(domains.n_children.max(initial=0)), 3)
    return Scratch(
        counts=np.zeros((n_codes, compact.counts.shape[1]), np.int64),
        sums=np.zeros((n_codes, *sums.shape[1:]), np.int64),
        shown=np.zeros((n_levels, n_attributes, 3), np.int64),
        gain=np.zeros((n_levels, n_attributes)),
        at=np.zeros((n_levels, n_attributes), np.int64),
        parts=np.zeros((n_levels, most_parts, 2), np.int64),
        nodes=np.zeros((n_levels, most_parts, 3), np.int64),
        stops=np.zeros((n_levels, most_parts + 2), np.int64),
        n_parts=np.zeros(n_levels, np.int64),
        next_part=np.zeros(n_levels, np.int64),
        split_on=np.zeros(n_levels, np.int64),
        is_allowed=np.ones(n_codes, np.bool_),
        allowed_nodes=np.ones((len(domains.first), 3), np.bool_),
    )
