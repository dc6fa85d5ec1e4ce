"""What is installed changes no release: the unmasked columns are modelled with and without scikit-learn alike."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest

POLICY = """\
class: income
attributes:
  age: {interval: [17, 90]}
  job: suppress
requirements:
  - {qid: [age, job], k: 12}
"""
ABSENT = ("sklearn", "threadpoolctl", "scipy", "pandas")


def people(n_classes: int) -> pa.Table:
    """Records whose unmasked columns tell part of the class."""
    rng = np.random.default_rng(n_classes)
    n = 900
    income = rng.integers(0, n_classes, n)
    return pa.table(
        {
            "age": np.clip(income * 12 + rng.integers(17, 60, n), 17, 90),
            "job": [f"job{code}" for code in (income + rng.integers(0, 4, n)) % 6],
            "hours": [None if hours % 9 == 0 else hours for hours in (income * 8 + rng.integers(10, 50, n)).tolist()],
            "town": [f"town{code}" for code in (2 * income + rng.integers(0, 9, n)) // 2],
            "income": [f"class{code}" for code in income],
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_release_has_the_same_bytes_with_and_without_scikit_learn(tmp_path: Path, n_classes: int) -> None:
    pa_csv.write_csv(people(n_classes), tmp_path / "people.csv")
    (tmp_path / "policy.yaml").write_text(POLICY)
    blocked = tmp_path / "blocked"
    for name in ABSENT:
        (blocked / name).mkdir(parents=True)
        (blocked / name / "__init__.py").write_text(f"raise ImportError('{name} is not there')\n")
    outputs = []
    for way, first in (("with", ()), ("without", (str(blocked),))):
        paths = os.pathsep.join([*first, *filter(None, [os.environ.get("PYTHONPATH")])])
        asked = ["mask", "people.csv", "-p", "policy.yaml", "-o", f"{way}.csv", "--solution", f"{way}.json"]
        asked += ["--trace", f"{way}.jsonl", "--criterion", "conditional", "--background", "boosting", "--seed", "0"]
        subprocess.run(
            [sys.executable, "-m", "maskwise", *asked],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": paths},
            check=True,
            capture_output=True,
        )
        outputs.append([(tmp_path / f"{way}.{kind}").read_bytes() for kind in ("csv", "json", "jsonl")])
    assert outputs[0] == outputs[1]
    assert len(outputs[0][2].splitlines()) > 3
