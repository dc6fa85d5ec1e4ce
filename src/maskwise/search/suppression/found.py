"""From the last state of a search with a budget to what a Solution says of suppressed records; and how one starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.errors import InputError
from maskwise.policy.attributes import Kind
from maskwise.policy.budget import Suppressed
from maskwise.search.bounds import list_bounds
from maskwise.search.suppression.requests import own_requests, union_table
from maskwise.search.suppression.row_groups import SuppressibleGroups
from maskwise.solution.cut import MissingShown
from maskwise.solution.suppression import SuppressedCombinations, Suppression

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.compress.compressed_table import Compact
    from maskwise.compress.request import TableRequest
    from maskwise.search.bounds import Bound
    from maskwise.search.interface import Problem
    from maskwise.search.value_trees import AnyTree
    from maskwise.solution.cut import Cut

    Ints = NDArray[np.int64]

_MOST_PLACES = 1 << 28
"""A place takes 113 bytes, so many of them 28 GiB; four times as many would no longer be numbered right."""


def spare_records(problem: Problem) -> int:
    """How many records, or persons, a problem's policy lets a search suppress."""
    budget = problem.policy.suppress
    if budget is None:
        return 0
    if problem.policy.known:
        raise InputError(
            "`suppress` does not go with earlier releases (--against) yet: which combinations are suppressed would "
            "depend on what these show. Delete it from the policy."
        )
    return budget.most(problem.profile.n_counted)


def start_groups(
    problem: Problem,
    trees: Sequence[AnyTree],
    requests: Sequence[TableRequest],
    tables: Sequence[Compact],
    shown: Sequence[Ints] | None = None,
) -> tuple[SuppressibleGroups, list[Bound]]:
    """The groups of the most masked table, or at another cut, and the rules as they count by them.

    Args:
        problem: What is to be solved; its policy has a budget.
        trees: The value trees.
        requests: What was counted on each distinct QID.
        tables: The counts, as `with_union` asked for them.
        shown: For each attribute the value that each of its codes is shown as; None is its root.
    """
    budget = problem.policy.suppress
    assert budget is not None  # noqa: S101 - else nothing is suppressed
    n_rows = len(union_table(tables).codes)
    if len(requests) * n_rows > _MOST_PLACES:
        msg = (
            f"With `suppress` every one of {n_rows:,} different rows has a place in each of {len(requests):,} "
            f"quasi-identifiers, and more than {_MOST_PLACES:,} places do not fit. Delete `suppress` from the policy, "
            "lower L, or name fewer attributes."
        )
        raise InputError(msg)
    bounds = list_bounds(problem.profile, problem.policy, own_requests(requests))
    roots = np.cumsum([0, *(len(tree.nodes) for tree in trees)]).tolist()
    groups = SuppressibleGroups(
        union_table(tables),
        [np.full(tree.n_codes, root, np.int64) for root, tree in zip(roots, trees, strict=False)]
        if shown is None
        else shown,
        roots,
        [one.attributes for one in requests],
        bounds,
        spare_records(problem),
        shows_root=budget.shown_as is Suppressed.ROOT,
    )
    return groups, bounds


def suppression_of(
    problem: Problem, trees: Sequence[AnyTree], groups: SuppressibleGroups | None, cuts: Sequence[Cut]
) -> Suppression | None:
    """What is suppressed, by the labels of the cuts; None where the policy suppresses nothing.

    Args:
        problem: What was solved.
        trees: The value trees.
        groups: The groups at the end.
        cuts: What each attribute shows.
    """
    budget = problem.policy.suppress
    if groups is None or budget is None:
        return None
    first = np.cumsum([0, *(len(tree.nodes) for tree in trees)])
    found = groups.suppressed()

    def label(a: int, node: int) -> str | None:
        return _label(trees[a], node - int(first[a]), cuts[a])

    combinations = []
    for figures, nodes in zip(groups.figures, found.nodes, strict=True):
        labels = sorted(
            {tuple(label(a, node) for a, node in zip(figures.attributes, row, strict=True)) for row in nodes.tolist()},
            key=lambda texts: [(text is not None, text or "") for text in texts],
        )
        if labels:
            qid = tuple(cuts[a].attribute for a in figures.attributes)
            combinations.append(SuppressedCombinations(qid, tuple(labels)))
    unshown = []
    for a, released in zip(groups.attributes, found.released, strict=True):
        shown = {label(a, node) for node in released}
        if groups.shows_root and found.n_counted:
            shown.add(cuts[a].root)
        every = [*cuts[a].labels, *([None] if cuts[a].missing is MissingShown.ITSELF else [])]
        gone = tuple(text for text in every if text not in shown)
        unshown += [(cuts[a].attribute, gone)] if gone else []
    # How many records persons have is known when they are masked.
    n_records = found.n_counted if problem.policy.person is None else 0
    return Suppression(budget.shown_as, found.n_counted, n_records, tuple(combinations), tuple(unshown))


def _label(tree: AnyTree, node: int, cut: Cut) -> str | None:
    """What a value is shown as; the ends of an interval are those of the cut, which may be open."""
    found = tree.nodes[node]
    if found.label is None or cut.kind is not Kind.INTERVAL:
        return found.label
    return cut.labels[min(int(np.searchsorted(cut.breaks, found.inside[0], side="right")) - 1, len(cut.labels) - 1)]
