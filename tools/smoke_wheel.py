"""Build the wheel, install it in a fresh environment, and use it: the version, the demo, an audit of its release.

Continuous integration runs this on Linux, macOS and Windows. It needs nothing
but Python and the package index:

    python tools/smoke_wheel.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Run all steps; the first that fails ends the script with its exit code."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        dist = folder / "dist"
        call([sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(dist), str(ROOT)], folder)
        (wheel,) = dist.glob("maskwise-*.whl")
        venv.create(folder / "env", with_pip=True)
        scripts = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
        call([str(scripts / "python"), "-m", "pip", "install", "--quiet", str(wheel)], folder)
        maskwise = str(scripts / "maskwise")
        call([maskwise, "--version"], folder)
        call([maskwise, "demo", "--output", "released"], folder)
        (policy,) = (folder / "env").rglob("datasets/adult/policy.yaml")
        call([maskwise, "audit", "released/adult-masked.csv", "--policy", str(policy)], folder)


def call(command: list[str], folder: Path) -> None:
    """Show a command and run it, away from the source tree so that only the installed package is used."""
    print("+", *command, flush=True)
    done = subprocess.run(command, cwd=folder, check=False)
    if done.returncode:
        sys.exit(done.returncode)


if __name__ == "__main__":
    main()
