"""A requirement on a release together with earlier ones: what attackers know from those tells groups apart, too.

No policy file names one. `release.earlier` makes it of a requirement of the
owner, and messages call it in the owner's words.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

from maskwise.errors import plural

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from maskwise.policy.requirements.base import FigureAxis, Part, Requirement, WorstGroup


@dataclass(frozen=True, slots=True)
class Joint:
    """A requirement whose QID has, beside each attribute, the labels that earlier releases showed of it.

    Claim: anti-monotone. Its rules are those of the requirement on more
    columns, and no refinement changes what was shown before.
    """

    asked: Requirement
    """What the owner asks."""
    known: tuple[tuple[str, tuple[str, ...]], ...]
    """For each attribute of its QID the columns with its earlier labels."""
    n_releases: int
    """How many earlier releases show one of its attributes."""

    notes: ClassVar[tuple[str, ...]] = ()
    """Nothing beside what the requirement itself says."""
    lists_worst_groups: ClassVar[bool] = False
    """Which group stands worst would tell what was shown before."""

    @property
    def qid(self) -> tuple[str, ...]:
        """The attributes, and what is known of them."""
        return self._with_known(self.asked.qid)

    def _with_known(self, qid: tuple[str, ...]) -> tuple[str, ...]:
        known = dict(self.known)
        return (*qid, *(label for name in qid for label in known.get(name, ())))

    @property
    def name(self) -> str:
        """What messages call its QID, as the owner named it."""
        return self.asked.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns a recount looks at."""
        return (*self.qid, *self.asked.columns[len(self.asked.qid) :])

    @property
    def parts(self) -> tuple[Part, ...]:
        """The same rules, each on its attributes and what is known of these."""
        # Every part is a frozen dataclass with its QID as a field.
        return tuple(
            cast("Part", replace(cast("Any", part), qid=self._with_known(part.qid))) for part in self.asked.parts
        )

    @property
    def k(self) -> int | None:
        """The smallest group that it asks for, if it asks for one."""
        return self.asked.k

    @property
    def confidences(self) -> tuple[Fraction, ...]:
        """The largest shares of protected values that it allows."""
        return self.asked.confidences

    @property
    def persons_misfit(self) -> str | None:
        """Why it cannot count persons instead of records, if it cannot."""
        return self.asked.persons_misfit

    @property
    def axis(self) -> FigureAxis:
        """Its figure in a picture."""
        return self.asked.axis

    def with_k(self, k: int) -> Joint:
        """The same with another k."""
        return replace(self, asked=self.asked.with_k(k))

    def with_confidence(self, bound: Fraction) -> Joint:
        """The same with another bound on every share."""
        return replace(self, asked=self.asked.with_confidence(bound))

    def with_confidences(self, bounds: Sequence[Fraction]) -> Joint:
        """The same with another bound on each share."""
        return replace(self, asked=self.asked.with_confidences(bounds))

    def asks(self, *, by_name: bool = False) -> str:
        """What it asks, in the owner's words.

        >>> from maskwise import KAnonymity
        >>> Joint(KAnonymity(("Age",), 5), (("Age", ("Age, earlier release 1",)),), 1).asks()
        'k=5 on {Age}, together with 1 earlier release'
        """
        return f"{self.asked.asks(by_name=by_name)}, together with {plural(self.n_releases, 'earlier release')}"

    def asked_cell(self, *, by_name: bool = False) -> str:
        """What it asks, for a table cell."""
        return self.asked.asked_cell(by_name=by_name)

    def reached_cell(self, figure: float, worst: Sequence[WorstGroup], *, by_name: bool = False) -> str:
        """What it reaches, for a table cell."""
        return self.asked.reached_cell(figure, worst, by_name=by_name)

    def report_data(self, worst: Sequence[WorstGroup]) -> dict[str, Any]:
        """What it asks, as plain values."""
        return self.asked.report_data(worst)

    def to_data(self) -> dict[str, Any]:
        """The entry of a policy file that it was made of."""
        return self.asked.to_data()

    def public_data(self) -> dict[str, Any]:
        """That entry without protected values."""
        return self.asked.public_data()
