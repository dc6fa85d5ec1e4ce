"""What does the conditional criterion cost beside plain top-down refinement on a million rows?

One QID of all 14 attributes, k = 50. The search starts from the compressed
tables; `whole` is the command from start to exit. Targets: effort 1 within 4
times the search of top-down refinement, and 3 GiB.
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
from maskwise.search.conditional.criterion import Taste
from maskwise.search.conditional.inputs import prepare
from maskwise.search.conditional.variants import search_once
from maskwise.search.options import Criterion, Limits, choose_how
from maskwise.search.search import plan
from maskwise.search.topdown import Scored, TopDown, descend
from maskwise.table.read import read


def main(n_rows: int = 1_000_000, rounds: int = 3) -> None:
    _, parquet = blow_up(n_rows)
    file = policy(50)
    asked = read_policy(file)
    profiled, records = profile(read(parquet), asked)
    trees, needs = plan(profiled, asked)
    tables = compress(records, profiled, trees, needs)
    bounds = list_bounds(profiled, asked, needs)
    ground = prepare(records, profiled, asked, choose_how(criterion="conditional", effort=1))
    best = {"top-down, score": float("inf"), "conditional, effort 1": float("inf")}
    n_steps = {}
    for _ in range(rounds):
        begin = time.perf_counter()
        steps, _ = descend(
            Scored(TopDown(trees, tables, bounds, has_class=True), Criterion.SCORE), Limits(), lambda _: True
        )
        best["top-down, score"] = min(best["top-down, score"], time.perf_counter() - begin)
        n_steps["top-down, score"] = len(steps)
        begin = time.perf_counter()
        run = search_once(ground, Taste(), Limits(), lambda _: True)
        best["conditional, effort 1"] = min(best["conditional, effort 1"], time.perf_counter() - begin)
        n_steps["conditional, effort 1"] = len(run.steps)
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
                "top-down, score": command,
                "conditional, effort 1": [*command, "--criterion", "conditional", "--effort", "1"],
                "conditional, default effort": [*command, "--criterion", "conditional"],
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
