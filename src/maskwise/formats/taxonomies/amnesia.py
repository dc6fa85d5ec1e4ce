"""Amnesia's hierarchies: a few lines about the file, then `parent has child child …`, the lowest level first.

Labels are separated by blanks, so none has a blank in it. A hierarchy of ranges
is refused: numbers are split by an interval attribute.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from maskwise.errors import InputError, PolicyError
from maskwise.formats.taxonomies.forest import Forest, shown

if TYPE_CHECKING:
    from maskwise.policy.taxonomy import Taxonomy

_HAS = "has"
_ODD = re.compile(r"\s|^has$|^$|^\ufeff")


def is_amnesia(text: str) -> bool:
    """Say whether the first lines are those that Amnesia writes."""
    words = text[:1000].split(None, 1)[:1]
    return (
        bool(words)
        and words[0] in {"distinct", "range", "name"}
        and re.search(r"^height\s+\d+\s*$", text[:2000], re.MULTILINE) is not None
    )


def read_amnesia(text: str, name: str) -> dict[str, Forest]:
    r"""Read the lines about the file and the links below them.

    >>> text = "distinct\nname sex\ntype string\nheight 2\n\nAny has F M \n\n"
    >>> read_amnesia(text, "t.txt")[""].tree().leaves()
    ('F', 'M')
    """
    forest = Forest(name)
    height: tuple[int, int] | None = None
    lines = [line.strip() for line in text.split("\n")]
    begun = next((i for i, line in enumerate(lines) if not line), len(lines))
    for number, line in enumerate(lines[:begun], 1):
        key, _, value = line.partition(" ")
        if key == "range":
            raise PolicyError(
                [f"{name}, line {number}: this hierarchy is of ranges. Mask the column as an `interval`."]
            )
        if key == "height" and value.strip().isdecimal():
            height = (int(value), number)
    # Levels come from the bottom up: read from the top down, siblings keep their order and parents come first.
    links = [(number, line.split()) for number, line in enumerate(lines, 1) if number > begun and line]
    for block in _blocks(links):
        for number, words in block:
            if len(words) < 3 or words[1] != _HAS:  # noqa: PLR2004 - a parent, has, a child
                forest.mistake(number, "this is no `parent has child child …`. Labels have no blanks in them.")
                continue
            forest.lines.setdefault(words[0], number)
            for child in words[2:]:
                forest.put(child, words[0], number)
    n_levels = forest.tree().height + 1 if links else 0
    if height is not None and links and n_levels != height[0]:
        forest.mistake(
            height[1],
            f"the height is {height[0]}, but the tree below has {n_levels} levels. Is the file cut off? If not, "
            "correct the height.",
        )
    return {"": forest}


def write_amnesia(tree: Taxonomy) -> str:
    r"""Write the tree for Amnesia.

    >>> from maskwise.policy.taxonomy import Taxonomy
    >>> write_amnesia(Taxonomy.from_nested({"Any": ["F", "M"]}))
    'distinct\nname Any\ntype string\nheight 2\n\nAny has F M\n\n'
    """
    odd = next((label for label in tree.labels if _ODD.search(label)), None)
    if odd is not None:
        msg = (
            f"{shown(odd)} cannot stand in Amnesia's format: its labels have no blanks and none is `has`. Write .yaml."
        )
        raise InputError(msg)
    below: dict[int, list[int]] = {}
    depths: list[int] = []
    for i, parent in enumerate(tree.parents):
        depths.append(depths[parent] + 1 if parent >= 0 else 0)
        below.setdefault(parent, []).append(i)
    levels: list[list[str]] = [[] for _ in range(max(depths))]
    for i, children in below.items():
        if i >= 0:
            levels[depths[i]].append(f"{tree.labels[i]} has {' '.join(tree.labels[child] for child in children)}\n")
    head = f"distinct\nname {tree.root}\ntype string\nheight {max(depths) + 1}\n\n"
    return head + "".join("".join(level) + "\n" for level in reversed(levels))


def _blocks(links: list[tuple[int, list[str]]]) -> list[list[tuple[int, list[str]]]]:
    """Lines that follow each other without a gap, the last ones first."""
    blocks: list[list[tuple[int, list[str]]]] = []
    before = -1
    for number, words in links:
        if number != before + 1:
            blocks.append([])
        blocks[-1].append((number, words))
        before = number
    return blocks[::-1]
