"""A taxonomy drawn line by line, with the records of each value where a column is known.

`report.taxonomy_drawing` makes a picture of the same lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from maskwise.errors import plural
from maskwise.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.policy.taxonomy import Taxonomy

MOST_CHILDREN = 25
"""So many children of a value are drawn unless all are asked for."""


@dataclass(frozen=True, slots=True)
class DrawnValue:
    """A line of a drawing: a value, or how many of its siblings are left out."""

    text: str
    """The label, or what is said of those left out."""
    depth: int
    """How far below the root it stands."""
    guide: str
    """The branches before it, where it is drawn as text."""
    parent_at: int
    """The line of its parent; -1 of the root."""
    n_records: int | None
    """Its records; None where no column is known."""
    n_leaves: int
    """The leaves at or below it."""
    is_label: bool = True
    """Whether it is a value of the tree."""


def draw_values(
    tree: Taxonomy, n_records: Sequence[int] | None = None, *, depth: int | None = None, most: int | None = None
) -> list[DrawnValue]:
    """The lines of a drawing, in preorder.

    Args:
        tree: What is drawn.
        n_records: The records at or below each label; None where no column is known.
        depth: How many levels below the root are drawn; None draws all.
        most: How many children of a value are drawn; None draws all.

    Example:
        >>> from maskwise.policy.taxonomy import Taxonomy
        >>> tree = Taxonomy.from_nested({"Any": {"A": ["a1", "a2", "a3"], "b": None}})
        >>> for line in draw_values(tree, most=2):
        ...     print(line.guide + line.text)
        Any
        ├── A
        │   ├── a1
        │   └── … 2 more
        └── b
    """
    below: list[list[int]] = [[] for _ in tree.labels]
    n_leaves = [0] * len(tree.labels)
    for i in range(len(tree.labels) - 1, -1, -1):
        n_leaves[i] = n_leaves[i] or 1
        if i:
            below[tree.parents[i]].append(i)
            n_leaves[tree.parents[i]] += n_leaves[i]
    lines: list[DrawnValue] = []
    stack: list[tuple[int | DrawnValue, int, str, str, int]] = [(0, 0, "", "", -1)]
    while stack:
        what, at, guide, beneath, parent_at = stack.pop()
        if isinstance(what, DrawnValue):
            lines.append(what)
            continue
        counted = None if n_records is None else n_records[what]
        lines.append(DrawnValue(tree.labels[what], at, guide, parent_at, counted, n_leaves[what]))
        if depth is not None and at >= depth:
            continue
        children = below[what][::-1]
        here = len(lines) - 1
        n_drawn = len(children) if most is None or len(children) <= most else most - 1
        for i in range(n_drawn, len(children))[:1]:
            rest = children[i:]
            n_rest = None if n_records is None else sum(n_records[child] for child in rest)
            text = f"… {len(rest):,} more"
            more = DrawnValue(
                text, at + 1, beneath + "└── ", here, n_rest, sum(n_leaves[c] for c in rest), is_label=False
            )
            stack.append((more, at + 1, "", "", here))
        for i in range(n_drawn - 1, -1, -1):
            is_last = i == len(children) - 1
            branch, gap = ("└── ", "    ") if is_last else ("├── ", "│   ")
            stack.append((children[i], at + 1, beneath + branch, beneath + gap, here))
    return lines


def count_text(line: DrawnValue) -> str:
    """What is said of a value beside its label: its records, or its leaves where no column is known.

    >>> count_text(DrawnValue("A", 0, "", -1, None, 3)), count_text(DrawnValue("a", 1, "", 0, 1200, 1))
    ('3 leaves', '1,200 records')
    """
    if line.n_records is not None:
        return plural(line.n_records, "record")
    return f"{line.n_leaves:,} leaves" if line.n_leaves > 1 else ""


def text_of_line(line: DrawnValue) -> str:
    """A line as text: the branches, the label and what is said beside it.

    >>> text_of_line(DrawnValue("A", 1, "├── ", 0, 12, 3))
    '├── A  (12 records)'
    """
    beside = count_text(line)
    return f"{line.guide}{printable(line.text)}{f'  ({beside})' if beside else ''}"
