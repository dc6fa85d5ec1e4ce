"""A taxonomy drawn as text, one label a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import plural
from maskwise.policy.taxonomy_check import records_below

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maskwise.policy.taxonomy import Taxonomy


def draw_tree(tree: Taxonomy, n_records: Mapping[str, int] | None = None, most: int = 200) -> str:
    """Draw a tree for its owner.

    Args:
        tree: The tree.
        n_records: The records of its leaves; those of labels above them are added up.
        most: How many labels are drawn; the others are counted.

    >>> from maskwise.policy.taxonomy import Taxonomy
    >>> print(draw_tree(Taxonomy.from_nested({"*": {"{a, b}": ["a", "b"], "c": None}}), {"a": 2, "b": 1, "c": 4}))
    * (7)
    ├── {a, b} (3)
    │   ├── a (2)
    │   └── b (1)
    └── c (4)
    """
    totals = records_below(tree, n_records or {})
    last_child: dict[int, int] = {}
    for i in range(len(tree.labels) - 1, 0, -1):
        last_child.setdefault(tree.parents[i], i)
    lines: list[str] = []
    indents: list[str] = []
    for i, (label, parent) in enumerate(zip(tree.labels, tree.parents, strict=True)):
        is_last = last_child.get(parent) == i
        indents.append("" if parent <= 0 and i == 0 else indents[parent] + ("    " if is_last else "│   "))
        branch = "" if parent < 0 else indents[parent] + ("└── " if is_last else "├── ")
        lines.append(f"{branch}{label}" + ("" if n_records is None else f" ({totals[i]:,})"))
    if len(lines) > most:
        lines[most:] = [f"... and {plural(len(lines) - most, 'label')} more"]
    return "\n".join(lines)
