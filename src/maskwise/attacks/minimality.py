"""The minimality attack on privacy templates.

A search shows as much as the requirements allow. Whoever knows that, and knows
the quasi-identifiers of everybody, sees which refinement would have kept every
k, and that it was not performed: so a template stopped it, and in some group
that it would have made the share of a protected value is above its bound (Wong,
Fu, Wang, Pei, "Minimality attack in privacy preserving data publishing", VLDB
2007). Here it is computed how sure this makes the attacker of anybody's value.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from maskwise.attacks import posterior_kernels
from maskwise.attacks.attack import Attack, AttackResult
from maskwise.attacks.partings import OtherTreesError, group_cells, list_refinements
from maskwise.attacks.searched import REGIONAL
from maskwise.policy.requirements.qid import called
from maskwise.policy.requirements.rule import Arithmetic
from maskwise.search import rule_kernels
from maskwise.search.bounds import as_rules, list_bounds
from maskwise.values.file_words import file_words
from maskwise.values.message import Audience

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from maskwise.attacks.partings import Parting
    from maskwise.attacks.searched import Searched
    from maskwise.policy.requirements.base import Part
    from maskwise.profile.columns import Profile
    from maskwise.search.bounds import Bound

    Ints = NDArray[np.int64]

KNOWS = (
    "the method, the policy, the release, and the quasi-identifiers of everybody in the table; not the sensitive values"
)
CHEAP = 20_000_000
"""Up to so many codes of compressed tables are looked at unasked."""
NEAR = 1e-9
"""A posterior above its bound by less is rounding."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """A refinement that a template stopped, and how sure it makes an attacker."""

    refinement: Parting
    """The refinement."""
    part: Part
    """The template that breaks; of several, the one of whose value the attacker is surest, compared with its bound."""
    bound: float
    """Its bound, as the owner asked for it."""
    posterior: float = 0.0
    """How sure they are of the value of somebody in a group that it would have made."""
    before: float = 0.0
    """The share that the release shows of this person's group."""

    @property
    def excess(self) -> float:
        """The posterior over the bound that the owner asked for."""
        return self.posterior / self.bound


def minimality(searched: Searched) -> Attack:
    """Try the minimality attack on a cut.

    Args:
        searched: The cut, and the counts it was found from.

    Claim: the posterior is exact for an attacker who knows which refinement
    and which template stopped the search, if all assignments of the sensitive
    values to the records of each group are equally likely beforehand.
    """
    reason = _not_run(searched)
    if reason is not None:
        return Attack("minimality", KNOWS, AttackResult.NOT_RUN, reason, Audience.OWNER)
    try:
        stopped = stopped_refinements(searched)
    except OtherTreesError:
        text = (
            "The cut does not follow from this table and policy: it was found on another table, or with other options "
            "such as `--boundaries` or `--as-published`."
        )
        return Attack("minimality", KNOWS, AttackResult.NOT_RUN, text, Audience.OWNER)
    if not stopped:
        text = "No template stopped a refinement, so the attacker learns nothing beyond the release."
        return Attack("minimality", KNOWS, AttackResult.PASSED, text, Audience.OWNER, details={"stopped": 0})
    worst = max(stopped, key=lambda one: one.excess)
    return _attack(searched, worst, stopped)


def _attack(searched: Searched, worst: Stopped, stopped: Sequence[Stopped]) -> Attack:
    is_failed = worst.excess > 1 + NEAR
    n_above = sum(one.excess > 1 + NEAR for one in stopped)
    name = searched.profile.columns[worst.refinement.attribute].name
    assert worst.part.counted is not None  # noqa: S101 - a template counts a value
    column = worst.part.counted.column
    text = (
        f"A template stopped {len(stopped):,} refinement{'s' * (len(stopped) != 1)}. From that of "
        f"`{worst.refinement.shown}` of `{name}` the attacker knows a protected value of "
        f"`{column}` of somebody with a confidence of {worst.posterior:.4f}, where the release shows "
        f"{worst.before:.4f} and {worst.bound:g} is allowed on {called(worst.part.qid)}."
    )
    if is_failed:
        text += f" A policy that guards against it{file_words('minimality: guard')} searches with tighter bounds."
    elif searched.solution.tightened != 1:
        text += (
            " This attacker knows the tighter bounds that were searched with; that looser ones had failed would tell "
            "more."
        )
    details = {
        "stopped": len(stopped),
        "above": n_above,
        "attribute": name,
        "shown": worst.refinement.shown,
        "instead": list(worst.refinement.parts),
        "qid": list(worst.part.qid),
        "column": column,
        "release_shows": worst.before,
    }
    result = AttackResult.FAILED if is_failed else AttackResult.PASSED
    return Attack("minimality", KNOWS, result, text, Audience.OWNER, worst.posterior, worst.bound, details=details)


def _not_run(searched: Searched) -> str | None:
    """Why the attack does not concern a cut, or cannot be computed."""
    if not any(one.confidences for one in searched.policy.requirements):
        return "The policy has no template, so nothing bounds how sure an attacker may be of a value."
    if searched.solution.regions is not None:
        return REGIONAL
    if searched.has_linked_rows:
        return (
            "Some persons have records in several groups of a quasi-identifier, and what is learned of them is not "
            "worked out, so no guard can bound it either. Ask for a lower confidence than you need."
        )
    if searched.policy.minimality is None and searched.n_cells > CHEAP:
        return f"The table is large; a policy may ask for it all the same{file_words('minimality: check')}."
    return None


def stopped_refinements(searched: Searched) -> list[Stopped]:
    """The refinements that break a template and no other requirement, each with its largest posterior.

    Raises:
        OtherTreesError: The cut is not one of these trees.
    """
    refinements = list_refinements(searched)
    bounds = list_bounds(searched.profile, searched.tried, searched.requests)
    parts = [part for one in searched.policy.requirements for part in one.parts]
    asked = list_bounds(searched.profile, searched.policy, searched.requests)
    of_table: list[list[Bound]] = [[] for _ in searched.requests]
    for one in bounds:
        of_table[one.table].append(one)
    cells, rules = [], []
    # Each table once: some are made when they are asked for.
    for own, table in zip(of_table, searched.tables, strict=False):
        cells.append(group_cells(searched, table, refinements))
        rules.append(as_rules(own, table.whole()))
    found = []
    for refinement in refinements:
        tables = [t for t, one in enumerate(searched.requests) if refinement.attribute in one.attributes]
        parted = {t: cells[t][refinement.attribute].parted(refinement) for t in tables}
        if _breaks_another(parted, rules):
            continue
        posteriors = [
            _largest_posterior(Stopped(refinement, parts[b], asked[b].limit), parted[one.table], one)
            for b, one in enumerate(bounds)
            if one.table in parted and one.counts and _is_broken(parted[one.table], one)
        ]
        if posteriors:
            found.append(max(posteriors, key=lambda stopped: stopped.excess))
    return found


def is_share(part: Part, profile: Profile) -> bool:
    """Whether a part bounds the share of a value."""
    return part.rule(profile.n_counted).arithmetic == Arithmetic.SHARE


def _is_broken(parted: Ints, bound: Bound) -> bool:
    """Whether a rule is a template, and some part has a larger share than it allows."""
    if bound.rule.arithmetic != Arithmetic.SHARE:
        return False
    n, s = parted[:, :, 0], parted[:, :, bound.first]
    return bool((s * bound.rule.denominator > bound.rule.numerator * n).any())


def _breaks_another(parted: Mapping[int, Ints], rules: Sequence[rule_kernels.Rules]) -> bool:
    """Whether a refinement breaks a requirement that is no template."""
    for t, groups in parted.items():
        parts = groups.reshape(-1, groups.shape[2])
        parts = parts[parts[:, 0] > 0]
        for r, kind in enumerate(rules[t].kind.tolist()):
            if kind == Arithmetic.SHARE or not rules[t].is_enforced[r]:
                continue
            if kind == Arithmetic.K:
                if len(parts) and parts[:, 0].min() < rules[t].over[r]:
                    return True
            elif any(rule_kernels.weigh_group(rules[t], r, part)[1] for part in parts):
                return True
    return False


def _largest_posterior(stopped: Stopped, parted: Ints, bound: Bound) -> Stopped:
    """How sure an attacker can be of anybody, given that a template breaks in one of the groups.

    Args:
        stopped: What was refused, and by which template.
        parted: The groups that would be parted, as `GroupCells.parted` gives them.
        bound: The template, as the search went by it.
    """
    sizes = np.ascontiguousarray(parted[:, :, 0])
    n_with = np.ascontiguousarray(parted[:, :, bound.first].sum(axis=1))
    log_chance, expected = np.empty(len(sizes)), np.empty(sizes.shape)
    posterior_kernels.weigh_groups(sizes, n_with, bound.rule.numerator, bound.rule.denominator, log_chance, expected)
    chance = np.exp(log_chance)
    if chance.sum() < posterior_kernels.RARE:
        # So rare that no two groups break together.
        top = float(log_chance.max())
        log_total = top + float(np.log(np.exp(log_chance - top).sum()))
    else:
        with np.errstate(divide="ignore"):
            log_total = float(np.log(-np.expm1(np.log1p(-chance).sum())))
    n = sizes.sum(axis=1)
    here = np.minimum(np.exp(log_chance - log_total), 1.0)[:, None]
    usual = n_with[:, None] * sizes / n[:, None]
    elsewhere = (usual - chance[:, None] * expected) / np.maximum(1.0 - chance, 1e-300)[:, None]
    records = here * expected + (1.0 - here) * np.clip(elsewhere, 0.0, sizes)
    shares = np.minimum(records / np.maximum(sizes, 1), 1.0)
    g, _ = np.unravel_index(int(shares.argmax()), shares.shape)
    return replace(stopped, posterior=float(shares.max()), before=float(n_with[g] / n[g]))
