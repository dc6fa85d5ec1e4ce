"""The composition attack: several releases of the same people, put together (Ganta 2008; Wang and Fung 2006)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maskwise.attacks.attack import Attack, AttackResult
from maskwise.attacks.two_releases import ORDINALS
from maskwise.errors import plural, quote
from maskwise.policy.requirements.qid import called
from maskwise.policy.requirements.wording import figure_text, plain_figure
from maskwise.values.message import Audience

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.attacks.two_releases import JointGroups
    from maskwise.release.earlier import JointProblem
    from maskwise.verify.verdict import Verdict

NAME = "composition"
"""What the attack is called."""


def attack_with_earlier(joint: JointProblem, verdict: Verdict) -> tuple[Attack, ...]:
    """What an attacker finds who joins a release with earlier ones, as the recount of all their labels has it.

    What earlier releases show does not follow from this one, so the figures are the owner's.

    Args:
        joint: What was searched together with earlier releases.
        verdict: The recount of the requirements, then of each that earlier releases concern, together with these.

    Returns:
        The attack; nothing where no earlier release was named.
    """
    if not joint.earlier:
        return ()
    findings = verdict.findings[len(joint.asked.requirements) :]
    releases = plural(len(joint.earlier), "earlier release")
    knows = (
        f"This release and {releases} of the same people, which records of them belong to the same person, and for a "
        "person every attribute of a quasi-identifier."
    )
    n_below = max((finding.n_violating_records for finding in findings), default=0)
    reached = [f"{finding.requirement.asks()}, reaches {figure_text(finding.figure)}" for finding in findings]
    text = f"{'; '.join(reached)}." if reached else f"The {releases} showed no attribute of a quasi-identifier."
    attack = Attack(
        NAME,
        knows,
        AttackResult.PASSED if not n_below else AttackResult.FAILED,
        text,
        Audience.OWNER,
        figure=n_below / max(verdict.n_rows, 1),
        bound=0.0,
        details={
            "earlier_releases": [
                {"number": one.number, "solution_sha256": one.sha256, "rows": one.solution.n_rows}
                for one in joint.earlier
            ],
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
    return (attack,)


def attack_two_releases(
    found: Sequence[JointGroups], broken: Sequence[bool], linked: float, link_columns: Sequence[str]
) -> Attack:
    """What an attacker finds who holds two releases, by their labels and group sizes alone.

    Args:
        found: What they tell together on each QID.
        broken: For each release whether it breaks a requirement by itself.
        linked: The share of records that link uniquely.
        link_columns: The columns that they link by.
    """
    knows = "Both releases of the same people, and for a person every attribute of a quasi-identifier."
    open_ones = [one for one in found if one.finer is None]
    details: dict[str, Any] = {
        "quasi_identifiers": [_joint_data(one) for one in found],
        "linked_uniquely": linked,
        "linked_by": list(link_columns),
    }
    if not open_ones:
        text = (
            "On every quasi-identifier one release's labels are unions of the other's, so both together show the "
            "groups of the finer one"
        )
        is_broken = any(broken[one.finer] for one in found if one.finer is not None)
        text += ", and that breaks a requirement." if is_broken else ", which were recounted."
        return Attack(
            NAME,
            knows,
            AttackResult.FAILED if is_broken else AttackResult.PASSED,
            text,
            Audience.RECIPIENT,
            details=details,
        )
    by = f"on {quote(link_columns)}" if link_columns else "(no column is shown alike in both)"
    text = f"{_undecided(open_ones)} {100 * linked:.2f} % of the records link uniquely {by}."
    return Attack(NAME, knows, AttackResult.UNDECIDED, text, Audience.RECIPIENT, figure=linked, details=details)


def _undecided(found: Sequence[JointGroups]) -> str:
    """Say of which QIDs the joint groups cannot be told, why, and how small they could be."""
    sentences = []
    for one in found:
        assert one.candidates is not None  # noqa: S101 - they are counted where nothing is decided
        smallest = min(side.smallest for side in one.candidates)
        shares = [side.share_below for side in one.candidates if side.share_below is not None]
        below = f", and {100 * max(shares):.2f} % of a release's records have fewer than the k asked" if shares else ""
        sentences.append(
            f"What both tell together on {called(one.qid)} cannot be decided from the releases: {one.why}. A record "
            f"agrees with {plural(smallest, 'record')} of the other release or more{below}; joined record by record, "
            "fewer may be left."
        )
    return " ".join(sentences)


def _joint_data(one: JointGroups) -> dict[str, Any]:
    """What two releases tell together on a QID, as plain values."""
    data: dict[str, Any] = {"qid": list(one.qid), "finer": None if one.finer is None else ORDINALS[one.finer]}
    if one.candidates is None:
        return data
    sides = zip(ORDINALS, one.candidates, strict=True)
    data["why"] = one.why
    data["candidates"] = {
        name: {"smallest": side.smallest, **({} if side.share_below is None else {"share_below_k": side.share_below})}
        for name, side in sides
    }
    return data
