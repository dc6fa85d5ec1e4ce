"""The counts of a profile against pandas, and what of a table does not fit its policy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maskwise import InputError, PolicyError
from maskwise.formats.policy_file import read_policy
from maskwise.profile.profile import profile
from maskwise.table.kept_counts import NothingKept
from maskwise.table.read import read

ROWS = st.lists(
    st.tuples(st.integers(-5, 5) | st.none(), st.sampled_from("abc") | st.none(), st.sampled_from("xy")),
    min_size=1,
    max_size=30,
)
POLICY: dict[str, Any] = {"class": "C", "requirements": [{"qid": ["N", "T"], "k": 1}]}


def frame(rows: list[Any]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["N", "T", "C"])
    return table.astype({"N": "Int64", "T": object})


@pytest.mark.slow
@given(rows=ROWS.filter(lambda rows: any(row[0] is not None for row in rows)))
def test_counts_are_those_of_pandas(rows: list[Any]) -> None:
    table = frame(rows)
    profiled, _ = profile(read(table), read_policy(POLICY | {"attributes": {"N": "interval", "T": "suppress"}}))
    number, text = profiled.columns
    labels = sorted(set(table["C"]))
    for column, values, name in ((number, number.numbers.tolist(), "N"), (text, list(text.texts), "T")):
        expected = pd.crosstab(table[name].dropna(), table["C"]).reindex(index=values, columns=labels, fill_value=0)
        assert column.counts.tolist() == expected.to_numpy().tolist()
        missing = table[table[name].isna()]["C"].value_counts().reindex(labels, fill_value=0)
        assert column.missing.tolist() == missing.tolist()
        assert column.n_records == len(rows) == profiled.n_rows


def test_records_with_missing_cells_are_dropped_and_counted() -> None:
    table = frame([(1, "a", "x"), (None, "b", "y"), (2, None, "x"), (3, "c", "y")])
    profiled, left = profile(read(table), read_policy(POLICY | {"missing": "drop"}))
    assert (profiled.n_rows, profiled.n_dropped, left.n_rows()) == (2, 2, 2)
    assert "2 of 4 records were left out" in " ".join(message.text for message in profiled.messages)


@pytest.mark.parametrize("missing", ["keep", "drop"])
def test_the_records_of_each_class_are_not_counted_again(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = frame([(1, "a", "x"), (None, "b", "y"), (2, "b", None), (2, "a", "x"), (3, "c", "y")])
    _, left = profile(read(table), read_policy(POLICY | {"missing": missing}))
    with monkeypatch.context() as patch:
        patch.setattr(left.engine, "group", lambda *_: pytest.fail("counted again"))
        found = left.distinct("C")
    expected = (table.dropna(subset=["N", "T"]) if missing == "drop" else table)["C"].value_counts(dropna=False)
    assert dict(zip(found.keys.to_pylist(), found.counts.tolist(), strict=True)) == expected[["x", "y"]].to_dict()
    assert found.n_missing == 1
    counted = replace(left, kept=NothingKept()).distinct("C")
    assert sorted(counted.counts.tolist()) == sorted(found.counts.tolist())


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({"missing": "error"}, InputError, "Column `N` has 1 missing cell"),
        ({"class": "Class"}, PolicyError, "Column `Class` is in the policy but not in the table"),
        ({"attributes": {"N": {"interval": [0, 1]}}}, InputError, "outside its range"),
        ({"attributes": {"T": {"taxonomy": {"any": ["a", "b"]}}}}, InputError, "`T`"),
        ({"attributes": {"T": "interval"}}, InputError, "`T`"),
    ],
)
def test_what_does_not_fit_is_refused(changes: dict[str, Any], error: type[Exception], says: str) -> None:
    table = frame([(1, "a", "x"), (None, "b", "y"), (2, "c", "x")])
    with pytest.raises(error, match=says):
        profile(read(table), read_policy(POLICY | changes))


def test_what_is_true_of_several_columns_is_said_once() -> None:
    n_columns = 40
    numbers = {f"n{i}": [1, 2, 3, 4] for i in range(n_columns)}
    words = {f"w{i}": ["x", "y", "x", "y"] for i in range(2)}
    odd = {"p": ["1,5", "2,5", "1,5", "2,5"]}
    table = pd.DataFrame({**numbers, **words, **odd})
    asked = read_policy(
        {
            "attributes": {f"n{i}": "interval" for i in range(n_columns - 5, n_columns)} | {"idle": "suppress"},
            "requirements": [{"qid": [*numbers, *words, "p"], "k": 2}],
        }
    )
    profiled, _ = profile(read(table.assign(idle=1)), asked)
    texts = [message.text for message in profiled.messages]
    assert len(texts) == 5
    assert texts[0].startswith("`idle` has an entry")
    assert "`n35`, `n36`, `n37`, `n38`, `n39`, `n0`, `n1`, `n2` and 32 more have no range in the policy" in texts[1]
    assert texts[2].startswith(
        "`n0`, `n1`, `n2`, `n3`, `n4`, `n5`, `n6`, `n7` and 27 more have no entry in the policy, so they"
    )
    assert texts[2].endswith("are shown in intervals.")
    said = "`w0`, `w1` and `p` have no entry in the policy, so their values are shown or hidden one by one."
    assert texts[3] == said
    assert "numbers written" in texts[-1]
    # How hidden values look does not follow from the release.
    assert [message.for_recipient for message in profiled.messages] == [*texts[:-1], None]
