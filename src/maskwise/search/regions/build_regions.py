"""From the regions of a search to a Solution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.policy.attributes import Kind
from maskwise.search.bounds import as_rules, figures_of
from maskwise.search.cut_groups import count_groups, weigh_groups
from maskwise.search.regions import region_arrays
from maskwise.search.registry import PLAIN_CRITERION
from maskwise.solution.cut import HIDDEN, Cut, MissingShown, by_spelling, in_tree_order
from maskwise.solution.regions import RegionPart, Regions, RegionSplit
from maskwise.solution.solution import Reached, Solution
from maskwise.values.row_numbers import number_rows
from maskwise.values.spelling import value_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.search.bounds import Bound
    from maskwise.search.interface import Problem
    from maskwise.search.regions.domains import Domain
    from maskwise.search.regions.growth import Growth
    from maskwise.solution.curve import Point
    from maskwise.solution.solution import Ending
    from maskwise.solution.steps import Step
    from maskwise.values.message import Message

    Ints = NDArray[np.int64]


def build_regional_solution(
    problem: Problem,
    domains: Sequence[Domain],
    growth: Growth,
    bounds: Sequence[Bound],
    steps: Sequence[Step],
    points: Sequence[Point],
    ending: Ending,
    messages: Sequence[Message],
) -> Solution:
    """Turn the regions of a search into a Solution.

    Args:
        problem: What was solved.
        domains: The values of each attribute.
        growth: The regions.
        bounds: The rules of all requirements.
        steps: The splits, as the trace has them.
        points: The curve.
        ending: Why the search ended.
        messages: What the owner should know of the search.
    """
    profile, policy = problem.profile, problem.policy
    splits = tuple(
        RegionSplit(
            split.region,
            domains[split.attribute].column.name,
            tuple(_part(domains[split.attribute], shown, int(growth.roots[split.attribute])) for shown in split.shown),
        )
        for split in growth.splits
    )
    bare = tuple(_cut(domain, [], [None]) for domain in domains)
    regions = Regions(splits)
    labels = regions.labels(bare)
    there = [region for region in range(len(labels)) if growth.stop[region] > growth.start[region]]
    cuts = tuple(
        _cut(
            domain,
            [part for split in splits if split.attribute == domain.column.name for part in split.parts],
            list(dict.fromkeys(labels[region][a] for region in there)),
        )
        for a, domain in enumerate(domains)
    )
    implied = policy.implied_by()
    figures = _recount_labels(growth, labels, bounds)
    with_cut = {*policy.masked, *(cut.attribute for cut in profile.fixed)}
    return Solution(
        cuts=cuts,
        reached=tuple(Reached(one, figures[i], implied.get(i)) for i, one in enumerate(policy.requirements)),
        n_rows=profile.n_rows,
        policy_hash=policy.fingerprint(),
        method=problem.options.method,
        criterion=problem.options.criterion or PLAIN_CRITERION,
        ending=ending,
        drop=problem.dropped,
        missing=policy.missing,
        reading=policy.reading,
        person=policy.person,
        columns=problem.columns,
        fixed=profile.fixed,
        regions=regions,
        trees=tuple((name, tree) for name, tree in policy.sensitive_trees.items() if name not in with_cut),
        steps=tuple(steps),
        curve=tuple(points),
        messages=(*profile.messages, *messages),
        n_regions=len(there),
    )


def _part(domain: Domain, shown: Sequence[int], root: int) -> RegionPart:
    label = domain.label_of(shown, root)
    if domain.column.kind is not Kind.INTERVAL or label is None:
        return RegionPart(label)
    low, high = (_plain(domain.number_at(shown[end])) for end in (region_arrays.LOW, region_arrays.HIGH))
    return RegionPart(label, (low, high), is_last=shown[region_arrays.HIGH] == domain.n_bins)


def _cut(domain: Domain, parts: Sequence[RegionPart], labels: Sequence[str | None]) -> Cut:
    """What all regions show of an attribute."""
    column = domain.column
    named = {label for label in labels if label is not None}
    missing = MissingShown.UNSEEN
    if column.missing.any():
        missing = MissingShown.ITSELF if None in labels else MissingShown.ROOT
    told = dict.fromkeys(part.shown for part in parts if part.shown is not None)
    match column.kind:
        case Kind.TAXONOMY:
            assert column.taxonomy is not None  # noqa: S101 - every taxonomy column has a tree
            tree = column.taxonomy
            shown_labels = in_tree_order({*told, tree.root}, tree)
            return Cut(
                column.name,
                column.kind,
                tree.root,
                missing,
                taxonomy=tree if column.rule is None else tree.down_to(shown_labels),
                rule=column.rule,
                is_made=column.is_made,
                shown=shown_labels,
                regional=(by_spelling(named) if column.is_made else in_tree_order(named, tree)) or (tree.root,),
            )
        case Kind.SUPPRESS:
            disclosed = tuple(text for text in column.texts if text in told)
            hidden = tuple(text for text in column.texts if text not in told)
            shown = [text for text in disclosed if text in named]
            # Ordered by themselves: whether a hidden value is a number is nobody's to know.
            shown.sort(key=value_order(shown))
            return Cut(
                column.name,
                column.kind,
                HIDDEN,
                missing,
                shown=disclosed,
                hidden=hidden,
                hides_more=column.n_rest > 0,
                regional=(*shown, HIDDEN) if HIDDEN in named or not shown else tuple(shown),
            )
        case Kind.INTERVAL:
            low, high = column.range
            ends = {part.shown: part.ends for part in parts if part.ends is not None}
            whole = column.interval_label(low, high, closed=True)
            ends[whole] = (_plain(low), _plain(high))
            lows = sorted({_plain(low), *(begin for begin, _ in ends.values())})
            return Cut(
                column.name,
                column.kind,
                whole,
                missing,
                scale=column.scale,
                breaks=(*lows, _plain(high)),
                coded=(column.clamp[0] is not None, column.clamp[1] is not None),
                regional=tuple(sorted(named, key=lambda label: ends[label])) or (whole,),
            )


def _plain(number: float) -> float:
    """A NumPy number as Python's own, so that it can be written as JSON."""
    return number.item() if hasattr(number, "item") else number


def _recount_labels(
    growth: Growth, labels: Sequence[tuple[str | None, ...]], bounds: Sequence[Bound]
) -> tuple[float, ...]:
    """The figure of each requirement as the recount will find it: by labels as they are written.

    Args:
        growth: The regions.
        labels: What each shows.
        bounds: The rules of all requirements.
    """
    of_row = growth.region_of_row()
    counts, persons = growth.rows.counts, None if growth.adds_up else growth.rows.person
    numbers = []
    for column in zip(*labels, strict=True):
        at = {label: i for i, label in enumerate(dict.fromkeys(column))}
        numbers.append(np.array([at[label] for label in column], np.int64)[of_row])
    worst = [0.0] * len(bounds)
    for t, groups in enumerate(growth.groups):
        if all(bound.table != t for bound in bounds):
            continue
        shown_on = [numbers[a] for a in groups.attributes]
        shown_on += [] if groups.block is None else [groups.block]
        found = count_groups(number_rows(shown_on, len(counts)), counts, persons)
        for b, bound in enumerate(bounds):
            if bound.table == t:
                bad, _ = weigh_groups(as_rules([bound], groups.rules.whole), found)
                worst[b] = float(bad.max())
    return figures_of(bounds, worst)
