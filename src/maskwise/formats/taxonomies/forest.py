"""What a taxonomy file says, before it is one tree: values, what each stands below, and the line of each.

A file is used as a whole or not at all: `Forest.tree` raises every mistake, each with its line and a remedy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import PolicyError
from maskwise.policy.taxonomy import Taxonomy
from maskwise.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_LEVELS = 300
"""A deeper tree is refused: readers of nested files, ours and others', follow them level by level."""
_MOST_MISTAKES = 20
"""So many mistakes are listed."""
_LONGEST = 80
"""So many letters of a label are shown."""


class Forest:
    """Values and their parents, as a file lists them.

    Example:
        >>> forest = Forest("sex.txt")
        >>> forest.put("Any", None, 1); forest.put("F", "Any", 2); forest.put("M", "Any", 3)
        >>> forest.tree().leaves()
        ('F', 'M')
    """

    def __init__(self, name: str) -> None:
        """Begin without a value.

        Args:
            name: What messages call the file.
        """
        self.name = name
        self.parent_of: dict[str, str] = {}
        """The parent of every value that has one, in the order of the file."""
        self.lines: dict[str, int] = {}
        """Where every value stands first."""
        self._placed: dict[str, int] = {}
        self._mistakes: list[str] = []
        self._n_mistakes = 0

    def put(self, label: str, parent: str | None, line: int) -> None:
        """Put a value below another one, or at the top; a value is put once."""
        if not label or parent == "":
            self.mistake(line, "a label is empty. Write one, or remove the line.")
            return
        if label in self._placed:
            self._put_again(label, parent, line)
            return
        self._placed[label] = line
        self.lines.setdefault(label, line)
        if parent is not None:
            self.lines.setdefault(parent, line)
            self.parent_of[label] = parent

    def link(self, label: str, parent: str, line: int) -> None:
        """Put a value below another one; the file may say so many times."""
        if self.parent_of.get(label) != parent:
            self.put(label, parent, line)

    def mistake(self, line: int | None, text: str) -> None:
        """Note what is wrong on a line, or with the file where there is no line."""
        said = f"{self.name}{'' if line is None else f', line {line}'}: {text}"
        if self._mistakes[-1:] == [said]:
            return
        self._n_mistakes += 1
        if len(self._mistakes) < _MOST_MISTAKES:
            self._mistakes.append(said)

    def tree(self, root: str | None = None) -> Taxonomy:
        """The one tree that the file describes.

        Args:
            root: The label to put several trees under; None refuses several.
        """
        self.refuse_mistakes()
        if not self.lines:
            self.mistake(None, "the file holds no value.")
            self.refuse_mistakes()
        top = self._top(root)
        below: dict[str, list[str]] = {}
        for label, parent in self.parent_of.items():
            below.setdefault(parent, []).append(label)
        labels: list[str] = []
        parents: list[int] = []
        stack: list[tuple[str, int, int]] = [(top, -1, 0)]
        while stack:
            label, parent_at, depth = stack.pop()
            if depth > MOST_LEVELS:
                self.mistake(self.lines[label], f"{shown(label)} is more than {MOST_LEVELS} levels below the root.")
                break
            at = len(labels)
            labels.append(label)
            parents.append(parent_at)
            stack.extend((child, at, depth + 1) for child in reversed(below.get(label, ())))
        else:
            self._check_all_reached(labels)
        self.refuse_mistakes()
        return Taxonomy(tuple(labels), tuple(parents))

    def refuse_mistakes(self) -> None:
        """Raise what was noted, if anything was."""
        more = self._n_mistakes - len(self._mistakes)
        if self._mistakes:
            raise PolicyError(
                [*self._mistakes, *([f"{self.name}: {more:,} more mistakes like these."] if more else [])]
            )

    def _put_again(self, label: str, parent: str | None, line: int) -> None:
        first, known = self._placed[label], self.parent_of.get(label)
        if known == parent or parent is None or known is None:
            self.mistake(
                line,
                f"the value {shown(label)} stands twice in this taxonomy, first on line {first}. A value has one "
                "parent; rename or remove one.",
            )
        else:
            self.mistake(
                line,
                f"{shown(label)} goes to {shown(parent)} here but to {shown(known)} on line {first}. A value has one "
                "parent; rename one.",
            )

    def _top(self, root: str | None) -> str:
        """The root; several trees are put under the one that was asked for."""
        roots = [label for label in self.lines if label not in self.parent_of]
        if root is not None and roots and roots != [root]:
            if root in self.parent_of:
                self.mistake(self.lines[root], f"{shown(root)} is no root in this file. Give `--root` another label.")
            self.lines.setdefault(root, 1)
            self.parent_of |= {label: root for label in roots if label != root}
        elif len(roots) > 1:
            listed = ", ".join(f"{shown(label)} (line {self.lines[label]})" for label in roots[:5])
            self.mistake(
                None,
                f"there are {len(roots):,} different roots: {listed}{', …' * (len(roots) > 5)}. Put them under one "  # noqa: PLR2004
                "label, or let `maskwise taxonomy import --root ANY` do it.",
            )
        elif not roots:
            label = next(iter(self.lines))
            self.mistake(self.lines[label], f"{shown(label)} never reaches a root: a cycle. Remove one of its links.")
        self.refuse_mistakes()
        return root if root is not None else roots[0]

    def _check_all_reached(self, labels: Sequence[str]) -> None:
        if len(labels) == 1:
            self.mistake(
                self.lines[labels[0]], f"{shown(labels[0])} is the only value. A taxonomy has values below its root."
            )
        elif len(labels) < len(self.lines):
            reached = set(labels)
            lost = next(label for label in self.lines if label not in reached)
            self.mistake(
                self.lines[lost],
                f"{shown(lost)} never reaches the root {shown(labels[0])}: a cycle. Remove one of its links.",
            )


def shown(label: str) -> str:
    r"""A label as a message quotes it.

    >>> shown("a\tb")
    '`a\\tb`'
    """
    text = printable(label)
    return f"`{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'}`"
