"""`grow`: a tree that is grown from the counts of a column."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from maskwise.errors import PolicyError, did_you_mean, quote
from maskwise.policy.rules.level_lists import shown


class GrowBy(StrEnum):
    """What the values of a grown tree are put together by."""

    CLASSES = "classes"
    """Values with alike classes."""
    FREQUENCY = "frequency"
    """Halves with alike numbers of records."""
    SIMILARITY = "similarity"
    """Values that are spelled alike."""


@dataclass(frozen=True, slots=True)
class Grow:
    """A binary tree of the values of a column that have neither an order nor a tree.

    >>> Grow.from_data("frequency").to_data()
    'frequency'
    """

    by: GrowBy
    """What values are put together by."""

    @property
    def key(self) -> str:
        """The word in a policy."""
        return "grow"

    @property
    def height(self) -> int:
        """How many levels its tree has for certain."""
        return 0

    @property
    def columns(self) -> tuple[str, ...]:
        """The other columns that it is made of."""
        return ()

    @classmethod
    def from_data(cls, data: object) -> Self:
        """Read what stands beside the key."""
        if str(data) not in set(GrowBy):
            known = tuple(map(str, GrowBy))
            msg = f"`grow` is one of {quote(known)}; found {shown(data)}.{did_you_mean(str(data), known)}"
            raise PolicyError([msg])
        return cls(GrowBy(str(data)))

    def to_data(self) -> Any:
        """What a policy says."""
        return str(self.by)
