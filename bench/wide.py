"""Wide policies: any two or three of many columns, many columns that pass through, large taxonomies, many requirements.

Each line is one run of `mask` in a process of its own: processor time and the
most memory it took. `python -m bench.wide --rows 20000` is small; a million rows
take minutes.
"""

from __future__ import annotations

import argparse
import itertools
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

TREE = {"any": {"low": {"ll": ["v0", "v1"], "lh": ["v2", "v3"]}, "high": {"hl": ["v4", "v5"], "hh": ["v6", "v7"]}}}

VALUES = pa.array([f"v{i}" for i in range(8)])


_PART = 100_000
"""So many rows of a thousand columns are made and written at a time."""


def table(n_rows: int, n_columns: int, seed: int = 7) -> tuple[pa.Table, dict[str, Any]]:
    """Numbers, categories and values of a tree by turns, which depend on each other and on the class."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(n_rows, 4))
    columns: dict[str, Any] = {}
    trees: dict[str, Any] = {}
    for a in range(n_columns):
        drawn = 0.6 * hidden[:, a % 4] + rng.normal(size=n_rows)
        if a % 3 == 0:
            columns[f"n{a}"] = np.round(40 + 12 * drawn).astype(np.int64)
            continue
        eighth = np.clip(np.floor((drawn + 3) / 6 * 8), 0, 7).astype(np.int8)
        columns[f"t{a}"] = pa.DictionaryArray.from_arrays(pa.array(eighth), VALUES).cast(pa.string())
        if a % 3 == 2:
            trees[f"t{a}"] = {"taxonomy": TREE}
    columns["cls"] = np.where(hidden[:, 0] + hidden[:, 1] + rng.normal(size=n_rows) > 0, "yes", "no")
    return pa.table(columns), trees


Problem: TypeAlias = "tuple[Iterable[pa.Table], dict[str, Any]]"
"""A table, part by part, and its policy."""


def any_of(n_rows: int, n_columns: int, known: int) -> Problem:
    """An attacker knows any few of many columns."""
    records, trees = table(n_rows, n_columns)
    asked = [{"lkc": {"attributes": records.column_names[:-1], "L": known}, "k": 50}]
    return [records], {"attributes": trees, "requirements": asked}


def mostly_unmasked(n_rows: int) -> Problem:
    """A thousand columns, twenty of which are masked."""
    few, trees = table(1, 1_000)
    names = few.column_names[:20]
    own = {name: tree for name, tree in trees.items() if name in names}
    starts = range(0, n_rows, _PART)
    parts = (table(min(_PART, n_rows - start), 1_000, 7 + i)[0] for i, start in enumerate(starts))
    return parts, {"attributes": own, "requirements": [{"qid": names, "k": 50}]}


def many_requirements(n_rows: int) -> Problem:
    """Two hundred pairs of columns, each with a k of its own."""
    records, trees = table(n_rows, 21)
    names = records.column_names[:-1]
    pairs = [{"qid": [a, b], "k": 50 + i} for i, a in enumerate(names) for b in names[i + 1 :]][:200]
    return [records], {"attributes": trees, "requirements": pairs}


def large_tree(n_rows: int) -> Problem:
    """A million codes in a thousand groups."""
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 1_000_000, n_rows)
    tree = {f"p{i}": [f"c{i * 1_000 + j}" for j in range(1_000)] for i in range(1_000)}
    cells = {
        "code": [f"c{c}" for c in codes],
        "age": rng.integers(0, 90, n_rows),
        "cls": rng.choice(["no", "yes"], n_rows),
    }
    asked = [{"qid": ["code", "age"], "k": 50}]
    return [pa.table(cells)], {"attributes": {"code": {"taxonomy": {"any": tree}}}, "requirements": asked}


PROBLEMS: dict[str, Callable[[int], Problem]] = {
    "any 2 of 59 columns": lambda n: any_of(n, 59, 2),
    "any 3 of 59 columns": lambda n: any_of(n, 59, 3),
    "any 2 of 100 columns": lambda n: any_of(n, 100, 2),
    "any 3 of 100 columns": lambda n: any_of(n, 100, 3),
    "20 of 1,000 columns": mostly_unmasked,
    "200 requirements": many_requirements,
    "a tree with 1,000,000 leaves": large_tree,
}
"""The tables and policies by name."""


def write_problem(problem: Problem, folder: Path) -> None:
    """Write a table and its policy."""
    parts, policy = problem
    remaining = iter(parts)
    first = next(remaining)
    with pq.ParquetWriter(folder / "table.parquet", first.schema) as writer:
        for part in itertools.chain([first], remaining):
            writer.write_table(part)
    (folder / "policy.json").write_text(json.dumps({"class": "cls", **policy}))


def run_one(folder: Path, memory: str) -> None:
    """Mask once, and print the processor time and the most memory."""
    import maskwise  # noqa: PLC0415 - only the process that masks

    outcome = maskwise.anonymize(
        folder / "table.parquet",
        folder / "policy.json",
        folder / "out.parquet",
        criterion="score",
        memory=memory,
    )
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = used.ru_utime + used.ru_stime
    print(f"{seconds:.1f} s, {used.ru_maxrss / 2**20:.2f} GiB, {len(outcome.solution.steps):,} steps")


def main() -> None:
    """Run every problem, or the one that is named."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--only", default="")
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--folder", type=Path)
    chosen = parser.parse_args()
    if chosen.folder is not None:
        run_one(chosen.folder, chosen.memory)
        return
    for name, make in PROBLEMS.items():
        if chosen.only not in name:
            continue
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            write_problem(make(chosen.rows), folder)
            command = [sys.executable, "-m", "bench.wide", "--folder", place, "--memory", chosen.memory]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            print(f"{name}: {(done.stdout or done.stderr).strip().splitlines()[-1]}", flush=True)


if __name__ == "__main__":
    main()
