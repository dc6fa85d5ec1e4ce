"""What a run asked, reached and shows, for people and for scripts.

A report holds only what the release itself shows, so it may accompany it.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.errors import InputError, plural
from maskwise.formats.requirement_file import without_values
from maskwise.policy.requirements.closeness import Closeness
from maskwise.policy.requirements.confidence import Confidence, Template, protected
from maskwise.policy.requirements.diversity import Diversity
from maskwise.policy.requirements.lkc import LKC
from maskwise.values.message import public_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.pipeline import Applied, Outcome
    from maskwise.policy.requirements.all import Requirement
    from maskwise.solution.solution import Solution
    from maskwise.verify.verdict import Finding, Verdict

PROTECTS = (
    (
        "In the released table, every combination of values on a listed quasi-identifier is shared by at least the "
        "stated number of records, no protected value has more than the stated share in any of them, and protected "
        "columns are as diverse or as close to the whole table as stated. "
        "This was recounted from the table as released."
    ),
)
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

    def to_json(self) -> str:
        """For scripts."""
        return json.dumps(self.data, indent=2, ensure_ascii=False) + "\n"

    def to_markdown(self) -> str:
        """For people."""
        data = self.data
        summary = f"{plural(data['rows'], 'record')} of `{data['source']}`. {describe_ending(data)}"
        lines = ["# Masking report", "", summary, ""]
        lines += ["| quasi-identifier | asked | reached | groups | smallest group |", "| --- " * 5 + "|"]
        for item in data["requirements"]:
            implied = " (implied by another)" if item["implied_by"] is not None else ""
            lines.append(
                f"| {', '.join(item['qid'])}{implied} | {asked(item)} | {reached(item)} | {item['groups']:,} "
                f"| {item['group_sizes']['min']:,} |"
            )
        lines += ["", "| attribute | masked by | shown as |", "| --- | --- | --- |"]
        lines += [f"| {a['name']} | {a['kind']} | {', '.join(shown_values(a))} |" for a in data["attributes"]]
        for title, key in (("Released as they were", "passed"), ("Left out", "dropped")):
            if data[key]:
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
    if data["ending"] == "maximal":
        tried = f"{n}; every further refinement that `{data['criterion']}` considers would break a requirement or gain"
        is_one_split = has_intervals and data["criterion"] != "conditional"
        other = " An interval is only ever split where it tells most; a split elsewhere might still be safe."
        return f"{tried} nothing.{other if is_one_split else ''}"
    return f"The search was stopped early ({data['ending']}) after {n}. The table is safe, but more could be shown."


def asked(item: dict[str, Any], requirement: Requirement | None = None) -> str:
    """What a requirement asked, for a table cell.

    Args:
        item: The requirement as a report has it, without protected values.
        requirement: The requirement itself, where they may be named.
    """
    wanted = [f"k = {item['k']:,}"] if "k" in item else []
    if isinstance(requirement, Confidence | LKC):
        bounds = dict.fromkeys(bound for _, _, bound in requirement.sensitive)
        own = [[one for one in requirement.sensitive if one[2] == bound] for bound in bounds]
        wanted += [f"{protected(ones)} at most {float(ones[0][2]):.4g}" for ones in own]
    elif isinstance(item.get("sensitive"), list):
        wanted += dict.fromkeys(f"{one['column']} at most {one['confidence']:.4g}" for one in item["sensitive"])
    if "asks" in item:
        wanted.append(item["asks"])
    known = f" for any {item['lkc']['L']} of them" if "lkc" in item else ""
    return ", ".join(wanted) + known


def reached(item: dict[str, Any]) -> str:
    """What it reached, for a table cell: of an lkc requirement the smallest group and the largest confidence."""
    shares = [one["reached"] for one in item["sensitive"]] if isinstance(item.get("sensitive"), list) else []
    also = f", confidence {figure_text(max(shares))}" if "k" in item and shares else ""
    return figure_text(item["reached"]) + also


def figure_text(figure: float | None) -> str:
    """A figure as people read it: counts whole, shares and distances with four decimals.

    >>> figure_text(1200), figure_text(0.25), figure_text(None)
    ('1,200', '0.2500', 'unbounded')
    """
    if figure is None or figure == math.inf:
        return "unbounded"
    return f"{figure:,}" if isinstance(figure, int) else f"{figure:.4f}"


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
            "notes": list(public_texts(outcome.messages)),
            "protects": list(PROTECTS),
            "does_not_protect": list(DOES_NOT_PROTECT),
        }
    )


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """A verdict as plain values."""
    return {
        "holds": verdict.is_met,
        "rows": verdict.n_rows,
        "requirements": [finding_data(finding) for finding in verdict.findings],
    }


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
        **_asked(finding),
        "reached": _plain(finding.figure),
        "holds": finding.is_met,
        "groups": finding.n_groups,
        "violating_groups": finding.n_violating_groups,
        "violating_records": finding.n_violating_records,
        "group_sizes": {
            "min": finding.anonymity,
            "quartile": finding.quantile(0.25),
            "median": finding.quantile(0.5),
            "three_quarters": finding.quantile(0.75),
            "max": finding.sizes[-1][0] if finding.sizes else 0,
            "histogram": [
                {"from": low, "to": high, "groups": n, "records": records}
                for low, high, n, records in finding.histogram()
            ],
        },
    }


def _asked(finding: Finding) -> dict[str, Any]:
    """What was asked, and the group that stands worst by each rule, but no protected value."""
    asked = finding.requirement
    said = {"qid": list(asked.qid), **without_values(asked)}
    told = [
        {
            "reached": _plain(tight.figure),
            "tightest_group": {
                **({"qid": list(tight.part.qid)} if isinstance(asked, LKC) else {}),
                "shown": list(tight.shown),
                "records": tight.n_records,
            },
        }
        for tight in finding.tightest
    ]
    protected = [tight.part for tight in finding.tightest]
    if isinstance(asked, Diversity | Closeness):
        return {**said, "asks": asked.asks().removesuffix(f" on {asked.name}"), **(told[0] if told else {})}
    if isinstance(asked, Confidence | LKC) and asked.sensitive:
        said["sensitive"] = [
            {"column": part.sensitive, "confidence": float(part.bound), **one}
            for part, one in zip(protected, told, strict=True)
            if isinstance(part, Template)
        ]
    if isinstance(asked, LKC) and asked.k is not None and told:
        said["tightest_group"] = told[0]["tightest_group"]
    return said


def _plain(figure: float) -> float | None:
    """A figure as JSON has it: nothing stands for a ratio without bound."""
    return None if figure == math.inf else figure


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
