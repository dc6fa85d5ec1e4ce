"""Searches and their results as the page reads them: plain values, sentences and figures, for the owner alone."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from maskwise.policy.requirements.wording import plain_figure
from maskwise.progress import Compiling, StageBegun, StepTaken, StillWorking
from maskwise.report.report import describe_ending, report, shown_values
from maskwise.report.why import why_data
from maskwise.risks.wording import disclosure_texts, everything_text, one_more_texts
from maskwise.solution.steps import Step
from maskwise.values.file_words import without_file_words
from maskwise.values.message import Audience
from maskwise.values.stages import Stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from maskwise.progress import Event
    from maskwise.risks.risk import Risk
    from maskwise.session.search_run import SearchRun
    from maskwise.solution.curve import Point
    from maskwise.solution.steps import Generalization


def event_data() -> Callable[[Event], dict[str, Any]]:
    """A function that turns the events of one run into plain values; each says in which stage it came."""
    last = StageBegun(Stage.READ)

    def as_data(event: Event) -> dict[str, Any]:
        nonlocal last
        if isinstance(event, StageBegun):
            last = event
            return {"kind": "stage", **_stage_data(last)}
        if isinstance(event, StepTaken):
            step, point = _step_data(event.step), point_data(event.point)
            return {"kind": "step", **_stage_data(last), "step": step, "point": point}
        if isinstance(event, Compiling):
            return {"kind": "compiling", **_stage_data(event.within)}
        assert isinstance(event, StillWorking)  # noqa: S101 - there is no other event
        return {"kind": "working", **_stage_data(event.within), "seconds": event.seconds}

    return as_data


def _stage_data(begun: StageBegun) -> dict[str, Any]:
    return {"stage": str(begun.stage), "number": begun.number, "of": begun.n}


def _step_data(step: Step | Generalization) -> dict[str, Any]:
    before = [step.before] if isinstance(step, Step) else list(step.before)
    after = list(step.after) if isinstance(step, Step) else [step.after]
    return {"step": step.step, "attribute": step.attribute, "before": before, "after": after}


def point_data(point: Point) -> dict[str, Any]:
    """A point of the curve."""
    return {**asdict(point), "requirements": [plain_figure(figure) for figure in point.requirements]}


def result_data(whole: SearchRun, run: SearchRun) -> dict[str, Any]:
    """What a step of a search reaches, shows and risks.

    Args:
        whole: The search at its end.
        run: The search at the step.
    """
    outcome = run.outcome
    data = report(outcome, Audience.OWNER).data
    requirements = [
        {
            "text": item["sentence"],
            "asked": finding.requirement.asked_cell(by_name=True),
            "reached": finding.requirement.reached_cell(finding.figure, finding.tightest, by_name=True),
            "figure": plain_figure(finding.figure),
            "qid": list(finding.requirement.qid),
            "is_met": finding.is_met,
            "implied_by": item["implied_by"],
            "n_groups": finding.n_groups,
            "histogram": finding.histogram(),
            "unit": str(finding.unit),
        }
        for item, finding in zip(data["requirements"], outcome.verdict.findings, strict=True)
    ]
    attributes = [
        {
            "name": item["name"],
            "kind": item["kind"],
            "labels": shown_values(item),
            "sentence": item.get("sentence") or "",
        }
        for item in data["attributes"]
    ]
    return {
        "step": len(run.steps),
        "n_steps": len(whole.steps),
        "can_step_back": data["method"] != "bug",
        "curve": [point_data(point) for point in whole.curve],
        "requirements": requirements,
        "attributes": attributes,
        "passed": data["passed"],
        "dropped": data["dropped"],
        "messages": [{"level": str(one.level), "text": without_file_words(one.text)} for one in outcome.messages],
        "risk": None if run.risk is None else _risk_data(run.risk),
        "attacks": [{**one, "text": without_file_words(one["text"])} for one in data.get("attacks", [])],
        "ending": describe_ending(data),
        "summary": data["summary"],
        "n_records": outcome.verdict.n_rows,
        "n_dropped": outcome.n_dropped,
    }


def _risk_data(risk: Risk) -> dict[str, Any]:
    disclosed = disclosure_texts(risk)
    return {"sentences": [everything_text(risk), *one_more_texts(risk), *disclosed], "figures": risk.to_data()}


def reasons_data(run: SearchRun) -> dict[str, Any]:
    """Why values stayed masked, and what would free some of them."""
    reasons = run.reasons
    return {
        "reasons": [
            {"attribute": one.attribute, "shown": one.shown, "text": one.text, "kind": str(one.kind)}
            for one in reasons.reasons
        ],
        # As in the owner's report: one line for each value, with all that would free it.
        "changes": [
            {key: one[key] for key in ("attribute", "shown", "text")} for one in why_data(reasons, run.policy)["wanted"]
        ],
    }


def rows_data(run: SearchRun, start: int, n: int) -> dict[str, Any]:
    """Some records before and after; of columns that may name people no cell is given as it was."""
    pairs = run.rows(start, n)
    person = None if run.policy.person is None else run.policy.person.column
    is_shown = [name in pairs.released and name != person for name in pairs.names]
    rows = [
        {
            "before": [cell if shown else None for cell, shown in zip(one.before, is_shown, strict=True)],
            "after": None if one.after is None else list(one.after),
        }
        for one in pairs.rows
    ]
    return {"names": list(pairs.names), "released": list(pairs.released), "rows": rows}
