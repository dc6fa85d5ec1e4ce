"""What a solution file says of suppressed records: for the owner's eyes, so that later rows are suppressed alike."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict

from maskwise.errors import PolicyError
from maskwise.policy.budget import Suppressed  # noqa: TC001 - pydantic needs it
from maskwise.solution.suppression import SuppressedCombinations, Suppression


class _Combinations(BaseModel):
    model_config = ConfigDict(extra="forbid", defer_build=True)
    qid: list[str]
    labels: list[list[str | None]]


class SuppressionEntry(BaseModel):
    """Suppressed records, as a solution file says it."""

    model_config = ConfigDict(extra="forbid", defer_build=True, populate_by_name=True)
    shown_as: Suppressed
    counted: int
    records: int
    combinations: list[_Combinations] = []
    unshown: dict[str, list[str | None]] = {}

    @classmethod
    def of(cls, said: Suppression) -> Self:
        """The entry that says this."""
        return cls(
            shown_as=said.shown_as,
            counted=said.n_counted,
            records=said.n_records,
            combinations=[
                _Combinations(qid=list(one.qid), labels=[list(labels) for labels in one.labels])
                for one in said.combinations
            ],
            unshown={name: list(labels) for name, labels in said.unshown},
        )

    def suppression(self, attributes: list[str]) -> Suppression:
        """What the entry says.

        Args:
            attributes: The masked attributes.
        """
        for one in self.combinations:
            is_wide = all(len(labels) == len(one.qid) for labels in one.labels)
            if not one.qid or not one.labels or not is_wide or not set(one.qid) <= set(attributes):
                raise PolicyError(["its suppressed combinations are not of its attributes."])
        return Suppression(
            self.shown_as,
            self.counted,
            self.records,
            tuple(
                SuppressedCombinations(tuple(one.qid), tuple(tuple(labels) for labels in one.labels))
                for one in self.combinations
            ),
            tuple((name, tuple(labels)) for name, labels in self.unshown.items()),
        )
