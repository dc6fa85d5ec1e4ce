"""Does the time per row stay the same from one million rows to a hundred, in limited memory?

`python -m bench.scale [rows ...]`: by default 1, 10, 50 and 100 million. The process may have 8 GiB; at 100 million
rows it is also told to make do with 4 (`--memory 4GiB`). What it keeps in files counts in the peak as long as the
system has no other use for that memory.
"""

from __future__ import annotations

import sys

from bench.blowup import FOLDER, blow_up, blow_up_parquet, policy
from bench.measure import MASKWISE, once, table

LIMIT = 8 << 30
BASE = 1_000_000
SIZES = (BASE, 10_000_000, 50_000_000, 100_000_000)
TOLD = 100_000_000
"""From so many rows on the run is told how much memory it may use."""
MOST_CSV = 10_000_000
"""Up to so many rows the csv is measured too."""


def main(sizes: tuple[int, ...]) -> None:
    asked = str(policy())
    header = ("rows", "format", "limit GiB", "--memory", "seconds", "per row, times 1M", "peak GiB")
    rows: list[tuple[object, ...]] = [header]
    for suffix in (".csv", ".parquet"):
        base = 0.0
        for n_rows in dict.fromkeys((BASE, *sizes)):
            if suffix == ".csv" and n_rows > MOST_CSV:
                continue
            source = blow_up(n_rows)[0] if suffix == ".csv" else blow_up_parquet(n_rows)
            memory = ["--memory", "4GiB"] if n_rows >= TOLD else []
            target = FOLDER / f"masked{suffix}"
            command = [MASKWISE, "mask", str(source), "-p", asked, "-o", str(target), *memory]
            seconds, gibibytes = min(once(command, LIMIT) for _ in range(3 if n_rows == BASE else 1))
            base = base or seconds / n_rows
            told = memory[-1] if memory else ""
            rows.append((f"{n_rows:,}", suffix, LIMIT >> 30, told, seconds, seconds / n_rows / base, gibibytes))
            print(f"{n_rows:,} {suffix}: {seconds:.1f} s", file=sys.stderr, flush=True)
    table(rows)


if __name__ == "__main__":
    main(tuple(int(argument) for argument in sys.argv[1:]) or SIZES)
