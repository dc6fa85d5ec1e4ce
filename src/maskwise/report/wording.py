"""Figures, names and requirements as sentences that need no glossary."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from maskwise.errors import plural
from maskwise.policy.requirements.wording import figure_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.policy.requirements.base import Requirement
    from maskwise.policy.requirements.unit import Unit

BANDS = ((0.05, "very low"), (0.09, "low"), (0.2, "moderate"), (0.33, "high"), (1.0, "very high"))
"""Chances to be found, in words: the ends are the thresholds that authorities and statistics offices use."""
_MOST_NAMES = 8
_SMALL = 1e-4
_MANY = 10
"""From so many on, odds are whole."""


def listed(names: Sequence[str], most: int = _MOST_NAMES, noun: str = "column") -> str:
    """Names in a sentence; of many, the rest is counted.

    >>> listed(["age", "sex", "job"]), listed(list("abcdefghijk"), 3)
    ('age, sex and job', 'a, b, c and 8 more columns')
    """
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {plural(len(names) - most, f'more {noun}')}"
    *first, last = names or ("nothing",)
    return f"{', '.join(first)} and {last}" if first else last


def percent(share: float) -> str:
    """A share as people read it; one that is not 0 never looks like it.

    >>> percent(0.0444), percent(0.5), percent(0), percent(1), percent(0.000001), percent(0.99999)
    ('4.44 %', '50 %', '0 %', '100 %', 'below 0.01 %', 'above 99.99 %')
    """
    if 0 < share < _SMALL:
        return "below 0.01 %"
    if 1 - _SMALL < share < 1:
        return "above 99.99 %"
    return f"{100 * share:.2f}".rstrip("0").rstrip(".") + " %"


def chance(probability: float) -> str:
    """A chance as people read it.

    >>> chance(1 / 87), chance(1.0), chance(0), chance(0.4)
    ('1 in 87', 'certain', 'none', '1 in 2.5')
    """
    if probability <= 0:
        return "none"
    if probability >= 1:
        return "certain"
    odds = 1 / probability
    return f"1 in {odds:,.0f}" if odds >= _MANY else f"1 in {odds:,.1f}".removesuffix(".0")


def band(probability: float) -> str:
    """The name of a chance's stretch of the scale.

    >>> band(1 / 87), band(0.09), band(0.5)
    ('very low', 'low', 'very high')
    """
    return next(name for most, name in BANDS if probability <= most or most == 1)


def known_columns(requirement: Requirement) -> str:
    """What an attacker is taken to know."""
    sizes = {len(part.qid) for part in requirement.parts}
    if max(sizes, default=0) < len(requirement.qid):
        return f"any {max(sizes)} of {listed(requirement.qid)}"
    return listed(requirement.qid)


def requirement_sentence(requirement: Requirement, unit: Unit, smallest: int | None, figure: str | None) -> str:
    """What a requirement asks and reaches, for readers who know no privacy model.

    Args:
        requirement: What was asked.
        unit: What was counted.
        smallest: The smallest group; None where readers must not learn it.
        figure: The figure that was reached, in words; None likewise.
    """
    by = known_columns(requirement)
    said = []
    if requirement.k is not None:
        others = f"at least {requirement.k - 1:,} {'other' if requirement.k == 2 else 'others'}"  # noqa: PLR2004
        told = f"Nobody can be told apart from {others} by {by}"
        if requirement.k == 1:
            told = f"Groups by {by} may have a single {unit}"
        size = "" if smallest is None else f"; the smallest group has {plural(smallest, unit)}"
        said.append(f"{told}{size}.")
    if requirement.confidences:
        columns = dict.fromkeys(part.counted.column for part in requirement.parts if part.counted is not None)
        bounds = sorted({percent(float(bound)) for bound in requirement.confidences})
        alike = f"Among {unit.plural} alike by {by}, no protected value of {listed(list(columns))}"
        has = f"is shared by more than {listed(bounds)}"
        largest = "" if figure is None or requirement.k is not None else f"; the largest share is {figure}"
        said.append(f"{alike} {has}{largest}.")
    if not said:
        reached = "" if figure is None else f"; the worst group reaches {figure}"
        said.append(f"Among {unit.plural} alike by {by}: {requirement.asked_cell()}{reached}.")
    return " ".join(said)


def figure_words(requirement: Requirement, figure: float | None) -> str:
    """The figure of a requirement; shares in percent.

    Args:
        requirement: What was asked.
        figure: What was reached; None has no bound.
    """
    is_share = bool(requirement.confidences) and requirement.k is None
    return percent(figure) if is_share and figure is not None and math.isfinite(figure) else figure_text(figure)


def size_range(low: int, high: int | None) -> str:
    """A range of group sizes.

    >>> size_range(1, 49), size_range(5000, None), size_range(1, 1)
    ('1 to 49', '5,000 and more', '1')
    """
    if high is None:
        return f"{low:,} and more"
    return f"{low:,} to {high:,}" if high > low else f"{low:,}"


@dataclass(frozen=True, slots=True)
class Summary:
    """What a few sentences for a manager say."""

    n_records: int
    """The records of the release."""
    n_columns: int
    """Its columns."""
    n_coarser: int
    """The columns that show coarser or hidden values."""
    without_values: tuple[str, ...]
    """Those of them that show nothing: every record has the same label."""
    n_asked: int
    """The requirements."""
    n_held: int
    """How many of them hold."""
    is_whole: bool
    """Whether all of them could be recounted in the release itself."""
    smallest: int | None
    """The smallest group by a QID that has a k; None where there is none, or where readers must not learn it."""
    unit: Unit
    """What was counted."""

    def sentences(self) -> tuple[str, ...]:
        """What the release is, which columns show nothing, and that its promises were counted.

        >>> from maskwise.policy.requirements.unit import Unit
        >>> for sentence in Summary(9000, 12, 8, ("age", "race"), 2, 2, True, 59, Unit.RECORD).sentences()[1:]:
        ...     print(sentence)
        In age and race every record has the same label, so these columns show nothing.
        Both requirements hold, recounted in the release as it was written; the smallest group has 59 records.
        """
        shape = f"This release has {plural(self.n_records, 'record')} in {plural(self.n_columns, 'column')}"
        shows = "shows" if self.n_coarser == 1 else "show"
        done = f"{shape}; {self.n_coarser or 'none'} of them {shows} coarser or hidden values"
        done += ", so that people in it are harder to recognise." if self.n_coarser else "."
        many = {1: "The requirement holds", 2: "Both requirements hold"}
        held = many.get(self.n_asked, f"All {self.n_asked:,} requirements hold")
        if self.n_held < self.n_asked:
            held = f"{self.n_held:,} of {plural(self.n_asked, 'requirement')} hold"
        where = (
            "in the release as it was written"
            if self.is_whole
            else "in the masked records, before columns were left out"
        )
        least = "" if self.smallest is None else f"; the smallest group has {plural(self.smallest, self.unit)}"
        columns = "this column shows" if len(self.without_values) == 1 else "these columns show"
        same = f"In {listed(self.without_values)} every record has the same label, so {columns} nothing."
        return (done, *([same] if self.without_values else []), f"{held}, recounted {where}{least}.")
