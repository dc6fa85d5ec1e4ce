"""Sections that rest on raw counts: the way of the search, what it costs a classifier, why values stay masked."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from maskwise.errors import plural
from maskwise.report.content import (
    Bullets,
    DotChart,
    ErrorBar,
    Fold,
    LineChart,
    Paragraph,
    Section,
    Subsection,
    TextTable,
)
from maskwise.report.why import FREED, MOST_VALUES, holding_back, most_of
from maskwise.report.why import TITLE as WHY_TITLE
from maskwise.report.wording import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.outcome import Outcome
    from maskwise.policy.requirements.base import Requirement
    from maskwise.report.content import Block

_MOST_PANELS = 4
_MOST_OPEN = 6
"""So many values of an attribute are open."""
TRAINED_ON = {
    "BE": "the original columns",
    "AE": "the masked columns",
    "SE": "the masked columns",
    "UE": "no masked column at all",
    "RE": "no sensitive column",
}
"""What a classifier was trained on, for each measure of the papers."""
_FOUND_ON = {
    "held-out": "masked without looking at the test records",
    "combined": "training and test records masked together",
}


def curve_section(points: Sequence[dict[str, Any]], outcome: Outcome) -> Section | None:
    """What each step of the search kept and reached, one figure in each picture.

    Args:
        points: The curve, as plain values.
        outcome: The run.
    """
    if len(points) < 2:  # noqa: PLR2004 - one point is no way
        return None
    kept = tuple((point["step"], 100 * point["information_kept"]) for point in points)
    charts: list[Block] = [LineChart("Detail kept; 100 % are the original values", kept, "%")]
    if points[0]["class_entropy"] is not None:
        left = tuple((point["step"], point["class_entropy"]) for point in points)
        charts.append(LineChart(f"Uncertainty about {outcome.policy.class_name} that one column leaves", left, "bits"))
    requirements = outcome.policy.requirements
    for i, requirement in enumerate(requirements[:_MOST_PANELS]):
        figures = [(point["step"], point["requirements"][i]) for point in points]
        known = tuple((step, figure) for step, figure in figures if figure is not None and math.isfinite(figure))
        if known:
            charts.append(_privacy_chart(requirement, known, outcome.verdict.unit.plural))
    more = len(requirements) - _MOST_PANELS
    upward = outcome.solution.ending == "met"
    way = "from the original values up" if upward else "from the most masked table down"
    said = (
        f"The search went {way}, {plural(len(points) - 1, 'step')} in all. Each picture shows one figure after each "
        "step; the last point is the release."
    )
    rest = [Paragraph(f"{plural(more, 'more requirement')} not drawn.")] if more > 0 else []
    return Section("curve", "Detail against privacy", (Paragraph(said), *charts, *rest))


def _privacy_chart(requirement: Requirement, points: tuple[tuple[int, float], ...], unit: str) -> LineChart:
    axis = requirement.axis
    title = f"{axis.label.capitalize()} by {listed(requirement.qid, 4)}"
    return LineChart(title, points, unit if axis.is_count else "", axis.asked, axis.is_count)


def cost_section(cost: dict[str, Any] | None) -> Section | None:
    """What masking costs a classifier.

    Args:
        cost: The errors that were measured, as plain values; None if none were.
    """
    # Of several measures the report shows the errors, which need no explanation.
    errors = [
        {"error": one.get("value"), **one}
        for one in ([] if cost is None else cost["errors"])
        if one.get("metric", "error") == "error" and one.get("by") is None
    ]
    if cost is None or not errors:
        return None
    said = (
        f"Wrong predictions of {cost['class']} on {plural(cost['tested'], 'test record')}, in percent, by classifiers "
        "that were trained on different columns. The lines are 95 % intervals."
    )
    blocks: list[Block] = [Paragraph(said)]
    for classifier, protocol in dict.fromkeys((one["classifier"], one["protocol"]) for one in errors):
        there = [one for one in errors if (one["classifier"], one["protocol"]) == (classifier, protocol)]
        known = [one for one in there if one["error"] is not None]
        title = f"{classifier}, {_FOUND_ON.get(protocol, protocol)}"
        rows = tuple(ErrorBar(_trained_on(one), one["error"], one["low"], one["high"]) for one in known)
        unmet = [f"{_trained_on(one)}: the policy cannot be met." for one in there if one["error"] is None]
        blocks += [DotChart(title, rows)] if rows else []
        blocks += [Bullets(tuple(unmet))] if unmet else []
    return Section("cost", "What it costs a classifier", tuple(blocks))


def _trained_on(one: dict[str, Any]) -> str:
    """What a classifier was trained on, in words, with the thresholds of the policy."""
    measure, _, rest = one["measure"].partition(" ")
    said = TRAINED_ON.get(measure, measure) + (f" ({rest.strip('()')})" if rest else "")
    asked = [f"{name} = {one[name]:g}" for name in ("k", "h") if one.get(name) is not None]
    return f"{said}, {', '.join(asked)}" if asked else said


def why_section(why: dict[str, Any] | None) -> Section | None:
    """Why each masked value is shown as it is, and what would free the most wanted ones.

    Args:
        why: What `why_data` says; None where it was not asked for.
    """
    if why is None:
        return None
    if not why["attributes"]:
        return Section("why", WHY_TITLE, (Paragraph("Nothing is hidden: every value is shown as it is."),))
    blocks: list[Block] = [Bullets(tuple(held))] if (held := holding_back(why)) else []
    if why["wanted"]:
        blocks += [Paragraph(f"{FREED}:"), Bullets(tuple(one["text"] for one in why["wanted"]))]
    for attribute in why["attributes"]:
        header = ("shown value", "records", "why not more")
        values, more = most_of(attribute["values"], MOST_VALUES)
        rows = [(value["shown"], f"{value['records']:,}", value["text"]) for value in values]
        rows += [("", "", more)] if more else []
        about: list[Block] = [Paragraph(attribute["sentence"])] if "sentence" in attribute else []
        parts: list[Block] = [*about, TextTable(header, tuple(rows[:_MOST_OPEN]), numeric=(1,))]
        if len(rows) > _MOST_OPEN:
            rest = TextTable(header, tuple(rows[_MOST_OPEN:]), numeric=(1,))
            parts.append(Fold(plural(len(rows) - _MOST_OPEN, "more value"), (rest,)))
        blocks.append(Subsection(attribute["name"], tuple(parts)))
    return Section("why", WHY_TITLE, tuple(blocks))
