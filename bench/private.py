"""What a differentially private release is worth, what it costs, and whether neighbouring tables can be told apart.

python -m bench.private                       errors on Adult, beside k-anonymous runs
python -m bench.private neighbours [runs]     the whole mechanism on neighbouring tables; 200,000 runs of each
python -m bench.private time [rows]           a million records beside plain top-down refinement
"""

from __future__ import annotations

import math
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

import maskwise
from bench.blowup import blow_up_parquet, policy
from bench.measure import MASKWISE, side_by_side, table
from bench.neighbours import EPSILON, PAIRS, HalvedNoise, PooledNoise, compare
from bench.paper_data import ADULT, build_policy
from maskwise.datasets import adult_trees

GA = list(ADULT.qids["GA"])
THIRTEEN = [name for name in ADULT.load("train").column_names if name not in {ADULT.class_name, "fnlwgt"}]
GRIDS: dict[str, Any] = {
    "age": {"interval": {"range": [16, 100], "on": 1}},
    "fnlwgt": {"interval": {"range": [0, 1_500_000], "on": 10_000}},
    "education-num": {"interval": {"range": [1, 16], "on": 1}},
    # The census codes gains from 99,999 on as that number.
    "capital-gain": {"interval": {"range": [0, 99_999], "on": 500}},
    "capital-loss": {"interval": {"range": [0, 5000], "on": 100}},
    "hours-per-week": {"interval": {"range": [1, 99], "on": 1}},
}
"""What is known of the numbers without looking at the records."""
TARGETS = ((GA, 0.1, 18.5), (GA, 1, 18.2), (THIRTEEN, 0.5, 18.3), (THIRTEEN, 1, 17.3), (THIRTEEN, 2, 16.9))
"""Attributes, epsilon, and the error that is aimed for at most."""
RUNS = 10


def private_policy(attributes: list[str], epsilon: float) -> dict[str, Any]:
    entries = GRIDS | {name: entry for name, entry in adult_trees().items() if name not in GRIDS}
    return {
        "class": {ADULT.class_name: ["<=50K", ">50K"]},
        "attributes": {name: entries[name] for name in attributes},
        "requirements": [{"epsilon": epsilon, "attributes": attributes}],
        "missing": "drop",
    }


def errors(runs: int = RUNS) -> None:
    train, test = ADULT.load("train"), ADULT.load("test")
    rows = [("attributes", "asked", "unmasked", "error", "from", "to", "aimed for")]
    for attributes, epsilon, target in TARGETS:
        asked = private_policy(attributes, epsilon)
        found = maskwise.evaluate(train, asked, test=test, classifiers=["c4.5"], runs=runs)
        raw, made = found.records
        rows.append((len(attributes), f"epsilon {epsilon}", raw.error, made.error, made.low, made.high, target))
        print(rows[-1], found.notes[-1], flush=True)
    for k in (10, 50):
        asked = build_policy(ADULT.class_name, [{"qid": GA, "k": k}], adult_trees())
        found = maskwise.evaluate(train.select([*GA, ADULT.class_name]), asked, test=test, classifiers=["c4.5"])
        by_name = {one.measure: one for one in found.records}
        made = by_name["AE"]
        rows.append((len(GA), f"k {k}", by_name["BE"].error, made.error, made.low, made.high, ""))
    table(rows)


def time(n_rows: int = 1_000_000) -> None:
    """The whole command beside plain top-down refinement of the same fourteen attributes. Target: 1.5 times."""
    data = blow_up_parquet(n_rows)
    attributes = [*THIRTEEN, "fnlwgt"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        asked = private_policy(attributes, 1)
        asked["attributes"] = {
            key: {"taxonomy": str(Path(entry["taxonomy"]).resolve())} if "taxonomy" in entry else entry
            for key, entry in asked["attributes"].items()
        }
        (folder / "private.yaml").write_text(yaml.safe_dump(asked))
        ways = {"top-down": policy(50), "private": folder / "private.yaml"}
        commands = {
            way: [MASKWISE, "mask", str(data), "-p", str(path), "-o", str(folder / f"{way}.parquet"), "--quiet"]
            for way, path in ways.items()
        }
        found = side_by_side(commands, 3)
    base = found["top-down"].seconds
    table(
        [
            (f"{n_rows:,} rows", "seconds", "ratio", "peak GiB"),
            *((way, one.seconds, one.seconds / base, one.gibibytes) for way, one in found.items()),
        ]
    )


def neighbours(n_runs: int = 200_000) -> None:
    rows = [("pair", "runs of each", "noise", "ratio beyond doubt", "events above e^epsilon")]
    for pair in PAIRS:
        ways = [("full", n_runs, PooledNoise())]
        ways += [("halved", min(n_runs, 20_000), HalvedNoise())] if pair in PAIRS[:2] else []
        for name, n, mechanisms in ways:
            worst, broken = compare(pair, n, mechanisms)
            rows.append((pair.name, f"{n:,}", name, f"{worst:.3f}", str(len(broken))))
            print(rows[-1], flush=True)
    print(f"epsilon = {EPSILON}, e^epsilon = {math.exp(EPSILON):.3f}")
    table(rows)


def main(what: str = "errors", number: str | None = None) -> None:
    ways = {"errors": errors, "neighbours": neighbours, "time": time}
    ways[what](*(() if number is None else (int(number),)))


if __name__ == "__main__":
    main(*sys.argv[1:])
