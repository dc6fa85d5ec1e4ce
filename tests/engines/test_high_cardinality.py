"""Columns with more values than travel: ranges of numbers, frequent texts, the same on every engine."""

from __future__ import annotations

import datetime as dt
import decimal
import random
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.formats import solution_file, trace_file
from maskwise.profile import column_counts as counting
from tests.engines.conftest import Place, in_order, rows_of
from tests.engines.postgres_server import Server

N = 900
BINS = 32


def ordered(n: int = N) -> pa.Table:
    """Every kind of ordered column with far more numbers than bins: ties, negative and missing ones among them."""
    rng = random.Random(3)  # noqa: S311 - test data
    moment = dt.datetime(2020, 1, 1)  # noqa: DTZ001 - as written
    seconds = [rng.randrange(10**7) for _ in range(n)]
    pay = [rng.randint(-40_000, 40_000) if rng.random() < 0.7 else 12 for _ in range(n)]
    times = [moment + dt.timedelta(seconds=s) for s in seconds]
    return pa.table(
        {
            "pay": pa.array([None if i % 53 == 5 else p for i, p in enumerate(pay)], pa.int32()),
            "size": pa.array([float("nan") if i % 61 == 7 else rng.gauss(0, 1) for i in range(n)], pa.float64()),
            "rate": pa.array([decimal.Decimal(rng.randint(-999, 999)) / 100 for _ in range(n)], pa.decimal128(8, 2)),
            "born": pa.array([dt.date(1950, 1, 1) + dt.timedelta(days=s % 9000) for s in seconds], pa.date32()),
            "seen": pa.array(times, pa.timestamp("us")),
            "typed": pa.array([f"{rng.choice(['', '+', ' '])}{rng.randrange(500)}" for _ in range(n)]),
            "real": pa.array([f"{rng.uniform(-9, 9):.3f}" for _ in range(n)]),
            "spelled": pa.array([t.isoformat(sep=rng.choice("T ")) for t in times]),
            "risk": pa.array([["low", "high"][(p > 9) ^ (rng.random() < 0.2)] for p in pay]),
        }
    )


QID = [["pay", "size", "typed"], ["rate", "born", "real"], ["seen", "spelled"]]
POLICY: dict[str, Any] = {
    "class": "risk",
    "attributes": dict.fromkeys([name for qid in QID for name in qid], "interval"),
    "requirements": [{"qid": qid, "k": 4} for qid in QID],
}


@pytest.fixture
def few_bins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MOST_VALUES", BINS)


def binned_by_hand(table: pa.Table) -> pa.Table:
    """The same table with each number replaced by the smallest of its bin, by the definition, in plain Python."""
    columns = {}
    for name in table.column_names:
        cells = table[name].to_pylist()
        if name == "risk":
            columns[name] = table[name]
            continue
        numbers = [None if cell is None or str(cell) == "nan" else _number(name, cell) for cell in cells]
        there = sorted(number for number in numbers if number is not None)
        smallest: dict[int, Any] = {}
        bin_of = {}
        for at, number in enumerate(there):
            if number not in bin_of:
                bin_of[number] = at * BINS // len(there)
                smallest.setdefault(bin_of[number], number)
        columns[name] = pa.array([None if number is None else smallest[bin_of[number]] for number in numbers])
    return pa.table(columns)


def _number(name: str, cell: Any) -> Any:
    match name:
        case "typed":
            return int(cell)
        case "real" | "rate":
            return float(cell)
        case "spelled":
            return dt.datetime.fromisoformat(cell)
    return cell


@pytest.mark.usefixtures("few_bins")
@pytest.mark.parametrize("how", [{}, {"method": "bug"}, {"criterion": "infogain"}])
def test_a_binned_run_is_that_of_the_table_binned_by_hand(how: dict[str, Any]) -> None:
    table = ordered()
    outcome = maskwise.anonymize(table, POLICY, as_published=True, **how)
    # By hand there are no more numbers than bins; only the upper end of the range is lost with the last bin.
    ranges = {
        name: {"interval": [str(cut.breaks[0]), str(cut.breaks[-1])]}
        if name in {"pay", "size", "typed", "real"}
        else "interval"
        for name, cut in ((cut.attribute, cut) for cut in outcome.solution.cuts)
    }
    expected = maskwise.anonymize(binned_by_hand(table), {**POLICY, "attributes": ranges}, as_published=True, **how)
    assert outcome.steps
    for cut, other in zip(outcome.solution.cuts, expected.solution.cuts, strict=True):
        assert [float(low) for low in cut.breaks[:-1]] == [float(low) for low in other.breaks[:-1]], cut.attribute
    assert [step.attribute for step in outcome.steps] == [step.attribute for step in expected.steps]
    assert [step.requirements for step in outcome.steps] == [step.requirements for step in expected.steps]


@pytest.mark.usefixtures("few_bins")
def test_bins_are_the_same_on_every_engine(other_place: Place) -> None:
    table = ordered()
    expected = maskwise.anonymize(table, POLICY)
    outcome, rows = other_place.anonymize(table, POLICY)
    assert outcome.steps
    assert trace_file.dumps(outcome.steps) == trace_file.dumps(expected.steps)
    assert solution_file.dumps(outcome.solution) == solution_file.dumps(expected.solution)
    assert outcome.notes == expected.notes
    assert in_order(rows) == in_order(rows_of(expected.data))


@pytest.mark.usefixtures("few_bins")
def test_many_intervals_are_found_by_where_they_begin(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    table = ordered()
    expected, by_steps = place.anonymize(table, POLICY, keep_order=True)
    monkeypatch.setattr("maskwise.release.mask._MOST_STEPS", 1)
    outcome, by_range = place.anonymize(table, POLICY, keep_order=True)
    assert outcome.solution == expected.solution
    assert in_order(by_range) == in_order(by_steps)
    if place.name == "duckdb":
        assert by_range == by_steps


@pytest.mark.usefixtures("few_bins")
@pytest.mark.parametrize(
    "changed",
    [{"missing": "drop"}, {"class": None}, {"attributes": {}}],
    ids=["records with missing cells left out", "no class", "no entries"],
)
def test_binning_serves_every_policy(place: Place, changed: dict[str, Any]) -> None:
    table = ordered()
    policy = {key: value for key, value in {**POLICY, **changed}.items() if value is not None}
    expected = maskwise.anonymize(table, policy)
    outcome, rows = place.anonymize(table, policy)
    assert outcome.steps == expected.steps
    assert outcome.n_dropped == expected.n_dropped
    assert in_order(rows) == in_order(rows_of(expected.data))
    binned = [note for note in outcome.notes if "binned by quantiles into" in note]
    assert len(binned) == sum(len(qid) for qid in QID)


@pytest.mark.usefixtures("few_bins")
def test_moments_with_a_time_zone_are_binned(place: Place) -> None:
    zoned = pa.array(ordered()["seen"].to_pylist(), pa.timestamp("us", "UTC"))
    table = pa.table({"seen": zoned, "risk": ordered()["risk"]})
    policy = {"class": "risk", "requirements": [{"qid": ["seen"], "k": 20}]}
    expected = maskwise.anonymize(table, policy)
    outcome, rows = place.anonymize(table, policy)
    assert len(outcome.solution.cuts[0].labels) > 2
    assert outcome.solution.cuts == expected.solution.cuts
    assert in_order(rows) == in_order(rows_of(expected.data))


@pytest.mark.usefixtures("few_bins")
def test_times_of_day_are_binned(place: Place) -> None:
    if place.name == "spark":
        pytest.skip("never: Spark 4.0 has no times of day")
    times = pa.array([moment.time() for moment in ordered()["seen"].to_pylist()], pa.time64("us"))
    table = pa.table({"at": times, "risk": ordered()["risk"]})
    policy = {"class": "risk", "requirements": [{"qid": ["at"], "k": 20}]}
    expected = maskwise.anonymize(table, policy)
    outcome, rows = place.anonymize(table, policy)
    assert any("binned by quantiles into" in note for note in outcome.notes)
    assert len(outcome.solution.cuts[0].labels) > 2
    assert outcome.solution.cuts == expected.solution.cuts
    assert in_order(rows) == in_order(rows_of(expected.data))


def test_the_order_of_records_changes_no_bin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MOST_VALUES", 7)
    table = ordered()
    places = list(range(table.num_rows))
    random.Random(1).shuffle(places)  # noqa: S311 - test data
    assert maskwise.anonymize(table.take(places), POLICY).steps == maskwise.anonymize(table, POLICY).steps


def test_up_to_the_limit_nothing_is_binned(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is of distinct numbers: texts that spell the same one count once."""
    table = ordered()
    expected = maskwise.anonymize(table, POLICY)
    most = max(len(set(binned_free(table, name))) for qid in QID for name in qid)
    monkeypatch.setattr(counting, "MOST_VALUES", most)
    assert maskwise.anonymize(table, POLICY).notes == expected.notes
    spellings = pa.table(
        {"pay": [f"{i % 40}.{'0' * (i % 9)}" for i in range(400)], "risk": [str(i % 40 > 11) for i in range(400)]}
    )
    policy = {"class": "risk", "requirements": [{"qid": ["pay"], "k": 3}]}
    expected = maskwise.anonymize(spellings, policy, keep_order=True)
    monkeypatch.setattr(counting, "MOST_VALUES", 40)
    outcome = maskwise.anonymize(spellings, policy, keep_order=True)
    assert (outcome.steps, outcome.notes) == (expected.steps, expected.notes)
    assert outcome.data == expected.data


def binned_free(table: pa.Table, name: str) -> list[Any]:
    return [_number(name, cell) for cell in table[name].to_pylist() if cell is not None]


@pytest.mark.usefixtures("few_bins")
def test_a_criterion_that_splits_anew_sees_bins(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has at most 256 boundaries of its own, which bins of a multiple of that do not move."""
    policy = {**POLICY, "requirements": POLICY["requirements"][:1]}
    few = maskwise.anonymize(ordered(), policy, criterion="conditional")
    assert few.steps
    assert few.verdict.is_met
    monkeypatch.setattr(counting, "MOST_VALUES", 65_536)
    assert maskwise.anonymize(ordered(), policy, criterion="conditional").steps != few.steps


@pytest.mark.usefixtures("few_bins")
@pytest.mark.parametrize(
    ("cells", "entry", "message"),
    [
        ([f"{i}" for i in range(150)] + ["secret"] * 3, "interval", "3 of its cells are no numbers"),
        ([float(i) for i in range(150)] + [float("inf")], "interval", "1 of its cells is no number"),
        (list(range(150)), {"interval": [0, 140]}, r"has cells outside its range \[0, 140\]"),
        (list(range(150)), {"interval": [3, 150]}, r"has cells outside its range \[3, 150\]"),
        (list(range(150)), {"taxonomy": {"Any": ["1", "2"]}}, "150 different values, but its taxonomy has 2 leaves"),
    ],
    ids=["texts", "infinity", "above", "below", "taxonomy"],
)
def test_what_does_not_fit_is_refused_without_quoting_it(
    place: Place, cells: list[Any], entry: Any, message: str
) -> None:
    data, engine = place.load(pa.table({"pay": cells}))
    policy = {"attributes": {"pay": entry}, "requirements": [{"qid": ["pay"], "k": 2}]}
    with pytest.raises(maskwise.InputError, match=message) as caught:
        maskwise.anonymize(data, policy, place.target(), engine=engine)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([f"2023-01-{day:02d}" for day in range(1, 29)] + ["2023-02-30"], "ISO date"),
        ([f"{n}.5" for n in range(40)] + ["1e400"], "number"),
    ],
)
def test_a_text_that_only_looks_like_a_number_is_refused(
    place: Place, monkeypatch: pytest.MonkeyPatch, cells: list[str], kind: str
) -> None:
    monkeypatch.setattr(counting, "MOST_VALUES", 10)
    policy = {"attributes": {"day": "interval"}, "requirements": [{"qid": ["day"], "k": 2}]}
    with pytest.raises(maskwise.InputError, match=f"1 of its cells is no {kind}"):
        place.anonymize(pa.table({"day": cells}), policy)


@pytest.mark.parametrize("most", [counting.MOST_VALUES, 200, 20])
@pytest.mark.parametrize("steps", [1, 256])
def test_nanoseconds_are_rounded_to_microseconds(monkeypatch: pytest.MonkeyPatch, most: int, steps: int) -> None:
    """Several of them are one number then, also in a column that is binned."""
    monkeypatch.setattr(counting, "MOST_VALUES", most)
    monkeypatch.setattr("maskwise.release.mask._MOST_STEPS", steps)
    rng = random.Random(0)  # noqa: S311 - test data
    start = 1_000_000_000 * 10**9
    cells = pa.array([start + 300 * rng.randrange(1000) for _ in range(600)], pa.timestamp("ns"))
    classes = [["low", "high"][rng.random() < 0.5] for _ in range(600)]
    policy = {"class": "risk", "attributes": {"seen": "interval"}, "requirements": [{"qid": ["seen"], "k": 3}]}
    outcome = maskwise.anonymize(pa.table({"seen": cells, "risk": classes}), policy, keep_order=True)
    assert len(outcome.steps) > 3
    for cell, shown in zip(cells.cast(pa.int64()).to_pylist(), outcome.data["seen"].to_pylist(), strict=True):
        low, high = (dt.datetime.fromisoformat(text) for text in shown[1:-1].split(", "))
        number = dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=(cell + 500) // 1000)  # noqa: DTZ001 - as written
        assert low <= number <= high
        assert number < high or shown.endswith("]")


@pytest.mark.parametrize("most", [counting.MOST_VALUES, 20])
def test_a_decimal_that_is_not_a_number_counts_as_missing(
    server: Server, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """PostgreSQL's `numeric` has one, and sorts it above all others."""
    monkeypatch.setattr(counting, "MOST_VALUES", most)
    spelled = "CASE WHEN i % 9 = 0 THEN 'NaN'::numeric ELSE i / 8.0 END"
    told_by = "CASE WHEN i > 100 THEN 'a' ELSE 'b' END"
    server.run("DROP TABLE IF EXISTS nans")
    server.run(f"CREATE TABLE nans AS SELECT {spelled} AS x, {told_by} AS c FROM generate_series(1, 300) i")  # noqa: S608
    policy = {"class": "c", "attributes": {"x": "interval"}, "requirements": [{"qid": ["x"], "k": 4}]}
    try:
        outcome = maskwise.anonymize("nans", policy, "few", engine=server.url)
        told = dict(server.run("SELECT x, count(*) FROM few GROUP BY x"))
    finally:
        server.run("DROP TABLE IF EXISTS nans, few")
    assert outcome.steps
    assert told[None] == 33
    assert not any("nan" in str(label).lower() for label in told)


def test_floats_without_an_entry_are_no_interval_if_some_are_infinite(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"x": [float("inf") if i % 9 == 0 else i / 8 for i in range(300)], "c": ["a", "b"] * 150})
    policy = {"class": "c", "requirements": [{"qid": ["x"], "k": 4}]}
    expected = maskwise.anonymize(table, policy)
    monkeypatch.setattr(counting, "MOST_VALUES", 20)
    outcome = maskwise.anonymize(table, policy)
    assert outcome.solution.cuts[0].kind == "suppress"
    assert outcome.steps == expected.steps


def names(n: int = 1200) -> pa.Table:
    """A few common names, and very many rare ones; the common ones are numbers, the rare ones are not."""
    rng = random.Random(4)  # noqa: S311 - test data
    cells = [str(rng.randrange(8, 13)) if rng.random() < 0.5 else f"n{rng.randrange(400)}" for _ in range(n)]
    return pa.table(
        {
            "name": pa.array([None if i % 100 == 0 else cell for i, cell in enumerate(cells)]),
            "sex": [rng.choice("FM") for _ in range(n)],
            "risk": [["low", "high"][cell in {"8", "12"} or rng.random() < 0.3] for cell in cells],
        }
    )


@pytest.mark.parametrize("changed", [{}, {"class": None}, {"missing": "drop"}], ids=["class", "no class", "drop"])
def test_texts_too_rare_to_be_shown_stay_in_the_engine(
    place: Place, monkeypatch: pytest.MonkeyPatch, changed: dict[str, Any]
) -> None:
    policy = {"class": "risk", "requirements": [{"qid": ["name", "sex"], "k": 9}], **changed}
    policy = {key: value for key, value in policy.items() if value is not None}
    expected = maskwise.anonymize(names(), policy)
    monkeypatch.setattr(counting, "MOST_VALUES", 30)
    outcome, rows = place.anonymize(names(), policy)
    assert len(outcome.steps) > 2
    assert trace_file.dumps(outcome.steps) == trace_file.dumps(expected.steps)
    assert outcome.curve == expected.curve
    assert in_order(rows) == in_order(rows_of(expected.data))
    assert outcome.solution.cuts[0].labels == expected.solution.cuts[0].labels
    assert any("values with too few records ever to be shown" in note for note in outcome.notes)
    again = solution_file.loads(solution_file.dumps(outcome.solution))
    assert again.cuts == outcome.solution.cuts
    applied = maskwise.apply(names(), again, strict=True)
    assert in_order(rows_of(applied.data)) == in_order(rows_of(expected.data))


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.string()])
def test_of_hidden_cells_none_is_shown_as_another(place: Place, monkeypatch: pytest.MonkeyPatch, kind: Any) -> None:
    """Two numbers are frequent enough to be shown, four hundred are not."""
    rng = random.Random(5)  # noqa: S311 - test data
    cells = [rng.choice([7, 8]) if rng.random() < 0.3 else 100 + rng.randrange(400) for _ in range(900)]
    risk = [["low", "high"][(cell == 7) ^ (rng.random() < 0.1)] for cell in cells]
    table = pa.table({"code": pa.array(cells, pa.int64()).cast(kind), "risk": risk})
    policy = {"class": "risk", "attributes": {"code": "suppress"}, "requirements": [{"qid": ["code"], "k": 30}]}
    expected = maskwise.anonymize(table, policy)
    monkeypatch.setattr(counting, "MOST_VALUES", 30)
    outcome, rows = place.anonymize(table, policy)
    assert outcome.steps
    assert outcome.solution.cuts[0].hides_more
    assert in_order(rows) == in_order(rows_of(expected.data))


def test_too_many_texts_that_all_may_be_shown_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MOST_VALUES", 30)
    monkeypatch.setattr(counting, "MOST_TEXTS", 100)
    policy = {"class": "risk", "requirements": [{"qid": ["name", "sex"], "k": 9}]}
    with pytest.raises(maskwise.InputError, match="different texts, each of which may be shown or hidden"):
        maskwise.anonymize(names(), policy, method="bug")
    template = {"requirements": [{"qid": ["name"], "sensitive": {"risk": ["high"]}, "confidence": 0.9}]}
    with pytest.raises(maskwise.InputError, match="too many to search"):
        maskwise.anonymize(names(), template)


def test_leading_zeros_are_names_however_many(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"zip": [f"{i % 100:05d}" for i in range(900)], "risk": [str(i % 100 > 50) for i in range(900)]})
    policy = {"class": "risk", "requirements": [{"qid": ["zip"], "k": 9}]}
    expected = maskwise.anonymize(table, policy)
    monkeypatch.setattr(counting, "MOST_VALUES", 30)
    outcome = maskwise.anonymize(table, policy)
    assert outcome.solution.cuts[0].kind == "suppress"
    assert outcome.steps == expected.steps
