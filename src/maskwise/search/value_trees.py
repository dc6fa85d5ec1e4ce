"""The value trees of the masked attributes, flat in arrays.

`grow_trees` makes them from one-dimensional counts; `compress` recodes the
records by their codes; `topdown` and `bottomup` move the cut through them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from maskwise.compress.request import Coding
from maskwise.policy.attributes import Kind
from maskwise.search.score import entropy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


@dataclass(slots=True)
class ValueNode:
    """One value of one attribute, while its tree is grown."""

    label: str | None
    """What a record shows; None is the missing value."""
    counts: Ints  # (n_classes,)
    """The records that would show it, by class."""
    spread: float
    """What showing it hides: 0 the exact value, 1 everything."""
    members: Any  # a slice or an index array into the column's values; its missing value has the last number
    """The column's values below it."""
    inside: Any = None
    """Where it stands: a taxonomy label, or (low, high, whether high belongs to it) of an interval."""


@dataclass(frozen=True, slots=True)
class ValueTree:
    """The reachable values of one attribute."""

    name: str
    """The attribute."""
    kind: Kind
    """How it is masked."""
    nodes: tuple[ValueNode, ...]
    """Breadth first, so that siblings stand side by side."""
    parent: Ints  # (n_nodes,) -1 for the root
    """The node above each node."""
    first_child: Ints  # (n_nodes,)
    """The first of its children."""
    n_children: Ints  # (n_nodes,) 0 for a finest reachable value
    """How many there are."""
    preorder: Ints  # (n_nodes,)
    """The place of each node in its tree, which breaks ties."""
    codes: Ints  # (n_nodes, 2)
    """For each node the first and one past the last of the codes below it."""
    n_codes: int
    """How many codes the attribute has."""
    code_of_value: Ints  # (n_values + 1,)
    """The code of each value of the column; the missing value comes last."""


class AnyTree(Protocol):
    """What a moving cut needs of a tree: a `ValueTree`, or one that grows during the search."""

    @property
    def name(self) -> str:
        """The attribute."""

    @property
    def kind(self) -> Kind:
        """How it is masked."""

    @property
    def nodes(self) -> Sequence[ValueNode]:
        """As in `ValueTree`; so are the arrays."""

    @property
    def parent(self) -> Ints:
        """The node above each node."""

    @property
    def first_child(self) -> Ints:
        """The first of its children."""

    @property
    def n_children(self) -> Ints:
        """How many there are."""

    @property
    def preorder(self) -> Ints:
        """The place of each node in its tree."""

    @property
    def codes(self) -> Ints:
        """The codes below each node."""

    @property
    def n_codes(self) -> int:
        """How many codes the attribute has."""

    @property
    def code_of_value(self) -> Ints:
        """The code of each value of the column."""


def codings_of(trees: Sequence[AnyTree]) -> tuple[Coding, ...]:
    """The codes by which `compress` recodes the records."""
    return tuple(Coding(tree.code_of_value, tree.n_codes) for tree in trees)


@dataclass(frozen=True, slots=True)
class FlatForest:
    """The nodes of all trees in one numbering, attribute by attribute."""

    first: Ints  # (n_attributes + 1,)
    """The root of each attribute's tree; one past the last node."""
    attribute: Ints  # (n_nodes,)
    """Whose node each is."""
    rank: Ints  # (n_nodes,)
    """The place that breaks ties: by attribute, then preorder."""
    parent: Ints  # (n_nodes,) -1 for a root
    """The node above each node."""
    first_child: Ints  # (n_nodes,)
    """The first of its children."""
    n_children: Ints  # (n_nodes,)
    """How many there are."""
    hides: NDArray[np.bool_]  # (n_attributes,)
    """Whether an attribute's values are shown or hidden one by one."""


def flatten(trees: Sequence[AnyTree]) -> FlatForest:
    """Number the nodes of all trees."""
    sizes = [len(tree.nodes) for tree in trees]
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    above = [np.where(tree.parent < 0, -1, tree.parent + first[i]) for i, tree in enumerate(trees)]
    return FlatForest(
        first,
        np.repeat(np.arange(len(trees)), sizes),
        np.concatenate([tree.preorder + first[i] for i, tree in enumerate(trees)]),
        np.concatenate(above).astype(np.int64),
        np.concatenate([tree.first_child + first[i] for i, tree in enumerate(trees)]),
        np.concatenate([tree.n_children for tree in trees]),
        np.array([tree.kind is Kind.SUPPRESS for tree in trees]),
    )


def is_beneficial(counts: Ints, *, has_class: bool) -> bool:
    """Say whether refining records with these class counts can tell classes apart.

    Without a class every refinement of some record helps.
    """
    return int(np.count_nonzero(counts)) > (1 if has_class else 0)


def gains(tree: AnyTree, *, has_class: bool) -> NDArray[np.float64]:
    """Gain of refining each node of a taxonomy or interval tree; 0 where there is nothing below."""
    counts = np.array([node.counts for node in tree.nodes])
    n_records = counts.sum(axis=1)
    if has_class:
        worth = entropy(counts)
        scale = 1.0 / np.maximum(n_records, 1)
    else:
        worth = np.array([node.spread for node in tree.nodes])
        scale = np.ones(len(worth))
    below = np.bincount(tree.parent[1:], weights=(n_records * worth)[1:], minlength=len(worth))
    taken = (n_records * worth - below) * scale
    return np.where(tree.n_children > 0, np.maximum(taken, 0.0), 0.0)
