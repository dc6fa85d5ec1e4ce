"""A taxonomy from columns of a table, such as city, county and state.

Each value of a column has to belong to one value of the next, coarser one. How
the rows are fetched is the concern of `table` and of whoever has a data frame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import PolicyError, plural
from maskwise.policy.taxonomy import Taxonomy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LISTED = 5
"""So many contradictions are listed."""


def tree_from_columns(rows: Iterable[Sequence[str | None]], names: Sequence[str], root: str = "ANY") -> Taxonomy:
    """Build the tree whose leaves are the values of the first column.

    A label that a finer column has, too, gets the name of its own column added.
    A value whose coarser cells are missing in every row stands directly below the
    root. If the last column has one value only, that one is the root.

    Args:
        rows: The cells of each row, the finest first; None or an empty text is a missing cell. They may repeat.
        names: What the columns are called.
        root: The label above the last column.

    Example:
        >>> rows = [("Boston", "MA"), ("Salem", "MA"), ("Reno", "NV")]
        >>> tree_from_columns(rows, ["city", "state"]).to_nested()
        {'ANY': {'MA': {'Boston': {}, 'Salem': {}}, 'NV': {'Reno': {}}}}
    """
    if len(names) < 2:  # noqa: PLR2004 - a value and what it belongs to
        raise PolicyError(["A tree needs two columns or more: the values, then what each belongs to."])
    above: list[dict[str, str]] = [{} for _ in names[1:]]
    alone: dict[str, None] = {}
    wrong: dict[tuple[int, str], str] = {}
    for row in rows:
        if not row[0]:
            continue
        if not all(row):
            alone[row[0]] = None
            continue
        for i, known in enumerate(above):
            label, parent = str(row[i]), str(row[i + 1])
            if known.setdefault(label, parent) != parent:
                wrong.setdefault((i, label), parent)
    if wrong:
        raise PolicyError(_contradictions(wrong, above, names))
    called = _unique_labels(above, [label for label in alone if label not in above[0]], names)
    return _grow(above, called, root)


def _contradictions(
    wrong: dict[tuple[int, str], str], above: Sequence[dict[str, str]], names: Sequence[str]
) -> list[str]:
    """Say which values belong to two others."""
    listed = [
        f"`{label}` of `{names[i]}` belongs to `{above[i][label]}` and to `{other}` of `{names[i + 1]}`."
        for (i, label), other in list(wrong.items())[:_LISTED]
    ]
    n_more = len(wrong) - len(listed)
    more = f" {plural(n_more, 'value')} more {'does' if n_more == 1 else 'do'}, too." if n_more else ""
    column = names[min(i for i, _ in wrong) + 1]
    remedy = (
        f"A value has one parent: correct the table, leave out `{column}`, or make the values tell themselves apart."
    )
    return [*listed, f"The columns are no hierarchy.{more} {remedy}"]


def _unique_labels(above: Sequence[dict[str, str]], alone: Sequence[str], names: Sequence[str]) -> list[dict[str, str]]:
    """What the values of each column are called in the tree, where a label stands once."""
    levels = [dict.fromkeys([*above[0], *alone]), *(dict.fromkeys(known.values()) for known in above)]
    taken: set[str] = set()
    called: list[dict[str, str]] = []
    for name, level in zip(names, levels, strict=True):
        called.append({label: f"{label} ({name})" if label in taken else label for label in level})
        twice = [label for label in called[-1].values() if label in taken]
        if twice or len(set(called[-1].values())) < len(level):
            label = (twice or list(called[-1].values()))[0]
            raise PolicyError([f"`{label}` stands in two columns. Rename it in one of them."])
        taken.update(called[-1].values())
    return called


def _grow(above: Sequence[dict[str, str]], called: Sequence[dict[str, str]], root: str) -> Taxonomy:
    parent_of = {
        called[i][label]: called[i + 1][parent] for i, known in enumerate(above) for label, parent in known.items()
    }
    tops = [label for level in reversed(called) for label in level.values() if label not in parent_of]
    if not tops:
        raise PolicyError(["The columns hold no value."])
    if len(tops) > 1:
        if any(root in level.values() for level in called):
            raise PolicyError([f"`{root}` is a value of a column. Choose another label for the root."])
        parent_of |= dict.fromkeys(tops, root)
    below: dict[str, list[str]] = {}
    for label, parent in parent_of.items():
        below.setdefault(parent, []).append(label)
    labels: list[str] = []
    parents: list[int] = []
    stack = [(root if len(tops) > 1 else tops[0], -1)]
    while stack:
        label, parent_at = stack.pop()
        stack.extend((child, len(labels)) for child in reversed(below.get(label, ())))
        labels.append(label)
        parents.append(parent_at)
    return Taxonomy(tuple(labels), tuple(parents))
