"""What does the search by regions cost beside the conditional criterion?

The whole command from start to exit, on Adult (Top7, k = 50) and on a million
rows with one QID of all 14 attributes.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
import yaml

from bench.blowup import blow_up, policy
from bench.measure import MASKWISE, side_by_side, table
from bench.paper_data import ADULT, build_policy
from maskwise.datasets import adult_trees

WAYS = {
    "conditional": ["--criterion", "conditional"],
    "regions": ["--method", "regions"],
    "regions, effort 1": ["--method", "regions", "--effort", "1"],
}


def compare(title: str, data: Path, asked: Path, folder: Path, rounds: int) -> None:
    command = [MASKWISE, "mask", str(data), "-p", str(asked), "-o", str(folder / "out.parquet"), "--quiet"]
    found = side_by_side({name: [*command, *way] for name, way in WAYS.items()}, rounds)
    base = found["conditional"].seconds
    table(
        [
            (title, "seconds", "ratio", "peak GiB"),
            *((name, one.seconds, one.seconds / base, one.gibibytes) for name, one in found.items()),
        ]
    )
    print(flush=True)


def main(n_rows: int = 1_000_000, rounds: int = 3) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pq.write_table(ADULT.load("train"), folder / "adult.parquet")
        requirements = [{"qid": list(ADULT.qids["Top7"]), "k": 50}]
        asked = folder / "policy.yaml"
        asked.write_text(yaml.safe_dump(_plain(build_policy(ADULT.class_name, requirements, adult_trees()))))
        compare("Adult, 30,162 rows", folder / "adult.parquet", asked, folder, rounds)
        _, parquet = blow_up(n_rows)
        compare(f"{n_rows:,} rows", parquet, policy(50), folder, rounds)


def _plain(entry: object) -> object:
    """A policy as YAML can spell it."""
    if isinstance(entry, dict):
        return {key: _plain(value) for key, value in entry.items()}
    if isinstance(entry, list | tuple):
        return [_plain(value) for value in entry]
    return entry.to_nested() if hasattr(entry, "to_nested") else entry


if __name__ == "__main__":
    main(*(int(n) for n in sys.argv[1:]))
