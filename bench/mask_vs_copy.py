"""How long does `maskwise mask` take, process start to exit, beside DuckDB copying the same file?"""

from __future__ import annotations

import sys

from bench.blowup import FOLDER, blow_up, policy
from bench.measure import MASKWISE, side_by_side, table

COPY = "import duckdb, sys; duckdb.sql(f\"COPY (FROM '{sys.argv[1]}') TO '{sys.argv[2]}'\")"


def main(n_rows: int = 1_000_000, rounds: int = 5) -> None:
    csv, parquet = blow_up(n_rows)
    policy_file = str(policy())
    commands = {}
    for source in (csv, parquet):
        copied, masked = FOLDER / f"copied{source.suffix}", FOLDER / f"masked{source.suffix}"
        commands[f"DuckDB copies {source.suffix}"] = [sys.executable, "-c", COPY, str(source), str(copied)]
        commands[f"maskwise masks {source.suffix}"] = [
            MASKWISE,
            "mask",
            str(source),
            "-p",
            policy_file,
            "-o",
            str(masked),
        ]
    by_command = side_by_side(commands, rounds)
    rows: list[tuple[object, ...]] = [
        (f"{n_rows:,} rows", "seconds", "ratio", "processor seconds", "ratio", "peak GiB")
    ]
    for name, found in by_command.items():
        base = by_command[f"DuckDB copies {name.rsplit(' ', 1)[1]}"]
        ratios = found.seconds / base.seconds, found.processor / base.processor
        rows.append((name, found.seconds, ratios[0], found.processor, ratios[1], found.gibibytes))
    table(rows)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
