"""Is a search by privacy templates within twice the k-anonymity search over the same QID?

The papers' setting (KAIS 2007, 5.4): a million rows, the seven categorical
attributes other than marital-status, the least frequent half of its values
protected, h = 0.9.
"""

from __future__ import annotations

import statistics
import time

import pyarrow.compute as pc

from bench.blowup import blow_up
from bench.measure import table
from bench.paper_data import ADULT, build_policy
from maskwise.compress.compress import compress
from maskwise.datasets import adult_trees, load_adult
from maskwise.formats.policy_file import read_policy
from maskwise.profile.profile import profile
from maskwise.search.search import plan, search
from maskwise.table.read import read

QID = ("workclass", "education", "occupation", "relationship", "race", "sex", "native-country")


def main(n_rows: int = 1_000_000, rounds: int = 5) -> None:
    _, parquet = blow_up(n_rows)
    counts = sorted(pc.value_counts(load_adult()["marital-status"]).to_pylist(), key=lambda item: item["counts"])
    rare = [item["values"] for item in counts[: len(counts) // 2]]
    thresholds = {
        "k = 50": {"k": 50},
        f"{len(rare)} templates, h = 0.9": {"sensitive": {"marital-status": rare}, "confidence": 0.9},
    }
    rows: list[tuple[object, ...]] = [(f"{n_rows:,} rows, 7 attributes", "seconds", "ratio", "steps", "coded rows")]
    base = 0.0
    for name, requirement in thresholds.items():
        policy = read_policy(build_policy(ADULT.class_name, [{"qid": QID, **requirement}], adult_trees()))
        profiled, records = profile(read(parquet), policy)
        trees, needs = plan(profiled, policy)
        compacts = compress(records, profiled, trees, needs)
        times = []
        for turn in range(rounds + 1):
            begin = time.perf_counter()
            solution = search(profiled, trees, needs, compacts, policy)
            if turn:
                times.append(time.perf_counter() - begin)
        median = statistics.median(times)
        base = base or median
        rows.append((name, median, median / base, len(solution.steps), f"{len(compacts[0].counts):,}"))
    table(rows)


if __name__ == "__main__":
    main()
