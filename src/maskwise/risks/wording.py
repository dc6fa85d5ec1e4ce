"""What the figures of risk say, in sentences and cells of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.errors import plural
from maskwise.policy.requirements.qid import called
from maskwise.risks.risk import ColumnSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.risks.risk import Disclosure, GroupRisk, OneMore, PopulationRisk, Risk, UniqueEstimate


def percent(share: float) -> str:
    """A share, with so many digits that one that is not nothing is not shown as nothing.

    >>> percent(0.0444), percent(0.000004), percent(0.0), percent(1.0), percent(0.99999)
    ('4.44 %', '0.0004 %', '0 %', '100 %', '99.999 %')
    """
    shown = 100 * share
    for digits in (3, 4, 5, 6, 9):
        text = f"{shown:.{digits}g}"
        if (float(text) < 100) == (share < 1):  # noqa: PLR2004 - percent
            break
    return f"{float(text):f}".rstrip("0").rstrip(".") + " %"


def columns_cell(one: GroupRisk) -> str:
    """What is known of a record, for a cell of a table."""
    if one.columns_are is ColumnSet.RELEASED:
        return f"all {plural(len(one.columns), 'released column')}"
    return ", ".join(one.columns) + (" (sensitive)" if one.columns_are is ColumnSet.SENSITIVE else "")


def threshold_cells(risk: Risk) -> list[str]:
    """The headers of `above_cells`."""
    return [
        f"above {name}" + ("" if name == f"{limit:g}" else f" ({limit:g})") for name, limit in risk.thresholds.items()
    ]


def above_cells(risk: Risk, one: GroupRisk) -> list[str]:
    """For some columns, the share above each threshold."""
    return [percent(one.above[limit]) for limit in risk.thresholds.values()]


def group_cells(one: GroupRisk) -> list[str]:
    """The figures of some columns: smallest group, highest and average chance, unique."""
    return [f"{one.smallest:,}", percent(one.highest), percent(one.average), percent(one.unique)]


GROUP_HEADERS = ("known of a record", "smallest group", "highest", "average", "unique")
"""The headers of `columns_cell` and `group_cells`."""


def everything_text(risk: Risk) -> str:
    """What somebody finds who knows every released column."""
    of, who = risk.everything, risk.unit.plural
    known = "With the one released column" if len(of.columns) == 1 else f"With all {len(of.columns)} released columns"
    below = "" if of.k is None else f" and {percent(of.below_k or 0)} are in groups smaller than {of.k:,}"
    return f"{known} known, {percent(of.unique)} of the {who} are unique{below}."


def one_more_texts(risk: Risk) -> list[str]:
    """For each QID, which further column makes its groups smallest."""
    of_qid: dict[tuple[str, ...], list[OneMore]] = {}
    for one in risk.one_more:
        of_qid.setdefault(one.qid, []).append(one)
    k_of = {one.columns: one.k for one in risk.qids}
    texts = []
    for qid, found in of_qid.items():
        worst = max(found, key=lambda one: (one.below_k, -one.smallest))
        texts.append(
            f"With one more column than {called(qid)}, at worst `{worst.column}`: the smallest group has "
            f"{plural(worst.smallest, risk.unit)}, {percent(worst.below_k)} are in groups smaller than {k_of[qid]:,}."
        )
    return texts


def explain_groups(risk: Risk) -> str:
    """What the figures of `group_cells` are."""
    return (
        f"Highest and average: the chance to pick the right {risk.unit} among all that show the same in these columns. "
        f"Unique: {risk.unit.plural} that no other is like."
    )


def disclosure_texts(risk: Risk) -> list[str]:
    """For each QID, how well columns can be guessed."""
    of_qid: dict[tuple[str, ...], list[Disclosure]] = {}
    for one in risk.disclosures:
        of_qid.setdefault(one.qid, []).append(one)
    return [
        f"Whoever knows {called(qid)} guesses right: " + "; ".join(_guessed(one) for one in found) + "."
        for qid, found in of_qid.items()
    ]


def _guessed(one: Disclosure) -> str:
    return (
        f"`{one.column}` in {percent(one.guess_rate)} (without knowing them in {percent(one.base_rate)}, in the group "
        f"that tells most in {percent(one.largest_share)})"
    )


def population_text(one: PopulationRisk) -> str:
    """How likely records are found in the population."""
    return (
        f"In the population of {one.n_population:,}, on {called(one.qid)}: journalist at most "
        f"{percent(one.journalist_highest)}, on average {percent(one.journalist_average)}; marketer "
        f"{percent(one.marketer)}."
    )


def estimate_text(one: UniqueEstimate) -> str:
    """How many of the population are likely unique."""
    models: Sequence[tuple[str, float | None]] = (("Zayatz", one.zayatz), ("Pitman", one.pitman), ("SNB", one.snb))
    each = ", ".join(f"{name} {'none' if share is None else percent(share)}" for name, share in models)
    start = f"Of a population of {one.n_population:,}, on {called(one.qid)}: "
    said = "no estimate" if one.estimate is None else f"{percent(one.estimate)} unique by {one.model}"
    return f"{start}{said} ({each}).{f' {one.note}' if one.note else ''}"
