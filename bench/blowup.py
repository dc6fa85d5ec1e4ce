"""The papers' blow-up of Adult (TKDE 2007, V.C) to any number of rows, seeded.

For each original record, variations of it: q attributes, q uniform from 1 to
14, get a random value of their domain. Written as csv and parquet, or parquet
alone, to `bench/data/`, once, chunk by chunk: memory does not grow with the rows.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq

from maskwise.datasets import adult_trees, load_adult

FOLDER = Path(__file__).parent / "data"
CHUNK = 500_000
CLASS = "income"


def blow_up(n_rows: int, seed: int = 7) -> tuple[Path, Path]:
    """Make the table if it is not there; return its csv and parquet files."""
    csv, parquet = FOLDER / f"adult-{n_rows}.csv", FOLDER / f"adult-{n_rows}.parquet"
    if not (csv.exists() and parquet.exists()):
        _make(n_rows, seed, [csv, parquet])
    return csv, parquet


def blow_up_parquet(n_rows: int, seed: int = 7) -> Path:
    """The same records as parquet alone, for sizes whose csv would fill the disk."""
    parquet = FOLDER / f"adult-{n_rows}.parquet"
    if not parquet.exists():
        _make(n_rows, seed, [parquet])
    return parquet


def _make(n_rows: int, seed: int, targets: list[Path]) -> None:
    FOLDER.mkdir(exist_ok=True)
    adult = load_adult().drop_null()
    names = [name for name in adult.column_names if name != CLASS]
    columns = {name: adult[name].to_numpy(zero_copy_only=False) for name in adult.column_names}
    domains = {name: np.unique(columns[name]) for name in names}
    rng = np.random.default_rng(seed)
    schema = pa.schema([(name, pa.int64() if columns[name].dtype.kind in "iu" else pa.string()) for name in columns])
    drafts = [target.with_name(f"{target.name}.part") for target in targets]
    with ExitStack() as opened:
        writers = [
            opened.enter_context((arrow_csv.CSVWriter if target.suffix == ".csv" else pq.ParquetWriter)(draft, schema))
            for target, draft in zip(targets, drafts, strict=True)
        ]
        for start in range(0, n_rows, CHUNK):
            place = np.arange(start, min(start + CHUNK, n_rows))
            varied = place >= adult.num_rows
            n_changed = rng.integers(1, len(names) + 1, len(place))
            rank = rng.random((len(place), len(names))).argsort(axis=1).argsort(axis=1)
            chunk = {name: values[place % adult.num_rows] for name, values in columns.items()}
            for j, name in enumerate(names):
                change = varied & (rank[:, j] < n_changed)
                chunk[name][change] = rng.choice(domains[name], int(change.sum()))
            table = pa.table(chunk, schema=schema)
            for writer in writers:
                writer.write_table(table)
    # A file of that name is a whole one, also if the making of it was stopped.
    for target, draft in zip(targets, drafts, strict=True):
        draft.rename(target)


def policy(k: int = 50, names: tuple[str, ...] = ()) -> Path:
    """A policy with one QID, of all 14 attributes unless some are named."""
    trees = adult_trees()
    chosen = names or tuple(name for name in load_adult().column_names if name != CLASS)
    lines = [f"class: {CLASS}", "attributes:"]
    lines += [
        f"  {name}: {{taxonomy: '{trees[name]['taxonomy']}'}}" if name in trees else f"  {name}: interval"
        for name in chosen
    ]
    lines += ["requirements:", f"  - {{qid: [{', '.join(chosen)}], k: {k}}}", "missing: drop"]
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"policy-{len(chosen)}-{k}.yaml"
    path.write_text("\n".join(lines) + "\n")
    return path


if __name__ == "__main__":
    for size in sys.argv[1:]:
        print(*blow_up(int(size)))
