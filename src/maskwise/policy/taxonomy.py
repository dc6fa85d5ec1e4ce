"""Taxonomies: what a categorical value may be generalized to.

A `Taxonomy` is a rooted tree of unique labels whose leaves are the domain
values. Reading one from a file is the concern of `formats`; which part of it a
release shows is the concern of `cut`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from maskwise.errors import PolicyError, quote


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """A tree of labels in preorder, the root first.

    Example:
        >>> tree = Taxonomy.from_nested({"ANY_Sex": ["M", "F"]})
        >>> tree.root, tree.leaves()
        ('ANY_Sex', ('M', 'F'))
    """

    labels: tuple[str, ...]
    """Every label once, parents before children, siblings in file order."""
    parents: tuple[int, ...]
    """For each label the index of its parent; -1 for the root."""

    def __post_init__(self) -> None:
        """Refuse what is not one tree of unique labels."""
        twice = _first_repeated(self.labels)
        if twice is not None:
            raise PolicyError([f"The value `{twice}` stands twice in the taxonomy `{self.labels[0]}`."])
        if len(self.labels) != len(self.parents) or not self.labels:
            raise PolicyError(["A taxonomy needs at least one value."])
        if self.parents[0] != -1 or any(not 0 <= p < i for i, p in enumerate(self.parents) if i):
            raise PolicyError([f"The taxonomy `{self.labels[0]}` has more than one root or a cycle."])

    @property
    def root(self) -> str:
        """The most general label."""
        return self.labels[0]

    @property
    def height(self) -> int:
        """How many levels there are below the root.

        >>> Taxonomy.from_nested({"ANY": {"A": ["a1", "a2"], "b": None}}).height
        2
        """
        depths: list[int] = []
        for parent in self.parents:
            depths.append(depths[parent] + 1 if parent >= 0 else 0)
        return max(depths)

    def children(self, label: str) -> tuple[str, ...]:
        """Return the labels directly below `label`, in file order.

        >>> Taxonomy.from_nested({"ANY_Sex": ["M", "F"]}).children("ANY_Sex")
        ('M', 'F')
        """
        at = self.labels.index(label)
        return tuple(self.labels[i] for i, p in enumerate(self.parents) if p == at)

    def leaves(self) -> tuple[str, ...]:
        """Return the domain values, in file order."""
        inner = set(self.parents)
        return tuple(label for i, label in enumerate(self.labels) if i not in inner)

    def at_or_below(self, label: str) -> tuple[str, ...]:
        """Return a label and all labels below it.

        >>> Taxonomy.from_nested({"ANY": {"A": ["a1", "a2"], "b": None}}).at_or_below("A")
        ('A', 'a1', 'a2')
        """
        is_inside = [one == label for one in self.labels]
        for i, parent in enumerate(self.parents[1:], start=1):
            is_inside[i] |= is_inside[parent]
        return tuple(one for one, inside in zip(self.labels, is_inside, strict=True) if inside)

    def shown_at(self, depth: int) -> dict[str, str]:
        """Map every label to the one above it that is so deep below the root; one less deep stays itself.

        >>> Taxonomy.from_nested({"ANY": {"A": ["a1", "a2"], "b": None}}).shown_at(1)
        {'ANY': 'ANY', 'A': 'A', 'a1': 'A', 'a2': 'A', 'b': 'b'}
        """
        depths: list[int] = []
        shown: dict[str, str] = {}
        for label, parent in zip(self.labels, self.parents, strict=True):
            depths.append(0 if parent < 0 else depths[parent] + 1)
            shown[label] = label if depths[-1] <= depth else shown[self.labels[parent]]
        return shown

    def level(self, depth: int) -> tuple[str, ...]:
        """Return the cut at one depth: the labels so deep below the root, and leaves that are less deep.

        >>> Taxonomy.from_nested({"ANY": {"A": ["a1", "a2"], "b": None}}).level(1)
        ('A', 'b')
        """
        shown = self.shown_at(depth)
        return tuple(dict.fromkeys(shown[leaf] for leaf in self.leaves()))

    def shown_as(self, cut: Iterable[str]) -> dict[str, str]:
        """Map every leaf to the value of `cut` above it.

        Claim: a cut holds exactly one value on each path from the root to a
        leaf, so each leaf has exactly one shown value.

        >>> Taxonomy.from_nested({"ANY": {"A": ["a1", "a2"], "b": None}}).shown_as(["A", "b"])
        {'a1': 'A', 'a2': 'A', 'b': 'b'}
        """
        chosen = set(cut)
        above: list[str | None] = []
        for label, parent in zip(self.labels, self.parents, strict=True):
            inherited = above[parent] if parent >= 0 else None
            if label in chosen and inherited is not None:
                raise PolicyError([f"The cut holds both `{inherited}` and `{label}`, one above the other."])
            above.append(label if label in chosen else inherited)
        at = {label: i for i, label in enumerate(self.labels)}
        bare = [leaf for leaf in self.leaves() if above[at[leaf]] is None]
        if bare:
            raise PolicyError([f"The cut covers no value above {quote(bare[:5])}."])
        return {leaf: str(above[at[leaf]]) for leaf in self.leaves()}

    def down_to(self, labels: Iterable[str]) -> Taxonomy:
        """Return the tree of some labels and what stands above them.

        >>> Taxonomy.from_nested({"ANY": {"A": ["a1", "a2"], "b": None}}).down_to(["A", "b"]).labels
        ('ANY', 'A', 'b')
        """
        chosen = set(labels)
        is_kept = [label in chosen for label in self.labels]
        is_kept[0] = True
        for i in range(len(self.labels) - 1, 0, -1):
            is_kept[self.parents[i]] |= is_kept[i]
        place: dict[int, int] = {-1: -1}
        for i, kept in enumerate(is_kept):
            if kept:
                place[i] = len(place) - 1
        found = [i for i, kept in enumerate(is_kept) if kept]
        return Taxonomy(tuple(self.labels[i] for i in found), tuple(place[self.parents[i]] for i in found))

    def to_nested(self) -> dict[str, object]:
        """Write the tree as nested mappings; below a leaf there is nothing.

        >>> Taxonomy.from_nested({"ANY_Sex": ["M", "F"]}).to_nested()
        {'ANY_Sex': {'M': {}, 'F': {}}}
        """
        below: list[dict[str, object]] = [{} for _ in self.labels]
        for i, parent in enumerate(self.parents[1:], start=1):
            below[parent][self.labels[i]] = below[i]
        return {self.root: below[0]}

    @classmethod
    def from_nested(cls, nested: object) -> Taxonomy:
        """Build a tree from nested mappings and lists, the root outermost."""
        roots = list(branches(nested))
        if len(roots) != 1:
            found = f"{len(roots):,} values stand" if roots else "nothing stands"
            raise PolicyError([f"A taxonomy starts with one root, but {found} there. Put it under `ANY`."])
        labels: list[str] = []
        parents: list[int] = []
        stack: list[tuple[str, object, int]] = [(*roots[0], -1)]
        while stack:
            label, below, parent = stack.pop()
            at = len(labels)
            labels.append(label)
            parents.append(parent)
            stack.extend((child, rest, at) for child, rest in reversed(list(branches(below))))
        return cls(tuple(labels), tuple(parents))


def branches(nested: object) -> Iterator[tuple[str, object]]:
    """Yield each value directly inside a nested mapping or list, with what stands below it.

    >>> list(branches(["a", {"b": ["c"]}]))
    [('a', None), ('b', ['c'])]
    """
    if nested is None:
        return
    if isinstance(nested, Mapping):
        for label, below in nested.items():
            yield str(label), below
    elif isinstance(nested, list | tuple):
        for item in nested:
            if isinstance(item, Mapping | list | tuple):
                yield from branches(item)
            else:
                yield str(item), None
    else:
        yield str(nested), None


def _first_repeated(labels: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for label in labels:
        if label in seen:
            return label
        seen.add(label)
    return None
