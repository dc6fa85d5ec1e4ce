"""l-diversity: the values of a sensitive column are diverse in every group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import ceil, isfinite, log2
from typing import TYPE_CHECKING, Any, ClassVar

from maskwise.errors import WHOLE, plural
from maskwise.policy.requirements.base import Counted, FigureAxis
from maskwise.policy.requirements.file_form import QID, Key, Model, ValueMistake, number
from maskwise.policy.requirements.grouping import BY, by_data, by_text, grouping_of
from maskwise.policy.requirements.protected_values import SENSITIVE
from maskwise.policy.requirements.qid import MOST_PARTS, called, qid_mistakes, refuse
from maskwise.policy.requirements.rule import Arithmetic, Rule, negated_count
from maskwise.policy.requirements.spread import spread_data, spread_misfit, too_many_values
from maskwise.policy.requirements.unit import Unit
from maskwise.policy.requirements.wording import beyond_text, figure_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.policy.requirements.base import Part, SensitiveColumn, WorstGroup
    from maskwise.policy.requirements.file_form import Entry
    from maskwise.policy.requirements.grouping import Grouping


class Measure(StrEnum):
    """How the diversity of a sensitive column in a group is measured."""

    DISTINCT = "distinct"
    """At least l values."""
    ENTROPY = "entropy"
    """An entropy of at least log l."""
    RECURSIVE = "recursive"
    """The most frequent value has fewer records than c times those of the l-th and rarer ones."""


@dataclass(frozen=True, slots=True)
class Diversity:
    """The values of a sensitive column are diverse in every group on `qid` (Machanavajjhala et al. 2007).

    Claim: anti-monotone. If all parts of a group are diverse, so is the group:
    it has every value they have, its entropy is at least the mean of theirs, and
    its most frequent value, summed over the parts, stays below c times the
    summed tails, which the tail of the group is not below.
    """

    qid: tuple[str, ...]
    """The attributes an attacker knows."""
    sensitive: str
    """The column whose values are counted; a missing cell is a value of its own."""
    measure: Measure
    """How diversity is measured."""
    l: Fraction  # noqa: E741 - the paper's name
    """How diverse a group must be; a whole number unless the measure is entropy."""
    c: Fraction = Fraction(1)
    """For the recursive measure, how much the most frequent value may outweigh the rarer ones."""
    by: Grouping | None = None
    """How the values are grouped first; the groups then stand for values."""

    k: ClassVar[None] = None
    """It asks for no size of groups."""
    min_group: ClassVar[int] = 0
    """It says nothing of the size of groups."""
    confidences: ClassVar[tuple[Fraction, ...]] = ()
    """It bounds no share."""
    notes: ClassVar[tuple[str, ...]] = ()
    """Nothing, whatever the table is."""
    persons_misfit: ClassVar[None] = None
    """It can count persons as well as records."""
    lists_worst_groups: ClassVar[bool] = True
    """The least diverse group is listed."""

    def __post_init__(self) -> None:
        """Refuse a level that means nothing."""
        mistakes = qid_mistakes(self.qid, [self.sensitive])
        least = {Measure.DISTINCT: 1, Measure.ENTROPY: 1, Measure.RECURSIVE: 2}[self.measure]
        if self.l < least:
            mistakes.append(f"The level of {self.measure} diversity is at least {least}; found {float(self.l):g}.")
        if self.l > MOST_PARTS:
            mistakes.append(f"The level of {self.measure} diversity is at most {MOST_PARTS:,}.")
        if self.measure is not Measure.ENTROPY and self.l.denominator != 1:
            mistakes.append(f"The level of {self.measure} diversity is a whole number; found {float(self.l):g}.")
        elif self.l.denominator > MOST_PARTS:
            mistakes.append(f"The level of {self.measure} diversity has at most nine decimals.")
        if self.c <= 0 or max(self.c.numerator, self.c.denominator) > MOST_PARTS:
            mistakes.append(f"The c of recursive diversity is above 0 and has at most nine digits; found {self.c}.")
        refuse(mistakes)

    @property
    def name(self) -> str:
        """What messages call its QID."""
        return called(self.qid)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns a recount looks at."""
        return (*self.qid, self.sensitive)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The rules it is made of: itself."""
        return (self,)

    @property
    def subject(self) -> tuple[object, ...]:
        """What it is about; only parts on the same subject can imply each other."""
        return (self.measure, self.sensitive, self.by)

    @property
    def counted(self) -> Counted:
        """All values of its column, or groups of them."""
        return Counted(self.sensitive, by=self.by)

    @property
    def axis(self) -> FigureAxis:
        """Its figure in a picture."""
        if self.measure is Measure.RECURSIVE:
            return FigureAxis("largest quotient, smaller is safer", float(self.c))
        return FigureAxis("diversity of the least diverse group", float(self.l))

    def implies(self, other: Part) -> bool:
        """Say whether a table that meets this one always meets `other`.

        A group on a subset of the QID is a union of groups on it, a larger l
        leaves a smaller tail, and a smaller c allows less.
        """
        return (
            isinstance(other, Diversity)
            and self.subject == other.subject
            and set(other.qid) <= set(self.qid)
            and other.l <= self.l
            and self.c <= other.c
        )

    def rule(self, n_records: int) -> Rule:
        """The rule for a table of so many records."""
        del n_records
        match self.measure:
            case Measure.DISTINCT:
                return Rule(Arithmetic.DISTINCT, -float(self.l), int(self.l), to_figure=negated_count)
            case Measure.ENTROPY:
                return Rule(Arithmetic.ENTROPY, -log2(self.l), to_figure=_effective_number)
            case Measure.RECURSIVE:
                return Rule(Arithmetic.RECURSIVE, float(self.c), *self.c.as_integer_ratio(), level=int(self.l))

    def misfit(self, column: SensitiveColumn) -> str | None:
        """Say so if its column has too many values."""
        return too_many_values(self.counted, column)

    def cannot_be_met(self, name: str, best: float, unit: Unit = Unit.RECORD) -> str:
        """Say that the column is not diverse enough."""
        return (
            f"{self.level()} cannot be met on {name}: in {WHOLE} `{self.sensitive}`{by_text(self.by)} "
            f"{self._most_diverse(best)}, and {unit.limits('more diversity')}. "
            "Ask for less or drop the requirement."
        )

    def _most_diverse(self, best: float) -> str:
        """How diverse the column is in the whole table."""
        noun = "value" if self.by is None else "group"
        match self.measure:
            case Measure.DISTINCT:
                return f"has {plural(int(best), noun)}"
            case Measure.ENTROPY:
                return f"is as diverse as {best:.4f} equally frequent {noun}s"
            case Measure.RECURSIVE if isfinite(best):
                return f"has its most frequent {noun} {best:.4f} times as often as the rare ones"
            case Measure.RECURSIVE:
                return f"has fewer than {self.l} {noun}s"

    def describe_worst(self, group: WorstGroup) -> str:
        """How diverse the least diverse group is."""
        return f"{self.sensitive} reaches {figure_text(group.figure)}"

    def would_reach(self, figure: float, unit: Unit = Unit.RECORD) -> str:
        """Say how little diverse a group would be."""
        del unit
        column, level = f"`{self.sensitive}`{by_text(self.by)}", float(self.l)
        noun = "value" if self.by is None else "group"
        match self.measure:
            case Measure.DISTINCT:
                return f"a group with {plural(int(figure), noun)} of {column} would be left; {self.l} are asked"
            case Measure.ENTROPY:
                return (
                    f"a group as diverse as {beyond_text(figure, level)} equally frequent {noun}s of {column} would be "
                    f"left; {level:g} are asked"
                )
            case Measure.RECURSIVE if isfinite(figure):
                return (
                    f"in a group the most frequent {noun} of {column} would occur {figure:.4g} times as often as the "
                    f"rare ones; less than {float(self.c):g} times is asked"
                )
            case Measure.RECURSIVE:
                return f"a group with fewer than {self.l} {noun}s of {column} would be left"

    def with_k(self, k: int) -> Diversity:
        """It asks for no k, so it stays as it is."""
        del k
        return self

    def with_confidence(self, bound: Fraction) -> Diversity:
        """It bounds no share, so it stays as it is."""
        del bound
        return self

    def with_confidences(self, bounds: Sequence[Fraction]) -> Diversity:
        """It bounds no share, so it stays as it is."""
        del bounds
        return self

    def level(self) -> str:
        """How diverse, in a few words."""
        if self.measure is Measure.RECURSIVE:
            return f"recursive ({float(self.c):g}, {self.l})-diversity"
        return f"{self.measure} {float(self.l):g}-diversity"

    def asks(self, *, by_name: bool = False) -> str:
        """What it asks, in a few words."""
        return f"{self.asked_cell(by_name=by_name)} on {self.name}"

    def asked_cell(self, *, by_name: bool = False) -> str:
        """What it asks, for a table cell."""
        del by_name
        return f"{self.level()} of {self.sensitive}{by_text(self.by)}"

    def reached_cell(self, figure: float, worst: Sequence[WorstGroup], *, by_name: bool = False) -> str:
        """How diverse the least diverse group is, for a table cell."""
        del worst, by_name
        return figure_text(figure)

    def report_data(self, worst: Sequence[WorstGroup]) -> dict[str, Any]:
        """What it asks and the least diverse group, as plain values."""
        return spread_data(self, worst)

    def to_data(self) -> dict[str, Any]:
        """The entry of a policy file that says the same."""
        return self._data(str(self.l), str(self.c))

    def public_data(self) -> dict[str, Any]:
        """That entry with plain numbers; it names no value."""
        return self._data(float(self.l) if self.measure is Measure.ENTROPY else int(self.l), float(self.c))

    def _data(self, level: object, factor: object) -> dict[str, Any]:
        level = {"c": factor, "l": level} if self.measure is Measure.RECURSIVE else level
        said = {"qid": list(self.qid), "sensitive": self.sensitive, "diversity": {str(self.measure): level}}
        return {**said, **by_data(self.by)}


def _effective_number(badness: float) -> float:
    """How many equally frequent values have the entropy whose negative is the badness."""
    return float(2**-badness)


def _read(value: object) -> tuple[Measure, Fraction, Fraction]:
    """`{distinct: 3}`, `{entropy: 2.5}` or `{recursive: {c: 3, l: 2}}`."""
    mistake = ValueMistake("`diversity` is {distinct: 3}, {entropy: 2.5} or {recursive: {c: 3, l: 2}}", is_secret=True)
    if not isinstance(value, Mapping) or len(value) != 1 or next(iter(value)) not in set(Measure):
        raise mistake
    measure, level = Measure(next(iter(value))), next(iter(value.values()))
    if measure is not Measure.RECURSIVE:
        least = number(level, f"`{measure}`")
        # As with shares, more than nine decimals are cut off, to the safe side.
        is_long = measure is Measure.ENTROPY and least.denominator > MOST_PARTS
        return measure, Fraction(ceil(least * MOST_PARTS), MOST_PARTS) if is_long else least, Fraction(1)
    if not isinstance(level, Mapping) or set(level) != {"c", "l"}:
        raise mistake
    return measure, number(level["l"], "`l`"), number(level["c"], "`c`")


def _build(entry: Entry) -> Diversity:
    measure, level, factor = entry["diversity"]
    return Diversity(tuple(entry["qid"]), entry["sensitive"], measure, level, factor, grouping_of(entry))


MODEL = Model("diversity", (QID, SENSITIVE, Key("diversity", read=_read), BY), _build, spread_misfit)
