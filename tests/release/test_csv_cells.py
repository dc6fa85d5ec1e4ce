"""What a csv can hold of a release: floats that are no numbers, a lone column, names, and who may read a draft."""

from __future__ import annotations

import csv
import gzip
import stat
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import maskwise
from maskwise.engines import write_files

NAN = float("nan")


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        {"sensitive": "S", "diversity": {"distinct": 2}},
        {"sensitive": "S", "closeness": 0.9},
        {"sensitive": {"S": ["1"]}, "confidence": 0.9},
    ],
)
@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_a_sensitive_float_that_is_no_number_is_released_as_missing(
    tmp_path: Path, suffix: str, asked: dict[str, Any]
) -> None:
    cells = [NAN if i % 7 == 0 else None if i % 11 == 0 else float(i % 3) for i in range(60)]
    table = pa.table({"Age": [i % 5 for i in range(60)], "S": cells})
    path = tmp_path / f"out{suffix}"
    maskwise.anonymize(table, {"requirements": [{"qid": ["Age"], **asked}]}, path, keep_order=True)
    released = pd.read_csv(path, sep="," if suffix == ".csv" else "\t", keep_default_na=False, dtype=str)["S"]
    assert released.tolist() == ["" if i % 7 == 0 or i % 11 == 0 else f"{i % 3}.0" for i in range(60)]


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
@pytest.mark.parametrize("cells", [["a", None, "b", "a", "b", None] * 3, [1.5, None, 1.5] * 6])
def test_a_missing_cell_of_a_lone_column_is_a_record_to_every_reader(
    tmp_path: Path, cells: list[Any], suffix: str
) -> None:
    path, policy = tmp_path / f"out{suffix}", {"requirements": [{"qid": ["J"], "k": 3}]}
    maskwise.anonymize(pa.table({"J": cells}), policy, path, keep_order=True)
    text = (gzip.decompress(path.read_bytes()) if suffix.endswith("gz") else path.read_bytes()).decode()
    assert "\n\n" not in text
    assert len(pd.read_csv(path)) == len(cells) == len(list(csv.reader(text.splitlines()))) - 1
    assert maskwise.audit(path, policy).is_met
    again = maskwise.anonymize(path, policy, keep_order=True).data.column("J")
    assert [cell is None for cell in again.to_pylist()] == [cell is None for cell in cells]


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".arrow", ".csv.gz", ".parquet.gz", ".arrow.gz"])
def test_a_draft_can_be_read_by_nobody_who_cannot_read_what_it_replaces(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"out{suffix}"
    path.write_text("old")
    path.chmod(0o600)
    seen: set[int] = set()

    def look(*arguments: Any) -> None:
        written(*arguments)
        seen.update(stat.S_IMODE(found.stat().st_mode) for found in tmp_path.glob("*maskwise*"))

    written = write_files.copy_query
    monkeypatch.setattr("maskwise.engines.duckdb.copy_query", look)
    monkeypatch.setattr(write_files, "copy_query", look)
    table = pa.table({"Age": [1] * 9, "Sex": ["F"] * 9})
    maskwise.anonymize(table, {"requirements": [{"qid": ["Age"], "k": 2}]}, path)
    assert seen == {0o600}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_first_name_with_a_byte_order_mark_is_refused_for_text_files(tmp_path: Path) -> None:
    table = pa.table({"\ufeffAge": [1] * 4, "\ufeffSex": ["F"] * 4})
    policy = {"requirements": [{"qid": ["\ufeffAge"], "k": 2}]}
    with pytest.raises(maskwise.InputError, match="byte order mark"):
        maskwise.anonymize(table, policy, tmp_path / "out.csv")
    maskwise.anonymize(table, policy, tmp_path / "out.parquet")
    maskwise.anonymize(table.select([1, 0]).rename_columns(["Sex", "\ufeffAge"]), policy, tmp_path / "out.csv")
    assert list(pd.read_csv(tmp_path / "out.csv").columns) == ["Sex", "\ufeffAge"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["A;ge", "A|g|e", "A\tge", "a;b;c;d"])
@pytest.mark.parametrize("alone", [True, False])
def test_a_name_with_another_separator_is_audited_again(tmp_path: Path, name: str, *, alone: bool) -> None:
    columns = {name: ["x", "y"] * 6} | ({} if alone else {"Sex": ["F"] * 12})
    policy = {"requirements": [{"qid": [name], "k": 2}]}
    maskwise.anonymize(pa.table(columns), policy, tmp_path / "out.csv")
    assert maskwise.audit(tmp_path / "out.csv", policy).is_met
