"""A masked table comes back as the kind of table that was given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from maskwise.release.frames import as_frame
from maskwise.release.mask import drop_columns
from maskwise.table.read import read

COLUMNS = {"Age": [3, 1, 2], "Job": ["a", "b", "c"]}


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_the_kind_the_order_and_the_types_stay(kind: Any) -> None:
    given = kind(COLUMNS)
    found = as_frame(read(given))
    assert type(found) is type(given)
    assert [list(found[name]) for name in ("Age", "Job")] == [list(given[name]) for name in ("Age", "Job")]
    if isinstance(given, pa.Table):
        assert found.schema == given.schema
    else:
        assert list(found.dtypes) == list(given.dtypes)


def test_a_file_comes_back_as_arrow(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("Age,Job\n3,a\n1,b\n")
    found = as_frame(read(tmp_path / "people.csv"))
    assert isinstance(found, pa.Table)
    assert found.to_pydict() == {"Age": ["3", "1"], "Job": ["a", "b"]}


def test_a_pandas_index_stays_only_where_it_is_asked_for() -> None:
    given = pd.DataFrame(COLUMNS, index=[10, 20, 30])
    assert list(as_frame(read(given)).index) == [0, 1, 2]
    assert list(as_frame(read(given), keep_index=True).index) == [10, 20, 30]


def test_columns_that_were_dropped_do_not_come_back() -> None:
    assert list(as_frame(drop_columns(read(pd.DataFrame(COLUMNS)), ["Age"])).columns) == ["Job"]


def test_categories_of_dropped_records_are_removed() -> None:
    jobs = pd.Categorical(["a", "b", "a"], categories=["a", "b", "secret"])
    table = read(pd.DataFrame({"Age": [1, None, 2], "Job": jobs})).without_missing(["Age"])
    assert list(as_frame(table)["Job"].cat.categories) == ["a"]
    arrow = pa.table({"Age": [1, None, 2], "Job": pa.array(["a", "b", "a"]).dictionary_encode()})
    shown = as_frame(read(arrow).without_missing(["Age"]))["Job"].combine_chunks()
    assert shown.dictionary.to_pylist() == ["a"]
