"""Load what the usual search runs, before there is a table; compile it, if this is the first run of all.

In two parts of about the same length, so that two processes can compile at once.
"""

from __future__ import annotations

import numpy as np

from maskwise.compress.compressed_table import Compact
from maskwise.search import rule_kernels
from maskwise.search.conditional.class_groups import ClassGroups
from maskwise.search.groups.split_kernels import SplitCut
from maskwise.search.groups.splitting import SplittingGroups, try_splits

_CODES = np.array([[0], [1]], np.uint8)
"""Two rows; their arrays have the types that those of most tables have."""


def warm_up_groups() -> None:
    """Split the groups of two rows."""
    cut = SplitCut(
        slot=np.arange(2, dtype=np.int32)[None],
        base=np.zeros(1, np.int64),
        hides=np.zeros(1, np.bool_),
        first_child=np.array([1, 3, 3]),
        n_children=np.array([2, 0, 0]),
        alive=np.array([True, False, False]),
        worst=np.zeros((0, 0)),
    )
    groups = SplittingGroups(Compact((0,), _CODES, np.ones((2, 1), np.int64)), cut, [0], [2], _two_records())
    groups.refine(0, 0, 0, np.arange(2), np.array([1, 2]), np.zeros(2, np.int32))


def warm_up_gains() -> None:
    """Weigh what splitting two rows of two classes would tell, and what it would do to a rule."""
    classes = ClassGroups(Compact((0,), _CODES, np.eye(2, dtype=np.int64)), np.zeros(1, np.int64), 3)
    classes.gain(0, 0, np.arange(2, dtype=np.int32), 2)
    classes.gains_of_splits(0, 0, 0, 2)
    classes.gains_of_values(0, 0, 2)
    try_splits(classes.arrays, _two_records(), 0, 0, 0, 2)


def _two_records() -> rule_kernels.Rules:
    """A rule that asks for groups of one record, in a table of two."""
    ones = np.ones(1, np.int64)
    return rule_kernels.Rules(
        kind=ones * rule_kernels.K,
        first=ones,
        stop=ones,
        level=ones,
        over=ones,
        under=ones,
        limit=np.zeros(1),
        is_enforced=np.ones(1, np.bool_),
        whole=2 * ones,
    )
