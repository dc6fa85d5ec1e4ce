"""Load what every top-down search runs, before there is a table; compile it, if this is the first run of all."""

from __future__ import annotations

import numpy as np

from maskwise.compress.compressed_table import Compact
from maskwise.search import rule_kernels
from maskwise.search.conditional.class_groups import ClassGroups
from maskwise.search.groups.split_kernels import SplitCut
from maskwise.search.groups.splitting import SplittingGroups
from maskwise.search.interval_split import best_split


def warm_up() -> None:
    """Split one interval, and groups of two rows by two classes; their arrays have the types that most tables have."""
    best_split(np.ones((2, 1), np.int64), 0, 2)
    ones = np.ones(1, np.int64)
    rules = rule_kernels.Rules(
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
    cut = SplitCut(
        slot=np.arange(2, dtype=np.int32)[None],
        base=np.zeros(1, np.int64),
        hides=np.zeros(1, np.bool_),
        first_child=np.array([1, 3, 3]),
        n_children=np.array([2, 0, 0]),
        alive=np.array([True, False, False]),
        worst=np.zeros((0, 0)),
    )
    table = Compact((0,), np.array([[0], [1]], np.uint8), np.ones((2, 1), np.int64))
    groups = SplittingGroups(table, cut, [0], [2], rules)
    groups.try_splits(0, 0, 0, 2)
    classes = ClassGroups(Compact((0,), table.codes, np.eye(2, dtype=np.int64)), np.zeros(1, np.int64), 3)
    classes.gain(0, 0, cut.slot[0], 2)
    classes.gains_of_splits(0, 0, 0, 2)
    classes.gains_of_values(0, 0, 2)
    groups.refine(0, 0, 0, np.arange(2), np.array([1, 2]), np.zeros(2, np.int32))
