"""Compile the loops that most tests need, before they start: `python -m tests.compile_kernels`.

Two processes that start on tests would compile many of them twice, and the tests of the longest ones would wait.
What is compiled already is only loaded.
"""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import pyarrow as pa

import maskwise
from tests.conftest import HEADER, people

POLICY: dict[str, Any] = {
    "class": "Risk",
    "attributes": {"Age": {"interval": [0, 120]}, "Edu": "suppress", "Job": "suppress"},
    "requirements": [{"qid": ["Age", "Edu", "Job"], "k": 5}],
    "drop": ["Id", "Zip"],
}
BY_PERSON = {**POLICY, "person": "Name"}
RUNS: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {
    "first": [
        (POLICY, {"method": "regions", "background": "odds"}),
        (POLICY, {"method": "bug"}),
        (POLICY, {"criterion": "infogain"}),
    ],
    "second": [
        (POLICY, {"method": "regions", "background": "none", "effort": 1}),
        (BY_PERSON, {"criterion": "conditional", "background": "odds"}),
        ({**POLICY, "suppress": "20%"}, {}),
    ],
}
"""What each of two processes does: both have about as much to compile."""


def compile_kernels(part: str) -> None:
    """Mask a small table in several ways."""
    columns = [list(column) for column in zip(*people(), strict=True)]
    table = pa.table(dict(zip(HEADER, columns, strict=True)))
    for policy, how in RUNS[part]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            maskwise.anonymize(table, policy, **how)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        compile_kernels(sys.argv[1])
    else:
        with subprocess.Popen([sys.executable, "-m", "tests.compile_kernels", "second"]) as beside:
            compile_kernels("first")
        sys.exit(beside.returncode)
