"""Risk, attacks and reasons as a report has them: which of them, and for whom."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from maskwise.report.why import why_data
from maskwise.values.message import Audience

if TYPE_CHECKING:
    from maskwise.outcome import Outcome


def results_data(outcome: Outcome, *, is_public: bool) -> dict[str, Any]:
    """Risk, attacks and reasons as plain values, where there are some.

    Args:
        outcome: The run.
        is_public: Whether recipients read it: then without reasons, which rest on raw counts, without attacks that
            are for the owner, and of risk what can be counted in the release.
    """
    data: dict[str, Any] = {}
    risk = outcome.risk if is_public else outcome.owner_risk or outcome.risk
    if risk is not None:
        # What is known of a population does not follow from the release.
        data["risk"] = (replace(risk, populations=(), estimates=()) if is_public else risk).to_data()
    attacks = [one for one in outcome.attacks if not is_public or one.audience is Audience.RECIPIENT]
    if attacks:
        data["attacks"] = [one.to_data() for one in attacks]
    if outcome.reasons is not None and not is_public:
        data["why"] = why_data(outcome.reasons, outcome.policy)
    return data
