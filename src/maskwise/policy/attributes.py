"""The attributes of a policy and the ways they are masked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from maskwise.errors import PolicyError

if TYPE_CHECKING:
    from maskwise.policy.taxonomy import Taxonomy


class Kind(StrEnum):
    """How an attribute is masked."""

    TAXONOMY = "taxonomy"
    """Generalized along a given tree."""
    INTERVAL = "interval"
    """Discretized; the tree of intervals is grown from the data."""
    SUPPRESS = "suppress"
    """Each value is shown, or hidden as `*`."""


class Missing(StrEnum):
    """What happens to a missing cell of a masked attribute."""

    KEEP = "keep"
    """It is a value of its own, a leaf under the root."""
    DROP = "drop"
    """Its record is removed."""
    ERROR = "error"
    """The table is refused."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """One masked column and the way it is masked.

    >>> Attribute("Work_Hrs", Kind.INTERVAL, bounds=("1", "99")).kind
    <Kind.INTERVAL: 'interval'>
    """

    name: str
    """The column."""
    kind: Kind
    """The way."""
    taxonomy: Taxonomy | None = None
    """The tree, for a taxonomy attribute."""
    bounds: tuple[str, str] | None = None
    """The range as it stands in the policy, for an interval attribute; None means the data's."""
    release: int | None = None
    """For a taxonomy attribute in no QID, the depth in its tree at which it is released; None leaves it as it is."""

    def __post_init__(self) -> None:
        """Refuse an entry whose parts do not belong together."""
        if (self.kind is Kind.TAXONOMY) != (self.taxonomy is not None):
            raise PolicyError([f"`{self.name}`: a taxonomy attribute, and no other, needs a tree."])
        if self.bounds is not None and self.kind is not Kind.INTERVAL:
            raise PolicyError([f"`{self.name}`: only an interval attribute has a range."])
        if self.release is not None and (self.kind is not Kind.TAXONOMY or self.release < 0):
            raise PolicyError([f"`{self.name}`: `release` is a depth in its taxonomy, 0 for the root."])
