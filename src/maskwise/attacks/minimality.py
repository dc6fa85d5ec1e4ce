"""The minimality attack on privacy templates.

A search shows as much as the requirements allow. Whoever knows that, and knows
the quasi-identifiers of everybody, sees which refinement would have kept every
k, and that it was not performed: so a template stopped it, and in some group
that it would have made the share of a protected value is above its bound (Wong,
Fu, Wang, Pei, "Minimality attack in privacy preserving data publishing", VLDB
2007). Here it is computed how sure this makes the attacker of anybody's value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.attacks import posterior_kernels
from maskwise.attacks.attack import Attack, AttackResult
from maskwise.attacks.refinements import OtherTreesError, group_cells, list_refinements
from maskwise.policy.requirements.confidence import Template
from maskwise.policy.requirements.qid import called
from maskwise.policy.requirements.rule import Arithmetic
from maskwise.search import rule_kernels
from maskwise.search.bounds import as_rules, list_bounds
from maskwise.values.message import Audience

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from maskwise.attacks.refinements import Refinement
    from maskwise.attacks.searched import Searched
    from maskwise.search.bounds import Bound

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

KNOWS = (
    "the method, the policy, the release, and the quasi-identifiers of everybody in the table; not the sensitive values"
)
CHEAP = 20_000_000
"""Up to so many codes of compressed tables are looked at unasked."""
NEAR = 1e-9
"""A posterior above its bound by less is rounding."""


@dataclass(frozen=True, slots=True)
class _Weighed:
    """What an attacker knows of one template in the groups that a refinement would part."""

    template: Template
    """The template, as it was asked."""
    sizes: Ints  # (n_groups, n_parts)
    """The records of each part."""
    n_with: Ints  # (n_groups,)
    """The records of each group with the protected value."""
    log_chance: Floats  # (n_groups,)
    """The logarithm of the chance that the template breaks in the group."""
    expected: Floats  # (n_groups, n_parts)
    """The records with the value in each part, where it does."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """A refinement that a template stopped, and how sure it makes an attacker."""

    refinement: Refinement
    """The refinement."""
    template: Template
    """The template whose value the attacker is surest of, compared with its bound."""
    posterior: float
    """How sure they are of the value of somebody in a group that it would have made."""
    before: float
    """The share that the release shows of this person's group."""

    @property
    def excess(self) -> float:
        """The posterior over the bound that the owner asked for."""
        return self.posterior / float(self.template.bound)


def minimality(searched: Searched) -> Attack:
    """Try the minimality attack on a cut.

    Args:
        searched: The cut, and the counts it was found from.

    Claim: the posterior is exact for one stopped refinement and one template,
    if all assignments of the sensitive values to the records of each group are
    equally likely beforehand.
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
    text = (
        f"A template stopped {len(stopped):,} refinement{'s' * (len(stopped) != 1)}. From that of "
        f"`{worst.refinement.shown}` of `{name}` the attacker is sure of a protected value of "
        f"`{worst.template.sensitive}` of somebody by {worst.posterior:.4f}, where the release shows "
        f"{worst.before:.4f} and {float(worst.template.bound):g} is allowed on {called(worst.template.qid)}."
    )
    if is_failed:
        text += " `minimality: guard` in the policy searches with tighter bounds."
    details = {
        "stopped": len(stopped),
        "above": n_above,
        "attribute": name,
        "shown": worst.refinement.shown,
        "instead": list(worst.refinement.parts),
        "qid": list(worst.template.qid),
        "column": worst.template.sensitive,
        "release_shows": worst.before,
    }
    result = AttackResult.FAILED if is_failed else AttackResult.PASSED
    return Attack(
        "minimality", KNOWS, result, text, Audience.OWNER, worst.posterior, float(worst.template.bound), details=details
    )


def _not_run(searched: Searched) -> str | None:
    """Why the attack does not concern a cut, or cannot be computed."""
    templates = [part for one in searched.policy.requirements for part in one.parts if isinstance(part, Template)]
    if not templates:
        return "The policy has no template, so nothing bounds how sure an attacker may be of a value."
    if any(table.persons is not None for table in searched.tables):
        return "Some persons are in several groups, and their values are not exchangeable within one."
    if searched.policy.minimality is None and searched.n_cells > CHEAP:
        return "The table is large; `minimality: check` in the policy asks for it all the same."
    return None


def stopped_refinements(searched: Searched) -> list[Stopped]:
    """The refinements that break a template and no other requirement, each with its largest posterior.

    Raises:
        OtherTreesError: The cut is not one of these trees.
    """
    refinements = list_refinements(searched)
    bounds = list_bounds(searched.profile, searched.tried, searched.requests)
    templates = _templates(searched)
    cells = [group_cells(searched, table) for table in searched.tables]
    rules = [
        as_rules([one for one in bounds if one.table == t], table.whole()) for t, table in enumerate(searched.tables)
    ]
    found = []
    for refinement in refinements:
        tables = [t for t, table in enumerate(searched.tables) if refinement.attribute in table.attributes]
        parted = {t: cells[t][refinement.attribute].parted(refinement) for t in tables}
        if _breaks_another(parted, rules) or not any(
            _is_broken(parted[one.table], one) for one in bounds if one.table in parted and _is_share(one)
        ):
            continue
        weighed = [
            _weigh(templates[b], parted[one.table], one)
            for b, one in enumerate(bounds)
            if one.table in parted and _is_share(one) and one.counts
        ]
        found.append(_largest_posterior(refinement, weighed))
    return found


def _templates(searched: Searched) -> list[Template]:
    """The template of each bound, in the order of the bounds; other parts stand for themselves."""
    return [part for one in searched.policy.requirements for part in one.parts]  # type: ignore[misc]


def _is_share(bound: Bound) -> bool:
    return bound.rule.arithmetic == Arithmetic.SHARE


def _is_broken(parted: Ints, bound: Bound) -> bool:
    """Whether some part has a larger share than a template allows."""
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
            elif any(rule_kernels.weigh(rules[t], r, part, part, 0)[1] for part in parts):
                return True
    return False


def _weigh(template: Template, parted: Ints, bound: Bound) -> _Weighed:
    """Compute how likely a template breaks in each group, by the bound that the search went by."""
    sizes = np.ascontiguousarray(parted[:, :, 0])
    n_with = np.ascontiguousarray(parted[:, :, bound.first].sum(axis=1))
    log_chance, expected = np.empty(len(sizes)), np.empty(sizes.shape)
    posterior_kernels.weigh_groups(sizes, n_with, bound.rule.numerator, bound.rule.denominator, log_chance, expected)
    return _Weighed(template, sizes, n_with, log_chance, expected)


def _largest_posterior(refinement: Refinement, weighed: Sequence[_Weighed]) -> Stopped:
    """How sure an attacker can be of anybody, given that one of the templates breaks in one of the groups.

    Templates are taken for independent of each other, as groups are.
    """
    log_chances = np.concatenate([one.log_chance for one in weighed])
    chance = float(np.exp(log_chances).sum())
    if chance < posterior_kernels.RARE:
        top = float(log_chances.max())
        log_total = top + float(np.log(np.exp(log_chances - top).sum()))
    else:
        with np.errstate(divide="ignore"):
            log_total = float(np.log(-np.expm1(np.log1p(-np.exp(log_chances)).sum())))
    found = []
    for one in weighed:
        n = one.sizes.sum(axis=1)
        own = np.exp(one.log_chance)[:, None]
        here = np.minimum(np.exp(one.log_chance - log_total), 1.0)[:, None]
        usual = one.n_with[:, None] * one.sizes / n[:, None]
        elsewhere = np.clip((usual - own * one.expected) / np.maximum(1.0 - own, 1e-300), 0.0, one.sizes)
        records = here * one.expected + (1.0 - here) * elsewhere
        shares = np.where(one.sizes > 0, records / np.maximum(one.sizes, 1), 0.0)
        shares = np.minimum(shares, 1.0)
        g, c = np.unravel_index(int(shares.argmax()), shares.shape)
        found.append(Stopped(refinement, one.template, float(shares[g, c]), float(one.n_with[g] / n[g])))
    return max(found, key=lambda stopped: stopped.excess)
