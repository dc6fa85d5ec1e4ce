"""Pictures of the trade-off between privacy and information.

Drawn with matplotlib, which is optional. The same data gives the same bytes.
"""

from __future__ import annotations

import importlib.util
import io
import math
import textwrap
from typing import TYPE_CHECKING, Any

from maskwise.errors import InputError
from maskwise.formats import curve_file
from maskwise.policy.requirements.unit import Unit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from maskwise.policy.policy import Policy
    from maskwise.policy.requirements.base import Requirement
    from maskwise.solution.curve import Point

PICTURES = (".svg", ".png")
_MAX_PANELS = 4
_WIDTH, _HEIGHT = 6.0, 4.4


def check_curve(path: Path) -> None:
    """Refuse a format that does not exist, or that needs a package that is not installed."""
    if path.suffix not in {".csv", *PICTURES}:
        msg = f"A curve is written as .csv, .svg or .png; found `{path.name}`."
        raise InputError(msg)
    if path.suffix in PICTURES:
        pyplot()


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def render(points: Sequence[Point], policy: Policy, path: Path) -> str | bytes:
    """The curve in the format of a file's suffix."""
    requirements = policy.requirements
    if path.suffix == ".csv":
        return curve_file.dumps(points, [requirement.asks() for requirement in requirements])
    return draw(points, requirements, path.suffix, policy.unit)


def pyplot() -> Any:
    """Load matplotlib without a screen; without matplotlib say how to install it."""
    try:
        import matplotlib as mpl  # noqa: PLC0415 - heavy and optional
    except ImportError:
        msg = 'A picture needs the `plot` extra. Install it with: pip install "maskwise[plot]"'
        raise InputError(msg) from None
    mpl.use("agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415 - as above

    return plt


def save(figure: Any, suffix: str) -> bytes:
    """A figure as bytes, the same for the same figure."""
    import matplotlib as mpl  # noqa: PLC0415 - heavy and optional

    sink = io.BytesIO()
    without_date = {"Date": None} if suffix == ".svg" else {"Software": None}
    with mpl.rc_context({"svg.hashsalt": "maskwise"}):
        figure.savefig(sink, format=suffix[1:], dpi=150, metadata=without_date, bbox_inches="tight")
    pyplot().close(figure)
    return sink.getvalue()


def draw(points: Sequence[Point], requirements: Sequence[Requirement], suffix: str, unit: Unit = Unit.RECORD) -> bytes:
    """Plot the information kept over the figure of each requirement, with its bound marked.

    Args:
        points: The curve.
        requirements: One panel for each, at most four.
        suffix: `.svg` or `.png`.
        unit: What the requirements count.
    """
    plt = pyplot()
    drawn = requirements[:_MAX_PANELS]
    figure, axes = plt.subplots(1, len(drawn), figsize=(_WIDTH * len(drawn), _HEIGHT), squeeze=False)
    for i, (requirement, panel) in enumerate(zip(drawn, axes[0], strict=True)):
        _draw_panel(panel, points, requirement, i, unit)
    figure.suptitle("What each step of the masking keeps, and what privacy it reaches")
    figure.tight_layout()
    return save(figure, suffix)


def _draw_panel(panel: Any, points: Sequence[Point], requirement: Requirement, i: int, unit: Unit) -> None:
    finite = [point for point in points if math.isfinite(point.requirements[i])]
    x = [point.requirements[i] for point in finite]
    kept = [100 * point.information_kept for point in finite]
    lines = panel.plot(x, kept, marker=".", color="tab:blue", label="information kept")
    panel.set_ylabel("information kept, % (100 = raw values)")
    panel.set_ylim(0, 112)
    axis = requirement.axis
    panel.set_xlabel(f"{axis.label} ({unit.plural})" if axis.is_count else axis.label)
    if axis.is_count:
        panel.set_xscale("log")
        panel.xaxis.set_major_formatter("{x:g}")
    for point, word in ((points[0], "start"), (points[-1], "released")):
        if math.isfinite(point.requirements[i]):
            place = (point.requirements[i], 100 * point.information_kept)
            panel.annotate(word, place, xytext=(4, 6), textcoords="offset points", fontsize=8)
    if finite and finite[0].class_entropy is not None:
        right = panel.twinx()
        entropy_left = [point.class_entropy for point in finite]
        lines += right.plot(x, entropy_left, marker=".", color="tab:orange", label="class entropy left")
        right.set_ylabel("class entropy that one attribute leaves, bits")
        right.margins(y=0.15)
    if axis.asked is not None:
        lines.append(panel.axvline(axis.asked, linestyle="--", color="tab:red", label=f"asked: {axis.asked:g}"))
    panel.set_title(textwrap.shorten(requirement.asks(), 60, placeholder=" ..."), fontsize=9)
    panel.grid(alpha=0.3)
    panel.legend(handles=lines, loc="upper center", bbox_to_anchor=(0.5, -0.18), ncol=len(lines), fontsize=8)
