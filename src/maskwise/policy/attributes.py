"""The attributes of a policy and the ways they are masked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from maskwise.errors import PolicyError

if TYPE_CHECKING:
    from maskwise.policy.grids import Grid
    from maskwise.policy.rules.made import TreeSource
    from maskwise.policy.rules.rule_tree import RuleTree
    from maskwise.policy.taxonomy import Taxonomy


class Kind(StrEnum):
    """How an attribute is masked."""

    TAXONOMY = "taxonomy"
    """Generalized along a given tree, or along the tree that a rule makes."""
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


class Boundaries(StrEnum):
    """Where intervals may be split."""

    SAFE = "safe"
    """Between bins of at least k records, at the roundest number between them."""
    EXACT = "exact"
    """At any number of the data, as the papers do."""


class Minimality(StrEnum):
    """What is done about attackers who know that a search shows as much as the templates allow."""

    CHECK = "check"
    """What they learn is computed and reported."""
    GUARD = "guard"
    """The search goes by tighter bounds, until they learn no more than the templates allow."""


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
    """The tree, for a taxonomy attribute without a rule."""
    rule: RuleTree | None = None
    """What makes the tree, for a taxonomy attribute that has a rule instead of a listed tree."""
    source: TreeSource | None = None
    """What the tree is made of, for a taxonomy attribute whose tree is made of the table when it is profiled."""
    bounds: tuple[str, str] | None = None
    """The range as it stands in the policy: of an interval attribute, or of a rule in a private release; None means the
    data's."""
    grid: Grid | None = None
    """Where the intervals of an interval attribute may begin; None lets the data decide."""
    clamp: tuple[str | None, str | None] = (None, None)
    """The ends of bottom- and top-coding as they stand in the policy; None where there is none."""
    weight: float = 1.0
    """How much its information counts beside that of other attributes."""
    at_least: int = 0
    """How far below the root of its tree every shown value stands, or is a leaf; 1 shows all values of `suppress`."""
    release: int | None = None
    """For a taxonomy attribute in no QID, the depth in its tree at which it is released; None leaves it as it is."""
    is_known: bool = False
    """Whether attackers have it from an earlier release: groups are told apart by it, and it is not released."""
    values: tuple[str, ...] = ()
    """For a suppress attribute of a private release, every value that it may have."""

    @property
    def preferred(self) -> tuple[tuple[str, float], ...]:
        """What is preferred of it, where that is not the usual: `weight` and `at_least`."""
        asked = (("weight", self.weight), ("at_least", self.at_least))
        return tuple(one for one, usual in zip(asked, (1.0, 0), strict=True) if one[1] != usual)

    def __post_init__(self) -> None:
        """Refuse an entry whose parts do not belong together."""
        n_trees = (self.taxonomy is not None or self.source is not None) + (self.rule is not None)
        if n_trees != int(self.kind is Kind.TAXONOMY):
            raise PolicyError([f"`{self.name}`: a taxonomy attribute, and no other, needs a tree or a rule."])
        if self.grid is not None and self.kind is not Kind.INTERVAL:
            raise PolicyError([f"`{self.name}`: only an interval attribute has boundaries on a grid."])
        if self.bounds is not None and self.kind is not Kind.INTERVAL and self.rule is None:
            raise PolicyError([f"`{self.name}`: only an interval attribute or a rule has a range."])
        if self.clamp != (None, None) and self.bounds is None:
            msg = f"`{self.name}`: clamp goes with a range. Write {{interval: [0, 120], clamp: [18, 90]}}."
            raise PolicyError([msg])
        if len(set(self.values)) < len(self.values):
            raise PolicyError([f"`{self.name}`: a value stands twice in the list of its values."])
        if not 0 < self.weight < math.inf:
            raise PolicyError([f"`{self.name}`: a weight is a number above 0; found {self.weight:g}."])
        tree = self.taxonomy or self.rule or self.source
        n_levels = tree.height if tree is not None else int(self.kind is Kind.SUPPRESS)
        if not 0 <= self.at_least <= n_levels:
            has = {
                Kind.TAXONOMY: f"its taxonomy has levels 0 to {n_levels}",
                Kind.SUPPRESS: "a suppress attribute has level 0 (`*`) and level 1 (every value is shown)",
                Kind.INTERVAL: "an interval attribute has no levels, as its intervals follow from the data",
            }[self.kind]
            raise PolicyError([f"`{self.name}`: at_least is {self.at_least}, but {has}."])
        if self.release is not None and self.source is not None:
            msg = f"`{self.name}`: `release` is a depth in a listed taxonomy, and `{self.source.key}` lists none."
            raise PolicyError([msg])
        if self.release is not None and (self.kind is not Kind.TAXONOMY or self.release < 0):
            raise PolicyError([f"`{self.name}`: `release` is a depth in its taxonomy, 0 for the root."])
