"""The risk in a release: as recipients can count it, and as its owner can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.release import mask as masking
from maskwise.risks.assess import assess

if TYPE_CHECKING:
    from maskwise.policy.policy import Policy
    from maskwise.risks.risk import Risk
    from maskwise.solution.solution import Solution
    from maskwise.table.table import Table
    from maskwise.verify.verdict import Verdict


def assess_release(
    written: Table, whole: Table, policy: Policy, solution: Solution, verdict: Verdict
) -> tuple[Risk | None, Risk | None]:
    """Assess a release by what was written, and for the owner by what was left out of it too.

    Args:
        written: The release, opened again.
        whole: The masked records with the columns that are not released.
        policy: What was asked.
        solution: What is shown.
        verdict: The recount of the release.

    Claim: the first follows from the release and the policy without its protected
    values, because it is counted in what was written.

    Returns:
        What recipients can count; None if persons were counted whose column is not released, because the chance to pick
        one of a person's records is larger than that of one record, and recipients cannot tell by how much. And where
        that is not all, what the owner can count; else None.
    """
    public = None
    if solution.is_unit_released:
        public = assess(written, policy, released=written.names, verdict=verdict)
        if set(policy.sensitive) <= set(written.names):
            return public, None
    owners = masking.show_fixed(whole, solution)
    return public, assess(owners, policy, released=written.names, verdict=verdict)
