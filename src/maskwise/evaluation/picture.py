"""Errors as a picture: a panel per classifier and protocol, masked errors over the threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maskwise.errors import InputError
from maskwise.report.plot import PICTURES, pyplot, save

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.evaluation.records import Evaluation, Record

_WIDTH, _HEIGHT = 5.2, 3.8
_COLOURS = ("tab:blue", "tab:orange", "tab:purple", "tab:brown", "tab:pink", "tab:cyan", "tab:olive")
_PLAIN = {"BE": "tab:green", "UE": "tab:red", "RE": "tab:gray"}


def draw(evaluation: Evaluation, suffix: str) -> bytes:
    """Draw all errors with their intervals.

    Args:
        evaluation: What was found.
        suffix: `.svg` or `.png`.
    """
    if suffix not in PICTURES:
        msg = f"A picture is .svg or .png; found `{suffix}`."
        raise InputError(msg)
    plt = pyplot()
    records = evaluation.records
    protocols = list(dict.fromkeys(one.protocol for one in records))
    classifiers = list(dict.fromkeys(one.classifier for one in records))
    size = (_WIDTH * len(classifiers), _HEIGHT * len(protocols))
    figure, axes = plt.subplots(len(protocols), len(classifiers), figsize=size, squeeze=False, sharey="col")
    for row, protocol in zip(axes, protocols, strict=True):
        for panel, classifier in zip(row, classifiers, strict=True):
            there = [one for one in records if (one.protocol, one.classifier) == (protocol, classifier)]
            _draw_panel(panel, [one for one in there if one.error is not None])
            panel.set_title(f"{classifier}, {protocol}", fontsize=10)
    figure.suptitle(f"Errors in predicting {evaluation.class_name}, with 95 % intervals")
    figure.tight_layout()
    return save(figure, suffix)


def _draw_panel(panel: Any, records: Sequence[Record]) -> None:
    """Lines over the varied threshold, or a dot for each measure if none was varied."""
    axis = next((name for name in ("k", "h") if len({getattr(one, name) for one in records} - {None}) > 1), None)
    panel.set_ylabel("error, %")
    panel.grid(alpha=0.3)
    if axis is None:
        for at, one in enumerate(records):
            panel.errorbar([at], [one.error], yerr=_arms([one]), fmt="o", capsize=4, color=_PLAIN.get(one.measure))
        panel.set_xticks(range(len(records)), [_called(one) for one in records])
        panel.margins(x=0.2)
        return
    panel.set_xlabel(axis)
    tried = sorted({getattr(one, axis) for one in records} - {None})
    if axis == "k":
        panel.set_xscale("log")
    panel.set_xticks(tried, [f"{x:g}" for x in tried])
    panel.minorticks_off()
    colours = iter(_COLOURS * len(records))
    for label in dict.fromkeys(_line(one, axis) for one in records):
        line = [one for one in records if _line(one, axis) == label]
        if getattr(line[0], axis) is None:
            colour = _PLAIN.get(line[0].measure) or next(colours)
            panel.axhline(line[0].error, linestyle="--", color=colour, label=label)
            panel.axhspan(line[0].low, line[0].high, color=colour, alpha=0.1)
            continue
        line.sort(key=lambda one: getattr(one, axis))
        x = [getattr(one, axis) for one in line]
        panel.errorbar(
            x, [one.error for one in line], yerr=_arms(line), marker=".", capsize=3, color=next(colours), label=label
        )
    panel.legend(fontsize=8)


def _line(one: Record, axis: str) -> str:
    """What a line is called: its measure, and the threshold that does not vary along it."""
    return f"{one.measure}, h={one.h:g}" if axis == "k" and one.h is not None else one.measure


def _called(one: Record) -> str:
    return f"{one.measure}\nk={one.k}" if one.k is not None else one.measure


def _arms(records: Sequence[Record]) -> list[list[float]]:
    low = [(one.error or 0) - (one.low or 0) for one in records]
    high = [(one.high or 0) - (one.error or 0) for one in records]
    return [low, high]
