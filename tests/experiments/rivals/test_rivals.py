"""The rivals against plain Python, against the verifier, and on rows they have not seen."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from experiments.rivals import FullDomain, Mondrian, full_domain, lattice
from hypothesis import example, given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.datasets import ADULT_QIDS, adult_folder, load_adult
from maskwise.errors import InfeasibleError, InputError
from maskwise.formats.yaml_lines import parse
from maskwise.policy.policy import Policy
from tests.conftest import HEADER, POLICY, people
from tests.experiments.rivals import naive

NAMES = ("Age", "Edu", "Job", "Risk")
QID = NAMES[:3]
ATTRIBUTES = {
    "Age": {"interval": [naive.LOW, naive.HIGH]},
    "Edu": {"taxonomy": naive.TREE},
    "Job": "suppress",
}
PEOPLE_POLICY = parse(POLICY, "").data
RIVALS = [Mondrian, FullDomain, lambda: FullDomain(suppress=0.3)]


def policy(k: int, **more: Any) -> dict[str, Any]:
    asked = {"class": "Risk", "attributes": ATTRIBUTES, "requirements": [{"qid": list(QID), "k": k}]}
    return asked | more


def table(records: list[naive.Record]) -> pa.Table:
    kinds = (pa.int64(), pa.string(), pa.string(), pa.string())
    columns = list(zip(*records, strict=True)) or [()] * 4
    return pa.table([pa.array(cells, kind) for cells, kind in zip(columns, kinds, strict=True)], names=NAMES)


def shown(masked: Any) -> list[tuple[Any, ...]]:
    frame = nw.from_native(masked, eager_only=True).to_arrow()
    return list(zip(*(frame[name].to_pylist() for name in QID), strict=True))


ages = st.one_of(st.none(), st.integers(naive.LOW, naive.HIGH))
schools = st.sampled_from([*naive.PATHS])
jobs = st.sampled_from(["clerk", "nurse", "judge", None])
risks = st.sampled_from(["lo", "hi", "mid"])
records = st.lists(st.tuples(ages, schools, jobs, risks), min_size=1, max_size=40)
records = records.filter(lambda rows: any(row[0] is not None for row in rows))
full_records = st.lists(
    st.tuples(st.integers(naive.LOW, naive.HIGH), schools.filter(bool), jobs.filter(bool), risks),
    min_size=1,
    max_size=40,
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.one_of(records, full_records), st.integers(1, 6))
def test_mondrian_is_the_plain_greedy(rows: list[naive.Record], k: int) -> None:
    if k > len(rows):
        with pytest.raises(InfeasibleError, match=f"k={k} cannot be met"):
            Mondrian().fit(table(rows), policy(k))
        return
    rival = Mondrian()
    masked = rival.fit_transform(table(rows), policy(k))
    assert shown(masked) == naive.mondrian(rows, k)
    assert shown(rival.transform(table(rows))) == shown(masked)
    assert maskwise.audit(masked, policy(k)).is_met


EQUAL_ABOVE = [
    (8, "master", "nurse", "hi"),
    (2, "master", "nurse", "lo"),
    (1, "bachelor", "nurse", "lo"),
    (8, "master", "nurse", "lo"),
    (1, "none", "judge", "lo"),
    (0, "primary", "nurse", "lo"),
    (2, "master", "clerk", "lo"),
    (5, "primary", "judge", "mid"),
    (3, "master", "judge", "lo"),
    (1, "primary", "judge", "lo"),
    (1, "none", "nurse", "lo"),
]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@example(EQUAL_ABOVE, 2, 0.2)
@given(st.one_of(records, full_records), st.integers(1, 6), st.sampled_from([0.0, 0.1, 0.4]))
def test_full_domain_finds_the_best_of_all_combinations(rows: list[naive.Record], k: int, suppress: float) -> None:
    rival = FullDomain(suppress=suppress, n_ranges=4)
    if k > len(rows):
        with pytest.raises(InfeasibleError, match=f"k={k} cannot be met"):
            rival.fit(table(rows), policy(k))
        return
    masked = rival.fit_transform(table(rows), policy(k))
    penalty, levels, n_suppressed = naive.full_domain(rows, k, math.floor(suppress * len(rows) + 1e-9))
    assert (rival.penalty_, tuple(rival.levels_.values()), rival.n_suppressed_) == (penalty, levels, n_suppressed)
    expected = [naive.at_level(row, levels) for row in rows]
    if n_suppressed:
        expected = [row if expected.count(row) >= k else ("*", "*", "*") for row in expected]
    assert shown(masked) == expected
    assert shown(rival.transform(table(rows))) == expected
    assert maskwise.audit(masked, policy(k)).is_met


def measure(masked: Any, qid: tuple[str, ...], label: str) -> float:
    frame = nw.from_native(masked, eager_only=True).to_arrow().to_pandas()
    counts = frame.groupby([*qid, label], dropna=False).size().groupby(list(qid), dropna=False)
    return float((counts.sum() - counts.max()).sum() / len(frame))


@pytest.mark.parametrize("make", RIVALS)
def test_the_metric_is_what_the_masked_table_has(make: Callable[[], Any]) -> None:
    data = pd.DataFrame(people(), columns=HEADER)
    asked = maskwise.read_policy({**PEOPLE_POLICY, "requirements": [{"qid": ["Age", "Edu", "Job", "Sex"], "k": 5}]})
    rival = make()
    masked = rival.fit_transform(data, asked)
    assert maskwise.audit(masked, asked).is_met
    assert len(masked) == rival.n_rows_ == 200
    assert "Name" not in masked
    assert masked["Zip"].tolist() == data["Zip"].tolist()
    gone = (masked[["Age", "Edu", "Job", "Sex"]] == "*").all(axis=1)
    left = measure(masked[~gone], ("Age", "Edu", "Job", "Sex"), "Risk") * (~gone).sum() + gone.sum()
    assert rival.cm_ == pytest.approx(left / 200)


@pytest.mark.slow
@pytest.mark.parametrize("make", RIVALS)
@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_table_comes_back_as_the_kind_it_is(make: Callable[[], Any], kind: Callable[..., Any]) -> None:
    columns = {name: list(cells) for name, cells in zip(HEADER, zip(*people(), strict=True), strict=True)}
    columns["Age"] = [int(age) for age in columns["Age"]]
    asked = {**PEOPLE_POLICY, "requirements": [{"qid": ["Age", "Edu", "Job"], "k": 5}]}
    masked = make().fit_transform(kind(columns), asked)
    assert isinstance(masked, type(kind(columns)))
    assert shown(masked) == shown(make().fit_transform(pa.table(columns), asked))


@pytest.mark.slow
@pytest.mark.parametrize("make", RIVALS)
def test_a_file_is_read_too(make: Callable[[], Any], data: Path) -> None:
    asked = {**PEOPLE_POLICY, "requirements": [{"qid": ["Age", "Edu", "Job"], "k": 5}]}
    assert shown(make().fit_transform(data, asked)) == shown(
        make().fit_transform(pd.DataFrame(people(), columns=HEADER), asked)
    )


SEPARATED = [(age, edu, "clerk", "hi" if age > 4 else "lo") for age in (2, 3, 6, 7) for edu in ("primary", "bachelor")]


def test_mondrian_shows_unseen_values_in_the_largest_part_or_their_range() -> None:
    rows = [*SEPARATED, (7, "primary", "clerk", "hi")]
    rival = Mondrian().fit(table(rows), policy(2))
    assert set(shown(rival.transform(table(rows)))) == {("[0, 6)", "Any", "*"), ("[6, 9]", "Any", "*")}
    assert shown(rival.transform(table([(5, "none", "pilot", "lo"), (None, None, None, "lo")]))) == [
        ("[0, 6)", "Any", "*"),
        ("[6, 9]", "Any", "*"),
    ]
    later = pa.table({"Age": [-3.5, 120.0, 5.5], "Edu": ["x", "School", "none"], "Job": ["a", "b", None]})
    assert shown(rival.transform(later)) == [("[0, 6)", "Any", "*"), ("[6, 9]", "Any", "*"), ("[0, 6)", "Any", "*")]
    by_school = [(1, "primary", "nurse", "lo")] * 4 + [(1, "bachelor", "nurse", "hi")] * 3
    rival = Mondrian().fit(table(by_school), policy(3))
    later = table([(1, "secondary", "x", "lo"), (1, "master", "x", "lo"), (1, "none", "x", "lo"), (1, None, "x", "lo")])
    assert [edu for _, edu, _ in shown(rival.transform(later))] == ["School", "University", "School", "School"]


def test_full_domain_shows_unseen_values_as_the_root() -> None:
    rival = FullDomain(n_ranges=4).fit(table(SEPARATED), policy(2))
    assert rival.levels_ == {"Age": 1, "Edu": 0, "Job": 0}
    later = pa.table({"Age": [-3.5, 120.0, None], "Edu": ["x", "none", None], "Job": ["pilot", "clerk", None]})
    assert shown(rival.transform(later)) == [
        ("[0, 5)", "Any", "*"),
        ("[5, 9]", "none", "clerk"),
        ("[0, 9]", "Any", "*"),
    ]


def test_a_suppressed_group_stays_suppressed_in_later_rows() -> None:
    rows = [(1, "primary", "clerk", "lo")] * 40 + [(8, "master", "nurse", "hi")] * 40
    rows += [(1, "primary", "nurse", "mid")] * 3 + [(8, "master", "clerk", "mid")] * 3
    rival = FullDomain(suppress=0.1, n_ranges=4).fit(table(rows), policy(5))
    assert (rival.n_suppressed_, rival.n_groups_, rival.penalty_) == (6, 2, 6)
    masked = rival.transform(table(rows))
    assert maskwise.audit(masked, policy(5)).is_met
    assert shown(masked)[-6:] == [("*", "*", "*")] * 6
    later = table([(1, "primary", "clerk", "lo"), (1, "primary", "nurse", "lo")])
    assert shown(rival.transform(later)) == [shown(masked)[0], ("*", "*", "*")]


def test_fewer_than_k_records_are_never_suppressed() -> None:
    rows = [(1, "primary", "clerk", "lo")] * 40 + [(8, "master", "nurse", "hi")] * 40 + [(1, "none", "judge", "hi")]
    rival = FullDomain(suppress=0.5, n_ranges=4)
    assert maskwise.audit(rival.fit_transform(table(rows), policy(5)), policy(5)).is_met


def test_given_borders_replace_the_ranges() -> None:
    rows = [(age, "none", "clerk", "lo" if age < 8 else "hi") for age in (0, 1, 7, 7, 8, 9)]
    rival = FullDomain(borders={"Age": [[2, 8], [8]]})
    assert sorted(set(shown(rival.fit_transform(table(rows), policy(2))))) == [
        ("[0, 2)", "none", "clerk"),
        ("[2, 8)", "none", "clerk"),
        ("[8, 9]", "none", "clerk"),
    ]
    assert rival.fit(table(rows), policy(6)).levels_["Age"] == 2


@pytest.mark.parametrize(
    ("borders", "says"),
    [
        ({"Edu": [[1]]}, "only interval attributes have borders"),
        ({"Agee": [[1]]}, "Did you mean `Age`"),
        ({"Age": [[5, 2]]}, "rise inside its range"),
        ({"Age": [[0, 2]]}, "rise inside its range"),
        ({"Age": [[2.5]]}, "are integer values"),
        ({"Age": [["2020-01-01"]]}, "do not fit it"),
        ({"Age": [[2, 8], [5]]}, "that the level below does not have"),
    ],
)
def test_borders_that_do_not_fit_are_refused(borders: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        FullDomain(borders=borders).fit(table(SEPARATED), policy(2))


def test_dates_and_reals_have_ranges() -> None:
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=i) for i in range(16)]
    data = pa.table({"day": days, "x": [i / 10 for i in range(16)], "c": ["a"] * 8 + ["b"] * 8})
    asked = {"class": "c", "attributes": {"x": {"interval": [0, 1.6]}}, "requirements": [{"qid": ["day", "x"], "k": 8}]}
    for rival in (Mondrian(), FullDomain()):
        masked = rival.fit_transform(data, asked)
        assert maskwise.audit(masked, asked).is_met
        assert rival.penalty_ == 0
    assert masked["x"].to_pylist()[0] == "[0, 0.8)"
    assert masked["day"].to_pylist()[-1] == "[2020-01-09, 2020-01-16]"
    assert Mondrian().fit_transform(data, asked)["x"].to_pylist()[-1] == "[0.8, 1.6]"


@pytest.mark.slow
def test_missing_cells_are_left_out_or_refused_as_the_policy_says() -> None:
    rows = [*SEPARATED, (None, "primary", "clerk", "hi"), (1, None, "clerk", "hi")]
    for make in RIVALS:
        rival = make()
        assert len(rival.fit_transform(table(rows), policy(2, missing="drop"))) == rival.n_rows_ == 8
        assert rival.transform(table(rows)).num_rows == 8
        with pytest.raises(InputError, match="missing"):
            make().fit(table(rows), policy(2, missing="error"))
        with pytest.raises(InputError, match="missing"):
            make().fit(table(SEPARATED), policy(2, missing="error")).transform(table(rows))


@pytest.mark.slow
@pytest.mark.parametrize("make", RIVALS)
def test_what_a_rival_cannot_do_is_refused(make: Callable[[], Any]) -> None:
    template = {"qid": ["Edu"], "sensitive": {"Job": ["nurse"]}, "confidence": 0.5}
    for needs in ([{"qid": ["Age"], "k": 2}, {"qid": ["Edu"], "k": 2}], [template]):
        with pytest.raises(InputError, match="takes one requirement with a k"):
            make().fit(table(SEPARATED), policy(2, requirements=needs))
    asked = maskwise.read_policy(policy(2))
    with pytest.raises(InputError, match="needs a class"):
        make().fit(table(SEPARATED), Policy(asked.requirements, asked.attributes))
    with pytest.raises(InputError, match="has not been fitted"):
        make().transform(table(SEPARATED))
    with pytest.raises(InputError, match="found list"):
        make().fit([1, 2], policy(2))
    with pytest.raises(InputError, match="its taxonomy does not have"):
        make().fit(table([(1, "kindergarten", "x", "lo")]), policy(1))
    rival = make().fit(table(SEPARATED), policy(2))
    with pytest.raises(InputError, match="`Job`"):
        rival.transform(table(SEPARATED).drop_columns(["Job"]))
    with pytest.raises(InputError, match="no numbers"):
        rival.transform(table(SEPARATED).set_column(0, "Age", pa.array(["old"] * 8)))


def test_settings_out_of_bounds_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for share in (-0.1, 1.0):
        with pytest.raises(InputError, match="`suppress` is a share"):
            FullDomain(suppress=share).fit(table(SEPARATED), policy(2))
    for n_ranges in (0, 12):
        with pytest.raises(InputError, match="power of two"):
            FullDomain(n_ranges=n_ranges).fit(table(SEPARATED), policy(2))
    monkeypatch.setattr(full_domain, "MAX_NODES", 10)
    with pytest.raises(InputError, match="combinations of levels"):
        FullDomain().fit(table(SEPARATED), policy(2))


def test_many_values_are_sorted_rather_than_counted_in_an_array(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pa.table({name: [f"v{i % n}" for i in range(60)] for name, n in zip("abc", (2, 3, 5), strict=True)})
    data = data.append_column("c2", pa.array([str(i % 2) for i in range(60)]))
    asked = {"class": "c2", "requirements": [{"qid": list("abc"), "k": 2}]}
    before = FullDomain().fit(data, asked)
    monkeypatch.setattr(lattice, "_MAX_BINS", 1)
    after = FullDomain().fit(data, asked)
    assert (before.levels_, before.penalty_) == (after.levels_, after.penalty_)


@pytest.mark.slow
def test_row_order_changes_nothing() -> None:
    data = pd.DataFrame(people(), columns=HEADER)
    asked = {**PEOPLE_POLICY, "requirements": [{"qid": ["Age", "Edu", "Job", "Sex"], "k": 5}]}
    mixed = data.sample(frac=1, random_state=np.random.RandomState(0))
    for make in RIVALS:
        straight = make().fit_transform(data, asked).set_index("Id").sort_index()
        shuffled = make().fit_transform(mixed, asked).set_index("Id").sort_index()
        pd.testing.assert_frame_equal(straight, shuffled)


@pytest.mark.slow
def test_adult_is_masked_and_verified() -> None:
    train, test = load_adult("train").slice(0, 6000), load_adult("test").slice(0, 3000)
    folder, qid = adult_folder(), ADULT_QIDS["GA"]
    trees = {name: {"taxonomy": str(folder / f"{name}.yaml")} for name in qid if name != "age"}
    asked = {
        "class": "income",
        "attributes": {"age": {"interval": [16, 100]}, **trees},
        "requirements": [{"qid": list(qid), "k": 50}],
    }
    penalties = []
    for make in RIVALS:
        rival = make()
        assert maskwise.audit(rival.fit_transform(train, asked), asked).is_met
        assert rival.transform(test).num_rows == 3000
        penalties.append(rival.cm_)
    assert penalties[0] < penalties[1]
    assert penalties[2] <= penalties[1]
