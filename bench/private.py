"""What a differentially private release is worth, what it costs, and whether neighbouring tables can be told apart.

python -m bench.private                       errors on Adult, beside k-anonymous runs
python -m bench.private neighbours [runs]     the whole mechanism on neighbouring tables; 200,000 runs of each
python -m bench.private time [rows]           a million records beside plain top-down refinement
"""

from __future__ import annotations

import sys

from bench.measure import table
from bench.neighbours import EPSILON, PAIRS, HalvedNoise, PooledNoise, compare


def neighbours(n_runs: int = 200_000) -> None:
    rows = [("pair", "runs of each", "noise", "ratio beyond doubt", "events above e^epsilon")]
    for pair in PAIRS:
        ways = [("full", n_runs, PooledNoise())]
        ways += [("halved", min(n_runs, 20_000), HalvedNoise())] if pair in PAIRS[:2] else []
        for name, n, mechanisms in ways:
            worst, broken = compare(pair, n, mechanisms)
            rows.append((pair.name, f"{n:,}", name, f"{worst:.3f}", str(len(broken))))
            print(rows[-1], flush=True)
    print(f"epsilon = {EPSILON}, e^epsilon = {2.718281828 ** float(EPSILON):.3f}")
    table(rows)


def main(what: str = "errors", number: str | None = None) -> None:
    ways = {"neighbours": neighbours}
    ways[what](*(() if number is None else (int(number),)))


if __name__ == "__main__":
    main(*sys.argv[1:])
