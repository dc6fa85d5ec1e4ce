"""What does counting the risk add to `maskwise mask`, process start to exit, at a million rows of 14 columns?"""

from __future__ import annotations

import sys

from bench.blowup import FOLDER, blow_up, policy
from bench.measure import side_by_side, table

GA = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")
RUN = "import sys; from maskwise.cli.app import main; sys.exit(main(sys.argv[1:]))"
WITHOUT = f"import maskwise.pipeline as p; p.assess_release = lambda *given: (None, None); {RUN}"


def main(n_rows: int = 1_000_000, rounds: int = 5) -> None:
    rows: list[tuple[object, ...]] = [(f"{n_rows:,} rows, 14 columns", "seconds", "ratio", "peak GiB")]
    for source in blow_up(n_rows):
        for asked, names in (("14 in the QID", ()), ("8 in the QID", GA)):
            masked = FOLDER / f"masked{source.suffix}"
            given = ["mask", str(source), "-p", str(policy(50, names)), "-o", str(masked), "--quiet"]
            commands = {
                name: [sys.executable, "-c", code, *given] for name, code in (("without", WITHOUT), ("with", RUN))
            }
            by_command = side_by_side(commands, rounds)
            base = by_command["without"].seconds
            for name, measured in by_command.items():
                what = f"{source.suffix}, {asked}, {name} risk"
                rows.append((what, measured.seconds, measured.seconds / base, measured.gibibytes))
    table(rows)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
