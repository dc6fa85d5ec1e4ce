"""k-anonymity: every group has at least k records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from maskwise.errors import WHOLE, PolicyError, plural
from maskwise.policy.requirements.base import FigureAxis
from maskwise.policy.requirements.file_form import QID, Key, Model
from maskwise.policy.requirements.qid import called, qid_mistakes, refuse
from maskwise.policy.requirements.rule import MAX_RECORDS, Arithmetic, Rule, negated_count
from maskwise.policy.requirements.unit import Unit
from maskwise.policy.requirements.wording import figure_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from maskwise.policy.requirements.base import Part, SensitiveColumn, WorstGroup
    from maskwise.policy.requirements.file_form import Entry


@dataclass(frozen=True, slots=True)
class KAnonymity:
    """Every group that shares its values on `qid` has at least `k` records.

    Claim: anti-monotone. A refinement only splits groups, so no group grows.
    """

    qid: tuple[str, ...]
    """The attributes through which a person could be linked."""
    k: int
    """The smallest group allowed."""

    confidences: ClassVar[tuple[Fraction, ...]] = ()
    """It bounds no share."""
    counted: ClassVar[None] = None
    """It counts no sensitive value."""
    persons_misfit: ClassVar[None] = None
    """It can count persons as well as records."""
    lists_worst_groups: ClassVar[bool] = False
    """Its figure says all there is to say of the smallest group."""

    def __post_init__(self) -> None:
        """Refuse an empty or repeating QID and a k below one."""
        refuse(qid_mistakes(self.qid))
        if self.k < 1:
            raise PolicyError([f"k is at least 1; found {self.k} on {self.name}."])

    @property
    def name(self) -> str:
        """What messages call its QID."""
        return called(self.qid)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns a recount looks at."""
        return self.qid

    @property
    def parts(self) -> tuple[Part, ...]:
        """The rules it is made of: itself."""
        return (self,)

    @property
    def subject(self) -> tuple[object, ...]:
        """What it is about; only parts on the same subject can imply each other."""
        return ("k",)

    @property
    def min_group(self) -> int:
        """The smallest group that it allows."""
        return self.k

    @property
    def notes(self) -> tuple[str, ...]:
        """Says so if it protects nobody."""
        return (f"k=1 on {self.name} protects nobody.",) if self.k == 1 else ()

    @property
    def axis(self) -> FigureAxis:
        """Its figure in a picture."""
        return smallest_group_axis(self.k)

    def implies(self, other: Part) -> bool:
        """Say whether a table that meets this one always meets `other`.

        Claim: every group on a QID is inside a group on any subset of it, so
        A(QID) <= A(subset).

        >>> KAnonymity(("Sex", "Job"), 5).implies(KAnonymity(("Job",), 4))
        True
        """
        return isinstance(other, KAnonymity) and set(other.qid) <= set(self.qid) and other.k <= self.k

    def rule(self, n_records: int) -> Rule:
        """The rule for a table of so many records."""
        del n_records
        k = min(self.k, MAX_RECORDS)
        return Rule(Arithmetic.K, -float(k), k, to_figure=negated_count)

    def misfit(self, column: SensitiveColumn) -> None:
        """It has no sensitive column."""

    def cannot_be_met(self, name: str, best: float, unit: Unit = Unit.RECORD) -> str:
        """Say that the table is too small."""
        return (
            f"k={self.k} cannot be met on {name}: {WHOLE} has {plural(int(best), unit)}, "
            "so that is the best that can be reached. Lower k or drop the requirement."
        )

    def describe_worst(self, group: WorstGroup) -> str:
        """How the smallest group stands."""
        return f"anonymity is {figure_text(group.figure)} of {self.k:,}"

    def would_reach(self, figure: float, unit: Unit = Unit.RECORD) -> str:
        """Say how small a group would be.

        >>> KAnonymity(("Age", "Sex"), 50).would_reach(27)
        'a group of 27 records would be left; 50 are asked'
        """
        return f"a group of {plural(int(figure), unit)} would be left; {self.k:,} are asked"

    def with_k(self, k: int) -> KAnonymity:
        """The same with another k."""
        return replace(self, k=k)

    def with_confidence(self, bound: Fraction) -> KAnonymity:
        """It bounds no share, so it stays as it is."""
        del bound
        return self

    def with_confidences(self, bounds: Sequence[Fraction]) -> KAnonymity:
        """It bounds no share, so it stays as it is."""
        del bounds
        return self

    def asks(self, *, by_name: bool = False) -> str:
        """What it asks, in a few words."""
        del by_name
        return f"k={self.k} on {self.name}"

    def asked_cell(self, *, by_name: bool = False) -> str:
        """What it asks, for a table cell."""
        del by_name
        return k_cell(self.k)

    def reached_cell(self, figure: float, worst: Sequence[WorstGroup], *, by_name: bool = False) -> str:
        """The smallest group, for a table cell."""
        del worst, by_name
        return figure_text(figure)

    def report_data(self, worst: Sequence[WorstGroup]) -> dict[str, Any]:
        """What it asks, as plain values."""
        del worst
        return self.public_data()

    def to_data(self) -> dict[str, Any]:
        """The entry of a policy file that says the same.

        >>> KAnonymity(("Age",), 5).to_data()
        {'qid': ['Age'], 'k': 5}
        """
        return {"qid": list(self.qid), "k": self.k}

    def public_data(self) -> dict[str, Any]:
        """The same entry: it names no value."""
        return self.to_data()


def k_cell(k: int) -> str:
    """What a k asks, for a table cell."""
    return f"k = {k:,}"


def smallest_group_axis(k: int) -> FigureAxis:
    """The smallest group in a picture."""
    return FigureAxis("smallest group", k, is_count=True)


def _misfit(entry: Entry, stray: str | None) -> str | None:
    return stray or confidence_without_values(entry)


def confidence_without_values(entry: Entry) -> str | None:
    """Say so if an entry bounds the share of no value."""
    is_so = "confidence" in entry and "sensitive" not in entry
    return "`confidence` goes with `sensitive`, not with `k`" if is_so else None


def _build(entry: Entry) -> KAnonymity:
    return KAnonymity(tuple(entry["qid"]), entry["k"])


K = Key("k", int, least=1)
"""The smallest group allowed."""
MODEL = Model("k", (QID, K), _build, _misfit)
