"""Nested braces (`.hchy`), as the authors of TDS keep their trees: `{Any {A {a1} {a2}} {b}}`.

A file may hold a tree for each of several attributes, each under a line such as
`education:discrete`. `|` begins a comment. Attributes that are `continuous` have
no tree of their own here, and `vid` lists quasi-identifiers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from maskwise.errors import InputError, PolicyError
from maskwise.formats.taxonomies.forest import Forest, shown

if TYPE_CHECKING:
    from maskwise.policy.taxonomy import Taxonomy

_PART = re.compile(r"[{}]|[^{}\n]+|\n")
_ODD = re.compile(r"[{}|\r\n]|^\s|\s$|^\ufeff")


def is_braced(text: str) -> bool:
    """Say whether a line that is no comment begins with a brace."""
    return any(line.lstrip().startswith("{") for line in text[:100_000].splitlines()) and "}" in text


def read_braces(text: str, name: str) -> dict[str, Forest]:
    r"""Read every tree, by the name of its attribute; a single tree may stand without a name.

    >>> trees = read_braces("sex:discrete\n{Any {F} {M}}\nage:continuous\n{0-99 {ignored}}", "t.hchy")
    >>> list(trees), trees["sex"].tree().leaves()
    (['sex'], ('F', 'M'))
    """
    reader = _Reader(name)
    for part in _PART.findall(re.sub(r"\|[^\n]*", "", text)):
        match part:
            case "\n":
                reader.line += 1
            case "{":
                reader.open()
            case "}":
                reader.close()
            case _ if part.strip():
                reader.say(part.strip())
    return reader.end()


class _Reader:
    """Where in a file the reading is."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.line = 1
        self.forests: dict[str, Forest] = {}
        self.forest = Forest(name)
        self.heading = ""
        self.labels: list[str | None] = []  # of the open braces, None where a label is still to come

    def open(self) -> None:
        if not self.labels:
            self._begin()
        elif self.labels[-1] is None:
            self.forest.mistake(self.line, "a brace is opened without a label before it. Write `{label {child}}`.")
        self.labels.append(None)

    def close(self) -> None:
        if not self.labels:
            self.forest.mistake(self.line, "a brace is closed that was not opened. Remove it.")
        elif self.labels.pop() is None:
            self.forest.mistake(self.line, "there is nothing between two braces. Write a label, or remove them.")
        self.heading = ""

    def say(self, text: str) -> None:
        if not self.labels:
            self.heading = text
        elif self.labels[-1] is None:
            self.labels[-1] = text
            self.forest.put(text, self.labels[-2] if len(self.labels) > 1 else None, self.line)
        else:
            self.forest.mistake(self.line, f"{shown(text)} stands between two children. Put it into braces.")

    def end(self) -> dict[str, Forest]:
        if self.labels:
            self.forest.mistake(self.line, "the file ends before all braces are closed. Is it cut off?")
            self.forest.refuse_mistakes()
        # What is passed over is not looked at.
        for forest in self.forests.values():
            forest.refuse_mistakes()
        if not self.forests:
            raise PolicyError([f"{self.name}: the file holds no tree in braces, such as {{Any {{a}} {{b}}}}."])
        return self.forests

    def _begin(self) -> None:
        """Choose the forest that the next tree goes to: one of the file's, or one that nobody looks at."""
        attribute, _, rest = (part.strip() for part in self.heading.partition(":"))
        self.forest = Forest(self.name)
        if rest.partition(":")[0].strip() == "continuous" or attribute == "vid":
            return
        if attribute in self.forests:
            of = f" of `{attribute}`" if attribute else ""
            self.forest = self.forests[attribute]
            self.forest.mistake(self.line, f"there is a second tree{of}. Name each by its attribute.")
        self.forests[attribute] = self.forest


def write_braces(tree: Taxonomy) -> str:
    r"""Write the tree on one line.

    >>> from maskwise.policy.taxonomy import Taxonomy
    >>> write_braces(Taxonomy.from_nested({"Any": {"A": ["a"], "b": None}}))
    '{Any {A {a}} {b}}\n'
    """
    parts: list[str] = []
    open_at: list[int] = []
    for i, (label, parent) in enumerate(zip(tree.labels, tree.parents, strict=True)):
        if _ODD.search(label):
            msg = f"{shown(label)} cannot stand in braces: it has a brace, a `|`, or blanks at its edge. Write .yaml."
            raise InputError(msg)
        while open_at and open_at[-1] != parent:
            open_at.pop()
            parts.append("}")
        parts.append(f"{' ' if parent >= 0 else ''}{{{label}")
        open_at.append(i)
    return "".join(parts) + "}" * len(open_at) + "\n"
