"""Figures as a picture: a panel per classifier, protocol and measure, those of masked tables over the threshold."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from maskwise.errors import InputError
from maskwise.evaluation.metrics import METRICS
from maskwise.evaluation.wording import describe_way
from maskwise.report.plot import PICTURES, pyplot, save

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.evaluation.records import Evaluation, Record

_WIDTH, _HEIGHT = 5.2, 3.8
_COLOURS = ("tab:blue", "tab:orange", "tab:purple", "tab:brown", "tab:pink", "tab:cyan", "tab:olive")
_TICK_WIDTH = 14
"""So many letters of a label stand in one line."""
_TITLES = {metric.name: metric.title for metric in METRICS}
_BASELINE_COLOURS = {"BE": "tab:green", "UE": "tab:red", "RE": "tab:gray"}


def draw(evaluation: Evaluation, suffix: str) -> bytes:
    """Draw all figures of the whole test records with their intervals.

    Args:
        evaluation: The figures; those of groups are left out.
        suffix: `.svg` or `.png`.
    """
    if suffix not in PICTURES:
        msg = f"A picture is .svg or .png; found `{suffix}`."
        raise InputError(msg)
    plt = pyplot()
    records = [record for record in evaluation.written if record.by is None]
    rows = sorted(
        dict.fromkeys((record.protocol, record.metric) for record in records),
        key=lambda row: list(dict.fromkeys(record.metric for record in records)).index(row[1]),
    )
    classifiers = list(dict.fromkeys(record.classifier for record in records))
    has_errors_only = all(metric == "error" for _, metric in rows)
    size = (_WIDTH * len(classifiers), _HEIGHT * len(rows))
    shared = "col" if len({metric for _, metric in rows}) == 1 else "row"
    figure, panels = plt.subplots(len(rows), len(classifiers), figsize=size, squeeze=False, sharey=shared)
    for row, (protocol, metric) in zip(panels, rows, strict=True):
        for panel, classifier in zip(row, classifiers, strict=True):
            key = (protocol, metric, classifier)
            in_panel = [record for record in records if (record.protocol, record.metric, record.classifier) == key]
            panel.set_ylabel(_TITLES[metric])
            _draw_panel(panel, [record for record in in_panel if record.error is not None])
            panel.set_title(f"{classifier}, {protocol}", fontsize=10)
    what = "Errors" if has_errors_only else "How well classifiers do"
    figure.suptitle(f"{what} in predicting {evaluation.class_name}, with 95 % intervals")
    figure.tight_layout()
    return save(figure, suffix)


def _draw_panel(panel: Any, records: Sequence[Record]) -> None:
    """Draw a line for each measure over the varied threshold, or a dot for each measure if none was varied."""
    threshold = next((name for name in ("k", "h") if len(_thresholds(records, name)) > 1), None)
    panel.grid(alpha=0.3)
    if threshold is None:
        _draw_dots(panel, records)
    else:
        _draw_lines(panel, records, threshold)


def _draw_dots(panel: Any, records: Sequence[Record]) -> None:
    for i, record in enumerate(records):
        colour = _BASELINE_COLOURS.get(record.measure)
        panel.errorbar([i], [record.error], yerr=_interval_lengths([record]), fmt="o", capsize=4, color=colour)
    panel.set_xticks(range(len(records)), [_tick_label(record) for record in records])
    panel.margins(x=0.2)


def _draw_lines(panel: Any, records: Sequence[Record], threshold: str) -> None:
    panel.set_xlabel(threshold)
    ticks = _thresholds(records, threshold)
    if threshold == "k":
        panel.set_xscale("log")
    panel.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    panel.minorticks_off()
    colours = iter(_COLOURS * len(records))
    for label in dict.fromkeys(_line_label(record, threshold) for record in records):
        line = [record for record in records if _line_label(record, threshold) == label]
        if getattr(line[0], threshold) is None:
            colour = _BASELINE_COLOURS.get(line[0].measure) or next(colours)
            panel.axhline(line[0].error, linestyle="--", color=colour, label=label)
            panel.axhspan(line[0].low, line[0].high, color=colour, alpha=0.1)
            continue
        line.sort(key=lambda record: getattr(record, threshold))
        x, y = [getattr(record, threshold) for record in line], [record.error for record in line]
        panel.errorbar(x, y, yerr=_interval_lengths(line), marker=".", capsize=3, color=next(colours), label=label)
    panel.legend(fontsize=8)


def _thresholds(records: Sequence[Record], name: str) -> list[float]:
    return sorted({getattr(record, name) for record in records} - {None})


def _line_label(record: Record, threshold: str) -> str:
    """What a line shows, and the other threshold, which is the same along the line."""
    way = describe_way(record.measure)
    return f"{way}, h={record.h:g}" if threshold == "k" and record.h is not None else way


def _tick_label(record: Record) -> str:
    way = textwrap.fill(describe_way(record.measure), _TICK_WIDTH)
    return f"{way}\nk={record.k}" if record.k is not None else way


def _interval_lengths(records: Sequence[Record]) -> list[list[float]]:
    """The lengths of the intervals below and above the errors."""
    below = [(record.error or 0) - (record.low or 0) for record in records]
    above = [(record.high or 0) - (record.error or 0) for record in records]
    return [below, above]
