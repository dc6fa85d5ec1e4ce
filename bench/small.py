"""What does a small job cost: Adult with eight attributes, the first time and later, and `--help`?"""

from __future__ import annotations

import subprocess
import sys
import tempfile

from bench.blowup import FOLDER, policy
from bench.measure import MASKWISE, once, side_by_side, table
from maskwise.datasets import adult_folder

GA = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")


def main(rounds: int = 5) -> None:
    policy_file, adult = str(policy(50, GA)), str(adult_folder() / "adult.parquet")
    mask = [MASKWISE, "mask", adult, "-p", policy_file, "-o", str(FOLDER / "small.csv")]
    with tempfile.TemporaryDirectory() as empty:
        first, _, first_processor = once(mask, NUMBA_CACHE_DIR=empty)
    by_command = side_by_side(
        {
            "mask Adult, 8 attributes": mask,
            "maskwise --help": [MASKWISE, "--help"],
            "python -c pass": [sys.executable, "-c", "pass"],
        },
        rounds,
    )
    rows: list[tuple[object, ...]] = [
        ("", "seconds", "processor seconds", "peak GiB"),
        ("the first run ever, compiling the kernels", first, first_processor, ""),
    ]
    rows += [(name, found.seconds, found.processor, found.gibibytes) for name, found in by_command.items()]
    table(rows)
    subprocess.run([MASKWISE, "audit", str(FOLDER / "small.csv"), "-p", policy_file, "--quiet"], check=True)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
