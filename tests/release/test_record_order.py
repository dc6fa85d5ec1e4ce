"""Records keep their order, and a seed repeats a random one, also in tables of several threads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq
import pytest

import maskwise
from maskwise.engines.duckdb import DuckDB

N_ROWS = 270_000
"""More than two threads of DuckDB read at once."""
POLICY = {
    "attributes": {"zip": "suppress"},
    "requirements": [{"qid": ["zip"], "k": 200}],
    "keep": ["place"],
}
"""Of the codes most are shown, each by itself: a long list of values, which DuckDB looks up by a join."""


@pytest.fixture(scope="module")
def people() -> pa.Table:
    rng = np.random.default_rng(3)
    codes = np.minimum(rng.exponential(60, N_ROWS).astype(int), 400).astype(str)
    return pa.table({"place": np.arange(N_ROWS).astype(str), "zip": codes})


@pytest.fixture(params=["held", "not held"])
def _held(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "not held":
        monkeypatch.setattr(DuckDB, "most_held", property(lambda _: 0, lambda *_: None), raising=False)


def places(path: Path) -> list[int]:
    table = pq.read_table(path) if path.suffix == ".parquet" else arrow_csv.read_csv(path)
    assert len(set(table.column("zip").to_pylist())) > 100
    return [int(place) for place in table.column("place").to_pylist()]


@pytest.mark.slow
@pytest.mark.usefixtures("_held")
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.filterwarnings("ignore::maskwise.MaskwiseWarning")
def test_a_large_table_keeps_its_order(people: pa.Table, tmp_path: Path, suffix: str) -> None:
    source = tmp_path / f"people{suffix}"
    if suffix == ".csv":
        arrow_csv.write_csv(people, source)
    else:
        pq.write_table(people, source, row_group_size=50_000)
    released, later = tmp_path / "released.csv", tmp_path / "later.csv"
    outcome = maskwise.anonymize(source, POLICY, released, keep_order=True)
    assert places(released) == list(range(N_ROWS))
    maskwise.apply(source, outcome.solution, later, keep_order=True)
    assert later.read_bytes() == released.read_bytes()


@pytest.mark.slow
@pytest.mark.usefixtures("_held")
@pytest.mark.filterwarnings("ignore::maskwise.MaskwiseWarning")
def test_a_seed_repeats_the_order_of_a_large_table(people: pa.Table, tmp_path: Path) -> None:
    arrow_csv.write_csv(people, tmp_path / "people.csv")
    orders = []
    for name in ("one.csv", "two.csv"):
        maskwise.anonymize(tmp_path / "people.csv", POLICY, tmp_path / name, seed=5)
        orders.append(places(tmp_path / name))
    assert orders[0] == orders[1]
    assert orders[0] != list(range(N_ROWS))
    # The record at place p comes to the place that the seed gives it.
    expected = np.empty(N_ROWS, int)
    expected[np.random.default_rng(5).permutation(N_ROWS)] = np.arange(N_ROWS)
    assert orders[0] == expected.tolist()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::maskwise.MaskwiseWarning")
def test_a_large_data_frame_keeps_its_order_in_a_file_and_in_memory(people: pa.Table, tmp_path: Path) -> None:
    outcome = maskwise.anonymize(people, POLICY, tmp_path / "released.csv", keep_order=True)
    assert places(tmp_path / "released.csv") == list(range(N_ROWS))
    del outcome
    arrow_csv.write_csv(people, tmp_path / "people.csv")
    in_memory = maskwise.anonymize(tmp_path / "people.csv", POLICY, keep_order=True).data
    assert [int(place) for place in in_memory.column("place").to_pylist()] == list(range(N_ROWS))
