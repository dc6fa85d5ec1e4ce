"""What `maskwise evaluate` prints: a table for each protocol, classifier and measure, and for each column of groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table as Grid
from rich.text import Text

from maskwise.errors import plural
from maskwise.evaluation.metrics import METRICS
from maskwise.evaluation.trials import ONE_CLASS, TOO_FEW
from maskwise.evaluation.wording import decimals, describe_way

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.cli.terminal import Terminal
    from maskwise.evaluation.records import Evaluation, Record

_FOUND_ON = {
    "held-out": "the cut is found on the training records only",
    "combined": "the cut is found on training and test records together",
}
_TITLES = {metric.name: metric.title for metric in METRICS}
_UNBROKEN = {"trained on", "95 % interval"}
"""Columns whose cells stay in one line."""
_SHORT = {TOO_FEW: "too few", ONE_CLASS: "one class only"}
"""Why there is no figure, in few words."""


def show_evaluation(terminal: Terminal, evaluation: Evaluation) -> None:
    """Show all figures."""
    has_errors_only = all(one.metric == "error" for one in evaluation.records)
    what = "Errors" if has_errors_only else "How well classifiers do"
    unit = ", in percent with 95 % intervals." if has_errors_only else ", with 95 % intervals."
    terminal.say(
        f"{what} in predicting {evaluation.class_name} of {plural(evaluation.n_tested, 'test record')}{unit} "
        "The papers and files call raw BE, masked AE or SE, without the quasi-identifiers UE, without the sensitive "
        "columns RE."
    )
    if evaluation.guess is not None and any(one.metric == "error" for one in evaluation.records):
        terminal.say(f"Always guessing the most frequent class has an error of {evaluation.guess:.2f} %.")
    records = evaluation.records
    for protocol, classifier in dict.fromkeys((one.protocol, one.classifier) for one in records):
        there = [one for one in records if (one.protocol, one.classifier) == (protocol, classifier)]
        for metric in dict.fromkeys(one.metric for one in there):
            of_metric = [one for one in there if one.metric == metric]
            title = f"{classifier}, {protocol}: {_FOUND_ON[protocol]}"
            title += "" if has_errors_only else f"; {_TITLES[metric]}"
            whole = [one for one in of_metric if one.by is None]
            bases = (one.error for one in records if _is_base(one, classifier, metric))
            terminal.out.print(_figures(title, whole, evaluation, next(bases, None)))
            for by in dict.fromkeys(one.by for one in of_metric if one.by is not None):
                terminal.out.print(_groups(f"{_TITLES[metric]} by {by}", by, of_metric))


def _is_base(one: Record, classifier: str, metric: str) -> bool:
    return (one.classifier, one.metric, one.measure, one.by) == (classifier, metric, "BE", None)


def _figures(title: str, records: Sequence[Record], evaluation: Evaluation, base: float | None) -> Grid:
    """A row for each way of masking."""
    grid = Grid(title=Text(title), title_justify="left")
    asked = [name for name in ("k", "h") if any(getattr(one, name) is not None for one in evaluation.records)]
    metric = records[0].metric
    for column in ("trained on", *asked, "error" if metric == "error" else metric, "95 % interval", "above raw"):
        grid.add_column(column, justify="left" if column == "trained on" else "right", no_wrap=column in _UNBROKEN)
    for one in records:
        cells = [describe_way(one.measure), *(_threshold(one, n) for n in asked)]
        if one.error is None:
            grid.add_row(*map(Text, cells), "", _missing(one), "")
            continue
        above = "" if base is None or one.measure == "BE" else f"{one.error - base:+.{decimals(metric)}f}"
        grid.add_row(*map(Text, cells), _number(one.error, metric), _interval(one), above)
    return grid


def _groups(title: str, by: str, records: Sequence[Record]) -> Grid:
    """A row for each group, and a column for each way of masking."""
    grid = Grid(title=Text(title), title_justify="left")
    there = [one for one in records if one.by == by]
    ways = list(dict.fromkeys(_way(one) for one in there))
    for column in (by, "test records", *ways):
        longest = max(map(len, column.split(" ")))
        grid.add_column(Text(column), justify="left" if column == by else "right", overflow="fold", min_width=longest)
    for group in dict.fromkeys(one.group for one in there):
        of_way = {_way(one): one for one in there if one.group == group}
        n = next(iter(of_way.values())).n or 0
        figures = [_figure(of_way[way]) for way in ways]
        grid.add_row(Text(group or ""), f"{n:,}", *figures)
    return grid


def _way(one: Record) -> str:
    thresholds = [f"{name}={_threshold(one, name)}" for name in ("k", "h") if getattr(one, name) is not None]
    return ", ".join([describe_way(one.measure), *thresholds])


def _figure(one: Record) -> str:
    return _missing(one) if one.error is None else f"{_number(one.error, one.metric)}\n{_interval(one)}"


def _missing(one: Record) -> str:
    return _SHORT.get(one.note or "", "cannot be met")


def _threshold(one: Record, name: str) -> str:
    value = getattr(one, name)
    return "" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:g}"


def _number(value: float | None, metric: str) -> str:
    return "" if value is None else f"{value:.{decimals(metric)}f}"


def _interval(one: Record) -> str:
    return f"{_number(one.low, one.metric)} to {_number(one.high, one.metric)}"
