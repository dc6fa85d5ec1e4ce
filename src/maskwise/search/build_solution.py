"""From the last state of a search to a Solution."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.policy.attributes import Kind
from maskwise.search.registry import PLAIN_CRITERION
from maskwise.search.suppression.found import suppression_of
from maskwise.solution.cut import HIDDEN, Cut, MissingShown, by_spelling, in_tree_order
from maskwise.solution.solution import Ending, Reached, Solution
from maskwise.values.file_words import file_words
from maskwise.values.message import private_note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.policy.policy import Policy
    from maskwise.profile.columns import Column
    from maskwise.search.bottomup import BottomUp
    from maskwise.search.curve import SearchCurve
    from maskwise.search.interface import Problem
    from maskwise.search.topdown import TopDown
    from maskwise.search.value_trees import AnyTree
    from maskwise.solution.steps import Generalization, Step
    from maskwise.values.message import Message


def build_solution(
    problem: Problem,
    trees: Sequence[AnyTree],
    state: TopDown | BottomUp,
    steps: Sequence[Step | Generalization],
    curve: SearchCurve,
    ending: Ending,
    *,
    criterion: str | None = None,
    messages: Sequence[Message] = (),
) -> Solution:
    """Turn the last state of a search into a Solution.

    Args:
        problem: What was solved.
        trees: The value trees.
        state: The last state.
        steps: The steps that led to it.
        curve: What each of them kept and reached.
        ending: Why the search ended.
        criterion: By what the steps were chosen; None is what the options say.
        messages: What the owner should know of the search.
    """
    profile, policy, options = problem.profile, problem.policy, problem.options
    implied = policy.implied_by()
    figures = state.figures()
    with_cut = {*policy.masked, *(cut.attribute for cut in profile.fixed)}
    masked = profile.columns[: policy.n_cuts]
    cuts = tuple(
        _cut(column, tree, [node - int(first) for node in shown])
        for column, tree, first, shown in zip(masked, trees, state.first, state.shown, strict=False)
    )
    return Solution(
        cuts=cuts,
        reached=tuple(
            Reached(requirement, figures[i], implied.get(i)) for i, requirement in enumerate(policy.requirements)
        ),
        n_rows=profile.n_rows,
        policy_hash=policy.fingerprint(),
        method=options.method,
        criterion=(options.criterion or PLAIN_CRITERION) if criterion is None else criterion,
        ending=ending,
        drop=problem.dropped,
        missing=policy.missing,
        reading=policy.reading,
        person=policy.person,
        suppression=suppression_of(problem, trees, state.suppressible, cuts),
        columns=problem.columns,
        fixed=profile.fixed,
        trees=tuple((name, tree) for name, tree in policy.sensitive_trees.items() if name not in with_cut),
        steps=tuple(steps),
        curve=curve.points,
        messages=(*profile.messages, *map(private_note, _masked_for_missing(masked, policy, cuts)), *messages),
    )


def _masked_for_missing(columns: Sequence[Column], policy: Policy, cuts: Sequence[Cut]) -> list[str]:
    """Say which attributes show nothing because too few cells are missing: these would stand out beside any value."""
    floors = policy.floors()
    notes = []
    for column, cut in zip(columns, cuts, strict=True):
        n_missing, k = int(column.missing.sum()), floors[column.name]
        is_shut = cut.kind is not Kind.SUPPRESS and cut.labels == (cut.root,)
        if is_shut and 0 < n_missing < k:
            has = "1 record has" if n_missing == 1 else f"{n_missing:,} records have"
            they, them = ("it", "it") if n_missing == 1 else ("they", "them")
            notes.append(
                f"`{column.name}` stays fully masked because {has} no value, and that is fewer than k={k:,}: "
                f"as soon as anything of it were shown, {they} would stand out. Fill {them} in, or leave {them} "
                f"out{file_words('missing: drop')}."
            )
    return notes


def _cut(column: Column, tree: AnyTree, shown: list[int]) -> Cut:
    """Turn the shown nodes of a tree into a cut that also covers values the table lacks."""
    labels = [tree.nodes[node].label for node in sorted(shown, key=lambda node: tree.preorder[node])]
    missing = MissingShown.UNSEEN
    if column.missing.any():
        missing = MissingShown.ITSELF if None in labels else MissingShown.ROOT
    named = [text for text in labels if text is not None]
    root = str(tree.nodes[0].label)
    match column.kind:
        case Kind.TAXONOMY:
            assert column.taxonomy is not None  # noqa: S101 - every taxonomy column has a tree
            shown_labels = by_spelling(named) if column.is_made else in_tree_order(named, column.taxonomy)
            return Cut(
                column.name,
                column.kind,
                root,
                missing,
                # What is below comes from the table and is nobody's to keep; later rows go by the rule.
                taxonomy=column.taxonomy if column.rule is None else column.taxonomy.down_to(shown_labels),
                rule=column.rule,
                is_made=column.is_made,
                shown=shown_labels,
            )
        case Kind.SUPPRESS:
            disclosed = tuple(text for text in named if text != HIDDEN)
            shown_texts = set(disclosed)
            hidden = tuple(text for text in column.texts if text not in shown_texts)
            return Cut(
                column.name, column.kind, root, missing, shown=disclosed, hidden=hidden, hides_more=column.n_rest > 0
            )
        case Kind.INTERVAL:
            lows = sorted(_plain(tree.nodes[node].inside[0]) for node in shown if tree.nodes[node].label is not None)
            return Cut(
                column.name,
                column.kind,
                root,
                missing,
                scale=column.scale,
                breaks=(*lows, _plain(column.range[1])),
                coded=(column.clamp[0] is not None, column.clamp[1] is not None),
            )


def _plain(number: float) -> float:
    """A NumPy number as Python's own, so that it can be written as JSON."""
    return number.item() if hasattr(number, "item") else number
