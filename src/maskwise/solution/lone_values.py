"""Hidden values that stand alone behind `*` are disclosed, since hiding them would only look as if it hid something."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from maskwise.solution.cut import disclose_lone_value

if TYPE_CHECKING:
    from maskwise.solution.solution import Solution


def disclose_lone_values(solution: Solution) -> Solution:
    """Show the value of each suppress attribute that `*` alone stands for.

    Suppressed records that are shown as roots show `*` too, so there it stays.
    """
    suppression = solution.suppression
    if suppression is not None and suppression.is_root_shown:
        return solution
    cuts = tuple(disclose_lone_value(cut) for cut in solution.cuts)
    for before, after in zip(solution.cuts, cuts, strict=True):
        if suppression is not None and before != after:
            suppression = suppression.relabelled(before.attribute, before.hidden[0])
    return replace(solution, cuts=cuts, suppression=suppression)
