"""The sections of a report, filled from what it says as plain values.

Every figure comes from the report's data, which is also its JSON form, so that
all forms agree. What recipients must not read is not in their data, and so in
no section.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maskwise.errors import plural
from maskwise.policy.requirements.unit import Unit
from maskwise.release.common_rows import MOST_COLUMNS
from maskwise.report.content import (
    Attributes,
    Bar,
    BarChart,
    Bullets,
    Fold,
    Mark,
    Paragraph,
    Section,
    Statement,
    Subsection,
    TextTable,
)
from maskwise.report.examples import made_up_rows
from maskwise.report.owner_sections import cost_section, curve_section, why_section
from maskwise.report.regional import about_regions
from maskwise.report.risk_section import risk_section
from maskwise.report.suppression_section import suppression_section
from maskwise.report.trees import MISSING, attribute_released, attribute_shown
from maskwise.report.wording import known_columns, percent, size_range
from maskwise.values.message import Audience

if TYPE_CHECKING:
    from maskwise.outcome import Outcome
    from maskwise.report.content import Block

COLUMNS = (("Released as they were", "passed"), ("Left out", "dropped"), ("As pseudonyms", "pseudonyms"))
"""How the lists of columns that are not masked are called, and their keys in a report."""
OWNER_ONLY = "For the owner: this report says more than the release. Do not hand it out."
_RESULTS = {"passed": Mark.HELD, "failed": Mark.NOT_HELD}
"""How the results of attacks are marked; others are neither held nor not."""
_MOST_REQUIREMENTS = 6
"""So many pictures of group sizes are open."""


def sections(data: dict[str, Any], outcome: Outcome, audience: Audience) -> tuple[Section, ...]:
    """Everything that a report says, in the order in which people read it.

    Args:
        data: What the report says, as plain values.
        outcome: The run, for its trees and for how requirements are put.
        audience: Who reads it.
    """
    made = (
        _summary(data, audience),
        _messages("warnings", "Warnings", data["warnings"]),
        _requirements(data, outcome, audience),
        suppression_section(data.get("suppression")),
        risk_section(data.get("risk"), {one.qid for one in outcome.policy.requirements}),
        _attacks(data.get("attacks", ())),
        _group_sizes(data, outcome),
        _attributes(outcome, audience),
        _rows(data, outcome, audience),
        curve_section(data.get("curve", ()), outcome),
        cost_section(data.get("cost")),
        why_section(data.get("why")),
        _columns(data),
        _messages("notes", "Notes", data["notes"]),
        _messages("protects", "What this protects", data["protects"]),
        _messages("limits", "What it does not", data["does_not_protect"]),
    )
    return tuple(section for section in made if section is not None)


def _summary(data: dict[str, Any], audience: Audience) -> Section:
    said: list[Block] = [Paragraph(" ".join(data["summary"]), is_lead=True)]
    if audience is Audience.OWNER:
        left_out = data["dropped_rows"]
        dropped = f" {plural(left_out, 'record')} left out because a masked cell is missing." if left_out else ""
        said.append(
            Paragraph(f"{plural(data['rows'], 'record')} of `{data['source']}`.{dropped} {data['how_it_ended']}")
        )
    return Section("summary", "In short", tuple(said))


def _messages(key: str, title: str, texts: list[str]) -> Section | None:
    return Section(key, title, (Bullets(tuple(texts)),)) if texts else None


def _requirements(data: dict[str, Any], outcome: Outcome, audience: Audience) -> Section:
    """A sentence for each requirement, and a table with the exact figures."""
    findings, unit = outcome.verdict.findings, outcome.verdict.unit
    statements = tuple(
        Statement(Mark.HELD if item["holds"] else Mark.NOT_HELD, item["sentence"]) for item in data["requirements"]
    )
    smallest = "smallest group" if unit is Unit.RECORD else f"smallest group ({unit.plural})"
    rows = []
    for item, finding in zip(data["requirements"], findings, strict=True):
        implied = " (implied by another)" if item["implied_by"] is not None else ""
        # Where a protected value is most common would tell recipients which one is protected.
        worst = () if audience is Audience.RECIPIENT else finding.tightest
        reached = finding.requirement.reached_cell(finding.figure, worst) if "reached" in item else "holds"
        sizes = [f"{item['groups']:,}", f"{item['group_sizes']['min']:,}"] if "groups" in item else ["", ""]
        rows.append((", ".join(item["qid"]) + implied, finding.requirement.asked_cell(), reached, *sizes))
    table = TextTable(("quasi-identifier", "asked", "reached", "groups", smallest), tuple(rows), numeric=(2, 3, 4))
    counted = (
        "A quasi-identifier is a set of columns that others may know of a person. "
        + ("Every record is taken for a person of its own. " if unit is Unit.RECORD else "Persons are counted. ")
        + f"A group is all {unit.plural} that show the same values on it."
    )
    return Section("requirements", "What was asked and reached", (*statements, table, Paragraph(counted)))


def _attacks(attacks: list[dict[str, Any]]) -> Section | None:
    """Each attack with what the attacker knows, how it ended and its figure."""
    if not attacks:
        return None
    statements = tuple(
        Statement(
            _RESULTS.get(one["result"], Mark.NOT_RUN), f"{one['attack'].capitalize()}: {one['text']}", one["result"]
        )
        for one in attacks
    )
    rows = tuple(
        (
            one["attack"],
            one["knows"],
            one["result"],
            *("" if one.get(key) is None else f"{one[key]:,.4g}" for key in ("figure", "bound")),
        )
        for one in attacks
    )
    header = ("attack", "the attacker knows", "result", "figure", "allowed")
    return Section("attacks", "Attacks tried", (*statements, TextTable(header, rows, numeric=(3, 4))))


def _groups_told(item: dict[str, Any]) -> tuple[object, ...]:
    """What tells the groups of a requirement from those of another one."""
    sizes = {key: size for key, size in item["group_sizes"].items() if key != "histogram"}
    return (frozenset(item["qid"]), item["groups"], *sizes.values())


def _group_sizes(data: dict[str, Any], outcome: Outcome) -> Section | None:
    """How many records stand in groups of which size, for each set of columns."""
    unit = outcome.verdict.unit
    charts: list[Block] = []
    items = [
        (item, finding)
        for item, finding in zip(data["requirements"], outcome.verdict.findings, strict=True)
        if "group_sizes" in item
    ]
    # The same groups are drawn once, in the ranges of the k that is asked.
    with_k = {_groups_told(item) for item, finding in items if finding.requirement.k is not None}
    seen = set()
    for item, finding in items:
        ranges = item["group_sizes"]["histogram"]
        told = _groups_told(item)
        if told in seen or (finding.requirement.k is None and told in with_k):
            continue
        seen.add(told)
        total = max(sum(row[unit.plural] for row in ranges), 1)
        bars = tuple(
            Bar(
                size_range(row["from"], row["to"]),
                row[unit.plural] / total,
                f"{percent(row[unit.plural] / total)} of {unit.plural}, in {plural(row['groups'], 'group')}"
                if row["groups"]
                else "none",
            )
            for row in ranges
        )
        asked = f"; {finding.requirement.k:,} was asked" if finding.requirement.k is not None else ""
        sizes = item["group_sizes"]
        spread = f"Smallest group {sizes['min']:,}{asked}; half of the groups have {sizes['median']:,} or fewer."
        title = f"Groups by {known_columns(finding.requirement)}"
        charts.append(
            Subsection(title, (BarChart(title, bars, (f"{unit.plural} in a group", unit.plural)), Paragraph(spread)))
        )
    if len(charts) > _MOST_REQUIREMENTS:
        rest = charts[_MOST_REQUIREMENTS:]
        charts = [*charts[:_MOST_REQUIREMENTS], Fold(plural(len(rest), "more picture"), tuple(rest))]
    return Section("sizes", "Group sizes", tuple(charts)) if charts else None


def _attributes(outcome: Outcome, audience: Audience) -> Section | None:
    cuts = (*outcome.solution.cuts, *outcome.solution.fixed)
    is_public = audience is Audience.RECIPIENT
    by_label = {} if outcome.regions is None else {one.attribute: one for one in outcome.regions.attributes}
    shown = tuple(
        # Where records are suppressed, a picture of the whole cut would tell what only they show.
        attribute_released(cut, outcome.solution)
        if is_public and outcome.solution.suppression is not None
        else attribute_shown(cut, by_label.get(cut.attribute), is_public=is_public)
        for cut in cuts
    )
    about = () if outcome.regions is None else (Paragraph(about_regions(outcome.regions)),)
    return Section("attributes", "How each attribute is shown", (*about, Attributes(shown))) if shown else None


def _rows(data: dict[str, Any], outcome: Outcome, audience: Audience) -> Section | None:
    """The commonest rows as released; for the owner also rows of nobody, before and after."""
    names = [cut.attribute for cut in outcome.solution.cuts][:MOST_COLUMNS]
    n_more = len(outcome.solution.cuts) - len(names)
    more = f" {plural(n_more, 'more masked column')} not shown here." if n_more else ""
    blocks: list[Block] = []
    if data["common_rows"]:
        rows = tuple(
            (f"{row['records']:,}", *(MISSING if row["shown"][name] is None else row["shown"][name] for name in names))
            for row in data["common_rows"]
        )
        text = f"The rows of the release that most records share, by its masked columns.{more}"
        blocks += [Paragraph(text), TextTable(("records", *names), rows, numeric=(0,))]
    if audience is Audience.OWNER and names:
        people = [row[: len(names)] for row in made_up_rows(outcome.solution.cuts, regions=outcome.solution.regions)]
        rows = tuple(
            (str(number), *(f"{before} \N{RIGHTWARDS ARROW} {after}" for before, after in person))
            for number, person in enumerate(people, start=1)
        )
        said = (
            "Before and after, for people who do not exist: each value was put in by itself, none was read from a row."
        )
        blocks += [Paragraph(said), TextTable(("row", *names), rows, numeric=(0,))]
    return Section("rows", "Rows", tuple(blocks)) if blocks else None


def _columns(data: dict[str, Any]) -> Section | None:
    """The columns that are not masked."""
    texts = [f"{line}." for line in column_lines(data)]
    return Section("columns", "Other columns", (Bullets(tuple(texts)),)) if texts else None


def column_lines(data: dict[str, Any]) -> list[str]:
    """What becomes of the columns that are not masked, and which of them is to be predicted.

    Args:
        data: What a report says.
    """
    wanted, passed = data["class"], data.get("passed") or ()
    names = {wanted: f"{wanted} (to be predicted)"} if wanted in passed else {}
    lines = [
        f"{title}: {', '.join(names.get(name, name) for name in data[key])}" for title, key in COLUMNS if data.get(key)
    ]
    return lines if wanted is None or wanted in passed else [*lines, f"To be predicted: {wanted}"]
