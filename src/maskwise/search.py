"""From a profile and compressed tables to a Solution.

What is asked of the groups is in `rules`, the moves themselves are in `topdown`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from maskwise.cut import HIDDEN, Criterion, Cut, Limits, MissingShown, Reached, Solution, in_tree_order
from maskwise.forest import grow_forest
from maskwise.policy import Kind
from maskwise.requirements import KAnonymity
from maskwise.rules import list_bounds, list_needs
from maskwise.topdown import TopDown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.compress import Compact, Need
    from maskwise.cut import Step
    from maskwise.forest import Tree
    from maskwise.policy import Policy
    from maskwise.profile import Column, Profile
    from maskwise.topdown import Watcher


class Method(StrEnum):
    """Which way the search goes."""

    TDR = "tdr"
    """Top-down refinement."""


def plan(profile: Profile, policy: Policy) -> tuple[tuple[Tree, ...], list[Need]]:
    """Grow the value trees, and list what is to be counted on each distinct QID."""
    implied = policy.implied_parts()
    floors = dict.fromkeys(policy.masked, 0)
    for i, requirement in enumerate(policy.requirements):
        for p, part in enumerate(requirement.parts):
            if isinstance(part, KAnonymity) and (i, p) not in implied:
                floors.update({name: max(floors[name], part.k) for name in part.qid})
    return grow_forest(profile, floors), list_needs(profile, policy)


def search(
    profile: Profile,
    trees: Sequence[Tree],
    needs: Sequence[Need],
    tables: Sequence[Compact],
    policy: Policy,
    *,
    criterion: Criterion = Criterion.SCORE,
    limits: Limits | None = None,
    watch: Watcher | None = None,
) -> Solution:
    """Find a maximally refined cut that meets every requirement.

    Args:
        profile: One-dimensional counts.
        trees: The forest grown from them.
        needs: What was counted on each distinct QID.
        tables: The compressed table of each of them.
        policy: What is asked.
        criterion: How the next refinement is chosen.
        limits: When to stop early.
        watch: Hears of every step and may ask to stop.
    """
    implied = policy.implied_by()
    bounds = list_bounds(profile, policy, needs)
    state = TopDown(trees, tables, bounds, has_class=profile.class_name is not None)
    steps, ending = state.run(criterion, limits or Limits(), watch or _keep_going)
    figures = state.figures()
    return Solution(
        cuts=tuple(
            _cut(column, tree, [node - int(first) for node in shown])
            for column, tree, first, shown in zip(profile.columns, trees, state.first, state.shown, strict=False)
        ),
        reached=tuple(
            Reached(requirement, figures[i], implied.get(i)) for i, requirement in enumerate(policy.requirements)
        ),
        n_rows=profile.n_rows,
        policy_hash=policy.fingerprint(),
        method=Method.TDR,
        criterion=criterion,
        ending=ending,
        drop=policy.drop,
        missing=policy.missing,
        steps=tuple(steps),
        notes=profile.notes,
    )


def _keep_going(step: Step) -> bool:
    del step
    return True


def _cut(column: Column, tree: Tree, shown: list[int]) -> Cut:
    """Turn the shown nodes of a tree into a cut that also covers values the table lacks."""
    labels = [tree.nodes[node].label for node in sorted(shown, key=lambda node: tree.preorder[node])]
    missing = MissingShown.UNSEEN
    if column.missing.any():
        missing = MissingShown.ITSELF if None in labels else MissingShown.ROOT
    named = [text for text in labels if text is not None]
    root = str(tree.nodes[0].label)
    match column.kind:
        case Kind.TAXONOMY:
            assert column.taxonomy is not None  # noqa: S101 - as in forest
            return Cut(
                column.name,
                column.kind,
                root,
                missing,
                taxonomy=column.taxonomy,
                shown=in_tree_order(named, column.taxonomy),
            )
        case Kind.SUPPRESS:
            disclosed = tuple(text for text in named if text != HIDDEN)
            told = set(disclosed)
            hidden = tuple(text for text in column.texts if text not in told)
            return Cut(column.name, column.kind, root, missing, shown=disclosed, hidden=hidden)
        case Kind.INTERVAL:
            lows = sorted(_plain(tree.nodes[node].inside[0]) for node in shown if tree.nodes[node].label is not None)
            return Cut(
                column.name, column.kind, root, missing, scale=column.scale, breaks=(*lows, _plain(column.range[1]))
            )


def _plain(number: float) -> float:
    """A NumPy number as Python's own, so that it can be written as JSON."""
    return number.item() if hasattr(number, "item") else number
