"""Searching so that the minimality attack learns no more than the templates allow.

The bounds that the search goes by are tightened, always from the same counts,
until the attack on what it finds stays below the bounds that were asked for. The
recount then judges by the latter, as always.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from maskwise.attacks.attack import AttackResult
from maskwise.attacks.minimality import is_share, minimality
from maskwise.attacks.searched import Searched
from maskwise.errors import InfeasibleError, InputError
from maskwise.policy.attributes import Minimality
from maskwise.search.registry import start_search
from maskwise.solution.solution import Reached
from maskwise.values.file_words import file_words
from maskwise.values.message import private_note

if TYPE_CHECKING:
    from maskwise.attacks.attack import Attack
    from maskwise.compress.compressed_table import CompressedTables
    from maskwise.policy.policy import Policy
    from maskwise.policy.requirements.base import Part, Requirement
    from maskwise.profile.columns import Profile
    from maskwise.search.interface import Problem, Progress, Search
    from maskwise.solution.solution import Solution

TIGHTER = Fraction(9, 10)
"""By what the bounds are multiplied each time: once was enough on Adult, see docs/attacks.md."""
_DIGITS = 10**6
"""Tightened bounds are rounded down to so many parts, so that counts can be compared with them as whole numbers."""


def run_search(problem: Problem, search: Search, counts: CompressedTables, progress: Progress) -> Searched:
    """Search, and where the policy guards against the minimality attack, again with tighter bounds until it fails.

    Args:
        problem: What is to be solved.
        search: The search, set up for it.
        counts: What it asked to be counted.
        progress: Told of every search and step.

    Raises:
        InputError: The attack cannot be computed, so nothing can be promised.
        InfeasibleError: No bound that can be met keeps the attacker below what was asked.
    """
    searched = _run(problem, problem.policy, search, counts, progress)
    if problem.policy.minimality is not Minimality.GUARD:
        return searched
    factor, attack = Fraction(1), minimality(searched)
    while attack.result is AttackResult.FAILED:
        factor *= TIGHTER
        tried = tighten(problem.policy, factor, problem.profile)
        if tried == searched.tried:
            raise InfeasibleError(_refusal(problem.policy, attack))
        try:
            searched = _run(problem, tried, start_search(replace(problem, policy=tried)), counts, progress)
        except InfeasibleError:
            # The levels that attributes show at least do not meet the tighter bounds.
            raise InfeasibleError(_refusal(problem.policy, attack)) from None
        attack = minimality(searched)
    if attack.result is AttackResult.NOT_RUN:
        msg = (
            f"{problem.policy.at(('minimality',))}The minimality guard cannot be kept, so nothing is released. "
            f"{attack.text} Then do without the guard{file_words('minimality: check')}."
        )
        raise InputError(msg)
    if factor < 1:
        text = f"The search went by {float(factor):.4g} times the bounds of templates, against the minimality attack."
        messages = (*searched.solution.messages, private_note(text))
        searched = replace(searched, solution=replace(searched.solution, tightened=factor, messages=messages))
    return searched


def tighten(policy: Policy, factor: Fraction, profile: Profile) -> Policy:
    """The same policy with the bounds of all templates multiplied, but none below the share in the whole table.

    Args:
        policy: What was asked.
        factor: By what its bounds are multiplied.
        profile: The counts of sensitive values in the table.
    """
    return replace(policy, requirements=tuple(_tighten(one, factor, profile) for one in policy.requirements))


def _tighten(requirement: Requirement, factor: Fraction, profile: Profile) -> Requirement:
    # A requirement on many subsets of attributes asks the same of each.
    shares = {part.subject: part for part in requirement.parts if is_share(part, profile)}
    bounds = [
        max(Fraction(int(bound * factor * _DIGITS), _DIGITS), _least(part, profile))
        for bound, part in zip(requirement.confidences, shares.values(), strict=True)
    ]
    return requirement.with_confidences(bounds)


def _least(part: Part, profile: Profile) -> Fraction:
    """The share of a value in the whole table, below which no bound can be met; above 0, as every bound is."""
    assert part.counted is not None  # noqa: S101 - it bounds the share of a value
    (values,) = profile.sensitive[part.counted.column].sets_of(part.counted)
    n_with = max(profile.n_counted_with(part.counted.column, values), 1)
    return min(Fraction(n_with, max(profile.n_counted, 1)), Fraction(1))


def _run(problem: Problem, tried: Policy, search: Search, counts: CompressedTables, progress: Progress) -> Searched:
    """Search by one policy; the solution says what was asked, whatever it was found by."""
    solution = _in_terms_of(problem.policy, search.run(counts, progress))
    requests = search.request.tables
    return Searched(
        problem.policy, tried, problem.profile, search.coded_trees, requests, counts.tables, solution, search
    )


def go_back(searched: Searched, counts: CompressedTables, n_steps: int) -> Searched:
    """The state after so many steps of a search.

    Args:
        searched: What was found at its end.
        counts: What it was found from.
        n_steps: After how many steps.

    Raises:
        InputError: That state is not safe, or an attacker who knows the method learns too much from it.
    """
    assert searched.search is not None  # noqa: S101 - a search that was run is kept
    solution = _in_terms_of(searched.policy, searched.search.rerun(counts, n_steps))
    found = replace(searched, solution=replace(solution, tightened=searched.solution.tightened))
    if searched.policy.minimality is Minimality.GUARD and minimality(found).result is AttackResult.FAILED:
        msg = (
            f"After step {n_steps:,} an attacker who knows the method learns more than the templates allow, against "
            "which the policy guards. Choose another step."
        )
        raise InputError(msg)
    return found


def _in_terms_of(asked: Policy, solution: Solution) -> Solution:
    """A solution that says what was asked, whatever it was found by."""
    reached = tuple(
        Reached(requirement, found.figure, found.implied_by)
        for requirement, found in zip(asked.requirements, solution.reached, strict=True)
    )
    return replace(solution, reached=reached, policy_hash=asked.fingerprint())


def _refusal(policy: Policy, attack: Attack) -> str:
    """Say that no bound is tight enough."""
    return (
        f"{policy.at(('minimality',))}The minimality guard cannot be kept: whatever bounds are searched with, an "
        f"attacker who knows the method is sure of somebody's protected value by {attack.figure:.4f}, and "
        f"{attack.bound:g} is allowed. Raise the confidence, take an attribute out of the quasi-identifier, or do "
        f"without it{file_words('minimality: check')}."
    )
