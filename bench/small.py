"""What does a small job cost: Adult with eight attributes, and `--help`?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench.blowup import FOLDER, policy
from bench.measure import MASKWISE, once, side_by_side, table
from maskwise.datasets import adult_folder

GA = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")


def main() -> None:
    policy_file, adult = str(policy(50, GA)), str(adult_folder() / "adult.parquet")
    mask = [MASKWISE, "mask", adult, "-p", policy_file, "-o", str(FOLDER / "small.csv")]
    for cache in Path(adult_folder()).parents[1].rglob("__pycache__/*.nb?"):
        cache.unlink()
    first, _ = once(mask)
    by_command = side_by_side(
        {
            "mask Adult, 8 attributes": mask,
            "maskwise --help": [MASKWISE, "--help"],
            "python -c pass": [sys.executable, "-c", "pass"],
        }
    )
    rows: list[tuple[object, ...]] = [
        ("", "seconds", "peak GiB"),
        ("the first run ever, compiling the kernels", first, ""),
    ]
    rows += [(name, measured.seconds, measured.gibibytes) for name, measured in by_command.items()]
    table(rows)
    subprocess.run([MASKWISE, "audit", str(FOLDER / "small.csv"), "-p", policy_file, "--quiet"], check=True)


if __name__ == "__main__":
    main()
