"""A privacy model that maskwise does not have: every group holds at least a share of the table.

It is here to show that a model is one file and two registrations. With `share`
of n records it is k-anonymity with k = share x n, so it needs no new arithmetic
in the search; its figure is a share, not a count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar

from maskwise.policy.requirements import registry
from maskwise.policy.requirements.base import FigureAxis, Part, SensitiveColumn, WorstGroup
from maskwise.policy.requirements.file_form import QID, Entry, Key, Model, share
from maskwise.policy.requirements.qid import bound_mistakes, called, qid_mistakes, refuse
from maskwise.policy.requirements.rule import Arithmetic, Rule
from maskwise.policy.requirements.unit import Unit
from maskwise.policy.requirements.wording import figure_text, group_data
from maskwise.verify.measures.registry import register_measure, unregister_measure
from maskwise.verify.measures.spectrum import Measured, Spectrum


@dataclass(frozen=True, slots=True)
class GroupShare:
    """Every group on `qid` holds at least `share` of all records."""

    qid: tuple[str, ...]
    share: Fraction

    k: ClassVar[None] = None
    min_group: ClassVar[int] = 0
    counted: ClassVar[None] = None
    confidences: ClassVar[tuple[Fraction, ...]] = ()
    notes: ClassVar[tuple[str, ...]] = ()
    persons_misfit: ClassVar[None] = None
    lists_worst_groups: ClassVar[bool] = True

    def __post_init__(self) -> None:
        refuse(qid_mistakes(self.qid) + bound_mistakes([self.share], "share"))

    @property
    def name(self) -> str:
        return called(self.qid)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.qid

    @property
    def parts(self) -> tuple[Part, ...]:
        return (self,)

    @property
    def subject(self) -> tuple[object, ...]:
        return ("share of the table",)

    @property
    def axis(self) -> FigureAxis:
        return FigureAxis("share of the smallest group", float(self.share))

    def implies(self, other: Part) -> bool:
        return isinstance(other, GroupShare) and set(other.qid) <= set(self.qid) and other.share <= self.share

    def rule(self, n_records: int) -> Rule:
        least = ceil(self.share * n_records)
        return Rule(Arithmetic.K, -float(least), least, to_figure=lambda badness: -badness / n_records)

    def misfit(self, column: SensitiveColumn) -> None:
        pass

    def cannot_be_met(self, name: str, best: float, unit: Unit = Unit.RECORD) -> str:
        del unit
        return f"A share of {float(self.share):g} cannot be met on {name}, where {best:.4f} is the best."

    def describe_worst(self, group: WorstGroup) -> str:
        return f"the smallest share is {figure_text(group.figure)} of {float(self.share):.4g}"

    def would_reach(self, figure: float, unit: Unit = Unit.RECORD) -> str:
        del unit
        return f"a group with {figure:.4f} of the table would be left; {float(self.share):g} is asked"

    def with_k(self, k: int) -> GroupShare:
        del k
        return self

    def with_confidence(self, bound: Fraction) -> GroupShare:
        del bound
        return self

    def asks(self, *, by_name: bool = False) -> str:
        return f"{self.asked_cell(by_name=by_name)} on {self.name}"

    def asked_cell(self, *, by_name: bool = False) -> str:
        del by_name
        return f"{float(self.share):g} of the table in every group"

    def reached_cell(self, figure: float, worst: Sequence[WorstGroup], *, by_name: bool = False) -> str:
        del worst, by_name
        return figure_text(figure)

    def report_data(self, worst: Sequence[WorstGroup]) -> dict[str, Any]:
        return {**self.public_data(), **group_data(worst[0])}

    def to_data(self) -> dict[str, Any]:
        return {"qid": list(self.qid), "share": str(self.share)}

    def public_data(self) -> dict[str, Any]:
        return {"qid": list(self.qid), "share": float(self.share)}


def measure_group_share(part: GroupShare, groups: Spectrum, values: tuple[str | None, ...]) -> Measured:
    assert values == ()
    n_rows = int((groups.n_groups * groups.n_records).sum())
    numerator, denominator = part.share.as_integer_ratio()
    is_broken = groups.n_records * denominator < n_rows * numerator
    return Measured(groups.n_records / n_rows, is_broken, is_low_bad=True)


def build(entry: Entry) -> GroupShare:
    return GroupShare(tuple(entry["qid"]), entry["share"])


MODEL = Model("share", (QID, Key("share", read=share("a share"))), build)


@contextmanager
def registered() -> Iterator[None]:
    """Let maskwise know the model for a while."""
    registry.register(MODEL)
    register_measure(GroupShare, measure_group_share)
    try:
        yield
    finally:
        unregister_measure(GroupShare)
        registry.unregister(MODEL)
