"""How likely somebody is found, in words: the section on risk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maskwise.errors import plural
from maskwise.report.content import Fold, Paragraph, RiskScale, ScaleRow, Section, Subsection, TextTable
from maskwise.report.wording import BANDS, band, chance, listed, percent

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from maskwise.report.content import Block

_SCALE = (
    "In words: a chance of 5 % or less (groups of 20) is called very low, up to 9 % (groups of 12, the threshold of "
    "the European Medicines Agency for published clinical data) low, up to 20 % (groups of 5) moderate, up to 33 % "
    "(groups of 4) high, and anything above very high."
)
_MOST_ROWS = 10
_MOST_SCALES = 12
_MOST_NAMES = 4


def risk_section(risk: dict[str, Any] | None, qids: Collection[tuple[str, ...]] = ()) -> Section | None:
    """What is known of the risk, from the most to the least often asked.

    Args:
        risk: A `Risk` as plain values, or None where nothing was counted.
        qids: What the policy takes an attacker to know; the first sentence is about the worst of these.
    """
    if risk is None:
        return None
    groups = [*risk["qids"], risk["everything"]]
    blocks: list[Block] = [
        Paragraph(_found(risk, qids), is_lead=True),
        Paragraph(_all_columns(risk["everything"], risk["unit"])),
    ]
    rows = tuple(ScaleRow(_known(one, risk), one["average"], one["highest"]) for one in groups if one["n_records"])
    if rows:
        title = "The chance to pick the right record, for somebody who knows all these columns of a person"
        blocks.append(RiskScale(title, rows[-_MOST_SCALES:], BANDS))
    blocks += [Paragraph(_SCALE), _table(groups, risk)]
    blocks += [part for part in (_one_more(risk), _guesses(risk), _populations(risk), _estimates(risk)) if part]
    return Section("risk", "Risk", tuple(blocks))


def _found(risk: dict[str, Any], qids: Collection[tuple[str, ...]]) -> str:
    """The worst of the QIDs, in a sentence."""
    known = [one for one in risk["qids"] if one["n_records"]]
    known = [one for one in known if tuple(one["columns"]) in qids] or known
    if not risk["everything"]["n_records"]:
        return "The release has no record, so nobody can be found in it."
    if not known:
        return "By which columns somebody can be found is not for readers of this report to count."
    worst = max(known, key=lambda one: one["highest"])
    return (
        f"Somebody who knows {listed(worst['columns'])} of a person, and that the person is in the release, picks the "
        f"right {risk['unit']} {_at_most(worst['highest'])} ({percent(worst['highest'])}, {band(worst['highest'])}) "
        f"and {chance(worst['average'])} on average."
    )


def _at_most(highest: float) -> str:
    return "for certain in the smallest group" if highest >= 1 else f"with a chance of {chance(highest)} at most"


def _all_columns(one: dict[str, Any], unit: str) -> str:
    """What every released column together tells."""
    small = ""
    if one["below_k"] is not None and one["k"] is not None:
        small = f", and {percent(one['below_k'])} are in groups smaller than {one['k']:,}"
    columns = plural(len(one["columns"]), "released column")
    return (
        f"Over all {columns} together {percent(one['unique'])} of the {unit}s are unique{small}. "
        "No requirement covers all of them: this is what somebody can tell who knows every column."
    )


def _known(one: dict[str, Any], risk: dict[str, Any]) -> str:
    if one is risk["everything"]:
        return f"all {plural(len(one['columns']), 'released column')}"
    return listed(one["columns"], _MOST_NAMES)


def _table(groups: Sequence[dict[str, Any]], risk: dict[str, Any]) -> TextTable:
    """The figures of each set of columns."""
    names = sorted(risk["thresholds"], key=risk["thresholds"].__getitem__)
    above = [_threshold(risk["thresholds"][name], name) for name in names]
    header = ("what is known", f"smallest group ({risk['unit']}s)", "highest", "average", "unique", *above, "below k")
    rows = []
    for one in groups:
        below = "" if one["below_k"] is None or one["k"] is None else f"{percent(one['below_k'])} (k = {one['k']:,})"
        chances = [f"{chance(one[key])} ({percent(one[key])})" for key in ("highest", "average")]
        over = [percent(one["above"][name]) for name in names]
        rows.append((_known(one, risk), f"{one['smallest']:,}", *chances, percent(one["unique"]), *over, below))
    return TextTable(header, tuple(rows), "Chances to be found, and shares of records", tuple(range(1, len(header))))


def _threshold(threshold: float, name: str) -> str:
    """A threshold, with its name where it has one that is no number."""
    said = f"above {percent(threshold)}"
    is_named = not name.replace(".", "", 1).isdigit()
    return f"{said} ({name})" if is_named else said


def _one_more(risk: dict[str, Any]) -> Subsection | None:
    """What is left of a QID's groups with one more column, the worst first."""
    if not risk["one_more"]:
        return None
    found = sorted(risk["one_more"], key=lambda one: (-one["below_k"], one["smallest"]))
    header = ("also known", "beside", "smallest group", "below k")
    rows = [
        (one["column"], listed(one["qid"], _MOST_NAMES), f"{one['smallest']:,}", percent(one["below_k"]))
        for one in found
    ]
    said = "The same for somebody who knows one more released column."
    tables: list[Block] = [Paragraph(said), TextTable(header, tuple(rows[:_MOST_ROWS]), numeric=(2, 3))]
    if len(rows) > _MOST_ROWS:
        rest = TextTable(header, tuple(rows[_MOST_ROWS:]), numeric=(2, 3))
        tables.append(Fold(plural(len(rows) - _MOST_ROWS, "more row"), (rest,)))
    return Subsection("One more column", tuple(tables))


def _guesses(risk: dict[str, Any]) -> Subsection | None:
    """How well a column can be guessed, beside guessing without the release's groups."""
    if not risk["disclosures"]:
        return None
    header = ("guessed", "by", "guessed right", "without the groups", "largest share in a group", "fewest values")
    rows = tuple(
        (
            one["column"],
            listed(one["qid"], _MOST_NAMES),
            percent(one["guess_rate"]),
            percent(one["base_rate"]),
            percent(one["largest_share"]),
            f"{one['least_distinct']:,} (effectively {one['least_entropy']:.2f})",
        )
        for one in risk["disclosures"]
    )
    said = (
        "How often a guess is right that names the commonest value of a person's group, beside one that names the "
        "commonest value of the table for everybody."
    )
    return Subsection("Guessing a column", (Paragraph(said), TextTable(header, rows, numeric=(2, 3, 4, 5))))


def _populations(risk: dict[str, Any]) -> Subsection | None:
    """The chances of somebody who has a table of the population."""
    if not risk["populations"]:
        return None
    header = ("what is known", "population", "highest", "average", "found if all are tried")
    rows = tuple(
        (
            listed(one["qid"], _MOST_NAMES),
            f"{one['n_population']:,}",
            *(percent(one[key]) for key in ("journalist_highest", "journalist_average", "marketer")),
        )
        for one in risk["populations"]
    )
    said = "For somebody who has a table of the population and does not know who is in the release."
    return Subsection("Against the population", (Paragraph(said), TextTable(header, rows, numeric=(1, 2, 3, 4))))


def _estimates(risk: dict[str, Any]) -> Subsection | None:
    """How many people of the population are likely to be unique."""
    if not risk["estimates"]:
        return None
    header = ("what is known", "population", "unique", "model", "Zayatz", "Pitman", "SNB")
    rows = tuple(
        (
            listed(one["qid"], _MOST_NAMES),
            f"{one['n_population']:,}",
            _estimate(one["estimate"]),
            one["model"],
            *(_estimate(one[model]) for model in ("zayatz", "pitman", "snb")),
        )
        for one in risk["estimates"]
    )
    said = (
        "The share of the population that is likely to be unique, estimated from the release and the population's size."
    )
    return Subsection("Unique in the population", (Paragraph(said), TextTable(header, rows, numeric=(1, 2, 4, 5, 6))))


def _estimate(share: float | None) -> str:
    return "no solution" if share is None else percent(share)
