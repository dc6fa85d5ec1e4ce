"""Figures and worst groups, as reports and terminals show those of every model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maskwise.policy.requirements.base import WorstGroup


def figure_text(figure: float | None) -> str:
    """A figure as people read it: counts whole, shares and distances with four decimals.

    >>> figure_text(1200), figure_text(0.25), figure_text(None)
    ('1,200', '0.2500', 'unbounded')
    """
    if figure is None or figure == math.inf:
        return "unbounded"
    return f"{figure:,}" if isinstance(figure, int) else f"{figure:.4f}"


def beyond_text(figure: float, bound: float) -> str:
    """A share, quotient or distance that goes beyond a bound, with as many decimals as it takes to see that.

    >>> beyond_text(0.62, 0.5), beyond_text(0.500004, 0.5)
    ('0.62', '0.500004')
    """
    if figure == math.inf:
        return figure_text(figure)
    for decimals in range(2, 12):
        text = f"{figure:.{decimals}f}"
        if float(text) != round(bound, decimals):
            return text
    return repr(figure)


def plain_figure(figure: float) -> float | None:
    """A figure as JSON has it: nothing stands for a ratio without bound."""
    return None if figure == math.inf else figure


def group_data(group: WorstGroup, *, with_qid: bool = False) -> dict[str, Any]:
    """A worst group as plain values.

    Args:
        group: The group.
        with_qid: Name the part's QID, where it is not the requirement's.
    """
    qid = {"qid": list(group.part.qid)} if with_qid else {}
    return {
        "reached": plain_figure(group.figure),
        "tightest_group": {**qid, "shown": list(group.shown), group.unit.plural: group.n_records},
    }
