"""Edge lists: a row for each value, with its parent in one column and the value itself in the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import PolicyError, plural
from maskwise.formats.taxonomies.delimited import find_delimiter, read_rows, write_rows
from maskwise.formats.taxonomies.forest import Forest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.formats.taxonomies.delimited import Row
    from maskwise.policy.taxonomy import Taxonomy

_PARENT = frozenset({"parent", "from", "source", "broader", "parent_id"})
_CHILD = frozenset({"child", "to", "target", "narrower", "child_id", "value"})
_TWO = 2


def is_edge_list(text: str) -> bool:
    """Say whether rows have two columns, and not those of a hierarchy in ARX's form."""
    if find_delimiter(text) is None:
        return False
    ends: set[str] = set()
    try:
        for i, (_, row) in enumerate(read_rows(text, "")):
            if i == 0 and _header(row) is not None:
                return True
            if len(row) > _TWO:
                return False
            ends.add(row[-1])
    except PolicyError:
        return False
    # Where all rows end in one label, each is a value and its root: ARX's form with one level.
    return len(ends) > 1


def read_edges(text: str, name: str) -> dict[str, Forest]:
    r"""Read pairs of a parent and a child.

    A header says which is which. Without one the column in which no value stands
    twice is the child's; if that is so of both, the parent comes first.

    >>> read_edges("parent,child\nAny,a\nAny,b", "t.csv")[""].tree().leaves()
    ('a', 'b')
    >>> read_edges("a,Any\nb,Any", "t.csv")[""].tree().leaves()
    ('a', 'b')
    """
    forest = Forest(name)
    rows = list(read_rows(text, name))
    header = _header(rows[0][1]) if rows else None
    if header is not None:
        rows = rows[1:]
    child_at = header if header is not None else _child_column(rows)
    for line, row in rows:
        if len(row) == 1 and child_at == 0:
            forest.put(row[0], None, line)
        elif len(row) == _TWO and row[1 - child_at]:
            forest.put(row[child_at], row[1 - child_at], line)
        elif len(row) == _TWO:
            forest.put(row[child_at], None, line)
        else:
            forest.mistake(line, f"{plural(len(row), 'cell')} in this row. A row has two: a parent and a child.")
    return {"": forest}


def write_edges(tree: Taxonomy) -> str:
    r"""Write a header, and a row for each value but the root.

    >>> from maskwise.policy.taxonomy import Taxonomy
    >>> write_edges(Taxonomy.from_nested({"Any": ["a", "b"]}))
    'parent,child\nAny,a\nAny,b\n'
    """
    below = zip(tree.labels[1:], tree.parents[1:], strict=True)
    return write_rows([("parent", "child"), *((tree.labels[parent], label) for label, parent in below)], ",")


def _header(row: Sequence[str]) -> int | None:
    """Which column of a first row is called like a child's, where the other one is called like a parent's."""
    names = [cell.strip().casefold() for cell in row]
    if len(names) != _TWO:
        return None
    for child in (1, 0):
        if names[child] in _CHILD and names[1 - child] in _PARENT:
            return child
    return None


def _child_column(rows: Sequence[Row]) -> int:
    pairs = [row for _, row in rows if len(row) == _TWO]
    is_unique = [len({row[i] for row in pairs}) == len(pairs) for i in (0, 1)]
    return 0 if is_unique[0] and not is_unique[1] else 1
