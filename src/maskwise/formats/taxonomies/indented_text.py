"""Indented text: a value a line, what stands below it indented further, by tabs or by blanks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import InputError
from maskwise.formats.taxonomies.delimited import find_delimiter
from maskwise.formats.taxonomies.forest import Forest, shown

if TYPE_CHECKING:
    from maskwise.policy.taxonomy import Taxonomy


def is_indented(text: str) -> bool:
    """Say whether the second line that says something is indented, and the first is not; or nothing parts cells."""
    lines = [line for line in text[:100_000].splitlines() if line.strip()][:2]
    if len(lines) > 1 and not lines[0][0].isspace() and lines[1][0] in " \t":
        return True
    return find_delimiter("\n".join(line.strip() for line in text[:100_000].splitlines())) is None


def read_indented(text: str, name: str) -> dict[str, Forest]:
    r"""Read the lines; blanks at the end of a line do not count.

    >>> read_indented("Any\n  School\n    9th\n  None", "t.txt")[""].tree().children("Any")
    ('School', 'None')
    """
    forest = Forest(name)
    open_labels: list[tuple[int, str]] = []
    first_mark: tuple[str, int] | None = None
    for number, line in enumerate(text.split("\n"), 1):
        label = line.strip(" \t\r")
        if not label:
            continue
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        marks = set(indent)
        if indent and first_mark is None:
            first_mark = (indent[0], number)
        if first_mark is not None and marks - {first_mark[0]}:
            forest.mistake(
                number, f"tabs and blanks are mixed; line {first_mark[1]} has the other kind. Indent with one of them."
            )
            continue
        if not open_labels and indent:
            forest.mistake(number, "the first line is indented. Start the root at the beginning of its line.")
        while open_labels and open_labels[-1][0] > len(indent):
            left = open_labels.pop()[0]
            if left > len(indent) and (not open_labels or open_labels[-1][0] < len(indent)):
                forest.mistake(number, f"{shown(label)} is indented as no line above it. Line it up with one of them.")
        if open_labels and open_labels[-1][0] == len(indent):
            open_labels.pop()
        forest.put(label, open_labels[-1][1] if open_labels else None, number)
        open_labels.append((len(indent), label))
    return {"": forest}


def write_indented(tree: Taxonomy) -> str:
    r"""Write a line for each value, indented by a tab a level.

    >>> from maskwise.policy.taxonomy import Taxonomy
    >>> write_indented(Taxonomy.from_nested({"Any": ["a", "b"]}))
    'Any\n\ta\n\tb\n'
    """
    depths: list[int] = []
    for parent in tree.parents:
        depths.append(depths[parent] + 1 if parent >= 0 else 0)
    odd = next((label for label in tree.labels if label.strip(" \t\r\ufeff") != label or "\n" in label), None)
    if odd is not None:
        msg = (
            f"{shown(odd)} cannot stand in indented text: it has blanks or a line end at its edge. Write .yaml or .csv."
        )
        raise InputError(msg)
    return "".join("\t" * depth + label + "\n" for label, depth in zip(tree.labels, depths, strict=True))
