"""Privacy templates: how far a sensitive value may be inferred."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from maskwise.errors import WHOLE
from maskwise.policy.requirements.any_of import holds, spelled
from maskwise.policy.requirements.base import Counted
from maskwise.policy.requirements.file_form import QID, Model
from maskwise.policy.requirements.protected_values import (
    CONFIDENCE,
    SENSITIVE,
    asked_shares,
    bounds_misfit,
    column_without_values,
    columns_of,
    public_values_data,
    read_values,
    share_axis,
    share_cells,
    values_data,
    with_bound,
    with_bounds,
)
from maskwise.policy.requirements.qid import bound_mistakes, called, qid_mistakes, refuse
from maskwise.policy.requirements.rule import Arithmetic, Rule
from maskwise.policy.requirements.unit import Unit
from maskwise.policy.requirements.wording import beyond_text, figure_text, group_data

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from maskwise.policy.requirements.any_of import Value
    from maskwise.policy.requirements.base import FigureAxis, Part, SensitiveColumn, WorstGroup
    from maskwise.policy.requirements.file_form import Entry
    from maskwise.policy.requirements.protected_values import Protected


@dataclass(frozen=True, slots=True)
class Template:
    """A privacy template: in no group on `qid` is the share of a sensitive value, or a union of them, above `bound`.

    Claim: anti-monotone. The share in a group is a mean of the shares in its
    parts, so some part has at least the group's share.
    """

    qid: tuple[str, ...]
    """The attributes an attacker knows."""
    sensitive: str
    """The column whose value could be inferred."""
    value: Value
    """That value; None is the missing one, a union stands for any of several."""
    bound: Fraction
    """The largest share allowed."""

    min_group: ClassVar[int] = 0
    """It says nothing of the size of groups."""

    @property
    def subject(self) -> tuple[object, ...]:
        """What it is about; only parts on the same subject can imply each other."""
        return ("share", self.sensitive, self.value)

    @property
    def counted(self) -> Counted:
        """The protected value."""
        return Counted(self.sensitive, (self.value,))

    def implies(self, other: Part) -> bool:
        """Say whether a table that meets this one always meets `other` (KAIS 2007, Theorem 3.1).

        Of two unions the larger one has the larger share, so its bound carries over.

        >>> from fractions import Fraction
        >>> half, most = Fraction(1, 2), Fraction(9, 10)
        >>> Template(("Job", "Sex"), "Ill", "HIV", half).implies(Template(("Job",), "Ill", "HIV", most))
        True
        """
        return (
            isinstance(other, Template)
            and self.sensitive == other.sensitive
            and holds(self.value, other.value)
            and set(other.qid) <= set(self.qid)
            and self.bound <= other.bound
        )

    def rule(self, n_records: int) -> Rule:
        """The rule for a table of so many records."""
        del n_records
        return Rule(Arithmetic.SHARE, float(self.bound), *self.bound.as_integer_ratio())

    def misfit(self, column: SensitiveColumn) -> None:
        """Any column will do; a value that no record has is noted elsewhere."""

    def cannot_be_met(self, name: str, best: float, unit: Unit = Unit.RECORD) -> str:
        """Say that the value is too common."""
        value = "the missing value" if self.value is None else f"`{spelled(self.value)}`"
        return (
            f"Confidence {float(self.bound):g} cannot be met on {name}: {value} of `{self.sensitive}` has a share of "
            f"{best:.4f} in {WHOLE}, and {unit.limits('less')}. Raise its bound or drop it."
        )

    def describe_worst(self, group: WorstGroup) -> str:
        """Where the share is largest."""
        is_named = bool(group.shown)
        what = f"{self.sensitive} = {spelled(self.value)}" if is_named else f"a protected value of {self.sensitive}"
        return f"{what} reaches {figure_text(group.figure)} of {float(self.bound):.4g}"

    def would_reach(self, figure: float, unit: Unit = Unit.RECORD) -> str:
        """Say how large a share would be.

        >>> from fractions import Fraction
        >>> Template(("Job",), "Ill", "HIV", Fraction(1, 2)).would_reach(0.62)
        'a protected value of `Ill` would reach a share of 0.62 of a group; at most 0.5 is allowed'
        """
        del unit
        bound = float(self.bound)
        return (
            f"a protected value of `{self.sensitive}` would reach a share of {beyond_text(figure, bound)} of a group; "
            f"at most {bound:g} is allowed"
        )


@dataclass(frozen=True, slots=True)
class Confidence:
    """Privacy templates on one QID: one for each sensitive value and its bound."""

    qid: tuple[str, ...]
    """The attributes an attacker knows."""
    sensitive: Protected
    """Column, value or union, and largest share, for each protected value."""

    k: ClassVar[None] = None
    """It asks for no size of groups."""
    notes: ClassVar[tuple[str, ...]] = ()
    """Nothing, whatever the table is."""
    persons_misfit: ClassVar[None] = None
    """It can count persons as well as records."""
    lists_worst_groups: ClassVar[bool] = True
    """The group where each value is most common is listed."""

    def __post_init__(self) -> None:
        """Refuse bounds outside (0, 1], a value twice, and a sensitive column in its own QID."""
        mistakes = qid_mistakes(self.qid, [column for column, _, _ in self.sensitive])
        if not self.sensitive:
            mistakes.append(
                f"A template on {self.name} protects no value. Name one, such as sensitive: {{Illness: [HIV]}}."
            )
        if len({(column, value) for column, value, _ in self.sensitive}) < len(self.sensitive):
            mistakes.append(f"A sensitive value stands twice in the template on {self.name}.")
        refuse(mistakes + bound_mistakes([bound for _, _, bound in self.sensitive], "confidence"))

    @property
    def name(self) -> str:
        """What messages call its QID."""
        return called(self.qid)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns a recount looks at."""
        return (*self.qid, *columns_of(self.sensitive))

    @property
    def parts(self) -> tuple[Part, ...]:
        """The rules it is made of: a template for each protected value."""
        return tuple(Template(self.qid, column, value, bound) for column, value, bound in self.sensitive)

    @property
    def confidences(self) -> tuple[Fraction, ...]:
        """The bounds of its templates."""
        return tuple(bound for _, _, bound in self.sensitive)

    @property
    def axis(self) -> FigureAxis:
        """Its figure in a picture."""
        return share_axis(self.sensitive)

    def with_k(self, k: int) -> Confidence:
        """It asks for no k, so it stays as it is."""
        del k
        return self

    def with_confidence(self, bound: Fraction) -> Confidence:
        """The same with another bound on every share."""
        return replace(self, sensitive=with_bound(self.sensitive, bound))

    def with_confidences(self, bounds: Sequence[Fraction]) -> Confidence:
        """The same with other bounds on its shares."""
        return replace(self, sensitive=with_bounds(self.sensitive, bounds))

    def asks(self, *, by_name: bool = False) -> str:
        """What it asks, in a few words.

        >>> from fractions import Fraction
        >>> Confidence(("Job",), (("Ill", "HIV", Fraction(1, 2)),)).asks(by_name=True)
        'confidence 0.5 for Ill (HIV) on {Job}'
        """
        return f"{asked_shares(self.sensitive, by_name=by_name)} on {self.name}"

    def asked_cell(self, *, by_name: bool = False) -> str:
        """What it asks, for a table cell."""
        return ", ".join(share_cells(self.sensitive, by_name=by_name))

    def reached_cell(self, figure: float, worst: Sequence[WorstGroup], *, by_name: bool = False) -> str:
        """The largest share, for a table cell."""
        return figure_text(figure) + (value_of_largest(worst) if by_name else "")

    def report_data(self, worst: Sequence[WorstGroup]) -> dict[str, Any]:
        """What it asks and where each value is most common, as plain values without the values themselves."""
        return {**self.public_data(), "sensitive": shares_data(worst)}

    def to_data(self) -> dict[str, Any]:
        """The entry of a policy file that says the same."""
        return {"qid": list(self.qid), "sensitive": values_data(self.sensitive)}

    def public_data(self) -> dict[str, Any]:
        """That entry without the values."""
        return {"qid": list(self.qid), "sensitive": public_values_data(self.sensitive)}


def value_of_largest(worst: Sequence[WorstGroup]) -> str:
    """Which of several protected values has the largest share, in brackets; a single one is named where it is asked."""
    shares = [(group.figure, group.part) for group in worst if isinstance(group.part, Template)]
    largest = max(shares, key=lambda share: share[0], default=None)
    return f" ({spelled(largest[1].value)})" if largest is not None and len(shares) > 1 else ""


def shares_data(worst: Sequence[WorstGroup], *, with_qid: bool = False) -> list[dict[str, Any]]:
    """Where each protected value is most common, without the values.

    Args:
        worst: The groups.
        with_qid: As in `group_data`.
    """
    return [
        {
            "column": group.part.sensitive,
            "confidence": float(group.part.bound),
            **group_data(group, with_qid=with_qid),
        }
        for group in worst
        if isinstance(group.part, Template)
    ]


def _misfit(entry: Entry, stray: str | None) -> str | None:
    two = "`k` and `sensitive` are two requirements. Write one line for each" if "k" in entry else None
    return stray or column_without_values(entry) or two or bounds_misfit(entry)


def _build(entry: Entry) -> Confidence:
    return Confidence(tuple(entry["qid"]), read_values(entry))


MODEL = Model("sensitive", (QID, SENSITIVE, CONFIDENCE), _build, _misfit)
