"""What a run asked, reached and shows, for people and for scripts.

A report holds only what the release itself shows, so it may accompany it.
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
from maskwise.values.message import public_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.outcome import Applied, Outcome
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

    def to_json(self) -> str:
        """For scripts."""
        return json.dumps(self.data, indent=2, ensure_ascii=False) + "\n"

    def to_markdown(self) -> str:
        """For people."""
        data = self.data
        unit = self.verdict.unit
        about = "" if self.verdict.n_persons is None else f" about {plural(self.verdict.n_persons, unit)}"
        summary = f"{plural(data['rows'], 'record')}{about} of `{data['source']}`. {describe_ending(data)}"
        lines = ["# Masking report", "", summary, ""]
        smallest = "smallest group" if unit is Unit.RECORD else f"smallest group ({unit.plural})"
        lines += [f"| quasi-identifier | asked | reached | groups | {smallest} |", "| --- " * 5 + "|"]
        for item, finding in zip(data["requirements"], self.verdict.findings, strict=True):
            implied = " (implied by another)" if item["implied_by"] is not None else ""
            asked = finding.requirement.asked_cell()
            reached = finding.requirement.reached_cell(finding.figure, finding.tightest)
            lines.append(
                f"| {', '.join(item['qid'])}{implied} | {asked} | {reached} | {item['groups']:,} "
                f"| {item['group_sizes']['min']:,} |"
            )
        lines += ["", "| attribute | masked by | shown as |", "| --- | --- | --- |"]
        lines += [f"| {a['name']} | {a['kind']} | {', '.join(shown_values(a))} |" for a in data["attributes"]]
        for title, key in (
            ("Released as they were", "passed"),
            ("Left out", "dropped"),
            ("As pseudonyms", "pseudonyms"),
        ):
            if data.get(key):
                lines += ["", f"{title}: {', '.join(data[key])}."]
        for title, key in (
            ("Notes", "notes"),
            ("What this protects", "protects"),
            ("What it does not", "does_not_protect"),
        ):
            if data[key]:
                lines += ["", f"## {title}", "", *(f"- {text}" for text in data[key])]
        return "\n".join(lines) + "\n"

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


def describe_protection(unit: Unit) -> str:
    """Say what a release protects.

    Args:
        unit: What the requirements count.
    """
    return (
        "In the released table, every combination of values on a listed quasi-identifier is shared by at least the "
        f"stated number of {unit.plural}, no protected value has more than the stated share in any of them, and "
        "protected columns are as diverse or as close to the whole table as stated. "
        "This was recounted from the table as released."
    )


def shown_values(item: dict[str, Any]) -> list[str]:
    """The values an attribute shows, a missing cell among them."""
    return [*item["shown"], "(missing)"] if item["missing"] == "itself" else list(item["shown"])


def report(outcome: Outcome) -> Report:
    """Say what a run asked, reached and shows.

    Example:
        >>> import maskwise, pyarrow as pa
        >>> table = pa.table({"Age": [23, 25, 41, 47]})
        >>> outcome = maskwise.anonymize(table, {"requirements": [{"qid": ["Age"], "k": 2}]})
        >>> report(outcome).data["requirements"][0]["reached"]
        2
    """
    solution = outcome.solution
    return Report(
        {
            "maskwise": version("maskwise"),
            "output": str(outcome.data) if isinstance(outcome.data, Path) else None,
            "source": outcome.source,
            "class": outcome.policy.class_name,
            "rows": outcome.verdict.n_rows,
            **persons_data(outcome.verdict),
            "dropped_rows": outcome.n_dropped,
            "method": str(solution.method),
            "criterion": str(solution.criterion),
            "steps": len(solution.steps),
            "ending": str(solution.ending),
            "requirements": [
                {**finding_data(finding), "implied_by": found.implied_by}
                for finding, found in zip(outcome.verdict.findings, solution.reached, strict=True)
            ],
            "attributes": _attribute_data(solution),
            "passed": list(outcome.passed),
            "dropped": list(solution.drop),
            **({"pseudonyms": [solution.person.column]} if solution.person and solution.person.is_released else {}),
            "notes": list(public_texts(outcome.messages)),
            "protects": [describe_protection(outcome.verdict.unit)],
            "does_not_protect": list(DOES_NOT_PROTECT),
        },
        outcome.verdict,
    )


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
        "groups": finding.n_groups,
        "violating_groups": finding.n_violating_groups,
        f"violating_{finding.unit.plural}": finding.n_violating_records,
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


def _attribute_data(solution: Solution) -> Sequence[dict[str, Any]]:
    return [
        {
            "name": cut.attribute,
            "kind": str(cut.kind),
            "shown": list(cut.labels),
            "missing": str(cut.missing),
        }
        for cut in solution.cuts
    ]
