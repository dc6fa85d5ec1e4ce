"""From a profile and compressed tables to a Solution.

What is asked of the groups is in `rules`, the moves themselves are in `topdown` and `bottomup`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from maskwise.errors import UnfinishedError, plural
from maskwise.policy.attributes import Kind
from maskwise.search.bottomup import BottomUp
from maskwise.search.bounds import list_bounds, list_needs
from maskwise.search.curve import follow
from maskwise.search.interval_split import TOLERANCE
from maskwise.search.options import Criterion, How, Limits, Method, stage_of, unheard
from maskwise.search.topdown import Scored, TopDown, descend
from maskwise.search.value_trees import grow_forest
from maskwise.solution.cut import HIDDEN, Cut, MissingShown, in_tree_order
from maskwise.solution.solution import Ending, Reached, Solution
from maskwise.values.message import note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.compress.compressed_table import Compact, Need
    from maskwise.policy.policy import Policy
    from maskwise.profile.columns import Column, Profile
    from maskwise.search.bounds import Bound
    from maskwise.search.options import Announce
    from maskwise.search.topdown import Watcher
    from maskwise.search.value_trees import Tree
    from maskwise.solution.steps import Generalization, Step


_UNREST = 0.5
"""How far a restart's weights spread: the standard deviation of their logarithms."""


def plan(profile: Profile, policy: Policy, method: Method = Method.TDR) -> tuple[tuple[Tree, ...], list[Need]]:
    """Grow the value trees, and list what is to be counted on each distinct QID.

    Bottom-up starts from the raw values, so only intervals are pruned for it.
    """
    return grow_forest(profile, policy.floors(), raw=method is Method.BUG), list_needs(profile, policy)


def search(
    profile: Profile,
    trees: Sequence[Tree],
    needs: Sequence[Need],
    tables: Sequence[Compact],
    policy: Policy,
    how: How | None = None,
    watch: Watcher | None = None,
    announce: Announce = unheard,
) -> Solution:
    """Find a cut that meets every requirement: top-down a maximally refined one, bottom-up the first on the way.

    Args:
        profile: One-dimensional counts.
        trees: The forest grown from them.
        needs: What was counted on each distinct QID.
        tables: The compressed table of each of them.
        policy: What is asked.
        how: Which way, by what measure, for how long.
        watch: Hears of every step and may ask to stop.
        announce: Hears that a search begins, each of several.
    """
    how = how or How()
    if how.criterion is Criterion.CONDITIONAL:
        raise ValueError("The conditional criterion needs the class by group: use tasting.search_conditionally.")
    bounds = list_bounds(profile, policy, needs)
    has_class = profile.class_name is not None
    state: TopDown | BottomUp
    steps: Sequence[Step | Generalization]
    if how.method is Method.TDR:
        announce(stage_of(1, 1))
        state = TopDown(trees, tables, bounds, has_class=has_class)
        steps, ending = descend(Scored(state, how.criterion), how.limits, watch or _keep_going)
    else:
        state, steps, ending = _climb(trees, tables, bounds, how, watch or _keep_going, announce, has_class=has_class)
    return assemble(profile, policy, trees, state, steps, ending, how)


def assemble(
    profile: Profile,
    policy: Policy,
    trees: Sequence[Tree],
    state: TopDown | BottomUp,
    steps: Sequence[Step | Generalization],
    ending: Ending,
    how: How,
) -> Solution:
    """Turn the last state of a search into a Solution."""
    implied = policy.implied_by()
    figures = state.figures()
    cuts = tuple(
        _cut(column, tree, [node - int(first) for node in shown])
        for column, tree, first, shown in zip(profile.columns, trees, state.first, state.shown, strict=False)
    )
    return Solution(
        cuts=cuts,
        reached=tuple(
            Reached(requirement, figures[i], implied.get(i)) for i, requirement in enumerate(policy.requirements)
        ),
        n_rows=profile.n_rows,
        policy_hash=policy.fingerprint(),
        method=how.method,
        criterion=how.criterion if how.method is Method.TDR else "ip",
        ending=ending,
        drop=policy.drop,
        missing=policy.missing,
        steps=tuple(steps),
        curve=follow(
            trees,
            state.path,
            [state.start, *(step.requirements for step in steps)],
            upward=how.method is Method.BUG,
            has_class=profile.class_name is not None,
        ),
        messages=(*profile.messages, *map(note, _held_back(profile, policy, cuts))),
    )


def _held_back(profile: Profile, policy: Policy, cuts: Sequence[Cut]) -> list[str]:
    """Say which attributes show nothing because too few cells are missing: these would stand out beside any value."""
    floors = policy.floors()
    found = []
    for column, cut in zip(profile.columns, cuts, strict=True):
        n_missing, k = int(column.missing.sum()), floors[column.name]
        is_shut = cut.kind is not Kind.SUPPRESS and cut.labels == (cut.root,)
        if is_shut and 0 < n_missing < k:
            has = "1 record has" if n_missing == 1 else f"{n_missing:,} records have"
            they, them = ("it", "it") if n_missing == 1 else ("they", "them")
            found.append(
                f"`{column.name}` stays fully masked because {has} no value, and that is fewer than k={k:,}: "
                f"as soon as anything of it were shown, {they} would stand out. `missing: drop` would leave {them} out."
            )
    return found


def _climb(
    trees: Sequence[Tree],
    tables: Sequence[Compact],
    bounds: Sequence[Bound],
    how: How,
    watch: Watcher,
    announce: Announce,
    *,
    has_class: bool,
) -> tuple[BottomUp, list[Generalization], Ending]:
    """Go bottom-up, then again as often as asked with attributes weighed at random, and keep what lost least.

    Weights for attributes led to better results than noise at each step. Only a
    restart that reached its end is kept.
    """
    announce(stage_of(1, how.restarts + 1))
    best = BottomUp(trees, tables, bounds, has_class=has_class)
    steps, ending = best.run(how.limits, watch)
    if ending is not Ending.MET:
        why = {Ending.STEPS: "the step limit was reached", Ending.TIME: "the time limit was reached"}
        msg = (
            f"Nothing was written: {why.get(ending, 'the search was interrupted')} after "
            f"{plural(len(steps), 'generalization')}, and going bottom-up the table is safe only at the end. Allow "
            "more, or use the method `tdr`, which may stop at any step."
        )
        raise UnfinishedError(msg)
    deadline = time.monotonic() + how.limits.seconds if how.limits.seconds is not None else None
    rng = np.random.default_rng(how.seed)
    for n in range(how.restarts):
        announce(stage_of(n + 2, how.restarts + 1))
        left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
        other = BottomUp(trees, tables, bounds, has_class=has_class)
        weights = np.exp(_UNREST * rng.standard_normal(len(trees)))
        taken, result = other.run(Limits(None, left), watch, weights=weights)
        if result is not Ending.MET:
            break
        if other.lost < best.lost - TOLERANCE:
            best, steps = other, taken
    return best, steps, ending


def _keep_going(step: Step | Generalization) -> bool:
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
            return Cut(
                column.name, column.kind, root, missing, shown=disclosed, hidden=hidden, hides_more=column.n_rest > 0
            )
        case Kind.INTERVAL:
            lows = sorted(_plain(tree.nodes[node].inside[0]) for node in shown if tree.nodes[node].label is not None)
            return Cut(
                column.name, column.kind, root, missing, scale=column.scale, breaks=(*lows, _plain(column.range[1]))
            )


def _plain(number: float) -> float:
    """A NumPy number as Python's own, so that it can be written as JSON."""
    return number.item() if hasattr(number, "item") else number
