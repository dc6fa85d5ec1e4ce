"""How the values of a sensitive column are told apart where diversity and closeness count them.

Codes of diagnoses are told apart by chapters or blocks: three codes of one
illness are one answer. Other values are told apart one by one, or where there
are too many, by their first characters.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from maskwise.policy.rules.icd10 import LEVELS
from maskwise.policy.rules.registry import read_rule_tree
from maskwise.suggestion.rule_choice import choose_rule
from maskwise.suggestion.shapes import Shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.suggestion.evidence import ColumnEvidence
    from maskwise.suggestion.rule_choice import Masking
    from maskwise.table.table import Table

WANTED = 3
"""The values that diversity asks for, where the column has as many."""
_MOST_VALUES = 256
"""Diversity and closeness count up to so many values."""
_PREFIXES = (1, 2, 3)
"""How many first characters values are grouped by, where there are too many."""
_MOST_CODES = 50_000
"""So many codes are fetched to find the chapter of each."""
_DEPTHS = (1, 2)
"""Chapters are tried first, then blocks."""


@dataclass(frozen=True, slots=True)
class ValueGroups:
    """How the values of a sensitive column are told apart."""

    by: str | None
    """As a requirement says it; None tells all of them apart."""
    n_groups: int
    """How many groups of values that makes, the missing one included where all are told apart."""
    effective: float
    """As many equally frequent groups would tell as much."""
    said: str = ""
    """The grouping in words."""
    tree: Masking | None = None
    """The column's entry, where its tree is what values are grouped by."""


def group_values(table: Table, columns: Sequence[ColumnEvidence]) -> dict[str, ValueGroups | None]:
    """How the values of sensitive columns are told apart; None where there are too many in any way.

    Args:
        table: The records.
        columns: The sensitive columns.
    """
    found: dict[str, ValueGroups | None] = {}
    for column in columns:
        n = column.n_distinct + bool(column.n_missing)
        all_apart = ValueGroups(None, n, 2**column.bits) if n <= _MOST_VALUES else None
        found[column.name] = _by_chapter(table, column) or all_apart
    bits = {column.name: column.bits for column in columns}
    for n in _PREFIXES:
        many = [name for name, groups in found.items() if groups is None]
        if not many:
            break
        counts = {f"p{i}": table.column(name).cast("string").left(n).nunique() for i, name in enumerate(many)}
        (row,) = table.engine.fetch(table.expr.aggregate(**counts)).to_pylist()
        said = "first character" if n == 1 else f"first {n} characters"
        found |= {
            name: ValueGroups(f"prefix {n}", int(row[f"p{i}"]), min(2 ** bits[name], int(row[f"p{i}"])), said)
            for i, name in enumerate(many)
            if WANTED <= row[f"p{i}"] < _MOST_VALUES
        }
    return found


def _by_chapter(table: Table, column: ColumnEvidence) -> ValueGroups | None:
    """Diagnoses by chapter, or by block where nearly all are of one chapter; None where even these are too few."""
    if column.shape is None or column.shape.shape is not Shape.ICD10 or column.n_distinct > _MOST_CODES:
        return None
    tree = choose_rule(column)
    assert tree is not None  # noqa: S101 - this shape has a rule
    rule = read_rule_tree(tree.entry)
    text = table.column(column.name).cast("string")
    groups = table.engine.group(table.expr.filter(text.notnull()), [text])
    paths = [rule.path(value) or () for value in groups.column(0).to_pylist()]
    for depth in _DEPTHS:
        n_of: Counter[str] = Counter()
        for path, n in zip(paths, groups.column("n").to_pylist(), strict=True):
            n_of[path[min(depth, len(path)) - 1]] += n
        effective = 2 ** _entropy(n_of)
        if effective >= WANTED and len(n_of) < _MOST_VALUES:
            return ValueGroups(f"level {depth}", len(n_of), effective, LEVELS[-depth], tree)
    return None


def _entropy(n_of: Counter[str]) -> float:
    return -sum(n / n_of.total() * math.log2(n / n_of.total()) for n in n_of.values())
