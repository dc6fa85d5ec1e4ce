"""The declared domain of each attribute: leaves, and how shown values are refined into others.

Everything here follows from the policy. A cell of the data is one of the leaves:
a leaf of the taxonomy, a part of the range, or a value of the list. What is none
of them, or missing, is one more leaf, `outside`, which is shown as the root;
where the policy drops records with missing cells there is no such leaf.

A new way of masking needs a function here that makes its `DeclaredDomain`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from maskwise.errors import PolicyError
from maskwise.policy.attributes import Kind, Missing
from maskwise.policy.rules.public_domain import public_domain
from maskwise.solution.cut import HIDDEN
from maskwise.values.scales import EXACT, Scale, bound, interval_label, scale_of_bound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.policy.attributes import Attribute
    from maskwise.policy.policy import Policy
    from maskwise.policy.rules.rule_tree import RuleTree
    from maskwise.policy.taxonomy import Taxonomy

MOST_LEAVES = 65_535
"""With one for what is outside, leaves are numbers of 16 bits. More parts of a range, or values, are refused."""
_NUMBERS = {Scale.INTEGER, Scale.REAL}


@dataclass(frozen=True, slots=True)
class DeclaredRange:
    """The declared range of an interval attribute, parted by its grid."""

    scale: Scale
    """What its numbers are."""
    low: float
    """The smallest number."""
    high: float
    """The largest number."""
    starts: tuple[float, ...]
    """Where each part begins, ascending; the last part holds the largest number."""
    width: int | None = None
    """Of whole numbers how far apart points of the grid are, which are its multiples."""

    @property
    def root(self) -> str:
        """The whole range."""
        return interval_label(self.low, self.high, self.scale, closed=True)


@dataclass(frozen=True, slots=True)
class DeclaredDomain:
    """What an attribute may show, known before anything of the data is."""

    name: str
    """The attribute."""
    kind: Kind
    """How it is masked."""
    root: str
    """What it shows at first."""
    leaves: tuple[str, ...]
    """The leaves by their spelling; empty for an interval attribute, whose leaves are the parts of its range."""
    n_leaves: int
    """How many leaves there are, without `outside`."""
    has_outside: bool
    """Whether there is a leaf for cells that are missing or not in the domain; it comes last."""
    taxonomy: Taxonomy | None = None
    """The tree of a taxonomy attribute."""
    rule: RuleTree | None = None
    """What reads the cells of a taxonomy attribute, where they are not the leaves themselves."""
    grid: DeclaredRange | None = None
    """The range of an interval attribute."""

    @property
    def n_codes(self) -> int:
        """How many leaves there are, with `outside`."""
        return self.n_leaves + self.has_outside

    def leaves_below(self) -> dict[str, list[int]]:
        """For each label of the taxonomy the leaves at or below it."""
        assert self.taxonomy is not None  # noqa: S101 - asked of taxonomy attributes only
        tree = self.taxonomy
        place = {label: at for at, label in enumerate(tree.labels)}
        found: dict[str, list[int]] = {label: [] for label in tree.labels}
        for number, leaf in enumerate(self.leaves):
            at = place[leaf]
            while at >= 0:
                found[tree.labels[at]].append(number)
                at = tree.parents[at]
        return found


def domains_of(policy: Policy) -> tuple[DeclaredDomain, ...]:
    """The domains of all attributes of a private release, in its order.

    Raises:
        PolicyError: A range, a grid or a list cannot be used.
    """
    assert policy.private is not None  # noqa: S101 - asked of private policies only
    entries = {attribute.name: attribute for attribute in policy.attributes}
    has_outside = policy.missing is not Missing.DROP
    found, mistakes = [], []
    if len(policy.class_values) > MOST_LEAVES:
        mistakes.append(policy.at(("class",)) + _too_many(str(policy.class_name), len(policy.class_values)))
    for name in policy.private.attributes:
        try:
            found.append(_domain(entries[name], has_outside=has_outside))
        except PolicyError as error:
            mistakes += [policy.at(("attributes", name)) + mistake for mistake in error.mistakes]
    if mistakes:
        raise PolicyError(mistakes)
    return tuple(found)


def _domain(entry: Attribute, *, has_outside: bool) -> DeclaredDomain:
    if entry.kind is Kind.INTERVAL:
        grid = _grid(entry)
        return DeclaredDomain(entry.name, entry.kind, grid.root, (), len(grid.starts), has_outside, grid=grid)
    tree = entry.taxonomy if entry.rule is None else public_domain(entry)
    if tree is not None:
        root, leaves = tree.root, tree.leaves()
    else:
        root, leaves = HIDDEN, entry.values
        if HIDDEN in leaves:
            raise PolicyError([f"`{entry.name}` lists `{HIDDEN}`, which stands for a hidden value. Rename that value."])
    if len(leaves) > MOST_LEAVES:
        raise PolicyError([_too_many(entry.name, len(leaves))])
    return DeclaredDomain(entry.name, entry.kind, root, leaves, len(leaves), has_outside, tree, entry.rule)


def _grid(entry: Attribute) -> DeclaredRange:
    """Read the range and the grid of an interval attribute."""
    assert entry.bounds is not None  # noqa: S101 - checked when the policy was read
    assert entry.grid is not None  # noqa: S101 - the same
    scale = _scale(entry)
    if (misfit := entry.grid.misfit(scale)) is not None:
        raise PolicyError([f"`{entry.name}`: {misfit}"])
    low, high = (bound(end, scale) for end in entry.bounds)
    if not low < high or not math.isfinite(high - low):
        raise PolicyError([f"`{entry.name}`: the range [{', '.join(entry.bounds)}] holds a single value."])
    if scale in _NUMBERS and max(abs(low), abs(high)) >= EXACT:
        raise PolicyError(
            [f"`{entry.name}`: the range [{', '.join(entry.bounds)}] has numbers of 2^53 or more. Narrow it."]
        )
    n_points = entry.grid.n_points(low, high, scale)
    # With one more at each end the parts are still few enough.
    if n_points > MOST_LEAVES - 2:
        raise PolicyError([_too_many(entry.name, int(n_points) + 1)])
    points = entry.grid.points(low, high, scale)
    if not len(points):
        msg = f"`{entry.name}`: no point of the grid lies in the range [{', '.join(entry.bounds)}]. Use a finer one."
        raise PolicyError([msg])
    step = entry.grid.step
    width = int(step) if step is not None and scale is Scale.INTEGER else None
    return DeclaredRange(scale, low, high, (low, *points.tolist()), width)


def _scale(entry: Attribute) -> Scale:
    """What a declared range is of: its ends say it, and a grid that is finer than they are."""
    assert entry.bounds is not None  # noqa: S101 - checked when the policy was read
    assert entry.grid is not None  # noqa: S101 - the same
    scales = {scale_of_bound(end) for end in entry.bounds}
    if scales <= _NUMBERS:
        is_whole = scales == {Scale.INTEGER} and entry.grid.step is not None and not entry.grid.step % 1
        return Scale.INTEGER if is_whole else Scale.REAL
    if scales == {Scale.DATE} and entry.grid.misfit(Scale.DATE) and not entry.grid.misfit(Scale.TIMESTAMP):
        return Scale.TIMESTAMP
    return Scale.TIMESTAMP if Scale.TIMESTAMP in scales else next(iter(scales))


def _too_many(name: str, n_leaves: int) -> str:
    return (
        f"`{name}` has {n_leaves:,} values or parts; {MOST_LEAVES:,} are the most. Declare fewer values, coarser "
        "levels or a wider grid."
    )


def spread(first: int, last: int, most: int) -> Sequence[int]:
    """Up to so many boundaries between two parts of a range, evenly spread: a choice that looks at no record.

    >>> list(spread(0, 4, 9)), list(spread(0, 100, 3))
    ([1, 2, 3], [25, 50, 75])
    """
    n = last - first
    if n - 1 <= most:
        return range(first + 1, last)
    return sorted({first + (2 * n * i + most + 1) // (2 * (most + 1)) for i in range(1, most + 1)})
