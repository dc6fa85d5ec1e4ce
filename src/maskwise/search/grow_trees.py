"""Growing the value trees from one-dimensional counts, pruned to what can be reached.

Information gain needs one-dimensional counts only, and the interval trees
follow from the same counts, so all trees are known before any record is looked
at again. A value whose refinement would be invalid in every state (a child alone
holds fewer than k records) or is not beneficial has no children here; it is a
finest reachable value and gets a code.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from maskwise.policy.attributes import Kind
from maskwise.search.interval_split import best_split
from maskwise.search.ties import largest
from maskwise.search.value_trees import ValueNode, ValueTree, is_beneficial
from maskwise.solution.cut import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from maskwise.profile.columns import Column, Profile

    Ints = NDArray[np.int64]


def grow_forest(
    profile: Profile,
    floors: Mapping[str, int],
    levels: Sequence[int] | None = None,
    *,
    raw: bool = False,
    spare: int = 0,
) -> tuple[ValueTree, ...]:
    """Grow and prune the tree of every attribute.

    Args:
        profile: One-dimensional counts.
        floors: For each attribute the largest k that any of its QIDs asks for.
        levels: For each attribute how far below its root nothing is pruned, because a search starts there; None is 0.
        raw: Keep every value of taxonomy and suppress attributes, because a search starts from them.
        spare: How many records may be suppressed.

    Claim: pruning is exact. A group on a QID is inside the set of records that
    share one value of one of its attributes, so a child with fewer than k
    records alone makes a group smaller than k in every state. All of them would
    have to be suppressed, so what the budget cannot pay for is pruned.
    """
    has_class = profile.class_name is not None
    return tuple(
        grow_tree(column, floors[column.name], level, raw=raw, spare=spare, has_class=has_class)
        for column, level in zip(profile.columns, levels or (0,) * len(profile.columns), strict=True)
    )


def grow_tree(
    column: Column, floor: int, level: int = 0, *, raw: bool = False, spare: int = 0, has_class: bool
) -> ValueTree:
    """Grow and prune the tree of one attribute; the arguments are those of `grow_forest`."""
    if column.kind is Kind.SUPPRESS and level:
        # All values are shown at once, so for the search they are children of `*` as in a taxonomy.
        flat = _grow(column, hiding_root(column), _values_below(column), 0, level, has_class=False)
        return replace(flat, kind=Kind.TAXONOMY)
    if column.kind is Kind.SUPPRESS:
        return _suppress_tree(column, 0 if raw else floor)
    below = children_of(column, has_class=has_class)
    whole = raw and column.kind is Kind.TAXONOMY
    of_class = has_class and not whole
    return _grow(column, root_of(column), below, 0 if whole else floor, level, has_class=of_class, spare=spare)


def children_of(column: Column, *, has_class: bool) -> Callable[[ValueNode], list[ValueNode]]:
    """What is below each value of a taxonomy or interval attribute, before anything is pruned.

    Args:
        column: The attribute.
        has_class: Whether an interval is split where the class is told best, or where its parts are narrowest.
    """
    if column.kind is Kind.TAXONOMY:
        return _taxonomy_children(column)
    return _interval_children(column, has_class=has_class)


def root_of(column: Column) -> ValueNode:
    """The most masked value of a taxonomy or interval attribute."""
    members = slice(0, len(column.counts) + 1)
    total = column.counts.sum(axis=0) + column.missing
    if column.kind is Kind.TAXONOMY:
        assert column.taxonomy is not None  # noqa: S101 - Column holds a tree for every taxonomy attribute
        return ValueNode(column.taxonomy.root, total, 1.0, members, column.taxonomy.root)
    low, high = column.range
    inside = (low, high, True)
    return ValueNode(column.interval_label(inside[0], inside[1], closed=inside[2]), total, 1.0, members, inside)


def _grow(
    column: Column,
    root: ValueNode,
    below: Callable[[ValueNode], list[ValueNode]],
    floor: int,
    level: int = 0,
    *,
    has_class: bool,
    spare: int = 0,
) -> ValueTree:
    """Expand breadth first until every open end is a finest reachable value; above `level` nothing is pruned."""
    nodes, parent, first_child, n_children, depth = [root], [-1], [], [], [0]
    n_records = [int(root.counts.sum())]
    at = 0
    while at < len(nodes):
        node = nodes[at]
        is_given = depth[at] < level
        children = below(node) if is_given or is_beneficial(node.counts, has_class=has_class) else []
        n_below = [int(child.counts.sum()) for child in children]
        if not is_given and sum(n for n in n_below if n < floor) > spare:
            children, n_below = [], []
        first_child.append(len(nodes))
        n_children.append(len(children))
        nodes += children
        n_records += n_below
        parent += [at] * len(children)
        depth += [depth[at] + 1] * len(children)
        at += 1
    return _number(column, nodes, n_records, np.array(parent), np.array(first_child), np.array(n_children))


def _number(
    column: Column, nodes: list[ValueNode], n_records: list[int], parent: Ints, first_child: Ints, n_children: Ints
) -> ValueTree:
    """Give each node its preorder place and each finest value its code, in tree order."""
    preorder = np.zeros(len(nodes), np.int64)
    codes = np.zeros((len(nodes), 2), np.int64)
    code_of_value = np.zeros(len(column.counts) + 1, np.int64)
    n_codes = 0
    stack, visited = [0], 0
    while stack:
        at = stack.pop()
        preorder[at] = visited
        visited += 1
        codes[at, 0] = n_codes
        if n_children[at]:
            stack.extend(range(first_child[at] + n_children[at] - 1, first_child[at] - 1, -1))
        elif n_records[at]:
            code_of_value[nodes[at].members] = n_codes
            n_codes += 1
    for at in np.argsort(-preorder):
        last = first_child[at] + n_children[at] - 1
        own = int(n_children[at] == 0 and n_records[at] > 0)
        codes[at, 1] = codes[last, 1] if n_children[at] else codes[at, 0] + own
    return ValueTree(
        column.name,
        column.kind,
        tuple(nodes),
        parent,
        first_child,
        n_children,
        preorder,
        codes,
        max(n_codes, 1),
        code_of_value,
    )


def _taxonomy_children(column: Column) -> Callable[[ValueNode], list[ValueNode]]:
    tree = column.taxonomy
    assert tree is not None  # noqa: S101 - as in root_of
    children: dict[str, list[str]] = {name: [] for name in tree.labels}
    for name, up in zip(tree.labels[1:], tree.parents[1:], strict=True):
        children[tree.labels[up]].append(name)
    value_at = {value: i for i, value in enumerate(column.texts)}
    members: dict[str, list[int]] = {name: [] for name in tree.labels}
    n_leaves = dict.fromkeys(tree.labels, 0)
    for i in range(len(tree.labels) - 1, -1, -1):
        name = tree.labels[i]
        if not children[name]:
            n_leaves[name] = 1
            members[name] = [value_at[name]] if name in value_at else []
        if i:
            above = tree.labels[tree.parents[i]]
            n_leaves[above] += n_leaves[name]
            members[above] += members[name]
    for inside in members.values():
        # Collected from the last leaf to the first.
        inside.reverse()
    keeps_missing = column.missing.any()
    widest = n_leaves[tree.root] + int(keeps_missing) - 1

    def below(node: ValueNode) -> list[ValueNode]:
        if node.label is None:
            return []
        found = [
            ValueNode(
                name,
                column.counts[members[name]].sum(axis=0),
                (n_leaves[name] - 1) / max(widest, 1),
                np.array(members[name], np.int64),
                name,
            )
            for name in children[node.inside]
        ]
        if node.label == tree.root and keeps_missing and found:
            found.append(missing_node(column))
        return found

    return below


def _interval_children(column: Column, *, has_class: bool) -> Callable[[ValueNode], list[ValueNode]]:

    numbers = column.numbers
    low_end, high_end = column.range
    # Halves, so that the ends of the largest range do not overflow.
    width = (float(high_end) / 2 - float(low_end) / 2) or 1.0
    below_each = np.zeros((len(numbers) + 1, column.counts.shape[1]), np.int64)
    np.cumsum(column.counts, axis=0, out=below_each[1:])

    def piece(start: int, stop: int, low: float, high: float, closed: bool) -> ValueNode:  # noqa: FBT001
        text = column.interval_label(low, high, closed=closed)
        counts = below_each[stop] - below_each[start]
        spread = (float(high) / 2 - float(low) / 2) / width
        return ValueNode(text, counts, spread, slice(start, stop), (low, high, closed))

    def below(node: ValueNode) -> list[ValueNode]:
        if node.label is None:
            return []
        start, stop = node.members.start, min(node.members.stop, len(numbers))
        rest = [missing_node(column)] if node.members.stop > stop and column.missing.any() else []
        low, high, closed = node.inside
        if stop - start < 2:  # noqa: PLR2004 - nothing to split
            return [piece(start, stop, low, high, closed), *rest] if rest else []
        at = best_split(column.counts, start, stop) if has_class else _even_split(column, start, stop, low, high)
        border = numbers[at]
        return [piece(start, at, low, border, closed=False), piece(at, stop, border, high, closed), *rest]

    return below


def _even_split(column: Column, start: int, stop: int, low: float, high: float) -> int:
    """Without a class: the split after which the records' intervals are narrowest in total."""
    n = column.counts[start:stop].sum(axis=1)
    n_left = np.cumsum(n)[:-1]
    borders = np.asarray(column.numbers[start + 1 : stop], np.float64) / 2
    place = (borders - float(low) / 2) / ((float(high) / 2 - float(low) / 2) or 1.0)
    saved = n_left * (1 - place) + (n.sum() - n_left) * place
    return start + 1 + int(largest(saved)[0])


def hiding_root(column: Column) -> ValueNode:
    """`*`, which may stand for any value."""
    total = column.counts.sum(axis=0) + column.missing
    if column.rest is not None:
        total = total + column.rest
    return ValueNode(HIDDEN, total, 1.0, np.arange(len(column.counts) + 1))


def _values_below(column: Column) -> Callable[[ValueNode], list[ValueNode]]:
    """The values of a suppress attribute that shows all of them: one step below `*`, in value order."""

    def below(node: ValueNode) -> list[ValueNode]:
        if node.spread == 0.0:
            return []
        found = [ValueNode(text, column.counts[i], 0.0, np.array([i])) for i, text in enumerate(column.texts)]
        return [*found, missing_node(column)] if column.missing.any() else found

    return below


def _suppress_tree(column: Column, floor: int) -> ValueTree:
    """`*` above the values that may ever be disclosed, in value order; the others share code 0."""
    n_records = column.counts.sum(axis=1)
    members = [i for i in range(len(n_records)) if n_records[i] >= floor and column.texts[i] != HIDDEN]
    nodes = [hiding_root(column)]
    nodes += [ValueNode(column.texts[i], column.counts[i], 0.0, np.array([i])) for i in members]
    if column.missing.sum() >= max(floor, 1):
        nodes.append(missing_node(column))
    n_values = len(nodes) - 1
    code_of_value = np.zeros(len(n_records) + 1, np.int64)
    for code, node in enumerate(nodes[1:], start=1):
        code_of_value[node.members] = code
    codes = np.stack([np.arange(n_values + 1), np.arange(n_values + 1) + 1], axis=1)
    codes[0, 1] = n_values + 1
    n_children = np.zeros(n_values + 1, np.int64)
    n_children[0] = n_values
    parent = np.zeros(n_values + 1, np.int64)
    parent[0] = -1
    return ValueTree(
        column.name,
        column.kind,
        tuple(nodes),
        parent,
        np.ones(n_values + 1, np.int64),
        n_children,
        np.arange(n_values + 1),
        codes,
        n_values + 1,
        code_of_value,
    )


def missing_node(column: Column) -> ValueNode:
    """The missing value of an attribute."""
    return ValueNode(None, column.missing, 0.0, np.array([len(column.counts)]))
