"""The composition attack: several releases of the same people, put together (Ganta 2008; Wang and Fung 2006)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maskwise.attacks.attack import Attack, AttackResult
from maskwise.errors import plural
from maskwise.policy.requirements.wording import figure_text, plain_figure
from maskwise.values.message import Audience

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from maskwise.verify.verdict import Finding

NAME = "composition"
"""What the attack is called."""


def attack_with_earlier(findings: Sequence[Finding], n_rows: int, earlier: Sequence[Mapping[str, Any]]) -> Attack:
    """What an attacker finds who joins a release with earlier ones, as the recount of all their labels has it.

    What earlier releases show does not follow from this one, so the figures are the owner's.

    Args:
        findings: The recount of each requirement that earlier releases concern, together with these.
        n_rows: The records of the release.
        earlier: Each earlier release: its number and what the owner knows it by.
    """
    releases = plural(len(earlier), "earlier release")
    knows = (
        f"This release and {releases} of the same people, which records of them belong to the same person, and for a "
        "person every attribute of a quasi-identifier."
    )
    n_below = max((finding.n_violating_records for finding in findings), default=0)
    reached = [f"{finding.requirement.asks()}, reaches {figure_text(finding.figure)}" for finding in findings]
    text = f"{'; '.join(reached)}." if reached else f"The {releases} showed no attribute of a quasi-identifier."
    return Attack(
        NAME,
        knows,
        AttackResult.PASSED if not n_below else AttackResult.FAILED,
        text,
        Audience.OWNER,
        figure=n_below / max(n_rows, 1),
        bound=0.0,
        details={
            "earlier_releases": [dict(one) for one in earlier],
            "requirements": [
                {
                    **finding.requirement.public_data(),
                    "reached": plain_figure(finding.figure),
                    "holds": finding.is_met,
                    "groups": finding.n_groups,
                    "smallest_group": finding.anonymity,
                }
                for finding in findings
            ],
        },
    )
