"""Mask a table and suppress what its solution says, and what is expected of the release then."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from maskwise.policy.budget import Suppressed
from maskwise.release import mask as masking
from maskwise.release.pseudonyms import pseudonymize
from maskwise.release.suppress import suppress
from maskwise.release.suppressed_share import SuppressedShare, count_suppressed

if TYPE_CHECKING:
    from maskwise.policy.policy import Policy
    from maskwise.profile.columns import Profile
    from maskwise.solution.solution import Solution
    from maskwise.table.table import Table


def mask_and_suppress(
    table: Table, policy: Policy, solution: Solution, profile: Profile
) -> tuple[Table, Solution, SuppressedShare | None]:
    """Mask all columns that have a cut, and suppress records; no column is left out yet.

    Args:
        table: The records.
        policy: What was asked.
        solution: What to show, and what to suppress.
        profile: The distinct cells of each masked attribute.

    Returns:
        The masked records that are left, the solution, which then knows how many records that costs, and whom
        suppression hits; None where the policy has no budget.
    """
    if solution.suppression is None:
        return masking.mask(pseudonymize(table, policy.person), solution, profile.columns), solution, None
    masked = masking.mask(table, solution, profile.columns)
    suppressed = suppress(masked, solution)
    # Pseudonyms are numbered, so they are drawn for those who are left.
    left = pseudonymize(masked if suppressed is None else suppressed.table, policy.person)
    hit = count_suppressed(suppressed, policy, solution, profile)
    counted = replace(solution.suppression, n_records=hit.n_records)
    return left, replace(solution, suppression=counted), hit


def what_is_left(hit: SuppressedShare | None, profile: Profile) -> tuple[int, int | None]:
    """How many records and persons the release has to have; None persons where only records are counted.

    Args:
        hit: What was suppressed.
        profile: The counts of the table.
    """
    n_persons = None if profile.persons is None else profile.persons.n_persons
    if hit is None or hit.shown_as is Suppressed.ROOT:
        return profile.n_rows, n_persons
    return profile.n_rows - hit.n_records, None if n_persons is None else n_persons - hit.n_counted
