"""What a run asked, reached and shows, for people and for scripts.

The report for recipients holds only what follows from the release and the
policy without its protected values. The owner's says everything.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.errors import InputError, plural
from maskwise.policy.requirements.unit import Unit
from maskwise.policy.requirements.wording import plain_figure
from maskwise.report.risk_section import risk_section
from maskwise.solution.cut import MissingShown
from maskwise.values.message import Audience

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.outcome import Applied, Outcome
    from maskwise.policy.requirements.base import Requirement
    from maskwise.risks.risk import Risk
    from maskwise.solution.solution import Solution
    from maskwise.verify.verdict import Finding, Verdict

COLUMNS = (("Released as they were", "passed"), ("Left out", "dropped"), ("As pseudonyms", "pseudonyms"))
"""How the lists of columns that are not masked are called, and their keys in a report."""
DOES_NOT_PROTECT = (
    "It says nothing about columns outside the listed requirements; they were released as they were.",
    "k-anonymity alone bounds linking, not inference: if a whole group shares a sensitive value, it is given away.",
    (
        "An attacker who knows the algorithm and the policy may narrow a masked value down further (minimality and "
        "downcoding attacks)."
    ),
    "Several releases of the same people can be combined; each release is checked by itself only.",
)


@dataclass(frozen=True, slots=True)
class Report:
    """A run in words and figures."""

    data: dict[str, Any]
    """Everything the report says, as plain values."""
    verdict: Verdict
    """The recount that it tells of."""
    audience: Audience = Audience.RECIPIENT
    """Who may read it."""
    risk: Risk | None = None
    """How likely somebody is found, as the audience can count it."""

    def to_json(self) -> str:
        """For scripts."""
        return json.dumps(self.data, indent=2, ensure_ascii=False) + "\n"

    def to_markdown(self) -> str:
        """For people."""
        data = self.data
        unit = self.verdict.unit
        lines = ["# Masking report", "", *self._summary(), ""]
        smallest = "smallest group" if unit is Unit.RECORD else f"smallest group ({unit.plural})"
        lines += [f"| quasi-identifier | asked | reached | groups | {smallest} |", "| --- " * 5 + "|"]
        for item, finding in zip(data["requirements"], self.verdict.findings, strict=True):
            implied = " (implied by another)" if item["implied_by"] is not None else ""
            asked = finding.requirement.asked_cell()
            # Where a protected value is most common would tell recipients which one is protected.
            worst = () if self.audience is Audience.RECIPIENT else finding.tightest
            reached = finding.requirement.reached_cell(finding.figure, worst) if "reached" in item else "holds"
            sizes = [f"{item['groups']:,}", f"{item['group_sizes']['min']:,}"] if "groups" in item else ["", ""]
            lines.append(f"| {', '.join(item['qid'])}{implied} | {asked} | {reached} | {' | '.join(sizes)} |")
        lines += ["", "| attribute | masked by | shown as |", "| --- | --- | --- |"]
        lines += [f"| {a['name']} | {a['kind']} | {', '.join(shown_values(a))} |" for a in data["attributes"]]
        for title, key in (
            ("Released as they were", "passed"),
            ("Left out", "dropped"),
            ("As pseudonyms", "pseudonyms"),
        ):
            if data.get(key):
                lines += ["", f"{title}: {', '.join(data[key])}."]
        lines += [] if self.risk is None else risk_section(self.risk)
        for title, key in (
            ("Warnings", "warnings"),
            ("Notes", "notes"),
            ("What this protects", "protects"),
            ("What it does not", "does_not_protect"),
        ):
            if data[key]:
                lines += ["", f"## {title}", "", *(f"- {text}" for text in data[key])]
        return "\n".join(lines) + "\n"

    def _summary(self) -> list[str]:
        """How many records, and for the owner of what and how it was found."""
        records = plural(self.data["rows"], "record")
        if self.audience is Audience.RECIPIENT:
            return [f"{records}."]
        left_out = self.data["dropped_rows"]
        dropped = f" {plural(left_out, 'record')} left out because a masked cell is missing." if left_out else ""
        return [
            "For the owner: this report says more than the release. Do not hand it out.",
            "",
            f"{records} of `{self.data['source']}`.{dropped} {describe_ending(self.data)}",
        ]

    def render(self, path: Path) -> str:
        """The form that a file's suffix asks for."""
        check_suffix(path)
        return self.to_json() if path.suffix == ".json" else self.to_markdown()


def check_suffix(path: Path) -> None:
    """Refuse a report in a form that does not exist."""
    if path.suffix not in {".md", ".txt", ".json"}:
        msg = f"A report is written as .md, .txt or .json; found `{path.name}`."
        raise InputError(msg)


def describe_ending(data: dict[str, Any]) -> str:
    """Say how the search ended, and claim no more than it tried: one split of each interval, not all."""
    has_intervals = any(item["kind"] == "interval" for item in data["attributes"])
    if data["ending"] == "met":
        n = plural(data["steps"], "generalization")
        of_intervals = " (of intervals, from the smallest that the search made)" if has_intervals else ""
        return f"{n} from the raw values{of_intervals}; then every requirement held."
    n = plural(data["steps"], "refinement")
    if data["ending"] in {"maximal", "exhausted"}:
        once = "" if data["ending"] == "maximal" else ", now or when it was tried,"
        tried = f"{n}; every further refinement that `{data['criterion']}` considers would break a requirement{once}"
        is_one_split = has_intervals and data["criterion"] != "conditional"
        other = " An interval is only ever split where it tells most; a split elsewhere might still be safe."
        return f"{tried} or gain nothing.{other if is_one_split else ''}"
    return f"The search was stopped early ({data['ending']}) after {n}. The table is safe, but more could be shown."


def shown_values(item: dict[str, Any]) -> list[str]:
    """The values an attribute shows, a missing cell among them."""
    return [*item["shown"], "(missing)"] if item.get("missing") == MissingShown.ITSELF else list(item["shown"])


def report(outcome: Outcome, audience: Audience = Audience.RECIPIENT) -> Report:
    """Say what a run asked, reached and shows.

    Args:
        outcome: The run.
        audience: Recipients read only what follows from the release and the policy without its protected values. The
            owner reads everything.

    Claim: two tables that give the same release under the same policy give the same report for recipients.

    Example:
        >>> import maskwise, pyarrow as pa
        >>> table = pa.table({"Age": [23, 25, 41, 47]})
        >>> outcome = maskwise.anonymize(table, {"requirements": [{"qid": ["Age"], "k": 2}]})
        >>> report(outcome).data["requirements"][0]["reached"]
        2
    """
    is_public = audience is Audience.RECIPIENT
    solution, verdict = outcome.solution, outcome.verdict
    findings = [
        _public_finding(finding, outcome) if is_public else finding_data(finding) for finding in verdict.findings
    ]
    risk = outcome.risk if is_public else outcome.owner_risk or outcome.risk
    messages = [message for message in outcome.messages if not is_public or message.for_recipient is not None]
    texts = {message: message.for_recipient if is_public else message.text for message in messages}
    run = {
        "output": str(outcome.data) if isinstance(outcome.data, Path) else None,
        "source": outcome.source,
        "dropped_rows": outcome.n_dropped,
        "steps": len(solution.steps),
        "ending": str(solution.ending),
    }
    data = {
        "maskwise": version("maskwise"),
        "class": outcome.policy.class_name,
        "rows": verdict.n_rows,
        **({} if is_public and not outcome.solution.is_unit_released else persons_data(verdict)),
        **({} if is_public else run),
        "method": str(solution.method),
        "criterion": str(solution.criterion),
        "requirements": [
            {**found, "implied_by": reached.implied_by}
            for found, reached in zip(findings, solution.reached, strict=True)
        ],
        "attributes": _attribute_data(solution, is_public=is_public),
        "passed": list(outcome.passed),
        "dropped": list(outcome.policy.dropped(()) if is_public else solution.drop),
        **({"pseudonyms": [solution.person.column]} if solution.person and solution.person.is_released else {}),
        **({} if risk is None else {"risk": risk.to_data()}),
        "warnings": [texts[message] for message in messages if message.is_warning],
        "notes": [texts[message] for message in messages if not message.is_warning],
        "protects": list(what_is_protected(outcome.policy.requirements, verdict.unit, is_whole=_is_whole(outcome))),
        "does_not_protect": list(DOES_NOT_PROTECT),
    }
    return Report(data, verdict, audience, risk)


def what_is_protected(requirements: Sequence[Requirement], unit: Unit, *, is_whole: bool = True) -> tuple[str, ...]:
    """What a release that meets the requirements protects, in sentences; of group sizes only where a k was asked.

    Args:
        requirements: What was asked.
        unit: What was counted.
        is_whole: Whether the release has every column that was counted.
    """
    promises = []
    if any(requirement.k is not None for requirement in requirements):
        promises.append(
            "every combination of values on a quasi-identifier with a k is shared by at least that number of "
            f"{unit.plural}"
        )
    if any(requirement.confidences for requirement in requirements):
        promises.append("no protected value has more than the stated share in any group")
    if any(part.counted is not None and part.counted.values is None for one in requirements for part in one.parts):
        promises.append("protected columns are as diverse, or as close to the whole table, as stated")
    counted = "This was recounted from the table as released."
    if not is_whole:
        counted = (
            "This was recounted from the masked records with the columns that are not released, and the released table "
            "shows the same groups."
        )
    return (f"In the released table, {', and '.join(promises)}. {counted}",)


def _public_finding(finding: Finding, outcome: Outcome) -> dict[str, Any]:
    """A finding as recipients read it: its figure only where they could count it themselves."""
    asked = finding.requirement
    data = {"qid": list(asked.qid), **asked.public_data(), "holds": finding.is_met}
    if not outcome.solution.is_unit_released:
        return data
    data |= _sizes_data(finding)
    leading = asked.parts[0].counted
    is_countable = leading is None or (leading.values is None and leading.column in outcome.passed)
    return {**data, "reached": plain_figure(finding.figure)} if is_countable else data


def _is_whole(outcome: Outcome) -> bool:
    """Whether the release has, as it was counted, every column that requirements speak of."""
    shown = {*outcome.passed, *(cut.attribute for cut in outcome.solution.cuts)}
    return outcome.solution.is_unit_released and all(set(one.columns) <= shown for one in outcome.policy.requirements)


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """A verdict as plain values."""
    return {
        "holds": verdict.is_met,
        "rows": verdict.n_rows,
        **persons_data(verdict),
        "requirements": [finding_data(finding) for finding in verdict.findings],
    }


def persons_data(verdict: Verdict) -> dict[str, int]:
    """How many persons were counted, where persons were."""
    return {} if verdict.n_persons is None else {"persons": verdict.n_persons}


def applied_data(applied: Applied) -> dict[str, Any]:
    """The result of `apply` as plain values."""
    return {
        "output": str(applied.data) if isinstance(applied.data, Path) else None,
        **verdict_data(applied.verdict),
        "dropped_rows": applied.n_dropped,
        "outside": dict(applied.outside),
        "dropped_outside": applied.n_outside_dropped,
        "left_out": list(applied.left_out),
        "unchecked": [requirement.asks() for requirement in applied.unchecked],
        "unknown": {name: {"values": u.n_values, "records": u.n_records} for name, u in applied.unknown.items()},
    }


def finding_data(finding: Finding) -> dict[str, Any]:
    """A finding as plain values."""
    return {
        **finding.requirement.report_data(finding.tightest),
        "reached": plain_figure(finding.figure),
        "holds": finding.is_met,
        "violating_groups": finding.n_violating_groups,
        f"violating_{finding.unit.plural}": finding.n_violating_records,
        **_sizes_data(finding),
    }


def _sizes_data(finding: Finding) -> dict[str, Any]:
    """How many groups there are, and how large."""
    return {
        "groups": finding.n_groups,
        "group_sizes": {
            "min": finding.anonymity,
            "quartile": finding.quantile(0.25),
            "median": finding.quantile(0.5),
            "three_quarters": finding.quantile(0.75),
            "max": finding.sizes[-1][0] if finding.sizes else 0,
            "histogram": [
                {"from": low, "to": high, "groups": n, finding.unit.plural: counted}
                for low, high, n, counted in finding.histogram()
            ],
        },
    }


def _attribute_data(solution: Solution, *, is_public: bool) -> Sequence[dict[str, Any]]:
    """How each attribute is shown; whether a cell that is hidden was missing is the owner's to know."""
    return [
        {
            "name": cut.attribute,
            "kind": str(cut.kind),
            "shown": list(cut.labels),
            **({"missing": str(cut.missing)} if not is_public or cut.missing is MissingShown.ITSELF else {}),
        }
        for cut in (*solution.cuts, *solution.fixed)
    ]
