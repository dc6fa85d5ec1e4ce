"""What `anonymize` and `apply` give back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maskwise.values.message import warnings_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maskwise.policy.policy import Policy
    from maskwise.policy.requirements.base import Requirement
    from maskwise.release.mask import Unknown
    from maskwise.solution.curve import Point
    from maskwise.solution.solution import Solution
    from maskwise.solution.steps import Generalization, Step
    from maskwise.values.message import Message
    from maskwise.verify.verdict import Verdict


NO_SENSITIVE_COLUMN = "its sensitive column is not among these rows, or masked"
NO_PERSON_COLUMN = "these rows do not say whom they are about"
"""Why a requirement cannot be recounted on later rows."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A verified release and how it came about."""

    data: Any
    """The masked table: the path that was written, or a table of the kind that was given."""
    solution: Solution
    """The cut, with its steps."""
    verdict: Verdict
    """The recount of the released table."""
    policy: Policy
    """What was asked."""
    source: str
    """What the table is called."""
    n_dropped: int = 0
    """Records left out because of a missing cell."""
    messages: tuple[Message, ...] = ()
    """All notes and warnings of the run; each says who may read it."""

    @property
    def steps(self) -> tuple[Step | Generalization, ...]:
        """The refinements, or bottom-up the generalizations, in order."""
        return self.solution.steps

    @property
    def curve(self) -> tuple[Point, ...]:
        """What each step reaches and keeps: the price of privacy."""
        return self.solution.curve

    @property
    def notes(self) -> tuple[str, ...]:
        """What the owner should know of the table and the search, in words that may accompany the release."""
        return self.solution.notes

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the owner must know: protected values that no record has, a class of one value, likely identifiers."""
        return warnings_of(self.messages)

    @property
    def passed(self) -> tuple[str, ...]:
        """The columns that were released as they were."""
        masked = {cut.attribute for cut in self.solution.cuts}
        masked |= set() if self.solution.person is None else {self.solution.person.column}
        return tuple(name for name in self.solution.columns if name not in masked)


@dataclass(frozen=True, slots=True)
class Applied:
    """Later rows, masked with a saved solution."""

    data: Any
    """The masked rows, as in `Outcome`."""
    verdict: Verdict
    """The recount of these rows alone."""
    unknown: Mapping[str, Unknown]
    """Cells the solution does not know, by attribute; they are shown as the root."""
    outside: Mapping[str, int]
    """Numbers outside the range, by attribute; they are shown in the outermost interval."""
    n_dropped: int
    """Records left out because of a missing cell."""
    left_out: tuple[str, ...]
    """Columns left out because the release did not have them."""
    unchecked: tuple[Requirement, ...]
    """Requirements that could not be recounted, because their sensitive column is not there."""
    unchecked_why: str = NO_SENSITIVE_COLUMN
    """Why not."""
