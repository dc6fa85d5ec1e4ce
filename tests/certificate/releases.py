"""Small releases with certificates, and keys to sign them with."""

from __future__ import annotations

import atexit
import csv
import random
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

import maskwise

needs_ssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")

POLICY: dict[str, Any] = {
    "class": "Class",
    "attributes": {"Age": {"interval": [0, 120]}, "Sex": {"taxonomy": {"Any": ["F", "M"]}}},
    "requirements": [
        {"qid": ["Age", "Sex"], "k": 8},
        {"qid": ["Age"], "sensitive": {"Ill": ["hiv"]}, "confidence": 0.6},
        {"qid": ["Sex"], "sensitive": "Ill", "diversity": {"entropy": 1.5}},
        {"qid": ["Sex"], "sensitive": "Ill", "closeness": "1/3"},
        {"lkc": {"attributes": ["Age", "Sex"], "L": 1}, "k": 5, "sensitive": {"Ill": ["hiv"]}, "confidence": 0.9},
    ],
    "drop": ["Name"],
}


def people(n: int = 120, seed: int = 3) -> list[dict[str, Any]]:
    """Records of people, in random order."""
    draw = random.Random(seed)  # noqa: S311 - a test
    return [
        {
            "Name": f"person {i}",
            "Age": draw.randint(18, 80),
            "Sex": draw.choice("FM"),
            "Ill": draw.choice(["flu", "hiv", "none", "none"]),
            "Class": draw.choice("xy"),
        }
        for i in range(n)
    ]


def write_csv(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write records to a csv file."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def certified(
    folder: Path,
    output: str = "release.csv",
    policy: dict[str, Any] | None = None,
    rows: list[dict[str, Any]] | None = None,
    options: dict[str, Any] | None = None,
    **how: Any,
) -> tuple[Path, Path]:
    """Mask a table in a folder; the paths of its certificate and its release."""
    source = write_csv(folder / "private-source.csv", people() if rows is None else rows)
    certificate, release = folder / "cert.json", f"{folder}/{output}"
    beside = maskwise.Certification(certificate, **how)
    maskwise.anonymize(source, POLICY if policy is None else policy, release, beside=beside, seed=1, **(options or {}))
    return certificate, Path(release)


@cache
def _certified_once(output: str) -> Path:
    """A folder with the release that most tests look at."""
    folder = Path(mkdtemp())
    atexit.register(shutil.rmtree, folder)
    certified(folder, output)
    return folder


def copy_of_certified(folder: Path, output: str = "release.csv") -> tuple[Path, Path]:
    """As `certified` without options, but masked only once for all tests."""
    shutil.copytree(_certified_once(output), folder, dirs_exist_ok=True)
    return folder / "cert.json", Path(f"{folder}/{output}")


def make_key(path: Path, passphrase: str = "") -> Path:
    """Make an SSH key."""
    arguments = ["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", "", "-f", str(path)]
    subprocess.run(arguments, check=True, stdin=subprocess.DEVNULL)
    return path


def list_signers(path: Path, **keys: Path) -> Path:
    """Write a list of signers: their names and public keys."""
    lines = [f"{name}@example.org {key.with_name(f'{key.name}.pub').read_text().strip()}" for name, key in keys.items()]
    path.write_text("\n".join(lines) + "\n")
    return path
