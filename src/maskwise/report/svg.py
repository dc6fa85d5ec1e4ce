"""Pictures as inline SVG: bars, scales, lines, dots and number lines.

Every picture has a title and a description for those who do not see it, uses
shape or text beside colour, and takes its colours from the page's classes.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from maskwise.report.escape_html import clip, escape
from maskwise.report.wording import chance, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.report.content import BarChart, DotChart, LineChart, NumberLine, RiskScale

_WIDTH = 480
_PANEL = 340
"""How wide a picture is that stands beside others."""
_LETTER = 6.6
"""How wide a letter is, on average, in the units of a picture."""
_MOST_POINTS = 400
_MOST_TICKS = 120
_LONG = 400
_T = TypeVar("_T")
_LEAST_CHANCE = 1e-4
"""Where the scale of chances begins."""


def _picture(
    height: float, title: str, description: str, parts: Sequence[str], kind: str, width: float = _WIDTH
) -> str:
    """A picture with what it says in words."""
    return (
        f'<svg class="{kind}" viewBox="0 0 {width:g} {height:g}" role="img">'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>{''.join(parts)}</svg>"
    )


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start", most: int = 70) -> str:
    of_kind = f' class="{kind}"' if kind else ""
    of_anchor = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{of_kind}{of_anchor}>{escape(clip(text, most))}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _box(x: float, y: float, width: float, height: float, kind: str) -> str:
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{height:.1f}"/>'


def bar_chart(chart: BarChart) -> str:
    """Bars beneath each other, each with its label on the left and its figure on the right."""
    top, step = 6.0, 25.0
    left = 16 + _LETTER * max((len(bar.label) for bar in chart.bars), default=0)
    # The longest figure has its place beside the longest bar.
    room = _WIDTH - left - 6 - _LETTER * max((len(bar.text) for bar in chart.bars), default=0)
    most = max((bar.share for bar in chart.bars), default=1) or 1
    parts = []
    for i, bar in enumerate(chart.bars):
        y = top + i * step
        width = max(room, 60) * bar.share / most
        parts += [
            _text(left - 10, y + 14, bar.label, "", "end"),
            _box(left, y + 2, width, 16, "bar"),
            _text(left + width + 6, y + 14, bar.text, "soft" if not bar.share else "", most=60),
        ]
    height = top + len(chart.bars) * step
    parts.insert(0, _line(left, top - 2, left, height, "axis"))
    said = "; ".join(f"{bar.label}: {bar.text}" for bar in chart.bars)
    return _picture(height + 4, chart.title, said, parts, "bars")


def risk_scale(chart: RiskScale) -> str:
    """A row for each set of columns: a ring at the mean chance and a diamond at the highest, on a logarithmic scale."""
    top, step = 46.0, 40.0
    height = top + step * len(chart.rows) + 24

    def place(probability: float) -> float:
        share = math.log10(max(probability, _LEAST_CHANCE) / _LEAST_CHANCE) / -math.log10(_LEAST_CHANCE)
        return 8 + share * (_WIDTH - 16)

    parts, low = [], 0.0
    for i, (most, name) in enumerate(chart.bands):
        x, end = place(low) if low else 8.0, place(most)
        parts.append(_box(x, 26, end - x, height - 48, f"band{i % 2}"))
        # Narrow stretches have no place for their names side by side, so these stand in two rows.
        parts.append(_text((x + end) / 2, 22 if i % 2 else 10, name, "small", "middle"))
        low = most
    for i, row in enumerate(chart.rows):
        y = top + i * step
        mean, highest = place(row.average), place(row.highest)
        parts += [
            _text(12, y, row.label, "", most=66),
            _line(mean, y + 13, highest, y + 13, "range"),
            f'<circle class="mean" cx="{mean:.1f}" cy="{y + 13:.1f}" r="5"/>',
            f'<path class="worst" d="M{highest:.1f} {y + 6:.1f}l6 7l-6 7l-6 -7z"/>',
        ]
    ticks = (0.0001, 0.001, 0.01, 0.1, 1.0)
    for tick in ticks:
        anchor = "start" if tick == ticks[0] else "end" if tick == 1 else "middle"
        parts.append(_text(place(tick), height - 6, chance(tick), "small", anchor))
    said = "; ".join(
        f"{row.label}: {percent(row.highest)} at most, {percent(row.average)} on average" for row in chart.rows
    )
    return _picture(height, chart.title, said, parts, "scale")


def line_chart(chart: LineChart) -> str:
    """One figure over the steps, with what was asked as a dashed line and the last point marked."""
    left, right, top, bottom = 50.0, 14.0, 12.0, 150.0
    points = _thinned(chart.points)
    figures = [figure for _, figure in points] + ([] if chart.asked is None else [chart.asked])
    if chart.unit == "%":
        low, high = 0.0, 100.0
    elif chart.is_log:
        low, high = max(min(figures), 0.5) / 1.5, max(*figures, 1.0) * 1.5
    else:
        low, high = 0.0, max(*figures, 1e-9) * 1.1
    last = max(points[-1][0], 1)

    def across(step: float) -> float:
        return left + (_PANEL - left - right) * step / last

    def up(figure: float) -> float:
        if chart.is_log:
            share = math.log(max(figure, low) / low) / math.log(high / low)
        else:
            share = (figure - low) / (high - low)
        return bottom - (bottom - top) * share

    parts = []
    for tick in _log_ticks(low, high) if chart.is_log else _even_ticks(low, high):
        parts += [
            _line(left, up(tick), _PANEL - right, up(tick), "grid"),
            _text(left - 6, up(tick) + 4, f"{tick:,g}", "small", "end"),
        ]
    path = " ".join(f"{across(step):.1f},{up(figure):.1f}" for step, figure in points)
    parts.append(f'<polyline class="curve" points="{path}"/>')
    if chart.asked is not None:
        y = up(chart.asked)
        parts.append(_line(left, y, _PANEL - right, y, "asked"))
        parts.append(_text(left + 6, y - 5, f"asked: {chart.asked:,g}", "small"))
    step, figure = points[-1]
    is_high = up(figure) < (top + bottom) / 2
    parts += [
        f'<circle class="worst" cx="{across(step):.1f}" cy="{up(figure):.1f}" r="4"/>',
        _text(_PANEL - right - 8, up(figure) + (18 if is_high else -9), f"released: {figure:,.4g}", "strong", "end"),
        _line(left, bottom, _PANEL - right, bottom, "axis"),
        _text(left, bottom + 16, "step 0", "small"),
        _text(_PANEL - right, bottom + 16, f"step {last:,}", "small", "end"),
    ]
    asked = "" if chart.asked is None else f" {chart.asked:,g} was asked."
    said = f"From {points[0][1]:,.4g} at step {points[0][0]:,} to {figure:,.4g} {chart.unit} at step {step:,}.{asked}"
    return _picture(bottom + 22, chart.title, said, parts, "lines", _PANEL)


def dot_chart(chart: DotChart) -> str:
    """A row for each error: a dot, and a line for its interval."""
    left, top, step = 14.0, 6.0, 40.0
    low = min(row.low for row in chart.rows)
    high = max(row.high for row in chart.rows)
    ticks = _even_ticks(math.floor(low), math.ceil(high + 1e-9))
    low, high = min(low, *ticks), max(high, *ticks)
    bottom = top + step * len(chart.rows) + 4

    def across(error: float) -> float:
        return left + (_PANEL - 2 * left) * (error - low) / max(high - low, 1e-9)

    parts = []
    for tick in ticks:
        parts += [
            _line(across(tick), top, across(tick), bottom, "grid"),
            _text(across(tick), bottom + 14, f"{tick:g} %", "small", "middle"),
        ]
    for i, row in enumerate(chart.rows):
        y = top + i * step
        parts += [
            _text(left, y + 13, f"{row.label}: {row.error:.2f} %", "halo", most=50),
            _line(across(row.low), y + 26, across(row.high), y + 26, "range"),
            f'<circle class="worst" cx="{across(row.error):.1f}" cy="{y + 26:.1f}" r="5"/>',
        ]
    said = "; ".join(f"{row.label}: {row.error:.2f} %, {row.low:.2f} to {row.high:.2f} %" for row in chart.rows)
    return _picture(bottom + 22, chart.title, said, parts, "dots", _PANEL)


def number_line(line: NumberLine, name: str) -> str:
    """A bar that is cut at every break; a break is labelled where there is place for it.

    Of very many breaks some are drawn.
    """
    parts = []
    drawn = _thinned(line.ticks, _MOST_TICKS)

    def across(place: float) -> float:
        return 10 + place * (_WIDTH - 20)

    for i, (one, other) in enumerate(pairwise(drawn)):
        parts.append(_box(across(one[0]), 4, across(other[0]) - across(one[0]), 14, f"part{i % 2}"))
    free = -1.0
    last = len(drawn) - 1
    ends_at = across(1) - _LETTER * len(drawn[last][1]) - 6 if drawn else 0
    for i, (place, text) in enumerate(drawn):
        x, half = across(place), _LETTER * len(text) / 2
        parts.append(_line(x, 2, x, 22, "axis"))
        anchor, begin, end = ("start", x, x + 2 * half) if i == 0 else ("middle", x - half, x + half)
        if i == last:
            anchor, begin, end = "end", x - 2 * half, x
        if text and begin > free and (i == last or end < ends_at):
            parts.append(_text(x, 36, text, "small", anchor, 20))
            free = end + 6
    said = clip(", ".join(text for _, text in drawn if text), _LONG)
    return _picture(42, f"Where the intervals of {name} begin and end", f"Breaks: {said}", parts, "line")


def _thinned(points: Sequence[_T], most: int = _MOST_POINTS) -> list[_T]:
    """At most so many points as a picture can show, evenly over its length, the last among them."""
    if len(points) <= most:
        return list(points)
    last = len(points) - 1
    return [points[round(i * last / (most - 1))] for i in range(most)]


def _even_ticks(low: float, high: float) -> list[float]:
    """Round places on an axis."""
    size = 10 ** math.floor(math.log10(max(high - low, 1e-9)))
    step = next(size * factor for factor in (0.2, 0.5, 1, 2, 5) if (high - low) / (size * factor) <= 5)  # noqa: PLR2004
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 12) for i in range(first, math.floor(high / step + 1e-9) + 1)]


def _log_ticks(low: float, high: float) -> list[float]:
    """Powers of ten on an axis; every second one if there are many."""
    powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
    ticks = [10.0**power for power in powers]
    return ticks[:: 1 + len(ticks) // 6] or [low]
