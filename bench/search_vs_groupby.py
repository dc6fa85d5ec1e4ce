"""Is the whole search faster than one DuckDB GROUP BY over the same 14 columns?

Both run in one process on the same million rows; the search starts from the
compressed table, the GROUP BY from a table in memory.
"""

from __future__ import annotations

import statistics
import time

import duckdb
import numpy as np

from bench.blowup import blow_up, policy
from bench.measure import table
from maskwise.compress.compress import compress
from maskwise.formats.policy_file import read_policy
from maskwise.profile.profile import profile
from maskwise.search.interface import NoProgress, Problem
from maskwise.search.options import SearchOptions
from maskwise.search.score_search import ScoreSearch
from maskwise.table.read import read


def main(n_rows: int = 1_000_000, rounds: int = 5) -> None:
    _, parquet = blow_up(n_rows)
    asked = read_policy(policy())
    profiled, records = profile(read(parquet), asked)
    problem = Problem(profiled, asked, SearchOptions())
    counts = compress(records, profiled, ScoreSearch(problem).request)
    database = duckdb.connect()
    database.execute(f"CREATE TABLE people AS FROM '{parquet}'")
    columns = ", ".join(f'"{name}"' for name in asked.requirements[0].qid)
    grouping = f"CREATE OR REPLACE TABLE grouped AS SELECT {columns}, count(*) AS n FROM people GROUP BY ALL"
    times: dict[str, list[float]] = {"plan": [], "search": [], "group": []}
    for turn in range(rounds + 1):
        begin = time.perf_counter()
        search = ScoreSearch(problem)
        planned = time.perf_counter()
        solution = search.run(counts, NoProgress())
        searched = time.perf_counter()
        database.execute(grouping)
        grouped = time.perf_counter()
        if turn:
            times["plan"].append(planned - begin)
            times["search"].append(searched - planned)
            times["group"].append(grouped - searched)
    median = {name: statistics.median(found) for name, found in times.items()}
    n_compact = int(np.sum([len(c.counts) for c in counts.tables]))
    table(
        [
            (f"{n_rows:,} rows, 14 attributes, k = 50", "seconds", "ratio"),
            ("DuckDB: GROUP BY of 14 columns", median["group"], 1.0),
            (
                f"maskwise: search, {len(solution.steps)} steps, {n_compact:,} coded rows",
                median["search"],
                median["search"] / median["group"],
            ),
            ("maskwise: growing the value trees", median["plan"], median["plan"] / median["group"]),
        ]
    )


if __name__ == "__main__":
    main()
