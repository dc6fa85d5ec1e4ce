"""Noise for cells without records, without listing them.

A table of cuts may have 10^18 cells, nearly all of them empty. An empty cell
gets the same noise as any other, and is released where that reaches the
threshold. The ones that do are found by jumping: the gap to the next is
geometric.
"""

from __future__ import annotations

from decimal import Context, getcontext, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from maskwise.private.mechanisms import exponential, gap_scale

if TYPE_CHECKING:
    from collections.abc import Container

    from maskwise.private.mechanisms import Mechanisms

_DIGITS = 50
"""More than a float has."""


def draw_empty_cells(
    n_cells: int, occupied: Container[int], threshold: int, scale: float, mechanisms: Mechanisms
) -> list[tuple[int, int]]:
    """Draw the empty cells whose noise reaches the threshold, and their noise.

    Claim: every empty cell is drawn with exactly the chance that discrete
    Laplace noise reaches the threshold, independently of all others, and its
    noise has exactly the distribution that it has then.

    Args:
        n_cells: How many cells there are.
        occupied: The numbers of cells with records, which have noise of their own.
        threshold: The smallest count that is released, at least 1.
        scale: The scale of the noise.
        mechanisms: Draws.

    Returns:
        Number and noisy count of each drawn cell, in ascending order.
    """
    gap = _gap(threshold, scale)

    def kept() -> Fraction:
        return _share_kept(threshold, scale, gap, getcontext().prec)

    found = []
    at = mechanisms.geometric(gap)
    while at < n_cells:
        if mechanisms.coin(kept) and at not in occupied:
            found.append((at, threshold + mechanisms.geometric(scale)))
        at += 1 + mechanisms.geometric(gap)
    return found


@lru_cache(maxsize=256)
def _gap(threshold: int, scale: float) -> float:
    """The scale of the gaps between cells that jumping stops at, whatever precision the caller works with."""
    with localcontext(Context(prec=_DIGITS)):
        return gap_scale(float(tail(threshold, scale)))


@lru_cache(maxsize=256)
def _share_kept(threshold: int, scale: float, gap: float, digits: int) -> Fraction:
    """Of the cells that jumping stops at, the share that is kept: jumps are a little too short."""
    assert digits == getcontext().prec  # noqa: S101 - it is here only to tell results of other precisions apart
    return tail(threshold, scale) / (1 - exponential(1 / Fraction(gap)))


def tail(threshold: int, scale: float) -> Fraction:
    """The chance that discrete Laplace noise reaches a threshold of at least 1, in the current decimal context.

    >>> round(float(tail(1, 1.0)), 4)
    0.2689
    """
    rate = 1 / Fraction(scale)
    return exponential(rate * threshold) / (1 + exponential(rate))
