"""How long does the setting take that other tools are measured on: eight attributes, k = 50, a million records?

csv in, csv out, the whole command from process start to exit. Targets: 8 s, 1.5 GiB.
"""

from __future__ import annotations

import sys

from bench.blowup import FOLDER, blow_up, policy
from bench.measure import MASKWISE, side_by_side, table

QID = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")


def main(n_rows: int = 1_000_000, k: int = 50) -> None:
    csv, _ = blow_up(n_rows)
    target = FOLDER / "masked-arx.csv"
    name = f"{n_rows:,} records, {len(QID)} attributes, k = {k}"
    command = [MASKWISE, "mask", str(csv), "-p", str(policy(k, QID)), "-o", str(target)]
    measured = side_by_side({name: command})[name]
    table([("csv to csv", "seconds", "peak GiB"), (name, measured.seconds, measured.gibibytes)])


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
