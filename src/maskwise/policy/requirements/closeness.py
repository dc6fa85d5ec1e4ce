"""t-closeness: a group's sensitive values are distributed nearly as in the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from maskwise.errors import plural
from maskwise.policy.requirements.base import Counted, FigureAxis
from maskwise.policy.requirements.file_form import QID, Key, Model, ValueMistake, share
from maskwise.policy.requirements.grouping import BY, by_data, by_text, grouping_of
from maskwise.policy.requirements.protected_values import SENSITIVE
from maskwise.policy.requirements.qid import bound_mistakes, called, qid_mistakes, refuse
from maskwise.policy.requirements.rule import Arithmetic, Rule
from maskwise.policy.requirements.spread import spread_data, spread_misfit, too_many_values
from maskwise.policy.requirements.unit import Unit
from maskwise.policy.requirements.wording import beyond_text, figure_text
from maskwise.values.spelling import has_order, one_spelling

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from maskwise.policy.requirements.base import Part, SensitiveColumn, WorstGroup
    from maskwise.policy.requirements.file_form import Entry
    from maskwise.policy.requirements.grouping import Grouping


class Distance(StrEnum):
    """How far the values of a group are from those of the whole table."""

    EQUAL = "equal"
    """All values are equally far apart: half the sum of the differences of shares."""
    ORDERED = "ordered"
    """Values are as far apart as their places in their order (earth mover's distance)."""


@dataclass(frozen=True, slots=True)
class Closeness:
    """In every group on `qid` the sensitive column is distributed nearly as in the whole table (Li et al. 2007).

    Claim: anti-monotone. Both distances are convex and a group's distribution
    is the mean of its parts', so some part is at least as far from the table.
    """

    qid: tuple[str, ...]
    """The attributes an attacker knows."""
    sensitive: str
    """The column whose distribution is compared; a missing cell is a value of its own."""
    bound: Fraction
    """The largest distance allowed."""
    distance: Distance = Distance.EQUAL
    """How distance is measured."""
    order: tuple[str, ...] = ()
    """The order of the values, for the ordered distance of a column that has none of its own."""
    by: Grouping | None = None
    """How the values are grouped first, for the equal distance; the groups then stand for values."""

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
    """The farthest group is listed."""

    def __post_init__(self) -> None:
        """Refuse a bound outside (0, 1] and an order that is not used."""
        mistakes = qid_mistakes(self.qid, [self.sensitive]) + bound_mistakes([self.bound], "closeness")
        if self.order and self.distance is not Distance.ORDERED:
            mistakes.append("An order goes with the ordered distance. Write `distance: ordered`, or take it out.")
        if self.by is not None and self.distance is Distance.ORDERED:
            mistakes.append(
                "Groups of values have no order, so `by` goes with the equal distance. Take out one of them."
            )
        if len({one_spelling(text) for text in self.order}) < len(self.order):
            mistakes.append(f"A value stands twice in the order of `{self.sensitive}`.")
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
        return (self.distance, self.sensitive, self.order, self.by)

    @property
    def counted(self) -> Counted:
        """All values of its column, in their order."""
        return Counted(self.sensitive, order=self.order, by=self.by)

    @property
    def axis(self) -> FigureAxis:
        """Its figure in a picture."""
        return FigureAxis("distance of the farthest group", float(self.bound))

    def implies(self, other: Part) -> bool:
        """Say whether a table that meets this one always meets `other`: as for templates, with distances."""
        return (
            isinstance(other, Closeness)
            and self.subject == other.subject
            and set(other.qid) <= set(self.qid)
            and self.bound <= other.bound
        )

    def rule(self, n_records: int) -> Rule:
        """The rule for a table of so many records."""
        del n_records
        is_equal = self.distance is Distance.EQUAL
        return Rule(Arithmetic.EQUAL if is_equal else Arithmetic.ORDERED, float(self.bound))

    def misfit(self, column: SensitiveColumn) -> str | None:
        """Say so if its column has too many values, several in a cell, or no order where one is needed."""
        if column.holds_sets:
            return (
                f"`{self.sensitive}` holds several values in a cell, so a group has no distribution of them that could "
                "be close to another. Ask for diversity of the column, or for confidence of its values."
            )
        too_many = too_many_values(self.counted, column)
        if too_many is not None or self.distance is not Distance.ORDERED:
            return too_many
        if not self.order and not has_order(column.texts):
            return (
                f"The values of `{self.sensitive}` have no order of their own. Name it, as in order: [low, high], "
                "or use distance: equal."
            )
        n_unordered = len(column.values()) - len(column.values(self.order))
        if not n_unordered:
            return None
        them = "it" if n_unordered == 1 else "them"
        return f"The order of `{self.sensitive}` lacks {plural(n_unordered, 'value')} of the table. Add {them}."

    def cannot_be_met(self, name: str, best: float, unit: Unit = Unit.RECORD) -> str:
        """Never needed: the most masked table meets every bound."""
        del unit
        message = f"the whole table is as close to itself as can be; found {best:g} on {name}"
        raise AssertionError(message)

    def describe_worst(self, group: WorstGroup) -> str:
        """How far the farthest group is."""
        return f"{self.sensitive} reaches {figure_text(group.figure)}"

    def would_reach(self, figure: float, unit: Unit = Unit.RECORD) -> str:
        """Say how far from the whole table a group would be."""
        del unit
        bound = float(self.bound)
        return (
            f"the distribution of `{self.sensitive}`{by_text(self.by)} in a group would be at a distance of "
            f"{beyond_text(figure, bound)} from that in the whole table; at most {bound:g} is allowed"
        )

    def with_k(self, k: int) -> Closeness:
        """It asks for no k, so it stays as it is."""
        del k
        return self

    def with_confidence(self, bound: Fraction) -> Closeness:
        """It bounds no share, so it stays as it is."""
        del bound
        return self

    def with_confidences(self, bounds: Sequence[Fraction]) -> Closeness:
        """It bounds no share, so it stays as it is."""
        del bounds
        return self

    def asks(self, *, by_name: bool = False) -> str:
        """What it asks, in a few words."""
        return f"{self.asked_cell(by_name=by_name)} on {self.name}"

    def asked_cell(self, *, by_name: bool = False) -> str:
        """What it asks, for a table cell."""
        del by_name
        return f"{float(self.bound):g}-closeness of {self.sensitive}{by_text(self.by)} ({self.distance} distance)"

    def reached_cell(self, figure: float, worst: Sequence[WorstGroup], *, by_name: bool = False) -> str:
        """How far the farthest group is, for a table cell."""
        del worst, by_name
        return figure_text(figure)

    def report_data(self, worst: Sequence[WorstGroup]) -> dict[str, Any]:
        """What it asks and the farthest group, as plain values."""
        return spread_data(self, worst)

    def to_data(self) -> dict[str, Any]:
        """The entry of a policy file that says the same."""
        order = {"order": list(self.order)} if self.order else {}
        return {**self._data(str(self.bound)), **order}

    def public_data(self) -> dict[str, Any]:
        """That entry with a plain number and without the order, which names values."""
        return self._data(float(self.bound))

    def _data(self, bound: object) -> dict[str, Any]:
        said = {"sensitive": self.sensitive, "closeness": bound, "distance": str(self.distance)}
        return {"qid": list(self.qid), **said, **by_data(self.by)}


def _read_order(value: object) -> object:
    """The values from low to high; a complaint does not quote them."""
    if value is not None and not (isinstance(value, list) and all(isinstance(text, str) for text in value)):
        raise ValueMistake(
            "`order` is a list of values, such as [low, high]; a missing cell always comes last", is_secret=True
        )
    return value


def _build(entry: Entry) -> Closeness:
    distance, order = entry.get("distance", Distance.EQUAL), tuple(entry.get("order", ()))
    return Closeness(tuple(entry["qid"]), entry["sensitive"], entry["closeness"], distance, order, grouping_of(entry))


_KEYS = (
    Key("closeness", read=share("a closeness")),
    Key("distance", Distance),
    Key("order", list[str], _read_order),
    BY,
)
MODEL = Model("closeness", (QID, SENSITIVE, *_KEYS), _build, spread_misfit, companions=("distance", "order"))
