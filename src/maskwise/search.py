"""From a profile and compressed tables to a Solution.

Feasibility comes first: the most masked table has the best figure any masking
can reach, so if it fails, all fail. The moves themselves are in `topdown`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from maskwise.cut import HIDDEN, Criterion, Cut, Limits, MissingShown, Reached, Solution, in_tree_order
from maskwise.errors import InfeasibleError
from maskwise.forest import grow_forest
from maskwise.policy import Kind
from maskwise.topdown import Bound, TopDown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.compress import Compact
    from maskwise.cut import Step
    from maskwise.forest import Tree
    from maskwise.policy import Policy
    from maskwise.profile import Column, Profile
    from maskwise.topdown import Watcher


class Method(StrEnum):
    """Which way the search goes."""

    TDR = "tdr"
    """Top-down refinement."""


def check_feasible(profile: Profile, policy: Policy) -> None:
    """Refuse requirements that even the most masked table violates.

    Claim: refining never raises anonymity, so the most masked table, one group
    with all records, has the highest anonymity of all maskings.
    """
    broken = [
        policy.at(("requirements", i))
        + f"k={requirement.k} cannot be met on {requirement.name}: the whole table has {profile.n_rows:,} records, "
        "so that is the best that can be reached. Lower k or drop the requirement."
        for i, requirement in enumerate(policy.requirements)
        if requirement.k > profile.n_rows
    ]
    if broken:
        raise InfeasibleError("\n".join(broken))


def plan(profile: Profile, policy: Policy) -> tuple[tuple[Tree, ...], list[tuple[int, ...]]]:
    """Grow the value trees, and list the distinct QIDs by attribute numbers."""
    implied = policy.implied_by()
    floors = dict.fromkeys(policy.masked, 0)
    for i, requirement in enumerate(policy.requirements):
        for name in requirement.qid if i not in implied else ():
            floors[name] = max(floors[name], requirement.k)
    return grow_forest(profile, floors), list(dict.fromkeys(_numbers(policy)))


def _numbers(policy: Policy) -> list[tuple[int, ...]]:
    at = {name: i for i, name in enumerate(policy.masked)}
    return [tuple(sorted(at[name] for name in requirement.qid)) for requirement in policy.requirements]


def search(
    profile: Profile,
    trees: Sequence[Tree],
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
        tables: The compressed table of each distinct QID.
        policy: What is asked.
        criterion: How the next refinement is chosen.
        limits: When to stop early.
        watch: Hears of every step and may ask to stop.
    """
    implied = policy.implied_by()
    at = {table.attributes: t for t, table in enumerate(tables)}
    bounds = [
        Bound(at[numbers], requirement.k, counts=i not in implied)
        for i, (requirement, numbers) in enumerate(zip(policy.requirements, _numbers(policy), strict=True))
    ]
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
            hidden = tuple(text for text in column.texts if text not in set(disclosed))
            return Cut(column.name, column.kind, root, missing, shown=disclosed, hidden=hidden)
        case Kind.INTERVAL:
            lows = sorted(_plain(tree.nodes[node].inside[0]) for node in shown if tree.nodes[node].label is not None)
            return Cut(
                column.name, column.kind, root, missing, scale=column.scale, breaks=(*lows, _plain(column.range[1]))
            )


def _plain(number: float) -> float:
    """A NumPy number as Python's own, so that it can be written as JSON."""
    return number.item() if hasattr(number, "item") else number
