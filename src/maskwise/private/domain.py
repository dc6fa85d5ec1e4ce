"""The declared domain of each attribute: leaves, and how shown values are refined into others.

Everything here follows from the policy. A cell of the data is one of the leaves:
a leaf of the taxonomy, a step of the grid, or a value of the list. What is none
of them, or missing, is one more leaf, `outside`, which is shown as the root;
where the policy drops records with missing cells there is no such leaf.

A new way of masking needs a function here that makes its `DeclaredDomain`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from maskwise.errors import PolicyError
from maskwise.policy.attributes import Kind, Missing
from maskwise.solution.cut import HIDDEN
from maskwise.values.scales import Scale, bound, interval_label, scale_of_bound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.policy.attributes import Attribute
    from maskwise.policy.policy import Policy
    from maskwise.policy.taxonomy import Taxonomy

MOST_LEAVES = 65_535
"""With one for what is outside, leaves are numbers of 16 bits. More steps of a grid, or values, are refused."""


@dataclass(frozen=True, slots=True)
class DeclaredRange:
    """The declared range of an interval attribute, in steps."""

    scale: Scale
    """What its numbers are."""
    low: float
    """The smallest number."""
    high: float
    """The largest number."""
    step: Fraction
    """How far apart boundaries are."""

    @property
    def n_steps(self) -> int:
        """How many steps there are; the last one may be shorter, and holds the largest number."""
        return int((Fraction(self.high) - Fraction(self.low)) // self.step) + 1

    def at(self, i: int) -> float:
        """Where a step begins."""
        value = Fraction(self.low) + i * self.step
        return int(value) if self.scale is not Scale.REAL or value.denominator == 1 else float(value)

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
    """The leaves by their spelling; empty for an interval attribute, whose leaves are the steps of its grid."""
    n_leaves: int
    """How many leaves there are, without `outside`."""
    has_outside: bool
    """Whether there is a leaf for cells that are missing or not in the domain; it comes last."""
    taxonomy: Taxonomy | None = None
    """The tree of a taxonomy attribute."""
    grid: DeclaredRange | None = None
    """The range of an interval attribute."""

    @property
    def n_codes(self) -> int:
        """How many leaves there are, with `outside`."""
        return self.n_leaves + self.has_outside

    def below(self, label: str) -> tuple[int, ...]:
        """The leaves below a label of the taxonomy."""
        assert self.taxonomy is not None  # noqa: S101 - asked of taxonomy attributes only
        under = set(self.taxonomy.at_or_below(label))
        return tuple(i for i, leaf in enumerate(self.leaves) if leaf in under)


def domains_of(policy: Policy) -> tuple[DeclaredDomain, ...]:
    """The domains of all attributes of a private release, in its order.

    Raises:
        PolicyError: A range, a grid or a list cannot be used.
    """
    assert policy.private is not None  # noqa: S101 - asked of private policies only
    entries = {attribute.name: attribute for attribute in policy.attributes}
    has_outside = policy.missing is not Missing.DROP
    found, mistakes = [], []
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
        return DeclaredDomain(entry.name, entry.kind, grid.root, (), grid.n_steps, has_outside, grid=grid)
    if entry.taxonomy is not None:
        root, leaves = entry.taxonomy.root, entry.taxonomy.leaves()
    else:
        root, leaves = HIDDEN, entry.values
        if HIDDEN in leaves:
            raise PolicyError([f"`{entry.name}` lists `{HIDDEN}`, which stands for a hidden value. Rename that value."])
    _refuse_many(entry.name, len(leaves))
    return DeclaredDomain(entry.name, entry.kind, root, leaves, len(leaves), has_outside, taxonomy=entry.taxonomy)


def _grid(entry: Attribute) -> DeclaredRange:
    """Read the range and the grid of an interval attribute."""
    assert entry.bounds is not None  # noqa: S101 - checked when the policy was read
    assert entry.step is not None  # noqa: S101 - the same
    scales = [scale_of_bound(end) for end in entry.bounds]
    scale = Scale.REAL if set(scales) == {Scale.INTEGER, Scale.REAL} else scales[0]
    if scale in {Scale.TIME, Scale.TIMESTAMP}:
        msg = f"`{entry.name}`: a private release knows ranges of numbers and dates, not of times. Write dates."
        raise PolicyError([msg])
    try:
        step = Fraction(entry.step.strip())
    except (ValueError, ZeroDivisionError):
        step = Fraction(0)
    unit = "a whole number of days" if scale is Scale.DATE else "a number"
    if step <= 0 or (scale is Scale.DATE and step.denominator != 1):
        raise PolicyError([f"`{entry.name}`: grid is {unit} above 0, such as 5; found `{entry.step}`."])
    if scale is Scale.INTEGER and step.denominator != 1:
        scale = Scale.REAL
    low, high = (bound(end, scale) for end in entry.bounds)
    if not low < high or not math.isfinite(high - low):
        raise PolicyError([f"`{entry.name}`: the range [{', '.join(entry.bounds)}] holds a single number."])
    grid = DeclaredRange(scale, low, high, step)
    _refuse_many(entry.name, grid.n_steps)
    return grid


def _refuse_many(name: str, n_leaves: int) -> None:
    if n_leaves > MOST_LEAVES:
        msg = (
            f"`{name}` has {n_leaves:,} values or steps; {MOST_LEAVES:,} are the most. Declare fewer, or a wider grid."
        )
        raise PolicyError([msg])


def spread(first: int, last: int, most: int) -> Sequence[int]:
    """Up to so many boundaries between two steps of a grid, evenly spread: a choice that looks at no record.

    >>> list(spread(0, 4, 9)), list(spread(0, 100, 3))
    ([1, 2, 3], [25, 50, 75])
    """
    n = last - first
    if n - 1 <= most:
        return range(first + 1, last)
    return sorted({first + (2 * n * i + most + 1) // (2 * (most + 1)) for i in range(1, most + 1)})
