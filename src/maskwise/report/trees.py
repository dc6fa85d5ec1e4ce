"""The tree of each attribute with the cut drawn into it.

Recipients see a tree down to the shown values, and how many values of the
policy's taxonomy each stands for. What is hidden below them, and what `*`
stands for, is the owner's.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from maskwise.errors import plural
from maskwise.policy.attributes import Kind
from maskwise.report.content import AttributeShown, NumberLine, TreeNode, TreeRole
from maskwise.report.regional import label_sentence
from maskwise.solution.cut import HIDDEN, MissingShown
from maskwise.values.scales import label

if TYPE_CHECKING:
    from maskwise.policy.taxonomy import Taxonomy
    from maskwise.release.label_counts import LabelCounts
    from maskwise.solution.cut import Cut
    from maskwise.solution.solution import Solution

MISSING = "(missing)"
"""What stands for a missing cell that is released as one."""


def attribute_shown(cut: Cut, by_label: LabelCounts | None = None, *, is_public: bool) -> AttributeShown:
    """What one attribute shows, with its tree.

    Args:
        cut: What it shows.
        by_label: Where regions have labels of their own, how many records show each.
        is_public: Whether recipients read it.
    """
    labels = (*cut.labels, *([MISSING] if cut.missing is MissingShown.ITSELF else []))
    hides_some = cut.kind is Kind.SUPPRESS and HIDDEN in cut.labels
    return AttributeShown(
        cut.attribute,
        str(cut.kind),
        labels,
        # Intervals that overlap are no parts of one line.
        line=number_line(cut) if cut.kind is Kind.INTERVAL and not cut.regional else None,
        tree=_tree(cut, is_public=is_public),
        hides=_what_is_hidden(cut, is_public=is_public) if hides_some else None,
        hidden=cut.hidden if hides_some and not is_public else (),
        by_region=None if by_label is None else label_sentence(by_label),
    )


def attribute_released(cut: Cut, solution: Solution) -> AttributeShown:
    """What one attribute shows in a release that lacks some labels of its cut, for recipients.

    Args:
        cut: What it shows.
        solution: What is suppressed.
    """
    labels = solution.shown_labels(cut)
    hides = _what_is_hidden(cut, is_public=True) if cut.kind is Kind.SUPPRESS and HIDDEN in labels else None
    missing = (MISSING,) if solution.shows_missing(cut) else ()
    return AttributeShown(cut.attribute, str(cut.kind), (*labels, *missing), hides=hides)


def is_coarser(cut: Cut, labels: tuple[str, ...] | None = None) -> bool:
    """Whether a cut shows anything but the values themselves.

    Args:
        cut: What an attribute shows.
        labels: Those of its labels that the release shows; None is all.

    >>> from maskwise.solution.cut import Cut
    >>> [is_coarser(Cut("Sex", Kind.SUPPRESS, "*", shown=("F",), hidden=hidden)) for hidden in [(), ("M", "X")]]
    [False, True]
    """
    shown = cut.labels if labels is None else labels
    if cut.rule is not None:
        return not all(map(cut.rule.is_value, shown))
    if cut.taxonomy is not None:
        return not set(shown) <= set(cut.taxonomy.leaves())
    return cut.kind is Kind.INTERVAL or HIDDEN in shown


def _what_is_hidden(cut: Cut, *, is_public: bool) -> str:
    """What `*` stands for; how many values that are does not follow from the release."""
    if cut.regional and is_public:
        return f"`{HIDDEN}` stands for any value; which values are shown differs from region to region."
    if is_public:
        return f"`{HIDDEN}` stands for every other value."
    more = ", and others that are too rare to be listed" if cut.hides_more else ""
    missing = ", and for missing cells" if cut.missing is MissingShown.ROOT else ""
    elsewhere = ", and in some regions for values that others show" if cut.regional else ""
    return f"`{HIDDEN}` stands for {plural(len(cut.hidden), 'hidden value')}{more}{elsewhere}{missing}."


def _tree(cut: Cut, *, is_public: bool) -> tuple[TreeNode, ...]:
    """The tree of a taxonomy attribute; nothing for any other, nor of a tree that recipients may not know."""
    if cut.taxonomy is None or (cut.is_made and is_public):
        return ()
    if cut.regional:
        nodes = overlapping_nodes(cut.taxonomy, cut.regional)
        # How many values a rule's label stands for is not the policy's to say, but the table's.
        return nodes if cut.rule is None else tuple(replace(node, n_below=0) for node in nodes)
    return tree_nodes(cut.taxonomy, cut.shown, is_public=is_public)


def overlapping_nodes(tree: Taxonomy, shown: tuple[str, ...]) -> tuple[TreeNode, ...]:
    """The values of a taxonomy that some region shows, and those above them, in preorder.

    Args:
        tree: The taxonomy.
        shown: The values; one may stand above another.

    >>> from maskwise.policy.taxonomy import Taxonomy
    >>> tree = Taxonomy.from_nested({"ANY": {"A": ["a1", "a2"], "b": None}})
    >>> [(node.label, str(node.role), node.n_below) for node in overlapping_nodes(tree, ("ANY", "a1"))]
    [('ANY', 'shown', 3), ('A', 'above', 0), ('a1', 'shown', 0)]
    """
    chosen, inner = set(shown), set(tree.parents)
    n_leaves = [int(i not in inner) for i in range(len(tree.labels))]
    is_drawn = [label in chosen for label in tree.labels]
    for i in range(len(tree.labels) - 1, 0, -1):
        n_leaves[tree.parents[i]] += n_leaves[i]
        is_drawn[tree.parents[i]] |= is_drawn[i]
    depths: list[int] = []
    for parent in tree.parents:
        depths.append(0 if parent < 0 else depths[parent] + 1)
    return tuple(
        TreeNode(
            label,
            depths[i],
            TreeRole.SHOWN if label in chosen else TreeRole.ABOVE,
            n_leaves[i] if label in chosen and i in inner else 0,
        )
        for i, label in enumerate(tree.labels)
        if is_drawn[i]
    )


def tree_nodes(tree: Taxonomy, shown: tuple[str, ...], *, is_public: bool) -> tuple[TreeNode, ...]:
    """The values of a taxonomy at and above the cut, in preorder.

    Args:
        tree: The taxonomy.
        shown: The cut.
        is_public: Whether recipients read it.

    >>> from maskwise.policy.taxonomy import Taxonomy
    >>> tree = Taxonomy.from_nested({"ANY": {"A": ["a1", "a2"], "b": None}})
    >>> [(node.label, node.depth, node.n_below) for node in tree_nodes(tree, ("A", "b"), is_public=True)]
    [('ANY', 0, 0), ('A', 1, 2), ('b', 1, 0)]
    """
    chosen, inner = set(shown), set(tree.parents)
    depths: list[int] = []
    above: list[int | None] = []
    below: dict[int, list[str]] = {}
    for i, (name, parent) in enumerate(zip(tree.labels, tree.parents, strict=True)):
        depths.append(0 if parent < 0 else depths[parent] + 1)
        inherited = None if parent < 0 else above[parent]
        above.append(i if inherited is None and name in chosen else inherited)
        at = above[i]
        if at is not None and at != i and i not in inner:
            below.setdefault(at, []).append(name)
    return tuple(
        TreeNode(
            name,
            depths[i],
            TreeRole.ABOVE if above[i] is None else TreeRole.SHOWN,
            len(below.get(i, ())),
            () if is_public else tuple(below.get(i, ())),
        )
        for i, name in enumerate(tree.labels)
        if above[i] is None or above[i] == i
    )


def number_line(cut: Cut) -> NumberLine:
    """The breaks of an interval attribute; an end that is coded is not told.

    >>> from maskwise.solution.cut import Cut
    >>> from maskwise.values.scales import Scale
    >>> number_line(Cut("Age", Kind.INTERVAL, "[0, 80]", scale=Scale.INTEGER, breaks=(0, 20, 80))).ticks
    ((0.0, '0'), (0.25, '20'), (1.0, '80'))
    """
    assert cut.scale is not None  # noqa: S101 - every interval cut has a scale
    breaks = [float(number) for number in cut.breaks]
    is_split = len(breaks) > 2  # noqa: PLR2004 - the ends of one interval
    is_hidden = [False] * len(breaks)
    if is_split:
        is_hidden[0], is_hidden[-1] = cut.coded
        # Not the place either: an end that is coded stands as far out as the nearest interval is wide.
        breaks[0] = 2 * breaks[1] - breaks[2] if is_hidden[0] else breaks[0]
        breaks[-1] = 2 * breaks[-2] - breaks[-3] if is_hidden[-1] else breaks[-1]
    low, width = breaks[0], breaks[-1] - breaks[0]
    is_drawn = math.isfinite(width) and width > 0
    return NumberLine(
        tuple(
            (
                (number - low) / width if is_drawn else i / max(len(breaks) - 1, 1),
                "" if hidden else label(end, cut.scale),
            )
            for i, (number, hidden, end) in enumerate(zip(breaks, is_hidden, cut.breaks, strict=True))
        )
    )
