"""From a profile and compressed tables to a Solution.

Feasibility comes first: the most masked table has the best figure any masking
can reach, so if it fails, all fail. The moves themselves are in `topdown`.
"""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING

from maskwise import kernels
from maskwise.compress import Need
from maskwise.cut import HIDDEN, Criterion, Cut, Limits, MissingShown, Reached, Solution, in_tree_order
from maskwise.errors import InfeasibleError
from maskwise.forest import grow_forest
from maskwise.policy import KAnonymity, Kind
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

    Claim: refining never raises anonymity and never lowers a confidence, so the
    most masked table, one group with all records, has the best figures of all
    maskings (KAIS 2007, Theorem 3.3).
    """
    broken = []
    for i, requirement in enumerate(policy.requirements):
        at = policy.at(("requirements", i))
        for part in requirement.parts:
            if isinstance(part, KAnonymity):
                if part.k > profile.n_rows:
                    broken.append(
                        f"{at}k={part.k} cannot be met on {part.name}: the whole table has {profile.n_rows:,} records, "
                        "so that is the best that can be reached. Lower k or drop the requirement."
                    )
                continue
            n_records = profile.sensitive[part.sensitive].n_records(part.value)
            if Fraction(n_records, profile.n_rows) > part.bound:
                broken.append(
                    f"{at}Confidence {float(part.bound):g} cannot be met on {requirement.name}: a protected value of "
                    f"`{part.sensitive}` has a share of {n_records / profile.n_rows:.4f} in the whole table, and no "
                    "masking can reach less. Raise its bound or drop it."
                )
    if broken:
        raise InfeasibleError("\n".join(broken))


def plan(profile: Profile, policy: Policy) -> tuple[tuple[Tree, ...], list[Need]]:
    """Grow the value trees, and list what is to be counted on each distinct QID."""
    implied = policy.implied_parts()
    floors = dict.fromkeys(policy.masked, 0)
    needs: dict[tuple[int, ...], dict[tuple[str, str | None], None]] = {}
    for i, requirement in enumerate(policy.requirements):
        for p, part in enumerate(requirement.parts):
            wanted = needs.setdefault(_numbers(policy, part.qid), {})
            if isinstance(part, KAnonymity):
                for name in part.qid if (i, p) not in implied else ():
                    floors[name] = max(floors[name], part.k)
            else:
                wanted[part.sensitive, part.value] = None
    return grow_forest(profile, floors), [Need(numbers, tuple(wanted)) for numbers, wanted in needs.items()]


def _numbers(policy: Policy, qid: Sequence[str]) -> tuple[int, ...]:
    at = {name: i for i, name in enumerate(policy.masked)}
    return tuple(sorted(at[name] for name in qid))


def _bounds(policy: Policy, needs: Sequence[Need]) -> list[Bound]:
    """The rules of all requirements as the search sees them."""
    at = {need.attributes: t for t, need in enumerate(needs)}
    implied = policy.implied_parts()
    bounds = []
    for i, requirement in enumerate(policy.requirements):
        for p, part in enumerate(requirement.parts):
            t, counts = at[_numbers(policy, part.qid)], (i, p) not in implied
            if isinstance(part, KAnonymity):
                bounds.append(Bound(i, t, kernels.K, part.k, counts=counts))
            else:
                column = 1 + needs[t].sensitive.index((part.sensitive, part.value))
                over, under = part.bound.as_integer_ratio()
                bounds.append(Bound(i, t, kernels.SHARE, over, under, column, counts=counts))
    return bounds


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
    bounds = _bounds(policy, needs)
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
