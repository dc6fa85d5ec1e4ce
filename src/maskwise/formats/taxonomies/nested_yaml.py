"""Nested YAML, in a file of its own or inside a policy: a mapping or list from the root, a leaf without a value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from maskwise.errors import PolicyError
from maskwise.formats import yaml_lines
from maskwise.formats.taxonomies.forest import Forest
from maskwise.policy.taxonomy import Taxonomy

if TYPE_CHECKING:
    from maskwise.policy.source_lines import Document, Place

_PLAIN = re.compile(r"[^\W\d_][\w-]*(?: ?[\w().-]+)*")
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
"""What other readers of YAML take for something else than a text."""
_LONGEST_KEY = 1000
"""A longer key needs a question mark before it."""


def read_yaml(text: str, name: str) -> dict[str, Forest]:
    r"""Read a file that holds nothing but a tree.

    >>> read_yaml("Any:\n  A: [a1, a2]\n  b:\n", "t.yaml")[""].tree().leaves()
    ('a1', 'a2', 'b')
    """
    document = yaml_lines.parse(text, name)
    forest = Forest(name)
    stack: list[tuple[object, Place, str | None]] = [(document.data, (), None)]
    while stack:
        part, at, parent = stack.pop()
        if isinstance(part, dict):
            for label in part:
                forest.put(label, parent, document.lines.get((*at, label), 1))
            stack += [(below, (*at, label), label) for label, below in reversed(part.items())]
        elif isinstance(part, list):
            stack += [(item, (*at, i), parent) for i, item in reversed(list(enumerate(part)))]
        elif part is not None:
            forest.put(str(part), parent, document.lines.get(at, 1))
    return {"": forest}


def from_document(document: Document, place: Place) -> Taxonomy:
    """Build the taxonomy that stands at `place` of a YAML document."""
    nested = document.data
    for step in place:
        nested = nested[step]  # type: ignore[index]
    seen: dict[str, int] = {}
    mistakes: list[str] = []

    def walk(part: object, at: Place) -> None:
        if isinstance(part, dict):
            for label, below in part.items():
                note(label, (*at, label))
                walk(below, (*at, label))
        elif isinstance(part, list):
            for i, item in enumerate(part):
                walk(item, (*at, i))
        elif part is not None:
            note(str(part), at)

    def note(label: str, at: Place) -> None:
        line = document.lines.get(at, 0)
        if label in seen:
            mistakes.append(
                f"{document.locate(at)}: the value `{label}` stands twice in this taxonomy, first on line "
                f"{seen[label]}. A value has one parent; rename or remove one."
            )
        else:
            seen[label] = line

    walk(nested, place)
    if mistakes:
        raise PolicyError(mistakes)
    try:
        return Taxonomy.from_nested(nested)
    except PolicyError as error:
        raise PolicyError([f"{document.locate(place)}: {m}" for m in error.mistakes]) from None


def write_yaml(tree: Taxonomy) -> str:
    """Write nested mappings, with a list where all children are leaves.

    >>> print(write_yaml(Taxonomy.from_nested({"Any": {"A": ["a1", "no"], "b": None}})), end="")
    Any:
      A:
        - a1
        - "no"
      b:
    """
    inner = set(tree.parents)
    is_listed = [True] * len(tree.labels)
    """Whether all children of a value are leaves, so that they are written as a list."""
    depths: list[int] = []
    for i, parent in enumerate(tree.parents):
        depths.append(depths[parent] + 1 if parent >= 0 else 0)
        if parent >= 0 and i in inner:
            is_listed[parent] = False
    lines = []
    for label, parent, depth in zip(tree.labels, tree.parents, depths, strict=True):
        text = spell(label)
        if parent >= 0 and is_listed[parent]:
            entry = f"- {text}"
        else:
            entry = f"{text}:" if len(text) < _LONGEST_KEY else f"? {text}"
        lines.append(
            f"{'  ' * depth}{entry}\n" if not entry.startswith("?") else f"{'  ' * depth}{entry}\n{'  ' * depth}:\n"
        )
    return "".join(lines)


def spell(text: str) -> str:
    r"""Write a text so that YAML reads it as that text: in quotes where it might be something else.

    >>> spell("Self-emp (inc)"), spell("01"), spell("No"), spell("a: b\n")
    ('Self-emp (inc)', '"01"', '"No"', '"a: b\\n"')
    """
    if _PLAIN.fullmatch(text) and text.isprintable() and text.casefold() not in _WORDS:
        return text
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(letter: str) -> str:
    if letter in '"\\':
        return "\\" + letter
    if letter == "\n":
        return "\\n"
    if letter == " " or (letter.isprintable() and letter != "\ufeff"):
        return letter
    code = ord(letter)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004
