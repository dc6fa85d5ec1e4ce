"""The trade-off curve as csv."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.solution.curve import Point


def dumps(points: Sequence[Point], names: Sequence[str]) -> str:
    """Write a curve as csv, a column for each requirement.

    Args:
        points: The curve.
        names: What each requirement asks.

    >>> from maskwise.solution.curve import Point
    >>> print(dumps([Point(0, None, (4,), 0.0, 0.9)], ["k=2 on {Age}"]), end="")
    step,attribute,k=2 on {Age},information_kept,class_entropy
    0,,4,0.0,0.9
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["step", "attribute", *names, "information_kept", "class_entropy"])
    for point in points:
        entropy_left = "" if point.class_entropy is None else point.class_entropy
        figures = ["" if figure == np.inf else figure for figure in point.requirements]
        writer.writerow([point.step, point.attribute or "", *figures, point.information_kept, entropy_left])
    return text.getvalue()
