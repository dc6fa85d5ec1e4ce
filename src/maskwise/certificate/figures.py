"""What follows from a release and its public policy, as plain values.

The owner's figures come from the recount before the release, the recipient's
from a recount of the file; both are put into words here, so that they can be
compared number by number.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from maskwise.certificate.criteria import criteria
from maskwise.policy.requirements.wording import plain_figure
from maskwise.risks.assess import assess

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from maskwise.certificate.public_policy import PublicPolicy, Recountable
    from maskwise.policy.policy import Policy
    from maskwise.risks.risk import Risk
    from maskwise.table.table import Table
    from maskwise.verify.verdict import Finding, Verdict

RECIPIENTS, OWNER = "recipients", "owner"
"""Who can count whether a requirement holds."""
_OF_OTHER_TABLES = ("populations", "estimates")
"""What a risk says of the population, which no release tells."""


def recounted(public: PublicPolicy, names: Sequence[str], verdict: Verdict, risk: Risk | None) -> dict[str, Any]:
    """Everything that follows from a release and its public policy.

    Args:
        public: The policy.
        names: The columns of the release.
        verdict: The recount of the requirements, or of what recipients can recount of them.
        risk: What is known of the risk, counted in the release.
    """
    requirements = [
        _requirement_data(entry, what, finding, is_counted=public.is_unit_released)
        for entry, what, finding in zip(public.entries, public.recounts(names), verdict.findings, strict=True)
    ]
    person = public.policy.person
    pseudonyms = [] if person is None or not person.is_released else [person.column]
    is_counted = public.is_unit_released
    told = None if risk is None or not is_counted else public_risk(risk)
    return {
        "rows": verdict.n_rows,
        **({"persons": verdict.n_persons} if is_counted and verdict.n_persons is not None else {}),
        "columns": {
            "released": list(names),
            "masked": list(public.masked(names)),
            "passed": list(public.passed(names)),
            "pseudonyms": pseudonyms,
            "dropped": list(public.policy.dropped(())),
        },
        "requirements": requirements,
        "risk": told,
        "criteria": criteria(requirements, pseudonyms, told),
    }


def _requirement_data(
    entry: Mapping[str, Any], what: Recountable, finding: Finding, *, is_counted: bool
) -> dict[str, Any]:
    """What was asked of a release and what it reaches, as far as recipients can count it."""
    said = {
        "asked": dict(entry),
        "holds": finding.is_met,
        "counted_by": RECIPIENTS if what.is_whole else OWNER,
        **({"reached": plain_figure(finding.figure)} if what.has_figure else {}),
    }
    if not is_counted:
        return said
    sizes = {
        "smallest": finding.anonymity,
        "quartile": finding.quantile(0.25),
        "median": finding.quantile(0.5),
        "three_quarters": finding.quantile(0.75),
        "largest": finding.sizes[-1][0] if finding.sizes else 0,
    }
    return {**said, "groups": finding.n_groups, "group_sizes": sizes}


def public_risk(risk: Risk) -> dict[str, Any]:
    """What a risk says of the release itself, as JSON has it."""
    said = {key: value for key, value in risk.to_data().items() if key not in _OF_OTHER_TABLES}
    found: dict[str, Any] = json.loads(json.dumps(said, allow_nan=False))
    return found


def population_risk(risk: Risk | None) -> dict[str, Any] | None:
    """What a risk says of the population, which rests on what the owner knows of it."""
    if risk is None or not (risk.populations or risk.estimates):
        return None
    said = {key: value for key, value in risk.to_data().items() if key in _OF_OTHER_TABLES}
    found: dict[str, Any] = json.loads(json.dumps(said, allow_nan=False))
    return found


def stated_thresholds(risk: Any) -> dict[str, float]:
    """The thresholds that a certificate names; none where it has no such thing."""
    named = risk.get("thresholds") if isinstance(risk, dict) else None
    found = named if isinstance(named, dict) else {}
    return {name: bound for name, bound in found.items() if isinstance(bound, float) and 0 < bound <= 1}


def assess_again(table: Table, policy: Policy, thresholds: Mapping[str, float]) -> Risk:
    """Count the risk in a release again.

    Args:
        table: The release.
        policy: The policy as recipients know it.
        thresholds: The thresholds that the owner asked for.
    """
    found = assess(table, policy, released=table.names, thresholds=thresholds.values())
    return replace(found, thresholds=dict(thresholds))
