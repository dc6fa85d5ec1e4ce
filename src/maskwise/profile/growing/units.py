"""Which values of a column are told apart in its grown tree, and what groups of them are called.

The label of a group is shown to recipients, so it names no value that only few
people have. Such values are put together, and no label names one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

MOST_UNITS = 2_000
"""So many values are told apart, the most frequent ones."""
NAMED = 10
"""A value that fewer people have is not named, whatever k is."""
OTHERS = "{others}"
"""How values are shown that no label names."""
_LISTED = 5
"""How many values a label lists."""


@dataclass(frozen=True, slots=True)
class Units:
    """The values that a tree tells apart, and those that it keeps together."""

    texts: tuple[str, ...]
    """The values that are told apart, in their order."""
    rest: tuple[str, ...]
    """The values that are kept together, in their order; where there are any they are one more unit, the last."""
    named_rest: tuple[str, ...]
    """Those of them that enough people have to be named."""
    counts: Ints  # (n_units, n_classes)
    """Records of each unit, by class."""

    def label(self, members: Sequence[int]) -> str:
        """What a group of units is called.

        Claim: a label names only values that at least as many people have as the
        largest k on the attribute, and at least 10. It tells of others at most that there
        are some.

        Args:
            members: The units, more than one or the last one, in ascending order.

        >>> units = Units(("clerk", "nurse", "pilot"), ("pope",), (), np.ones((4, 1), np.int64))
        >>> units.label([0, 1]), units.label([1, 2, 3]), units.label([3])
        ('{clerk, nurse}', '{nurse, pilot, ...}', '{others}')
        """
        has_rest = members[-1] == len(self.texts)
        names = [self.texts[unit] for unit in members if unit < len(self.texts)]
        names += self.named_rest if has_rest else ()
        if not names:
            return OTHERS
        listed = ", ".join(names[:_LISTED])
        more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
        has_unnamed = has_rest and len(self.named_rest) < len(self.rest)
        return f"{{{listed}{more}{', ...' if has_unnamed else ''}}}"


def take_units(texts: Sequence[str], counts: Ints, people: Ints, floor: int) -> Units:
    """Decide which values a tree tells apart.

    Values that too few people have are kept together, with the rarest of the
    others where all of them are still too few: a group that is too small would keep every group
    beside it from being shown.

    Args:
        texts: The values, in their order.
        counts: Their records, by class.
        people: How many people have each value: persons where the policy names them, else records.
        floor: The largest k that is asked of the attribute.
    """
    by_rarity = sorted(range(len(texts)), key=lambda i: (people[i], i))
    is_named = people >= max(floor, NAMED)
    n_rest = max(int((~is_named).sum()), len(texts) - MOST_UNITS)
    # Persons with several values are counted with each, which can only keep too few values together.
    while 0 < n_rest < len(texts) and people[by_rarity[:n_rest]].sum() < floor:
        n_rest += 1
    together = sorted(by_rarity[:n_rest])
    apart = sorted(by_rarity[n_rest:])
    groups = [counts[i] for i in apart] + ([counts[together].sum(axis=0)] if together else [])
    return Units(
        tuple(texts[i] for i in apart),
        tuple(texts[i] for i in together),
        tuple(texts[i] for i in together if is_named[i]),
        np.array(groups, np.int64).reshape(len(groups), counts.shape[1]),
    )
