"""What a search suppressed: by which combinations of labels the records are known, and what becomes of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from maskwise.policy.budget import Suppressed
from maskwise.solution.cut import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Mapping

    Labels = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class SuppressedCombinations:
    """The combinations of labels on one QID whose records are suppressed."""

    qid: tuple[str, ...]
    """The attributes."""
    labels: tuple[Labels, ...]
    """What such records would show on them; None is a missing cell."""


@dataclass(frozen=True, slots=True)
class Suppression:
    """The records that a release gives up. Only the owner may know them."""

    shown_as: Suppressed
    """What becomes of them."""
    n_counted: int
    """How many records are suppressed, or persons where these are counted."""
    n_records: int = 0
    """How many records that are; known when the table is masked."""
    combinations: tuple[SuppressedCombinations, ...] = ()
    """By which labels they are known, QID by QID; those of any of them are suppressed."""
    unshown: tuple[tuple[str, Labels], ...] = ()
    """For each attribute the labels of its cut that no released record shows, where there are some."""

    @property
    def n_removed(self) -> int:
        """How many records the release lacks, where records are counted."""
        return self.n_records if self.shown_as is Suppressed.REMOVED else 0

    @property
    def is_root_shown(self) -> bool:
        """Whether some records show the root of every attribute because they are suppressed."""
        return self.shown_as is Suppressed.ROOT and bool(self.n_counted)

    def relabelled(self, attribute: str, label: str) -> Suppression:
        """The same where an attribute shows another label in the place of `*`.

        Args:
            attribute: The attribute.
            label: What it shows.
        """
        combinations = tuple(
            replace(one, labels=tuple(_relabel(one.qid, labels, {attribute: label}) for labels in one.labels))
            for one in self.combinations
        )
        unshown = tuple(
            (name, _relabel((name,) * len(labels), labels, {attribute: label})) for name, labels in self.unshown
        )
        return replace(self, combinations=combinations, unshown=unshown)

    def is_shown(self, attribute: str, label: str | None) -> bool:
        """Whether a released record shows a label of an attribute's cut."""
        return label not in dict(self.unshown).get(attribute, ())


def _relabel(names: tuple[str, ...], labels: Labels, other: Mapping[str, str]) -> Labels:
    return tuple(
        other.get(name, label) if label == HIDDEN else label for name, label in zip(names, labels, strict=True)
    )
