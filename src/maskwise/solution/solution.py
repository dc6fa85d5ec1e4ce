"""The result of a search: all cuts together, what they reach, and the steps that led to them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING

from maskwise.policy.attributes import Missing
from maskwise.solution.cut import MissingShown
from maskwise.values.message import note
from maskwise.values.number_forms import Numbers
from maskwise.values.reading import AS_IT_IS

if TYPE_CHECKING:
    from maskwise.policy.person import Person
    from maskwise.policy.requirements.base import Requirement
    from maskwise.policy.rules.rule_tree import RuleTree
    from maskwise.policy.taxonomy import Taxonomy
    from maskwise.solution.curve import Point
    from maskwise.solution.cut import Cut
    from maskwise.solution.regions import Regions
    from maskwise.solution.steps import Generalization, Step
    from maskwise.solution.suppression import Suppression
    from maskwise.values.message import Message
    from maskwise.values.reading import Reading


PRIVATE = "private"
"""The method of a solution that was found with differential privacy."""


class Ending(StrEnum):
    """Why a search ended."""

    MAXIMAL = "maximal"
    """Top-down: none of the refinements that the criterion tries is valid and beneficial."""
    EXHAUSTED = "exhausted"
    """Top-down, with shares of persons who are in several groups: the same, but what was invalid once was not tried
    again, though it may be valid by now."""
    MET = "met"
    """Bottom-up: all requirements hold."""
    STEPS = "step limit"
    TIME = "time limit"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Reached:
    """A requirement and the figure that the masked table has on it."""

    requirement: Requirement
    """What was asked."""
    figure: float
    """How the worst group stands: the smallest size, the largest confidence, and so on."""
    implied_by: int | None = None
    """The position of a requirement that made this one redundant."""


@dataclass(frozen=True, slots=True)
class Solution:
    """One cut per masked attribute, or one in each region: a mapping from every domain value to one shown value."""

    cuts: tuple[Cut, ...]
    """In policy order."""
    reached: tuple[Reached, ...]
    """One for each requirement of the policy, in its order."""
    n_rows: int
    """The records the cut was found on."""
    policy_hash: str
    """Which policy it was found for."""
    method: str
    """How it was searched."""
    criterion: str
    """By what measure."""
    ending: Ending | str
    """Why the search ended."""
    drop: tuple[str, ...] = ()
    """Columns that a release leaves out."""
    missing: Missing = Missing.KEEP
    """What happens to missing cells of masked attributes."""
    reading: Reading = AS_IT_IS
    """How the table was read, so that later rows are read alike."""
    columns: tuple[str, ...] = ()
    """The columns of the release."""
    fixed: tuple[Cut, ...] = ()
    """Columns in no QID that are shown at one depth of their taxonomy."""
    regions: Regions | None = None
    """Where regions of the table have cuts of their own; `cuts` then have what occurs in any of them."""
    trees: tuple[tuple[str, Taxonomy | RuleTree], ...] = ()
    """The taxonomies, or rules, of sensitive columns without a cut: requirements may name values and groups of them."""
    person: Person | None = None
    """The column that says whom a record is about, where the figures are about persons."""
    tightened: Fraction = Fraction(1)
    """By what the bounds of templates were multiplied while searching, against the minimality attack."""
    suppression: Suppression | None = None
    """What is suppressed, where the policy allows it."""
    numbers: Numbers = Numbers.LABEL
    """What stands for a masked number in the release."""
    means: tuple[tuple[str, tuple[tuple[str, float], ...]], ...] = ()
    """For each attribute the mean of the numbers behind each label, where they stand for it."""
    against: tuple[str, ...] = ()
    """The hashes of the solution files of earlier releases of the same people, together with which it was found."""
    steps: tuple[Step | Generalization, ...] = ()
    """The refinements or generalizations, in order; not part of the file."""
    curve: tuple[Point, ...] = ()
    """What is kept and what is reached after each of them; not part of the file."""
    messages: tuple[Message, ...] = ()
    """What is to be known of the table and the search; not part of the file."""
    n_regions: int | None = None
    """How many regions have records, where regions have cuts of their own; not part of the file."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What the owner should know of the table and the search."""
        return tuple(message.text for message in self.messages)

    @property
    def is_unit_released(self) -> bool:
        """Whether recipients can count what was counted: records, or persons by their pseudonyms."""
        return self.person is None or self.person.is_released

    def implied(self) -> tuple[Message, ...]:
        """Say which requirements follow from another."""
        return tuple(
            note(
                f"{reached.requirement.asks()} follows from requirement {reached.implied_by + 1}, "
                "so it was dropped from the search."
            )
            for reached in self.reached
            if reached.implied_by is not None
        )

    @property
    def taxonomies(self) -> dict[str, Taxonomy | RuleTree | None]:
        """The taxonomy of each column that has one, or the rule that makes it."""
        return {cut.attribute: cut.rule or cut.taxonomy for cut in (*self.cuts, *self.fixed)} | dict(self.trees)

    @property
    def n_released(self) -> int:
        """The records of the release."""
        return self.n_rows - (0 if self.suppression is None else self.suppression.n_removed)

    def shown_labels(self, cut: Cut) -> tuple[str, ...]:
        """The labels of a cut that a released cell may hold; where records are suppressed, those that one holds."""
        said = self.suppression
        if said is None:
            return cut.labels
        labels = tuple(text for text in cut.labels if said.is_shown(cut.attribute, text))
        is_root_beside = said.is_root_shown and cut in self.cuts and cut.root not in labels
        return (*labels, cut.root) if is_root_beside else labels

    def shows_missing(self, cut: Cut) -> bool:
        """Whether a released cell of a cut's attribute may be missing; where records are suppressed, whether one is."""
        is_itself = cut.missing is MissingShown.ITSELF
        return is_itself and (self.suppression is None or self.suppression.is_shown(cut.attribute, None))

    @property
    def is_private(self) -> bool:
        """Whether it was found with differential privacy; then it has no requirement that can be recounted."""
        return self.method == PRIVATE

    def cut(self, attribute: str) -> Cut:
        """The cut of one attribute."""
        return next(cut for cut in self.cuts if cut.attribute == attribute)
