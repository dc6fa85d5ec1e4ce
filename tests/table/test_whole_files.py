"""A file that is read whole is held against `--memory` before it is read."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pytest

import maskwise

POLICY = {"requirements": [{"qid": ["Age"], "k": 2}]}


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".arrow", ".arrow.gz"])
def test_a_file_larger_than_the_memory_is_refused_by_its_size(tmp_path: Path, suffix: str) -> None:
    table = pa.table({"Age": [i % 3 for i in range(200_000)], "Note": ["x" * 100] * 200_000})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    content = sink.getvalue().to_pybytes()
    path = tmp_path / f"people{suffix}"
    path.write_bytes(gzip.compress(content, 1) if suffix.endswith(".gz") else content)
    with pytest.raises(maskwise.InputError, match=r"read whole, 22 MB unpacked, and a run may use 20 MB\."):
        maskwise.anonymize(path, POLICY, tmp_path / "out.csv", memory="20MB")
    assert maskwise.anonymize(path, POLICY, memory="400MB").verdict.is_met
