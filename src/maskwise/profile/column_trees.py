"""The tree of a column that other columns tell, and where they contradict each other."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from maskwise.errors import InputError, plural, quote
from maskwise.policy.rules.base import ROOT
from maskwise.policy.taxonomy import Taxonomy
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from maskwise.policy.policy import Policy
    from maskwise.table.table import Table

    Cells = tuple[str | None, ...]

_SHARED = 10
"""A value of so many records is no person's own, so a message may name it."""
_LISTED = 5
"""How many contradictions a message lists."""


def tree_from_columns(table: Table, policy: Policy, name: str, columns: Sequence[str]) -> Taxonomy:
    """The tree in which each value of a column stands below what its records have in other columns.

    Args:
        table: The records.
        policy: What is asked, for messages.
        name: The column.
        columns: The others, the one with the smallest groups first.

    Raises:
        InputError: A value has several cells in the column above it, so that this is no tree.
    """
    levels = (name, *columns)
    groups = table.engine.group(table.expr, [table.column(one) for one in levels])
    cells = [
        [None if cell is None else text_of(cell) for cell in groups.column(i).to_pylist()] for i in range(len(levels))
    ]
    counted: dict[Cells, int] = {}
    for *row, n in zip(*cells, groups.column("n").to_pylist(), strict=True):
        counted[tuple(row)] = counted.get(tuple(row), 0) + n
    above, clashes = find_parents(counted, len(levels))
    if clashes:
        raise InputError(policy.at(("attributes", name)) + _describe(clashes, levels, counted))
    return build_tree(above, levels)


def find_parents(
    counted: Mapping[Cells, int], n_levels: int
) -> tuple[dict[tuple[int, str], tuple[int, str] | None], dict[tuple[int, str], list[tuple[int, str]]]]:
    """What stands above each cell of each level.

    A missing cell tells nothing: above a value stands the next cell that some of its records have.

    Args:
        counted: The records of each combination of cells, those of the finest level first.
        n_levels: How many levels there are.

    Returns:
        For each level and cell that above it, None for the root; and those with several cells in one level above them.
    """
    found: dict[tuple[int, str], dict[int, dict[str, None]]] = {}
    for row in sorted(counted, key=lambda row: [(cell is None, cell or "") for cell in row]):
        for level, cell in enumerate(row):
            if cell is None:
                continue
            own = found.setdefault((level, cell), {})
            for higher in range(level + 1, n_levels):
                if (other := row[higher]) is not None:
                    own.setdefault(higher, {})[other] = None
    above: dict[tuple[int, str], tuple[int, str] | None] = {}
    clashes: dict[tuple[int, str], list[tuple[int, str]]] = {}
    for value, by_level in found.items():
        nearest = min(by_level, default=None)
        for level, cells in sorted(by_level.items()):
            if len(cells) > 1:
                clashes.setdefault(value, [(level, cell) for cell in cells])
        above[value] = None if nearest is None else (nearest, next(iter(by_level[nearest])))
    return above, clashes


def build_tree(
    above: Mapping[tuple[int, str], tuple[int, str] | None], levels: Sequence[str], root: str = ROOT
) -> Taxonomy:
    """Put the tree together; a label above the leaves that stands at several levels is followed by its column.

    Args:
        above: What stands above each cell of each level.
        levels: The columns, the finest first.
        root: The label of the root.

    >>> build_tree({(0, "Utica"): (1, "New York"), (0, "New York"): (1, "New York"), (1, "New York"): None},
    ...     ["city", "state"]).to_nested()
    {'*': {'New York (state)': {'New York': {}, 'Utica': {}}}}
    """
    # A cell of a column above is no leaf where the values below it are missing.
    kept: set[tuple[int, str]] = set()
    for leaf in (value for value in above if value[0] == 0):
        value: tuple[int, str] | None = leaf
        while value is not None and value not in kept:
            kept.add(value)
            value = above[value]
    at_levels: dict[str, set[int]] = {root: {-1}}
    below: dict[tuple[int, str] | None, list[tuple[int, str]]] = {}
    for one in sorted(kept, key=lambda one: one[::-1], reverse=True):
        at_levels.setdefault(one[1], set()).add(one[0])
        below.setdefault(above[one], []).append(one)
    labels, parents = [root], [-1]
    stack = [(one, 0) for one in below.get(None, ())]
    while stack:
        (level, cell), parent = stack.pop()
        is_ambiguous = level > 0 and len(at_levels[cell]) > 1
        labels.append(f"{cell} ({levels[level]})" if is_ambiguous else cell)
        parents.append(parent)
        own = len(labels) - 1
        stack += [(one, own) for one in below.get((level, cell), ())]
    return Taxonomy(tuple(labels), tuple(parents))


def _describe(
    clashes: Mapping[tuple[int, str], Sequence[tuple[int, str]]], levels: Sequence[str], counted: Mapping[Cells, int]
) -> str:
    """Say which values have several above them, naming only cells that several records share."""
    n_with: Counter[tuple[int, str]] = Counter()
    n_together: Counter[tuple[tuple[int, str], tuple[int, str]]] = Counter()
    for row, n in counted.items():
        values = [(level, cell) for level, cell in enumerate(row) if cell is not None]
        for value in values:
            if value in clashes:
                n_with[value] += n
                for parent in clashes[value]:
                    n_together[value, parent] += n if parent in values else 0
    listed = []
    for value, parents in clashes.items():
        if n_with[value] >= _SHARED:
            told = [parent[1] for parent in parents if n_together[value, parent] >= _SHARED]
            which = f": {quote(told)}{' and others' if len(told) < len(parents) else ''}" if told else ""
            own, higher = levels[value[0]], levels[parents[0][0]]
            listed.append(f"`{value[1]}` of `{own}` has {len(parents):,} cells of `{higher}`{which}")
    rest = len(clashes) - len(listed[:_LISTED])
    shown = "; ".join([*listed[:_LISTED], *([f"{rest:,} more"] if rest and listed else [])])
    return (
        f"The columns {quote(levels)} are no hierarchy: {plural(len(clashes), 'value')} "
        f"{'has' if len(clashes) == 1 else 'have'} several cells in a column above. {shown + '. ' if shown else ''}"
        "Correct the cells, write values so that they tell which is meant (`Springfield, IL`), or leave a column out."
    )
