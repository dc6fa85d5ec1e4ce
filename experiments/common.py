"""What the experiments share: the data as the papers split it, errors as rows, csv files and plots."""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from bench.paper_data import ADULT, CRX, GERMAN, PaperData, build_policy

import maskwise
from maskwise.errors import InputError
from maskwise.report.plot import pyplot, save

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pyarrow as pa

    Row = dict[str, Any]

RESULTS = Path(__file__).parent / "results"
ORDER = "MASKWISE_GERMAN_ORDER"
"""The environment variable that names a csv with the papers' order of German Credit."""
KEYS = ("data", "requirement", "classifier", "protocol", "measure", "k", "h", "error", "low", "high", "note")
"""The columns of a csv with errors; errors are in percent of the test records."""
TOP = ("Top5", "Top7", "Top9")
_BASELINES = ("BE", "UE", "RE")


class AbsentError(Exception):
    """A data set is not available, so its figure is left out."""


@dataclass(frozen=True)
class Options:
    """What may be changed from the command line."""

    ks: tuple[int, ...] | None = None
    """The k to try; None takes those of the figure."""
    sample: int | None = None
    """The number of training records to draw, with half as many test records; None takes all."""
    output: Path = RESULTS
    """The folder of csv files and plots."""
    order: str | None = None
    """A csv with the papers' order of German Credit."""


@dataclass(frozen=True)
class Data:
    """A table in the papers' two parts."""

    name: str
    train: pa.Table
    test: pa.Table
    class_name: str
    qids: Mapping[str, tuple[str, ...]]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """Entries of a policy; a column without one gets the default, intervals or suppression."""

    @property
    def names(self) -> list[str]:
        return [name for name in self.train.column_names if name != self.class_name]

    @property
    def categorical(self) -> list[str]:
        return [name for name in self.names if str(self.train.schema.field(name).type) == "string"]

    def select(self, names: Iterable[str]) -> Data:
        """The data with these columns and the class only."""
        columns = [*names, self.class_name]
        entries = {name: entry for name, entry in self.attributes.items() if name in columns}
        return replace(self, train=self.train.select(columns), test=self.test.select(columns), attributes=entries)

    def policy(self, requirements: Sequence[Row]) -> dict[str, Any]:
        return build_policy(self.class_name, requirements, self.attributes)


def parse_options(argv: Sequence[str] | None = None, about: str | None = None) -> Options:
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--k", help="the k to try, such as 20,100")
    parser.add_argument("--sample", type=int, help="so many training records, and half as many test records")
    parser.add_argument("--output", type=Path, default=RESULTS, help="the folder of results")
    parser.add_argument("--order", default=os.environ.get(ORDER), help=f"German Credit's order; or {ORDER}")
    arguments = parser.parse_args(argv)
    ks = tuple(int(k) for k in arguments.k.split(",")) if arguments.k else None
    return Options(ks, arguments.sample, arguments.output, arguments.order)


def start(run: Callable[[Options], object], about: str | None) -> None:
    """Run a script; print a line if its data is not available."""
    begin = time.perf_counter()
    try:
        run(parse_options(about=about))
    except AbsentError as absent:
        print(f"Left out: {absent}")
    print(f"{time.perf_counter() - begin:.0f} s", file=sys.stderr)


def adult(options: Options, attributes: Mapping[str, Any] | None = None) -> Data:
    return _load(options, ADULT, attributes)


def crx(options: Options) -> Data:
    return _load(options, CRX)


def german(options: Options) -> Data:
    data = _load(options, GERMAN, order=options.order)
    return data if options.order else replace(data, name="German, file order")


def _load(
    options: Options, paper_data: PaperData, attributes: Mapping[str, Any] | None = None, **load_options: Any
) -> Data:
    try:
        train, test = (paper_data.load(part, **load_options) for part in ("train", "test"))
    except InputError as error:
        raise AbsentError(str(error)) from None
    data = Data(paper_data.name, train, test, paper_data.class_name, paper_data.qids, attributes or {})
    return _sampled(data, options)


def _sampled(data: Data, options: Options) -> Data:
    if options.sample is None:
        return data
    rng = np.random.default_rng(0)

    def draw(table: pa.Table, n: int) -> pa.Table:
        return table.take(np.sort(rng.permutation(table.num_rows)[:n]))

    return replace(data, train=draw(data.train, options.sample), test=draw(data.test, options.sample // 2))


def errors(data: Data, requirement: str, requirements: Sequence[Row], **given: Any) -> list[Row]:
    """Evaluate a policy; one row for each error.

    Args:
        data: The two parts.
        requirement: The name of the policy in the results.
        requirements: The requirements of the policy.
        given: Further options of `maskwise.evaluate`; C4.5 under both protocols is the default.
    """
    settings: dict[str, Any] = {"classifiers": ["c4.5"], "protocol": "both"} | given
    if "folds" not in settings:
        settings["test"] = data.test
    evaluation = maskwise.evaluate(data.train, data.policy(requirements), as_published=True, **settings)
    return [
        {"data": data.name, "requirement": requirement} | {key: getattr(record, key) for key in KEYS[2:]}
        for record in evaluation.records
    ]


def plot_top_n(options: Options, name: str, data: Data, ks: Sequence[int], title: str, **given: Any) -> list[Row]:
    """Measure, print, write and plot the errors at Top5, Top7 and Top9, as in the papers' figures.

    Args:
        options: The k to try and the folder of the results.
        name: The name of the result files.
        data: The two parts.
        ks: The k of the figure, if the options have none.
        title: The title of the plot.
        given: As in `errors`.
    """
    rows: list[Row] = []
    ks = options.ks or ks
    for top in TOP:
        of_qid = errors(data, top, [{"qid": list(data.qids[top]), "k": ks[0]}], k=ks, **given)
        rows += of_qid
        print(f"{data.name}, {top}")
        print_errors(of_qid)
    write_csv(options, name, rows)
    plot_errors(options, name, rows, title)
    return rows


def random_qids(
    rng: np.random.Generator, names: Sequence[str], counts: tuple[int, int], lengths: tuple[int, int]
) -> list[list[str]]:
    """Several QIDs of one length, the number and the length drawn uniformly; a repeated QID is discarded."""
    n, length = (int(rng.integers(low, high, endpoint=True)) for low, high in (counts, lengths))
    drawn = [tuple(sorted(rng.permutation(len(names))[:length])) for _ in range(n)]
    return [[names[i] for i in qid] for qid in dict.fromkeys(drawn)]


def print_errors(rows: Sequence[Row]) -> None:
    """Print errors as a Markdown table: a line for each measure and threshold, a column for each protocol."""
    protocols = list(dict.fromkeys(row["protocol"] for row in rows))
    lines: dict[tuple[Any, ...], dict[str, str]] = {}
    for row in rows:
        line = lines.setdefault((row["classifier"], row["measure"], row["k"] or "", row["h"] or ""), {})
        line[row["protocol"]] = "none" if row["error"] is None else f"{row['error']:.1f}"
    print("| classifier | measure | k | h | " + " | ".join(protocols) + " |")
    print("|" + " --- |" * (4 + len(protocols)))
    for key, line in lines.items():
        print("| " + " | ".join(map(str, key)) + " | " + " | ".join(line.get(p, "") for p in protocols) + " |")
    print(flush=True)


def write_csv(options: Options, name: str, rows: Sequence[Row], keys: Sequence[str] = KEYS) -> Path:
    """Write rows as csv."""
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / f"{name}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, keys, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


def plot_errors(options: Options, name: str, rows: Sequence[Row], title: str, axis: str = "k") -> Path:
    """Plot errors over a threshold: a panel for each protocol, a line for each requirement, dashes for BE, UE, RE."""
    protocols = list(dict.fromkeys(row["protocol"] for row in rows))
    figure, panels = pyplot().subplots(1, len(protocols), figsize=(6 * len(protocols), 4.4), squeeze=False, sharey=True)
    for panel, protocol in zip(panels[0], protocols, strict=True):
        of_protocol = [row for row in rows if row["protocol"] == protocol and row["error"] is not None]
        lines = dict.fromkeys((row["requirement"], row["measure"]) for row in of_protocol)
        colours = {name: f"C{i}" for i, name in enumerate(dict.fromkeys(name for name, _ in lines))}
        for requirement, measure in lines:
            line = [row for row in of_protocol if (row["requirement"], row["measure"]) == (requirement, measure)]
            if measure in _BASELINES:
                label = measure if measure == "BE" else f"{measure} {requirement}"
                colour = "black" if measure == "BE" else colours[requirement]
                if measure != "BE" or requirement == next(iter(lines))[0]:
                    panel.axhline(line[0]["error"], linestyle="--", color=colour, label=label, linewidth=0.8)
            else:
                x, y = [row[axis] for row in line], [row["error"] for row in line]
                colour = colours[requirement] if "(" not in measure else None
                panel.plot(x, y, marker=".", color=colour, label=f"{measure} {requirement}")
        tried = sorted({row[axis] for row in of_protocol if row[axis] is not None})
        if axis == "k":
            panel.set_xscale("log")
        panel.set_xticks(tried, [f"{x:g}" for x in tried], rotation=60)
        panel.minorticks_off()
        panel.set(xlabel=axis, ylabel="error, %", title=protocol)
        panel.grid(alpha=0.3)
        panel.legend(fontsize=7)
    figure.suptitle(title)
    figure.tight_layout()
    return save_plot(options, name, figure)


def save_plot(options: Options, name: str, figure: Any) -> Path:
    """Save a plot."""
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / f"{name}.svg"
    path.write_bytes(save(figure, ".svg"))
    return path
