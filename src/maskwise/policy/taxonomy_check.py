"""A taxonomy beside the values of a column: what it covers, what nobody has, what looks like a slip."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from maskwise.policy.taxonomy import Taxonomy

_SHARED = 10
"""A value of so many records is no person's own."""
_FEW_TEXTS = 20
"""Fewer strange values than this may be misspelt ones, so rare ones are listed too."""
_PER_TEXT = 2
"""With fewer records than this for each value a column may be a name or a number of a person."""


@dataclass(frozen=True, slots=True)
class TaxonomyCheck:
    """How well a tree fits a column."""

    n_records: int
    """The records whose cell is not missing."""
    n_missing: int
    """The records whose cell is missing; these need no leaf."""
    uncovered: Mapping[str, int]
    """Values that are no leaf, with their records, the most frequent first."""
    inner: tuple[str, ...]
    """Those of them that stand in the tree, above leaves."""
    respelled: Mapping[str, str]
    """For values that are no leaf the leaf that differs in case, blanks or leading zeros alone."""
    unused: tuple[str, ...]
    """Leaves that no record has."""
    lone: tuple[tuple[str, str], ...]
    """Values with a single child, and the child: refining them shows nothing new."""
    alike: tuple[tuple[str, str], ...]
    """Leaves that differ in case, blanks or leading zeros alone."""
    showable: tuple[str, ...]
    """The uncovered values that may be printed: those that tell of no single person."""
    is_listed: bool = True
    """Whether the leaves are those of a file; else they are cells of the table, which may be a person's own."""

    @property
    def n_uncovered(self) -> int:
        """The records whose value is no leaf."""
        return sum(self.uncovered.values())

    @property
    def is_covered(self) -> bool:
        """Whether every value is a leaf."""
        return not self.uncovered

    def to_data(self) -> dict[str, Any]:
        """The check as plain values; values that may be a person's own are counted, not named."""
        return {
            "is_covered": self.is_covered,
            "records": self.n_records,
            "missing": self.n_missing,
            "uncovered_records": self.n_uncovered,
            "uncovered_values": len(self.uncovered),
            "uncovered": {value: self.uncovered[value] for value in self.showable},
            "respelled": dict(self.respelled),
            "unused": list(self.unused),
            "single_children": [list(pair) for pair in self.lone] if self.is_listed else len(self.lone),
            "alike": [list(pair) for pair in self.alike] if self.is_listed else len(self.alike),
        }


def check_taxonomy(
    tree: Taxonomy, n_records: Mapping[str, int], n_missing: int = 0, *, is_listed: bool = True
) -> TaxonomyCheck:
    """Compare a tree with the values of a column.

    Args:
        tree: The taxonomy.
        n_records: Every value of the column, with its records.
        n_missing: The records whose cell is missing.
        is_listed: Whether the leaves are those of a file, and not cells of the table.

    Example:
        >>> from maskwise.policy.taxonomy import Taxonomy
        >>> check = check_taxonomy(Taxonomy.from_nested({"Any": ["F", "M", "X"]}), {"F": 10, "m": 5})
        >>> check.uncovered, check.respelled, check.unused
        ({'m': 5}, {'m': 'M'}, ('M', 'X'))
    """
    leaves = tree.leaves()
    is_leaf, labels = set(leaves), set(tree.labels)
    lost = sorted((value for value in n_records if value not in is_leaf), key=lambda value: (-n_records[value], value))
    by_key: dict[str, str] = {}
    alike = [(first, leaf) for leaf in leaves if (first := by_key.setdefault(_key(leaf), leaf)) != leaf]
    respelled = {value: by_key[_key(value)] for value in lost if _key(value) in by_key}
    return TaxonomyCheck(
        n_records=sum(n_records.values()),
        n_missing=n_missing,
        uncovered={value: n_records[value] for value in lost},
        inner=tuple(value for value in lost if value in labels),
        respelled=respelled,
        unused=tuple(leaf for leaf in leaves if leaf not in n_records),
        lone=single_children(tree),
        alike=tuple(alike),
        showable=tuple(showable_values(lost, n_records)),
        is_listed=is_listed,
    )


def single_children(tree: Taxonomy) -> tuple[tuple[str, str], ...]:
    """The values with one child, and that child.

    >>> from maskwise.policy.taxonomy import Taxonomy
    >>> single_children(Taxonomy.from_nested({"Any": {"A": ["a"], "b": None}}))
    (('A', 'a'),)
    """
    n_children = [0] * len(tree.labels)
    for parent in tree.parents[1:]:
        n_children[parent] += 1
    pairs = zip(tree.labels[1:], tree.parents[1:], strict=True)
    return tuple((tree.labels[parent], label) for label, parent in pairs if n_children[parent] == 1)


def records_below(tree: Taxonomy, n_records: Mapping[str, int], *, with_inner: bool = False) -> tuple[int, ...]:
    """For each label the records whose value stands at or below it.

    Args:
        tree: The tree.
        n_records: The records of its values.
        with_inner: Whether a label above others may be a value, too, as in the tree of a rule.

    >>> from maskwise.policy.taxonomy import Taxonomy
    >>> records_below(Taxonomy.from_nested({"Any": {"A": ["a1", "a2"], "b": None}}), {"a1": 3, "b": 4})
    (7, 3, 3, 0, 4)
    """
    inner = set() if with_inner else set(tree.parents)
    counts = [0 if i in inner else n_records.get(label, 0) for i, label in enumerate(tree.labels)]
    for i in range(len(counts) - 1, 0, -1):
        counts[tree.parents[i]] += counts[i]
    return tuple(counts)


def showable_values(lost: Sequence[str], n_records: Mapping[str, int]) -> list[str]:
    """Of values that a tree does not have, those that may be shown: none that may be a person's name.

    Of many strange values, or in a column that tells its records apart or has
    little to do with the tree, only those that several records share.

    Args:
        lost: The values that the tree does not have.
        n_records: Every value of the column, with its records.
    """
    n_all, n_lost = sum(n_records.values()), sum(n_records[value] for value in lost)
    is_rare_shown = len(lost) < _FEW_TEXTS and n_all >= _PER_TEXT * len(n_records) and 2 * n_lost <= n_all
    return [value for value in lost if is_rare_shown or n_records[value] >= _SHARED]


def _key(text: str) -> str:
    """The same text for spellings that differ in case, blanks or leading zeros."""
    plain = " ".join(unicodedata.normalize("NFKC", text).split()).casefold()
    return plain.lstrip("0") or "0" if plain.isdecimal() else plain
