"""Run every experiment, one after the other; `make reproduce` calls this."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from experiments.common import RESULTS

SCRIPTS = sorted(path.stem for path in Path(__file__).parent.glob("*_*.py") if not path.stem.startswith("_"))


def main() -> int:
    failed = []
    RESULTS.mkdir(exist_ok=True)
    begin = time.perf_counter()
    for name in SCRIPTS:
        print(f"\n{name}\n", flush=True)
        done = subprocess.run([sys.executable, "-m", f"experiments.{name}"], check=False)
        if done.returncode:
            failed.append(name)
    print(f"\n{len(SCRIPTS)} experiments, {(time.perf_counter() - begin) / 60:.0f} minutes; results in {RESULTS}")
    if failed:
        print(f"Failed: {', '.join(failed)}")
    return len(failed) > 0


if __name__ == "__main__":
    sys.exit(main())
