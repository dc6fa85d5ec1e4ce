"""What does the conditional criterion cost beside plain top-down refinement on a million rows?

One QID of all 14 attributes, k = 50. The search starts from the compressed
tables; `whole` is the command from start to exit. Targets: within 4 times the
search of top-down refinement, and 3 GiB.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from bench.blowup import blow_up, policy
from bench.measure import MASKWISE, side_by_side, table
from maskwise.compress.compress import compress
from maskwise.formats.policy_file import read_policy
from maskwise.profile.profile import profile
from maskwise.search.bounds import list_bounds
from maskwise.search.conditional.search import ConditionalSearch
from maskwise.search.interface import NoProgress, Problem
from maskwise.search.options import Limits, SearchOptions
from maskwise.search.score_search import ScoreSearch
from maskwise.search.topdown import ScoreChooser, TopDown, descend
from maskwise.table.read import read


def main(n_rows: int = 1_000_000, rounds: int = 3) -> None:
    _, parquet = blow_up(n_rows)
    file = policy(50)
    asked = read_policy(file)
    profiled, records = profile(read(parquet), asked)
    search = ScoreSearch(Problem(profiled, asked, SearchOptions()))
    tables = compress(records, profiled, search.request).tables
    bounds = list_bounds(profiled, asked, search.request.tables)
    options = SearchOptions(criterion="conditional")
    conditional = ConditionalSearch(Problem(profiled, asked, options, records.names))
    counts = compress(records, profiled, conditional.request)
    best = {"top-down, score": float("inf"), "conditional": float("inf")}
    n_steps = {}
    for _ in range(rounds):
        begin = time.perf_counter()
        state = TopDown(search.trees, tables, bounds, has_class=True)
        steps, _ = descend(ScoreChooser(state), Limits(), lambda _: True)
        best["top-down, score"] = min(best["top-down, score"], time.perf_counter() - begin)
        n_steps["top-down, score"] = len(steps)
        begin = time.perf_counter()
        run = conditional.run(counts, NoProgress())
        best["conditional"] = min(best["conditional"], time.perf_counter() - begin)
        n_steps["conditional"] = len(run.steps)
    base = best["top-down, score"]
    table(
        [
            (f"{n_rows:,} rows, 14 attributes, k = 50: search", "seconds", "ratio", "steps"),
            *((name, took, took / base, n_steps[name]) for name, took in best.items()),
        ]
    )
    print()
    with tempfile.TemporaryDirectory() as folder:
        command = [MASKWISE, "mask", str(parquet), "-p", str(file), "-o", str(Path(folder) / "out.parquet"), "--quiet"]
        found = side_by_side(
            {
                "top-down, score": [*command, "--criterion", "score"],
                "conditional": command,
            },
            rounds,
        )
    base = found["top-down, score"].seconds
    table(
        [
            (f"{n_rows:,} rows: whole command", "seconds", "ratio", "peak GiB"),
            *((name, one.seconds, one.seconds / base, one.gibibytes) for name, one in found.items()),
        ]
    )


if __name__ == "__main__":
    main(*(int(n) for n in sys.argv[1:]))
