"""Compile the loops that most tests need, before they start: `python -m tests.compile_kernels`.

Two processes that start on tests would compile many of them twice, and the tests of the longest ones would wait.
What is compiled already is only loaded.
"""

from __future__ import annotations

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
RUNS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (POLICY, {"method": "regions", "background": "odds"}),
    (POLICY, {"method": "regions", "background": "none", "effort": 1}),
    (POLICY, {"method": "bug"}),
    (POLICY, {"criterion": "infogain"}),
    ({**POLICY, "person": "Name"}, {"criterion": "conditional", "background": "odds"}),
    ({**POLICY, "suppress": "20%"}, {}),
]


def compile_kernels() -> None:
    """Mask a small table in several ways."""
    columns = [list(column) for column in zip(*people(), strict=True)]
    table = pa.table(dict(zip(HEADER, columns, strict=True)))
    for policy, how in RUNS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            maskwise.anonymize(table, policy, **how)


if __name__ == "__main__":
    compile_kernels()
