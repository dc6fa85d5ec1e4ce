"""Risk, attacks and reasons as a report has them: which of them, and for whom."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from maskwise.report.why import why_data
from maskwise.values.message import Audience

if TYPE_CHECKING:
    from maskwise.outcome import Outcome
    from maskwise.risk.risk import Risk


def results_data(outcome: Outcome, *, is_public: bool) -> dict[str, Any]:
    """Risk, attacks and reasons as plain values, where there are some.

    Args:
        outcome: The run.
        is_public: Whether recipients read it: then without reasons, which rest on raw counts, without attacks that
            are for the owner, and of risk what can be counted in the release.
    """
    data: dict[str, Any] = {}
    risk = public_risk(outcome) if is_public else outcome.risk
    if risk is not None:
        data["risk"] = risk.to_data()
    attacks = [one for one in outcome.attacks if not is_public or one.audience is Audience.RECIPIENT]
    if attacks:
        data["attacks"] = [one.to_data() for one in attacks]
    if outcome.reasons is not None and not is_public:
        data["why"] = why_data(outcome.reasons, outcome.policy)
    return data


def public_risk(outcome: Outcome) -> Risk | None:
    """The risk that recipients can count themselves: what is about released columns, and about no other table."""
    risk = outcome.risk
    if risk is None or not outcome.solution.is_unit_released:
        return None
    released = set(outcome.solution.columns)
    if not set(risk.everything.columns) <= released:
        return None
    return replace(
        risk,
        qids=tuple(one for one in risk.qids if set(one.columns) <= released),
        one_more=tuple(one for one in risk.one_more if {*one.qid, one.column} <= released),
        disclosures=tuple(one for one in risk.disclosures if {*one.qid, one.column} <= released),
        populations=(),
        estimates=(),
    )
