"""What every search is: a request for counts, and a run from these counts to a Solution.

`compress` answers the request. Nothing in this package touches an engine or a
record, so a search can be tried with counts made by hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from maskwise.values.background import Background

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.compress.compressed_table import CompressedTables
    from maskwise.compress.request import CountRequest
    from maskwise.policy.policy import Policy
    from maskwise.profile.columns import Profile
    from maskwise.search.options import SearchOptions
    from maskwise.search.value_trees import AnyTree
    from maskwise.solution.curve import RecordedCurve
    from maskwise.solution.solution import Solution
    from maskwise.solution.steps import Generalization, Step
    from maskwise.values.stages import Stage


@dataclass(frozen=True, slots=True)
class Problem:
    """What is to be solved."""

    profile: Profile
    """One-dimensional counts of every masked attribute."""
    policy: Policy
    """What is asked."""
    options: SearchOptions
    """How to search."""
    columns: tuple[str, ...] = ()
    """The columns that are released, in their order."""
    dropped: tuple[str, ...] = ()
    """The columns that are left out."""

    @property
    def has_class(self) -> bool:
        """Whether the goal is to tell a class; without one it is least distortion."""
        return self.profile.class_name is not None

    @property
    def unmasked(self) -> tuple[str, ...]:
        """The columns that recipients get as they are, without the class.

        A column that is released generalized tells less than its cells do; a pseudonym tells nothing.
        """
        person = self.policy.person
        taken = {*self.policy.masked, *(cut.attribute for cut in self.profile.fixed), self.policy.class_name}
        taken |= set() if person is None else {person.column}
        return tuple(name for name in self.columns if name not in taken)

    @property
    def background(self) -> tuple[str, ...]:
        """The unmasked columns whose odds are counted."""
        return () if self.options.background == Background.NONE else self.unmasked


class Watcher(Protocol):
    """Is called after every step, and may ask to stop."""

    def __call__(self, step: Step | Generalization, curve: RecordedCurve) -> bool:
        """Return False to stop after this step.

        Args:
            step: What was done.
            curve: What is reached and kept after it.
        """


class Progress(Protocol):
    """Is told how far a search has come, and may ask to stop."""

    def stage(self, stage: Stage, number: int = 1, n: int = 1) -> None:
        """A stage begins; where there are several of the kind, such as searches, each of them."""

    def step(self, step: Step | Generalization, curve: RecordedCurve) -> bool:
        """A step was taken in the search that began last. Return False to stop after it."""


class NoProgress:
    """Reports to nobody and never asks to stop."""

    def stage(self, stage: Stage, number: int = 1, n: int = 1) -> None:
        """Do nothing."""

    def step(self, step: Step | Generalization, curve: RecordedCurve) -> bool:
        """Go on."""
        del step, curve
        return True


class Search(Protocol):
    """One way to find a Solution. A class of this kind takes a `Problem` and stands in `registry`."""

    def __init__(self, problem: Problem) -> None:
        """Set up a search, without any count of records yet; refuse a problem that it cannot solve."""

    @property
    def request(self) -> CountRequest:
        """What it needs counted."""

    @property
    def coded_trees(self) -> Sequence[AnyTree]:
        """The value trees by whose codes the records are counted."""

    def run(self, counts: CompressedTables, progress: Progress) -> Solution:
        """Search.

        Args:
            counts: The answer to the request. It is not changed, so that several runs may start from it.
            progress: Told of every search and step, and may ask to stop.
        """

    def rerun(self, counts: CompressedTables, n_steps: int) -> Solution:
        """Search as the last run did that gave a Solution, and stop after so many of its steps.

        Args:
            counts: The same as in that run.
            n_steps: After how many steps.

        Raises:
            InputError: A state before the last is not safe.
        """
