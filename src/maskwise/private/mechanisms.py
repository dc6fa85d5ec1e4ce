"""Random choices and noise, all from OpenDP, and an exact coin for what OpenDP has no name for.

Nothing else of `private` draws a random number. OpenDP samples exactly, from
the system's randomness, so that rounding of floats tells nothing. `Mechanisms`
is the seam: tests put in others.
"""

from __future__ import annotations

import math
import secrets
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from maskwise.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

_BATCH = 64
"""So many draws are asked for at once."""
_DIGITS = 100
"""The decimal digits that a chance is first computed to."""
_LOST = 40
"""Of these so many may be wrong: 1 - exp(-x) loses 18 where x is 2^-60, and every operation rounds."""
_LARGEST_SCALE = 2.0**60
"""A wider gap than this is beyond every table of cells."""


class Mechanisms(Protocol):
    """What draws from randomness."""

    def choose(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction) -> int:
        """Choose one of the scores, a high one more likely, spending epsilon.

        Args:
            scores: The score of each candidate.
            sensitivity: How much one record changes a score at most.
            epsilon: What is spent.
        """

    def add_noise(self, counts: Ints, epsilon: Fraction) -> Ints:
        """Add discrete Laplace noise to counts of which one record changes one, by 1.

        Args:
            counts: The counts.
            epsilon: What is spent.
        """

    def geometric(self, scale: float) -> int:
        """Draw a whole number from 0 that is j with a chance proportional to exp(-j / scale)."""

    def coin(self, chance: Callable[[], Fraction]) -> bool:
        """Toss a coin that is true with this chance, which is computed anew in a finer decimal context if need be."""


class OpenDPMechanisms:
    """OpenDP's mechanisms."""

    def __init__(self) -> None:
        _opendp()
        self._drawn: dict[float, list[int]] = {}

    def choose(self, scores: Sequence[int], sensitivity: int, epsilon: Fraction) -> int:
        """Choose by OpenDP's noisy max with exponential noise, which is never worse than the exponential mechanism.

        Claim: a choice with the given sensitivity is epsilon-differentially
        private: OpenDP's own map is asked, and it says no more than epsilon.
        """
        return int(_noisy_max(sensitivity, epsilon)(list(map(int, scores))))

    def add_noise(self, counts: Ints, epsilon: Fraction) -> Ints:
        """Add OpenDP's discrete Laplace noise."""
        scale = noise_scale(epsilon)
        noisy = _laplace(scale)(counts.tolist()) if len(counts) else []
        return np.array(noisy, np.int64)

    def geometric(self, scale: float) -> int:
        """Take the next discrete Laplace draw that is not negative: those that are not are geometric."""
        ready = self._drawn.setdefault(scale, [])
        while not ready:
            ready += [draw for draw in _laplace(scale)([0] * _BATCH) if draw >= 0]
        return ready.pop()

    def coin(self, chance: Callable[[], Fraction]) -> bool:
        """Compare random bits with the bits of the chance, as many as are needed."""
        return toss(chance, secrets.randbits)


def toss(chance: Callable[[], Fraction], random_bits: Callable[[int], int]) -> bool:
    """Toss an exact coin.

    Claim: it is true with exactly the chance. The bits are those of a uniform
    number, which is compared with the chance to more and more digits until they
    differ.

    Args:
        chance: Computes the chance, to the precision of the current decimal context but for its last 40 digits.
        random_bits: Draws a whole number of so many random bits.

    >>> toss(lambda: Fraction(1), lambda n: 2**n - 1), toss(lambda: Fraction(0), lambda n: 0)
    (True, False)
    """
    digits, n_bits, drawn = _DIGITS, 0, 0
    while True:
        # A context of its own: that of the caller may round otherwise.
        with localcontext(Context(prec=digits)):
            near = chance()
        more = 3 * (digits - _LOST) - n_bits
        drawn = (drawn << more) | random_bits(more)
        n_bits += more
        slack = Fraction(1, 10 ** (digits - _LOST))
        # At 0 and 1 there is nothing to compare: the uniform number is below 1 and not below 0.
        if Fraction(drawn + 1, 2**n_bits) <= near - slack or near >= 1:
            return True
        if Fraction(drawn, 2**n_bits) >= near + slack or near <= 0:
            return False
        digits *= 2


@lru_cache(maxsize=256)
def noise_scale(epsilon: Fraction) -> float:
    """The scale of the noise of counts of which one record changes one: the smallest float that OpenDP accepts.

    >>> noise_scale(Fraction(1, 2))
    2.0
    """
    return _scale(lambda scale: _laplace(scale).map(1), 1 / epsilon, epsilon)


def exponential(number: Fraction) -> Fraction:
    """Compute exp(-number) in the current decimal context."""
    return Fraction((-Decimal(number.numerator) / Decimal(number.denominator)).exp())


def gap_scale(chance: float) -> float:
    """The scale of gaps between cells that are drawn with at least this chance each.

    A float that is a little too small draws a little too often; a coin takes
    the difference back.

    >>> 1 - math.exp(-1 / gap_scale(0.25)) >= 0.25
    True
    """
    if chance <= 0:
        return _LARGEST_SCALE
    exact = -1 / math.log1p(-chance) if chance < 1 else 0.0
    return min(max(exact * (1 - 2.0**-30), 2.0**-10), _LARGEST_SCALE)


def _scale(loss: Callable[[float], float], least: Fraction, epsilon: Fraction) -> float:
    """The first float from `least` on whose privacy loss is not above epsilon, as OpenDP's own arithmetic says."""
    scale = float(least)
    while Fraction(loss(scale)) > epsilon:
        scale = math.nextafter(scale, math.inf)
    return scale


@lru_cache(maxsize=256)
def _noisy_max(sensitivity: int, epsilon: Fraction) -> Any:
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64", monotonic=True)

    def make(scale: float) -> Any:
        return dp.make_noisy_max(*space, dp.max_divergence(), scale=scale)

    least = Fraction(sensitivity) / epsilon
    return make(_scale(lambda scale: make(scale).map(sensitivity), least, epsilon))


@lru_cache(maxsize=256)
def _laplace(scale: float) -> Any:
    dp = _opendp()
    return dp.make_laplace(dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64"), scale=scale)


class _Names:
    """The functions of OpenDP that are used; its prelude would import far more."""

    def __init__(self) -> None:
        from opendp import domains, measurements, measures, metrics, mod  # noqa: PLC0415 - heavy

        mod.enable_features("contrib")
        self.atom_domain, self.vector_domain = domains.atom_domain, domains.vector_domain
        self.linf_distance, self.l1_distance = metrics.linf_distance, metrics.l1_distance
        self.max_divergence = measures.max_divergence
        self.make_noisy_max, self.make_laplace = measurements.make_noisy_max, measurements.make_laplace


@lru_cache(maxsize=1)
def _opendp() -> Any:
    try:
        return _Names()
    except ImportError:
        msg = 'A policy with `epsilon` needs the `dp` extra. Install it with: pip install "maskwise[dp]"'
        raise InputError(msg) from None
