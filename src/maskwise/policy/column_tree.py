"""A taxonomy from columns of a table, such as city, county and state.

Each value of a column has to belong to one value of the next, coarser one. How
the rows are counted is the concern of `table`, and of whoever has a data frame.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from maskwise.errors import InputError, plural, quote
from maskwise.policy.taxonomy import Taxonomy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

CountedRows: TypeAlias = Mapping[tuple[str | None, ...], int]
"""The records of each combination of cells, those of the finest column first; None is a missing cell."""
Value: TypeAlias = tuple[int, str]
"""A column, by its place, and a cell of it."""

_SHARED = 10
"""A cell of so many records is no person's own, so a message may name it."""
_LISTED = 5
"""How many contradictions a message lists."""


def tree_from_columns(
    rows: CountedRows, names: Sequence[str], root: str, *, takes_only_value: bool = False, shared: int = _SHARED
) -> Taxonomy:
    """Build the tree whose leaves are the values of the first column; siblings stand in the order of the rows.

    A missing cell tells nothing: above a value stands the next cell that some of
    its records have. A label above the leaves that stands in several columns is
    followed by the name of its own.

    Args:
        rows: The counted rows.
        names: What the columns are called, the finest first.
        root: The label above the last column.
        takes_only_value: Whether the only value of the last column is the root in its place.
        shared: Messages name cells that so many records have.

    Raises:
        InputError: A value has several cells in a column above it, so that this is no tree.

    Example:
        >>> rows = {("Boston", "MA"): 3, ("Salem", "MA"): 1, ("Reno", "NV"): 2}
        >>> tree_from_columns(rows, ["city", "state"], "ANY").to_nested()
        {'ANY': {'MA': {'Boston': {}, 'Salem': {}}, 'NV': {'Reno': {}}}}
    """
    if len(names) < 2:  # noqa: PLR2004 - a value and what it belongs to
        raise InputError("A tree needs two columns or more: the values, then what each belongs to.")
    above, clashes = find_parents(rows, len(names))
    if clashes:
        raise InputError(_describe(clashes, names, rows, shared))
    return _build(above, names, root, takes_only_value=takes_only_value)


def find_parents(rows: CountedRows, n_levels: int) -> tuple[dict[Value, Value | None], dict[Value, list[Value]]]:
    """What stands above each cell of each column.

    Args:
        rows: The counted rows.
        n_levels: How many columns there are.

    Returns:
        For each value that above it, None for the root; and those with several cells in one column above them.
    """
    found: dict[Value, dict[int, dict[str, None]]] = {}
    for row in rows:
        for level, cell in enumerate(row):
            if cell is None:
                continue
            own = found.setdefault((level, cell), {})
            for higher in range(level + 1, n_levels):
                if (other := row[higher]) is not None:
                    own.setdefault(higher, {})[other] = None
    above: dict[Value, Value | None] = {}
    clashes: dict[Value, list[Value]] = {}
    for value, by_level in found.items():
        nearest = min(by_level, default=None)
        for level, cells in sorted(by_level.items()):
            if len(cells) > 1:
                clashes.setdefault(value, [(level, cell) for cell in sorted(cells)])
        above[value] = None if nearest is None else (nearest, next(iter(by_level[nearest])))
    return above, clashes


def _build(above: Mapping[Value, Value | None], names: Sequence[str], root: str, *, takes_only_value: bool) -> Taxonomy:
    """Put the tree together."""
    below: dict[Value | None, list[Value]] = {}
    for value in _kept(above):
        below.setdefault(above[value], []).append(value)
    tops = below.get(None, [])
    if not tops:
        msg = f"Column `{names[0]}` holds no value."
        raise InputError(msg)
    is_root_taken = takes_only_value and len(tops) == 1 and tops[0][0] > 0
    at_levels: dict[str, set[int]] = {} if is_root_taken else {root: {-1}}
    for level, cell in (value for values in below.values() for value in values):
        at_levels.setdefault(cell, set()).add(level)
    if not is_root_taken and 0 in at_levels[root]:
        msg = (
            f"`{root}` is a value of `{names[0]}`, so it cannot stand for all of them. Write it otherwise, or choose "
            "another label for the root."
        )
        raise InputError(msg)

    def called(value: Value) -> str:
        level, cell = value
        return f"{cell} ({names[level]})" if level and len(at_levels[cell]) > 1 else cell

    labels: list[str] = [] if is_root_taken else [root]
    parents: list[int] = [] if is_root_taken else [-1]
    stack = [(value, len(labels) - 1) for value in reversed(tops)]
    while stack:
        value, parent = stack.pop()
        stack += [(child, len(labels)) for child in reversed(below.get(value, ()))]
        labels.append(called(value))
        parents.append(parent)
    if len(set(labels)) < len(labels):
        raise InputError(
            "A value is spelled like a label that is followed by the name of its column, such as `x (state)`. Rename "
            "it in one of the columns."
        )
    return Taxonomy(tuple(labels), tuple(parents))


def _kept(above: Mapping[Value, Value | None]) -> Iterable[Value]:
    """The leaves and what stands above them: a cell above is no leaf where all values below it are missing."""
    kept: dict[Value, None] = {}
    for leaf in (value for value in above if value[0] == 0):
        value: Value | None = leaf
        while value is not None and value not in kept:
            kept[value] = None
            value = above[value]
    return kept


def _describe(clashes: Mapping[Value, Sequence[Value]], names: Sequence[str], rows: CountedRows, shared: int) -> str:
    """Say which values have several above them, naming only cells that several records share."""
    n_with: Counter[Value] = Counter()
    n_together: Counter[tuple[Value, Value]] = Counter()
    for row, n in rows.items():
        values = [(level, cell) for level, cell in enumerate(row) if cell is not None]
        for value in values:
            if value in clashes:
                n_with[value] += n
                for parent in clashes[value]:
                    n_together[value, parent] += n if parent in values else 0
    listed = []
    for value, parents in clashes.items():
        if n_with[value] >= shared:
            told = [parent[1] for parent in parents if n_together[value, parent] >= shared][:_LISTED]
            which = f": {quote(told)}{' and others' if len(told) < len(parents) else ''}" if told else ""
            own, higher = names[value[0]], names[parents[0][0]]
            listed.append(f"`{value[1]}` of `{own}` has {len(parents):,} cells of `{higher}`{which}")
    rest = len(clashes) - len(listed[:_LISTED])
    shown = "; ".join([*listed[:_LISTED], *([f"{rest:,} more"] if rest and listed else [])])
    return (
        f"The columns {quote(names)} are no hierarchy: {plural(len(clashes), 'value')} "
        f"{'has' if len(clashes) == 1 else 'have'} several cells in a column above. {shown + '. ' if shown else ''}"
        "Correct the cells, write values so that they tell which is meant (`Springfield, IL`), or leave a column out."
    )
