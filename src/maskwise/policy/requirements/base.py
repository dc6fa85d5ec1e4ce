"""What the rest of maskwise knows of a privacy model: two protocols and the values they exchange.

A `Requirement` is a line of a policy. It is made of parts; each `Part` is a rule
on the groups of one QID. All parts are anti-monotone: a refinement that breaks
one breaks it for ever. The search asks a part for its `Rule`; the verifier has
a measure of its own for each type of part and shares nothing but these values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from maskwise.policy.requirements.any_of import elements_of
from maskwise.policy.requirements.unit import Unit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from dataclasses import Field
    from fractions import Fraction

    from maskwise.policy.requirements.any_of import Value
    from maskwise.policy.requirements.grouping import Grouping
    from maskwise.policy.requirements.rule import Rule
    from maskwise.policy.taxonomy import Taxonomy


@dataclass(frozen=True, slots=True)
class Counted:
    """The sensitive values whose records a part counts in every group."""

    column: str
    """The sensitive column."""
    values: tuple[Value, ...] | None = None
    """The values and unions that the policy names; None in it is the missing value. None instead of it: all values
    there are."""
    order: tuple[str, ...] = ()
    """The order of the values, where the policy gives it."""
    by: Grouping | None = None
    """How the values are grouped first, where all are counted; None counts each by itself."""

    @property
    def elements(self) -> tuple[str | None, ...]:
        """The values that the policy names, those of unions one by one."""
        return tuple(element for value in self.values or () for element in elements_of(value))

    @property
    def named(self) -> tuple[str, ...]:
        """The values that the policy names, so that they are no secret from its owner."""
        return (*(element for element in self.elements if element is not None), *self.order)


@dataclass(frozen=True, slots=True)
class FigureAxis:
    """The figure of a requirement as an axis of a picture."""

    label: str
    """What the figure is."""
    asked: float | None
    """What is asked as a place on the axis, where there is a single one."""
    is_count: bool = False
    """Whether the figure is a number of records or persons, shown on a logarithmic axis."""


class SensitiveColumn(Protocol):
    """What is known of the values of a sensitive column."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The spellings that occur, without the missing one."""

    @property
    def tree(self) -> Taxonomy | None:
        """The column's taxonomy, if the policy gives one."""

    @property
    def holds_sets(self) -> bool:
        """Whether its cells may hold several values."""

    def values(self, order: Sequence[str] = ()) -> tuple[str | None, ...]:
        """Every value once; with an order, only the values in it."""

    def sets_of(self, counted: Counted) -> tuple[tuple[str | None, ...], ...]:
        """The sets of values whose records are counted together, in the order that a rule needs."""


class WorstGroup(Protocol):
    """The group that comes nearest to breaking a part, or breaks it most."""

    @property
    def part(self) -> Part:
        """The part."""

    @property
    def figure(self) -> float:
        """How the group stands by it."""

    @property
    def n_records(self) -> int:
        """Its records, or its persons."""

    @property
    def unit(self) -> Unit:
        """Which of them."""

    @property
    def shown(self) -> tuple[str | None, ...]:
        """What it shows on the part's QID; empty if the group is one person."""


class Part(Protocol):
    """A rule on the groups of one QID."""

    @property
    def qid(self) -> tuple[str, ...]:
        """The attributes an attacker knows."""

    @property
    def subject(self) -> tuple[object, ...]:
        """What it is about; only parts on the same subject can imply each other."""

    @property
    def counted(self) -> Counted | None:
        """The sensitive values that it counts, if any."""

    @property
    def min_group(self) -> int:
        """The smallest group that it allows whatever the table is; 0 where it does not say."""

    def implies(self, other: Part) -> bool:
        """Say whether a table that meets this one always meets `other`."""

    def rule(self, n_records: int) -> Rule:
        """The rule for a table of so many records."""

    def misfit(self, column: SensitiveColumn) -> str | None:
        """Say why the values of its sensitive column do not allow it, if they do not."""

    def cannot_be_met(self, name: str, best: float, unit: Unit = Unit.RECORD) -> str:
        """Say that no masking meets it.

        Args:
            name: What messages call the requirement's QID.
            best: The best figure that a masking reaches.
            unit: What is counted.
        """

    def describe_worst(self, group: WorstGroup) -> str:
        """How the worst group stands, for the owner: names a protected value, but not that of a single person."""

    def would_reach(self, figure: float, unit: Unit = Unit.RECORD) -> str:
        """Say what a masking that breaks it would do, and what is asked; names no protected value.

        Args:
            figure: What the worst group would reach.
            unit: What is counted.
        """


class Requirement(Protocol):
    """A line of a policy: one or several rules.

    It is a frozen dataclass; the name of its type and its fields are part of a policy's hash.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def qid(self) -> tuple[str, ...]:
        """All attributes of its parts."""

    @property
    def name(self) -> str:
        """What messages call its QID."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns a recount looks at: the QID, then sensitive columns."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """The rules it is made of; its figure is that of the worst group by the kind that comes first."""

    @property
    def k(self) -> int | None:
        """The smallest group that it asks for, if it asks for one."""

    @property
    def confidences(self) -> tuple[Fraction, ...]:
        """The largest shares of protected values that it allows, if it bounds shares."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What the owner should know of it, whatever the table is."""

    @property
    def persons_misfit(self) -> str | None:
        """Why it cannot count persons instead of records, if it cannot."""

    @property
    def lists_worst_groups(self) -> bool:
        """Whether a recount says which group stands worst."""

    @property
    def axis(self) -> FigureAxis:
        """Its figure in a picture."""

    def with_k(self, k: int) -> Requirement:
        """The same with another k; unchanged if it asks for none."""

    def with_confidence(self, bound: Fraction) -> Requirement:
        """The same with another bound on every share; unchanged if it bounds none."""

    def with_confidences(self, bounds: Sequence[Fraction]) -> Requirement:
        """The same with other bounds on its shares, in the order of `confidences`."""

    def asks(self, *, by_name: bool = False) -> str:
        """What it asks, in a few words.

        Args:
            by_name: Name protected values, for the owner's eyes.
        """

    def asked_cell(self, *, by_name: bool = False) -> str:
        """What it asks, for a cell of a table that has the QID in another cell.

        Args:
            by_name: As in `asks`.
        """

    def reached_cell(self, figure: float, worst: Sequence[WorstGroup], *, by_name: bool = False) -> str:
        """What it reaches, for a cell of a table.

        Args:
            figure: Its figure.
            worst: The groups that stand worst by its parts, if they are listed.
            by_name: As in `asks`.
        """

    def report_data(self, worst: Sequence[WorstGroup]) -> dict[str, Any]:
        """What it asks and the groups that stand worst, as plain values without protected values."""

    def to_data(self) -> dict[str, Any]:
        """The entry of a policy file that says the same."""

    def public_data(self) -> dict[str, Any]:
        """That entry without protected values, for those who get the release."""
