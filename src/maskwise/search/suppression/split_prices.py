"""The best split of an interval that can be paid for, where an interval may be split anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from maskwise.search.suppression.prices import discount
from maskwise.search.ties import largest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from maskwise.search.suppression.prices import Prices
    from maskwise.search.suppression.row_groups import Price

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PaidSplit:
    """Where to split an interval, and what that costs."""

    gain: float = 0.0
    """The information gained; nothing if no split can be paid for."""
    loss: float = 0.0
    """The privacy lost."""
    border: int = 0
    """The first code of the right part."""
    n_lost: int = 0
    """How many records it takes away."""
    is_over: bool = False
    """Whether no split can ever be paid for any more."""


def price_splits(
    prices: Prices, interval: tuple[int, int, int, int], end: int, gains: Floats, exponent: float
) -> PaidSplit:
    """Find the split of an interval that is worth most, among those that the budget can pay for.

    What a split costs is found out for the one that looks best, until one can be paid for.

    Args:
        prices: What the candidates of the state cost.
        interval: The attribute, the interval, its first code and one past its last.
        end: One past the last code of the interval with its missing value.
        gains: (n_codes,) the information gained by splitting before each code.
        exponent: As in `Variant`.
    """
    state, groups = prices.state, prices.groups
    i, node, low, high = interval
    direct, worst = groups.look_at_splits(i, node, low, high)
    losses = _losses(prices, i, worst)
    kept = np.array([discount(n, groups.left) for n in direct.tolist()])
    worth = gains / (losses + 1.0) ** exponent * kept
    worth[0] = -np.inf
    worth[direct > groups.left] = -np.inf
    if not np.isfinite(worth).any():
        return PaidSplit(is_over=groups.is_anti_monotone)
    branch = np.zeros(state.trees[i].n_codes, np.int64)
    while np.isfinite(worth).any():
        at = int(largest(worth)[0])
        if not direct[at] and not (groups.shows_root and groups.n_lost):
            return PaidSplit(float(gains[at]), float(losses[at]), low + at)
        branch[low : low + at], branch[low + at : high], branch[high:end] = 0, 1, 2
        price: Price | None = groups.price(i, low, end if end > high else high, branch)
        if price is not None:
            loss = float(losses[at])
            own = float(gains[at]) / (loss + 1.0) ** exponent * discount(price.n_lost, groups.left)
            others = np.delete(worth, at)
            if not len(others) or own >= others.max():
                return PaidSplit(float(gains[at]), loss, low + at, price.n_lost)
            # It costs more than it seemed to: others may be worth more.
            if worth[at] == own:
                return PaidSplit(float(gains[at]), loss, low + at, price.n_lost)
            worth[at], losses[at] = own, loss
            continue
        worth[at] = -np.inf
    return PaidSplit()


def _losses(prices: Prices, i: int, worst: Floats) -> Floats:
    """The privacy that each of several refinements would cost, averaged over the requirements on their attribute."""
    state, first = prices.state, prices.groups.first_rule
    total = np.zeros(worst.shape[1])
    charged = state.charged.get(i, ())
    for t, r, _, by in charged:
        now = state.groups[t].now[r]
        total += (np.maximum(worst[first[t] + r], now) - now) / by
    losses: Floats = total / max(len(charged), 1)
    return losses
