"""Tables of other tools are opened with every masked cell as text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import narwhals.stable.v1 as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from experiments.rivals.other_tools import read_masked

from maskwise.errors import InputError, PolicyError
from tests.experiments.rivals import naive

QID = ("Age", "Edu", "Job")
POLICY = {
    "class": "Risk",
    "attributes": {
        "Age": {"interval": [naive.LOW, naive.HIGH]},
        "Edu": {"taxonomy": naive.TREE},
        "Job": "suppress",
    },
    "requirements": [{"qid": list(QID), "k": 2}],
}


def labels(masked: Any) -> list[tuple[Any, ...]]:
    frame = nw.from_native(masked, eager_only=True).to_arrow()
    return list(zip(*(frame[name].to_pylist() for name in QID), strict=True))


ARX = """\
"Age";"Edu";"Job";"Risk";"Pay";"Zip"
"[20, 40[";"School";"*";"lo";"10";"00123"
"[20, 40[";"School";"*";"hi";"20.5";"00200"
"*";"*";"*";"hi";"+3";"01000"
"""


def test_another_tools_csv_is_read_as_categories(tmp_path: Path) -> None:
    path = tmp_path / "arx.csv"
    path.write_text(ARX)
    masked = read_masked(path, POLICY, original=3)
    assert labels(masked) == [("[20, 40[", "School", "*")] * 2 + [("*", "*", "*")]
    assert masked["Pay"].to_pylist() == [10.0, 20.5, 3.0]
    assert masked["Zip"].to_pylist()[0] == "00123"
    path.write_text(ARX.replace(";", ",").replace("[20, 40[", "20-39"))
    assert labels(read_masked(path, POLICY))[0] == ("20-39", "School", "*")


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_another_tools_table_becomes_text(kind: Callable[..., Any]) -> None:
    given = kind({"Age": [30.0, None], "Edu": ["School", None], "Job": [True, False], "Risk": [1, 2], "n": [1, 2]})
    masked = read_masked(given, POLICY)
    assert isinstance(masked, type(given))
    assert labels(masked) == [("30", "School", "true"), (None, None, "false")]
    frame = nw.from_native(masked, eager_only=True)
    assert frame["Risk"].to_list() == ["1", "2"]
    assert frame["n"].to_list() == [1, 2]


def test_another_tools_table_that_lost_something_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "arx.csv"
    path.write_text(ARX)
    original = pa.table({"Age": [2, 2, 3, None], "Edu": ["primary"] * 4, "Job": ["clerk"] * 4})
    with pytest.raises(InputError, match=r"has 3 records, but the original has 4. Have the tool write suppressed"):
        read_masked(path, POLICY, original)
    assert read_masked(path, {**POLICY, "missing": "drop"}, original).num_rows == 3
    path.write_text(ARX.replace('"Edu"', '"Education"').replace('"Risk"', '"Class"'))
    with pytest.raises(PolicyError) as caught:
        read_masked(path, POLICY)
    assert len(caught.value.mistakes) == 2
    assert "Column `Edu` is in the policy but not in the table." in caught.value.mistakes[0]
