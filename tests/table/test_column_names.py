"""Columns have names of their own; those of the same name are refused, or numbered on request."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import maskwise
from maskwise.errors import InputError
from maskwise.formats import solution_file
from maskwise.table.column_names import unique_names
from maskwise.values.reading import Rename

REFUSED = {
    "none": ([], "`x` has no columns"),
    "empty": (["a", ""], "has no text as the name of column 2"),
    "several empty": (["", "a", ""], "has no text as the name of columns 1 and 3"),
    "a number": (["a", 3], "has no text as the name of column 2"),
    "twice": (["a", "b", "a"], "has `a` in columns 1 and 3"),
    "case": (["Age", "age"], "has `Age`, `age`, which databases do not tell apart, in columns 1 and 2"),
    "several": (["a", "b", "b", "a", "a"], "has `a` in columns 1, 4 and 5; `b` in columns 2 and 3. Rename one of each"),
}


@pytest.mark.parametrize(("names", "says"), REFUSED.values(), ids=REFUSED.keys())
def test_columns_need_names_of_their_own(names: list, says: str) -> None:
    with pytest.raises(InputError, match=says):
        unique_names(names, "`x`")


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["HIV", "x", "HIV"], "the same name in columns 1 and 3"),
        (["HIV", "hiv"], "names that differ in case only, which databases do not tell apart, in columns 1 and 2"),
        (["HIV", "HIV", "flu", "flu"], "the same name in columns 1 and 2; the same name in columns 3 and 4"),
    ],
)
def test_names_that_may_be_cells_are_not_quoted(names: list[str], says: str) -> None:
    with pytest.raises(InputError, match=f"{says}.*Is its first line a header") as caught:
        unique_names(names, "`x.csv`", is_text=True)
    assert "hiv" not in str(caught.value).lower()


@given(st.lists(st.sampled_from(["a", "b", "a.1", "a.2", "b.1", "c"]), min_size=1, max_size=8))
def test_renamed_columns_are_named_as_pandas_names_them(names: list[str]) -> None:
    text = ",".join(names) + "\n" + ",".join("1" * len(names)) + "\n"
    assert list(unique_names(names, "`x`", rename=Rename.SUFFIX)) == list(pd.read_csv(io.StringIO(text)).columns)


def test_names_that_differ_in_case_only_are_numbered_too() -> None:
    assert unique_names(["Age", "age", "AGE"], "`x`", rename=Rename.SUFFIX) == ("Age", "age.1", "AGE.2")


NAMES = ["age", "sex", "age"]
CELLS = [[20 + i % 4 for i in range(12)], ["F", "M"] * 6, list("abcdefghijkl")]
POLICY: dict[str, Any] = {
    "requirements": [{"qid": ["age", "sex"], "k": 3}],
    "drop": ["age.1"],
    "rename": "suffix",
}


def arrow() -> pa.Table:
    return pa.table([pa.array(cells) for cells in CELLS], names=NAMES)


def pandas() -> pd.DataFrame:
    return pd.concat([pd.Series(cells, name=name) for name, cells in zip(NAMES, CELLS, strict=True)], axis=1)


def expected() -> list[dict[str, Any]]:
    table = arrow().rename_columns(["age", "sex", "other"])
    return maskwise.anonymize(table, {**POLICY, "drop": ["other"], "rename": None}, keep_order=True).data.to_pylist()


@pytest.mark.slow
@pytest.mark.parametrize("frame", [arrow(), pandas()], ids=["arrow", "pandas"])
def test_frames_with_columns_of_the_same_name(frame: Any) -> None:
    with pytest.raises(InputError, match="The data frame has `age` in columns 1 and 3"):
        maskwise.anonymize(frame, {**POLICY, "drop": [], "rename": None}, keep_order=True)
    with pytest.raises(InputError, match="The data frame has `age` in columns 1 and 3"):
        maskwise.audit(frame, {**POLICY, "drop": [], "rename": None})
    data = maskwise.anonymize(frame, POLICY, keep_order=True).data
    assert (data.to_dict("records") if isinstance(data, pd.DataFrame) else data.to_pylist()) == expected()
    assert maskwise.anonymize(frame, {**POLICY, "drop": []}, keep_order=True).solution.columns == (
        "age",
        "sex",
        "age.1",
    )


def test_polars_frames_may_differ_in_case_only() -> None:
    frame = pl.DataFrame({"age": CELLS[0], "AGE": CELLS[2], "sex": CELLS[1]})
    data = maskwise.anonymize(frame, {**POLICY, "drop": []}, keep_order=True).data
    assert data.columns == ["age", "AGE.1", "sex"]
    assert data["AGE.1"].to_list() == CELLS[2]


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".arrow"])
def test_files_with_columns_of_the_same_name(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"in{suffix}"
    if suffix == ".csv":
        pandas().to_csv(path, index=False)
    elif suffix == ".parquet":
        pq.write_table(arrow(), path)
    else:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, arrow().schema) as writer:
            writer.write_table(arrow())
    with pytest.raises(InputError, match="in columns 1 and 3"):
        maskwise.anonymize(path, {**POLICY, "rename": None}, keep_order=True)
    outcome = maskwise.anonymize(path, POLICY, keep_order=True)
    assert outcome.data.to_pylist() == expected()
    assert maskwise.audit(path, POLICY).n_rows == len(CELLS[0])


@pytest.mark.slow
def test_later_rows_are_renamed_as_the_solution_remembers(tmp_path: Path) -> None:
    solution = maskwise.anonymize(arrow(), {**POLICY, "drop": []}, keep_order=True).solution
    path = tmp_path / "solution.json"
    path.write_text(solution_file.dumps(solution))
    assert maskwise.apply(arrow(), path, keep_order=True).data.column_names == ["age", "sex", "age.1"]
    plain = maskwise.anonymize(
        arrow().select([0, 1]), {"requirements": POLICY["requirements"]}, keep_order=True
    ).solution
    assert "rename" not in solution_file.dumps(plain)
    with pytest.raises(InputError, match="`age` in columns 1 and 3"):
        maskwise.apply(arrow(), plain, keep_order=True)


def test_a_masker_renames_columns_too() -> None:
    masker = maskwise.Masker({**POLICY, "drop": []}).fit(pandas())
    assert list(masker.transform(pandas()).columns) == ["age", "sex", "age.1"]
    with pytest.raises(InputError, match="`age` in columns 1 and 3"):
        maskwise.Masker({**POLICY, "drop": [], "rename": None}).fit(pandas())


def test_another_word_for_rename_is_complained_of(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text("requirements: [{qid: [a], k: 2}]\nrename: sufix\n")
    with pytest.raises(
        InputError, match=r"line 2: `rename` is one of `suffix`; found `sufix`. Did you mean `suffix`\?"
    ):
        maskwise.read_policy(path)
