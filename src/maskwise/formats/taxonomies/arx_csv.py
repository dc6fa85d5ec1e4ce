"""ARX's hierarchies: a row for each value, the value first, then ever coarser labels.

ARX wants all rows to be of one length and the same label at their end. A label
that is repeated is one value, so that rows of short branches can be filled up.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from maskwise.formats.taxonomies.delimited import read_rows, write_rows
from maskwise.formats.taxonomies.forest import Forest, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from maskwise.formats.taxonomies.delimited import Row
    from maskwise.policy.taxonomy import Taxonomy

_DELIMITER = ";"
"""What ARX writes unless it is told otherwise."""


def read_arx(text: str, name: str) -> dict[str, Forest]:
    r"""Read the rows; those of short branches may be filled up or end early.

    >>> read_arx("a;A;*\nb;b;*", "t.csv")[""].tree().children("*")
    ('A', 'b')
    """
    return {"": forest_of_rows(read_rows(text, name), name)}


def forest_of_rows(rows: Iterable[Row], name: str) -> Forest:
    """Put each value below the next cell of its row."""
    forest = Forest(name)
    seen: dict[str, int] = {}
    for line, row in rows:
        if not row[0]:
            forest.mistake(line, "the first cell is empty. Missing cells need no row: remove the line.")
            continue
        if row[0] in seen:
            forest.mistake(line, f"{shown(row[0])} has a row already, line {seen[row[0]]}. Remove one.")
            continue
        seen[row[0]] = line
        forest.lines.setdefault(row[0], line)
        for label, parent in pairwise(row):
            if label != parent:
                forest.link(label, parent, line)
    return forest


def write_arx(tree: Taxonomy) -> str:
    r"""Write a row for each leaf, all of one length: a leaf of a short branch is repeated.

    >>> from maskwise.policy.taxonomy import Taxonomy
    >>> write_arx(Taxonomy.from_nested({"*": {"A": ["a1", "a2"], "b": None}}))
    'a1;A;*\na2;A;*\nb;b;*\n'
    """
    inner = set(tree.parents)
    above: list[tuple[str, ...]] = []
    for label, parent in zip(tree.labels, tree.parents, strict=True):
        above.append((label, *above[parent]) if parent >= 0 else (label,))
    width = max(map(len, above))
    rows = ((path[0],) * (width - len(path)) + path for i, path in enumerate(above) if i not in inner)
    return write_rows(rows, _DELIMITER)
