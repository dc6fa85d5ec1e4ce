"""What a run asked, reached and shows, for people and for scripts.

The report for recipients holds only what follows from the release and the
policy without its protected values. The owner's says everything.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from maskwise.errors import InputError, plural
from maskwise.policy.requirements.wording import plain_figure
from maskwise.report.html import write_html
from maskwise.report.markdown import write_markdown
from maskwise.report.regional import describe_regional_ending, label_data, regions_data
from maskwise.report.results import results_data
from maskwise.report.sections import OWNER_ONLY, sections
from maskwise.report.suppression_section import suppression_data
from maskwise.report.trees import is_coarser
from maskwise.report.wording import Summary, figure_words, requirement_sentence
from maskwise.solution.cut import MissingShown
from maskwise.values.message import Audience

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.outcome import Applied, Outcome
    from maskwise.policy.requirements.base import Requirement
    from maskwise.policy.requirements.unit import Unit
    from maskwise.report.content import Section
    from maskwise.solution.cut import Cut
    from maskwise.solution.solution import Solution
    from maskwise.verify.verdict import Finding, Verdict

TITLE = "Masking report"
SUFFIXES = (".html", ".md", ".txt", ".json")
DOES_NOT_PROTECT = (
    "It says nothing about columns outside the listed requirements; they were released as they were.",
    "k-anonymity alone bounds linking, not inference: if a whole group shares a sensitive value, it is given away.",
    (
        "An attacker who knows the algorithm and the policy may narrow a masked value down further (minimality and "
        "downcoding attacks)."
    ),
    "Several releases of the same people can be combined; each release is checked by itself only.",
)
_TOGETHER = (
    "Several releases of the same people can be combined; this one was checked together with {releases}, and with no "
    "other."
)
"""What is said instead of the last of these where earlier releases were counted with."""


class ClassifierCost(Protocol):
    """What masking costs a classifier, as `maskwise.evaluate` measures it."""

    @property
    def class_name(self) -> str:
        """The class column, which was predicted."""

    @property
    def n_tested(self) -> int:
        """The number of predictions that each error is a share of."""

    def to_data(self) -> list[dict[str, Any]]:
        """The errors as plain values."""


@dataclass(frozen=True, slots=True)
class Report:
    """A run in words and figures."""

    data: dict[str, Any]
    """Everything the report says, as plain values."""
    outcome: Outcome
    """The run that it tells of."""
    audience: Audience = Audience.RECIPIENT
    """Who may read it."""

    def sections(self) -> tuple[Section, ...]:
        """Everything the report says, in the order in which people read it."""
        return sections(self.data, self.outcome, self.audience)

    def to_json(self) -> str:
        """For scripts."""
        return json.dumps(self.data, indent=2, ensure_ascii=False) + "\n"

    def to_markdown(self) -> str:
        """For people who read text."""
        return write_markdown(TITLE, self._warning, self.sections())

    def to_html(self) -> str:
        """For people, as one page that needs nothing else, on a screen or on paper."""
        asked = plural(len(self.data["requirements"]), "requirement")
        about = f"{plural(self.data['rows'], 'record')}, {asked}"

        made_by = f"Written by maskwise {self.data['maskwise']}."
        return write_html(TITLE, about, self._warning, self.sections(), made_by)

    @property
    def _warning(self) -> str | None:
        return OWNER_ONLY if self.audience is Audience.OWNER else None

    def render(self, path: Path) -> str:
        """The form that a file's suffix asks for."""
        check_suffix(path)
        return {".json": self.to_json, ".html": self.to_html}.get(path.suffix, self.to_markdown)()


def check_suffix(path: Path) -> None:
    """Refuse a report in a form that does not exist."""
    if path.suffix not in SUFFIXES:
        msg = f"A report is written as .html, .md, .txt or .json; found `{path.name}`."
        raise InputError(msg)


def describe_ending(data: dict[str, Any]) -> str:
    """Say how the search ended, and claim no more than it tried: one split of each interval, not all."""
    if "regions" in data:
        return describe_regional_ending(data)
    has_intervals = any(item["kind"] == "interval" for item in data["attributes"])
    if data["ending"] == "met":
        n = plural(data["steps"], "generalization")
        of_intervals = " (of intervals, from the smallest that the search made)" if has_intervals else ""
        return f"{n} from the raw values{of_intervals}; then every requirement held."
    n = plural(data["steps"], "refinement")
    if data["ending"] in {"maximal", "exhausted"}:
        once = "" if data["ending"] == "maximal" else ", now or when it was tried,"
        tried = f"{n}; every further refinement that the search considers would break a requirement{once}"
        is_one_split = has_intervals and data["criterion"] != "conditional"
        other = " An interval is only ever split where it tells most; a split elsewhere might still be safe."
        return f"{tried} or gain nothing.{other if is_one_split else ''}"
    return f"The search was stopped early ({data['ending']}) after {n}. The table is safe, but more could be shown."


def shown_values(item: dict[str, Any]) -> list[str]:
    """The values an attribute shows, a missing cell among them."""
    return [*item["shown"], "(missing)"] if item.get("missing") == MissingShown.ITSELF else list(item["shown"])


def report(outcome: Outcome, audience: Audience = Audience.RECIPIENT, cost: ClassifierCost | None = None) -> Report:
    """Say what a run asked, reached and shows.

    Args:
        outcome: The run.
        audience: Recipients read only what follows from the release and the policy without its protected values. The
            owner reads everything.
        cost: What masking costs a classifier, where that was measured; only the owner reads it.

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
    messages = [message for message in outcome.messages if not is_public or message.for_recipient is not None]
    texts = {message: message.for_recipient if is_public else message.text for message in messages}
    run = {
        "output": str(outcome.data) if isinstance(outcome.data, Path) else None,
        "source": outcome.source,
        "dropped_rows": outcome.n_dropped,
        "steps": len(solution.steps),
        "ending": str(solution.ending),
    }
    data: dict[str, Any] = {
        "maskwise": version("maskwise"),
        "class": outcome.policy.class_name,
        "rows": verdict.n_rows,
        **({} if is_public and not outcome.solution.is_unit_released else persons_data(verdict)),
        **({} if is_public else run),
        "method": str(solution.method),
        "criterion": str(solution.criterion),
        "requirements": [
            {**found, "implied_by": reached.implied_by, "sentence": _sentence(found, finding)}
            for found, reached, finding in zip(findings, solution.reached, verdict.findings, strict=True)
        ],
        "attributes": _attribute_data(outcome, is_public=is_public),
        **regions_data(outcome, is_public=is_public),
        "passed": list(outcome.passed),
        "dropped": list(outcome.policy.dropped(()) if is_public else solution.drop),
        **({"pseudonyms": [solution.person.column]} if solution.person and solution.person.is_released else {}),
        "warnings": [texts[message] for message in messages if message.is_warning],
        "notes": [texts[message] for message in messages if not message.is_warning],
        "protects": list(what_is_protected(outcome.policy.requirements, verdict.unit, is_whole=_is_whole(outcome))),
        "does_not_protect": list(what_is_not_protected(len(solution.against))),
        "common_rows": _common_rows(outcome),
        **results_data(outcome, is_public=is_public),
        **suppression_data(outcome, is_public=is_public),
    }
    if not is_public:
        data["how_it_ended"] = describe_ending(data)
        data["curve"] = _curve_data(outcome)
        if cost is not None:
            data["cost"] = {"class": cost.class_name, "tested": cost.n_tested, "errors": cost.to_data()}
    data["summary"] = list(_summary(data, outcome).sentences())
    return Report(data, outcome, audience)


def _sentence(found: dict[str, Any], finding: Finding) -> str:
    """A requirement with what readers may know of its figures."""
    smallest = found["group_sizes"]["min"] if "group_sizes" in found else None
    figure = figure_words(finding.requirement, found["reached"]) if "reached" in found else None
    return requirement_sentence(finding.requirement, finding.unit, smallest, figure)


def _summary(data: dict[str, Any], outcome: Outcome) -> Summary:
    """The figures of the sentences that a manager reads."""
    items = list(zip(data["requirements"], outcome.policy.requirements, strict=True))
    sizes = [found["group_sizes"]["min"] for found, asked in items if "group_sizes" in found and asked.k is not None]
    solution = outcome.solution
    cuts = (*solution.cuts, *solution.fixed)
    return Summary(
        n_records=data["rows"],
        n_columns=len(cuts) + len(data["passed"]) + len(data.get("pseudonyms", ())),
        n_coarser=sum(is_coarser(cut, solution.shown_labels(cut)) for cut in cuts),
        without_values=tuple(cut.attribute for cut in cuts if _shows_nothing(cut, solution)),
        n_asked=len(items),
        n_held=sum(found["holds"] for found, _ in items),
        is_whole=_is_whole(outcome),
        smallest=min(sizes, default=None),
        unit=outcome.verdict.unit,
    )


def _shows_nothing(cut: Cut, solution: Solution) -> bool:
    """Whether every record has the same label of a cut, and that is no value."""
    labels = solution.shown_labels(cut)
    return len(labels) == 1 and not solution.shows_missing(cut) and is_coarser(cut, labels)


def _common_rows(outcome: Outcome) -> list[dict[str, Any]]:
    """The commonest rows of the release, by its masked columns."""
    return [{"records": row.n_records, "shown": dict(row.shown)} for row in outcome.common]


def _curve_data(outcome: Outcome) -> list[dict[str, Any]]:
    """What each step kept and reached."""
    return [
        {**asdict(point), "requirements": [plain_figure(figure) for figure in point.requirements]}
        for point in outcome.curve
    ]


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


def what_is_not_protected(n_earlier: int = 0) -> tuple[str, ...]:
    """What a release does not protect, in sentences.

    Args:
        n_earlier: How many earlier releases were counted with.
    """
    if not n_earlier:
        return DOES_NOT_PROTECT
    return (*DOES_NOT_PROTECT[:-1], _TOGETHER.format(releases=plural(n_earlier, "earlier release")))


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
        **({"suppressed": applied.n_suppressed} if applied.n_suppressed else {}),
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


def _attribute_data(outcome: Outcome, *, is_public: bool) -> Sequence[dict[str, Any]]:
    """How each attribute is shown; whether a cell that is hidden was missing is the owner's to know."""
    solution = outcome.solution
    by_label = {} if outcome.regions is None else {one.attribute: one for one in outcome.regions.attributes}
    return [
        {
            "name": cut.attribute,
            "kind": str(cut.kind),
            "shown": list(solution.shown_labels(cut) if is_public else cut.labels),
            **({"missing": str(cut.missing)} if not is_public or solution.shows_missing(cut) else {}),
            **(label_data(by_label[cut.attribute]) if cut.attribute in by_label else {}),
        }
        for cut in (*solution.cuts, *solution.fixed)
    ]
