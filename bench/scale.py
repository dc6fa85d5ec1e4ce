"""Do ten times the rows take ten times the time, and how much memory?"""

from __future__ import annotations

from bench.blowup import FOLDER, blow_up, policy
from bench.measure import MASKWISE, once, table


def main() -> None:
    asked = str(policy())
    rows: list[tuple[object, ...]] = [("rows", "format", "seconds", "times 1M", "peak GiB")]
    for suffix in (".csv", ".parquet"):
        base = 0.0
        for n_rows in (1_000_000, 10_000_000):
            source = next(path for path in blow_up(n_rows) if path.suffix == suffix)
            command = [MASKWISE, "mask", str(source), "-p", asked, "-o", str(FOLDER / f"masked{suffix}")]
            seconds, gibibytes = min(once(command) for _ in range(3 if n_rows == 1_000_000 else 1))
            base = base or seconds
            rows.append((f"{n_rows:,}", suffix, seconds, seconds / base, gibibytes))
    table(rows)


if __name__ == "__main__":
    main()
