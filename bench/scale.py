"""Does the time per row stay the same from one million rows to a hundred, in limited memory?

`python -m bench.scale [rows ...]`: by default 1, 10, 50 and 100 million. The process may have 8 GiB; at 100 million
rows its own limit is 4 GiB (`--memory 4GiB`). What it keeps in files counts in the peak as long as the
system has no other use for that memory.
"""

from __future__ import annotations

import sys

from bench.blowup import FOLDER, blow_up, blow_up_parquet, policy
from bench.measure import MASKWISE, once, table

LIMIT = 8 << 30
BASE = 1_000_000
SIZES = (BASE, 10_000_000, 50_000_000, 100_000_000)
LIMITED_FROM = 100_000_000
"""From this number of rows on the run has a `--memory` option."""
MAX_CSV = 10_000_000
"""Up to this number of rows the csv is measured too."""


def main(sizes: tuple[int, ...]) -> None:
    policy_file = str(policy())
    header = ("rows", "format", "limit GiB", "--memory", "seconds", "per row, times 1M", "peak GiB")
    rows: list[tuple[object, ...]] = [header]
    for suffix in (".csv", ".parquet"):
        base = 0.0
        for n_rows in dict.fromkeys((BASE, *sizes)):
            if suffix == ".csv" and n_rows > MAX_CSV:
                continue
            source = blow_up(n_rows)[0] if suffix == ".csv" else blow_up_parquet(n_rows)
            memory = ["--memory", "4GiB"] if n_rows >= LIMITED_FROM else []
            target = FOLDER / f"masked{suffix}"
            command = [MASKWISE, "mask", str(source), "-p", policy_file, "-o", str(target), *memory]
            seconds, gibibytes, _ = min(once(command, LIMIT) for _ in range(3 if n_rows == BASE else 1))
            base = base or seconds / n_rows
            memory_option = memory[-1] if memory else ""
            rows.append(
                (f"{n_rows:,}", suffix, LIMIT >> 30, memory_option, seconds, seconds / n_rows / base, gibibytes)
            )
            print(f"{n_rows:,} {suffix}: {seconds:.1f} s", file=sys.stderr, flush=True)
    table(rows)


if __name__ == "__main__":
    main(tuple(int(argument) for argument in sys.argv[1:]) or SIZES)
