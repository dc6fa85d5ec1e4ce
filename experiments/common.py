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

import maskwise
from maskwise.datasets import (
    ADULT_CLASS,
    ADULT_QIDS,
    CRX_CLASS,
    CRX_QIDS,
    GERMAN_CLASS,
    GERMAN_QIDS,
    load_adult,
    load_crx,
    load_german,
)
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
_PLAIN = ("BE", "UE", "RE")


class AbsentError(Exception):
    """A data set is not there, so its figure is left out."""


@dataclass(frozen=True)
class Options:
    """What may be changed from the command line."""

    ks: tuple[int, ...] | None = None
    """The k to try; None takes the figure's own."""
    sample: int | None = None
    """How many training records, and half as many test records; None takes all."""
    output: Path = RESULTS
    """Where csv files and plots go."""
    order: str | None = None
    """The order of German Credit."""


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

    def only(self, names: Iterable[str]) -> Data:
        """Without the other columns."""
        kept = [*names, self.class_name]
        entries = {name: entry for name, entry in self.attributes.items() if name in kept}
        return replace(self, train=self.train.select(kept), test=self.test.select(kept), attributes=entries)

    def policy(self, requirements: Sequence[Row]) -> dict[str, Any]:
        used = {name for one in requirements for name in one["qid"]}
        entries = {name: entry for name, entry in self.attributes.items() if name in used}
        return {"class": self.class_name, "attributes": entries, "requirements": list(requirements)}


def options(argv: Sequence[str] | None = None, about: str | None = None) -> Options:
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--k", help="the k to try, such as 20,100")
    parser.add_argument("--sample", type=int, help="so many training records, and half as many test records")
    parser.add_argument("--output", type=Path, default=RESULTS, help="the folder of results")
    parser.add_argument("--order", default=os.environ.get(ORDER), help=f"German Credit's order; or {ORDER}")
    given = parser.parse_args(argv)
    ks = tuple(int(k) for k in given.k.split(",")) if given.k else None
    return Options(ks, given.sample, given.output, given.order)


def start(run: Callable[[Options], object], about: str | None) -> None:
    """Run a script; say so if its data is absent."""
    begin = time.perf_counter()
    try:
        run(options(about=about))
    except AbsentError as absent:
        print(f"Left out: {absent}")
    print(f"{time.perf_counter() - begin:.0f} s", file=sys.stderr)


def adult(asked: Options, attributes: Mapping[str, Any] | None = None) -> Data:
    data = Data("Adult", load_adult("train"), load_adult("test"), ADULT_CLASS, ADULT_QIDS, attributes or {})
    return _sampled(data, asked)


def crx(asked: Options) -> Data:
    parts = _load(load_crx)
    return _sampled(Data("CRX", *parts, CRX_CLASS, CRX_QIDS), asked)


def german(asked: Options) -> Data:
    parts = _load(load_german, order=asked.order)
    name = "German" if asked.order else "German, file order"
    return _sampled(Data(name, *parts, GERMAN_CLASS, GERMAN_QIDS), asked)


def _load(load: Callable[..., pa.Table], **given: Any) -> tuple[pa.Table, pa.Table]:
    try:
        return load("train", **given), load("test", **given)
    except InputError as error:
        raise AbsentError(str(error)) from None


def _sampled(data: Data, asked: Options) -> Data:
    if asked.sample is None:
        return data
    rng = np.random.default_rng(0)

    def some(table: pa.Table, n: int) -> pa.Table:
        return table.take(np.sort(rng.permutation(table.num_rows)[:n]))

    return replace(data, train=some(data.train, asked.sample), test=some(data.test, asked.sample // 2))


def errors(data: Data, requirement: str, requirements: Sequence[Row], **given: Any) -> list[Row]:
    """Evaluate a policy; one row for each error.

    Args:
        data: The two parts.
        requirement: What the policy is called.
        requirements: The requirements of the policy.
        given: What else `maskwise.evaluate` takes; C4.5 under both protocols is the default.
    """
    settings: dict[str, Any] = {"classifiers": ["c4.5"], "protocol": "both"} | given
    if "folds" not in settings:
        settings["test"] = data.test
    found = maskwise.evaluate(data.train, data.policy(requirements), **settings)
    return [
        {"data": data.name, "requirement": requirement} | {key: getattr(one, key) for key in KEYS[2:]}
        for one in found.records
    ]


def top_n(data: Data, ks: Sequence[int], **given: Any) -> list[Row]:
    """The errors at Top5, Top7 and Top9, as in the papers' figures."""
    rows: list[Row] = []
    for name in TOP:
        found = errors(data, name, [{"qid": list(data.qids[name]), "k": ks[0]}], k=ks, **given)
        rows += found
        print(f"{data.name}, {name}")
        show(found)
    return rows


def random_qids(
    rng: np.random.Generator, names: Sequence[str], counts: tuple[int, int], lengths: tuple[int, int]
) -> list[list[str]]:
    """Several QIDs of one length, the number and the length drawn uniformly; a repeated QID is discarded."""
    n, length = (int(rng.integers(low, high, endpoint=True)) for low, high in (counts, lengths))
    drawn = [tuple(sorted(rng.permutation(len(names))[:length])) for _ in range(n)]
    return [[names[i] for i in qid] for qid in dict.fromkeys(drawn)]


def show(rows: Sequence[Row]) -> None:
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


def write(asked: Options, name: str, rows: Sequence[Row], keys: Sequence[str] = KEYS) -> Path:
    """Write rows as csv."""
    asked.output.mkdir(parents=True, exist_ok=True)
    path = asked.output / f"{name}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, keys, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


def draw(asked: Options, name: str, rows: Sequence[Row], title: str, axis: str = "k") -> Path:
    """Plot errors over a threshold: a panel for each protocol, a line for each requirement, dashes for BE, UE, RE."""
    protocols = list(dict.fromkeys(row["protocol"] for row in rows))
    figure, panels = pyplot().subplots(1, len(protocols), figsize=(6 * len(protocols), 4.4), squeeze=False, sharey=True)
    for panel, protocol in zip(panels[0], protocols, strict=True):
        there = [row for row in rows if row["protocol"] == protocol and row["error"] is not None]
        lines = dict.fromkeys((row["requirement"], row["measure"]) for row in there)
        colours = {name: f"C{i}" for i, name in enumerate(dict.fromkeys(name for name, _ in lines))}
        for requirement, measure in lines:
            line = [row for row in there if (row["requirement"], row["measure"]) == (requirement, measure)]
            if measure in _PLAIN:
                label = measure if measure == "BE" else f"{measure} {requirement}"
                colour = "black" if measure == "BE" else colours[requirement]
                if measure != "BE" or requirement == next(iter(lines))[0]:
                    panel.axhline(line[0]["error"], linestyle="--", color=colour, label=label, linewidth=0.8)
            else:
                x, y = [row[axis] for row in line], [row["error"] for row in line]
                colour = colours[requirement] if "(" not in measure else None
                panel.plot(x, y, marker=".", color=colour, label=f"{measure} {requirement}")
        tried = sorted({row[axis] for row in there if row[axis] is not None})
        if axis == "k":
            panel.set_xscale("log")
        panel.set_xticks(tried, [f"{x:g}" for x in tried], rotation=60)
        panel.minorticks_off()
        panel.set(xlabel=axis, ylabel="error, %", title=protocol)
        panel.grid(alpha=0.3)
        panel.legend(fontsize=7)
    figure.suptitle(title)
    figure.tight_layout()
    return keep(asked, name, figure)


def keep(asked: Options, name: str, figure: Any) -> Path:
    """Save a plot."""
    asked.output.mkdir(parents=True, exist_ok=True)
    path = asked.output / f"{name}.svg"
    path.write_bytes(save(figure, ".svg"))
    return path
