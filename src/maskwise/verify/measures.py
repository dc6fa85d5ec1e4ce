"""How the recount measures a rule: plain arithmetic on the counts of groups.

Written apart from the search's own arithmetic (`badness`), so that one checks
the other. Shares, numbers of values and tails are compared as whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.policy.requirements.closeness import Closeness, Distance
from maskwise.policy.requirements.confidence import Template
from maskwise.policy.requirements.diversity import Diversity, Measure
from maskwise.policy.requirements.k_anonymity import KAnonymity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from maskwise.policy.requirements.all import Part

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]

_NEAR = 1e-12
"""Entropies and distances are rounded, so they meet a bound that they miss by less."""


@dataclass(frozen=True, slots=True)
class Spectrum:
    """The groups of one QID by their counts; groups with equal counts stand together."""

    n_groups: Ints  # (n_kinds,)
    """How many groups have these counts."""
    n_records: Ints  # (n_kinds,)
    """The records of each."""
    n_values: Mapping[tuple[str, str | None], Ints]  # each (n_kinds,)
    """Those of them with each sensitive value."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What one rule says of the groups of its QID."""

    figures: NDArray[np.generic]  # (n_kinds,)
    """How each kind of group stands: its records, a share, how diverse, how far."""
    is_broken: NDArray[np.bool_]  # (n_kinds,)
    """Whether it breaks the rule."""
    is_low_bad: bool
    """Whether the worst figure is the smallest."""

    def worst(self, n_records: Ints) -> int:
        """The kind of group that stands worst, the largest of equals."""
        bad = -self.figures.astype(np.float64) if self.is_low_bad else self.figures.astype(np.float64)
        return int(np.lexsort((n_records, bad))[-1])


def judge(part: Part, groups: Spectrum, values: tuple[str | None, ...]) -> Judged:
    """Measure a rule on every group.

    Args:
        part: The rule.
        groups: The groups of its QID.
        values: The values of its sensitive column, in their order; a template looks at its own only.
    """
    n = groups.n_records
    if isinstance(part, KAnonymity):
        return Judged(n, n < part.k, is_low_bad=True)
    if isinstance(part, Template):
        s = groups.n_values[part.sensitive, part.value]
        over, under = part.bound.as_integer_ratio()
        return Judged(s / n, s * under > n * over, is_low_bad=False)
    counts = np.stack([groups.n_values[part.sensitive, value] for value in values], axis=1)
    if isinstance(part, Diversity):
        return _diversity(part, counts)
    return _closeness(part, counts, groups)


def _diversity(part: Diversity, counts: Ints) -> Judged:
    match part.measure:
        case Measure.DISTINCT:
            n_values = (counts > 0).sum(axis=1)
            return Judged(n_values, n_values < int(part.l), is_low_bad=True)
        case Measure.ENTROPY:
            shares = counts / counts.sum(axis=1, keepdims=True)
            bits = -np.sum(shares * np.log2(shares, where=shares > 0, out=np.zeros_like(shares)), axis=1)
            return Judged(2**bits, bits < np.log2(float(part.l)) - _NEAR, is_low_bad=True)
        case Measure.RECURSIVE:
            falling = -np.sort(-counts, axis=1)
            most, tail = falling[:, 0], falling[:, int(part.l) - 1 :].sum(axis=1)
            over, under = part.c.as_integer_ratio()
            ratio = np.divide(most, tail, where=tail > 0, out=np.full(len(most), np.inf))
            return Judged(ratio, most * under >= tail * over, is_low_bad=False)


def _closeness(part: Closeness, counts: Ints, groups: Spectrum) -> Judged:
    shares = counts / counts.sum(axis=1, keepdims=True)
    whole = (counts * groups.n_groups[:, None]).sum(axis=0)
    apart = shares - whole / whole.sum()
    if part.distance is Distance.EQUAL:
        far: Floats = np.abs(apart).sum(axis=1) / 2
    else:
        far = np.abs(np.cumsum(apart, axis=1)).sum(axis=1) / max(counts.shape[1] - 1, 1)
    return Judged(far, far > float(part.bound) + _NEAR, is_low_bad=False)
