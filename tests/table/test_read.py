"""Reading: the same table, whatever file or data frame it comes from."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import io
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

import maskwise
from maskwise.table.read import read
from tests.conftest import HEADER, POLICY, Run, cells, csv_text, people

LOOSE = {"attributes": {"Q": "suppress"}, "requirements": [{"qid": ["Q"], "k": 1}]}


@pytest.fixture
def passed_through(tmp_path: Path, run: Run) -> Callable[..., list[list[str]]]:
    """Mask a csv in which only Q is masked, and read the release with Python's own reader."""

    def call(raw: bytes, name: str = "in.csv") -> list[list[str]]:
        policy = tmp_path / "loose.yaml"
        policy.write_text("attributes: {Q: suppress}\nrequirements: [{qid: [Q], k: 1}]\n", encoding="utf-8")
        (tmp_path / name).write_bytes(raw)
        result = run("mask", tmp_path / name, "-p", policy, "-o", tmp_path / "o.csv", "--keep-order")
        assert result.code == 0, result.err
        # A csv with semicolons or bars is released with them.
        mark = next((mark for mark in ";|" if raw.startswith(f"Q{mark}".encode())), ",")
        with (tmp_path / "o.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.reader(file, delimiter=mark))

    return call


DIALECTS = {
    "quoted commas": (b'Q,a\nx,"one, two"\ny,"three, four"\n', ["one, two", "three, four"]),
    "doubled quotes": (b'Q,a\nx,"say ""hi"""\ny,""""\n', ['say "hi"', '"']),
    "quoted newline": (b'Q,a\nx,"one\ntwo"\ny,"three\n\nfour"\n', ["one\ntwo", "three\n\nfour"]),
    "byte order mark": (b"\xef\xbb\xbfQ,a\nx,1\ny,2\n", ["1", "2"]),
    "carriage returns": (b"Q,a\r\nx,1\r\ny,2\r\n", ["1", "2"]),
    "quoted newline and carriage returns": (b'Q,a\r\nx,"one\ntwo"\r\ny,2\r\n', ["one\ntwo", "2"]),
    "no newline at the end": (b"Q,a\nx,1\ny,2", ["1", "2"]),
    "semicolons": (b"Q;a\nx;1,5\ny;2,5\n", ["1,5", "2,5"]),
    "bars": (b"Q|a\nx|1;5\ny|2,5\n", ["1;5", "2,5"]),
    "missing cells": (b"Q,a\nx,\ny,1\n", ["", "1"]),
    "leading zeros": (b"Q,a\nx,00501\ny,01.50\n", ["00501", "01.50"]),
    "what other tools take for missing": (b"Q,a\nx,NULL\ny,NA\n", ["NULL", "NA"]),
    "what other tools take for truth": (b"Q,a\nx,True\ny,false\n", ["True", "false"]),
    "large numbers": (b"Q,a\nx,123456789012345678901234567890\ny,1e5\n", ["123456789012345678901234567890", "1e5"]),
    "blanks around a cell": (b"Q,a\nx,  one \ny,two\n", ["  one ", "two"]),
    "many scripts": ("Q,a\nx,Łódź\ny,東京 🗼\n".encode(), ["Łódź", "東京 🗼"]),
}


@pytest.mark.slow
@pytest.mark.parametrize(("raw", "expected"), DIALECTS.values(), ids=DIALECTS.keys())
def test_cells_pass_through_unchanged(passed_through: Callable, raw: bytes, expected: list[str]) -> None:
    assert passed_through(raw) == [["Q", "a"], ["x", expected[0]], ["y", expected[1]]]


def test_header_names_may_hold_blanks_quotes_and_separators(passed_through: Callable) -> None:
    header = ["Q", "last name", " padded ", "a, b", 'say "hi"', "row", "select", "Ünï"]
    rows = [["x", *"1234567"], ["y", *"abcdefg"]]
    raw = csv_text(header, rows).encode()
    assert passed_through(raw) == [header, *rows]


def test_tabs_separate_a_tsv_even_with_commas_in_its_header(passed_through: Callable) -> None:
    assert passed_through(b"Q\ta,b,c\nx\t1,2\ny\t3\n", "in.tsv") == [["Q", "a,b,c"], ["x", "1,2"], ["y", "3"]]


def test_columns_that_pass_through_keep_every_byte(tmp_path: Path, passed_through: Callable) -> None:
    rest = [b'00501,1.50,"a, b",,"say ""x"""', b'0,+1,"two\nlines",NULL,e', "é,1e5,-0,NaN,𝄞".encode()]
    raw = b"Q,a,b,c,d,e\n" + b"".join(b"%s,%s\n" % (q, line) for q, line in zip((b"x", b"y", b"z"), rest, strict=True))
    passed_through(raw)
    assert (tmp_path / "o.csv").read_bytes() == raw


def test_an_empty_text_stays_apart_from_a_missing_cell(tmp_path: Path, passed_through: Callable) -> None:
    raw = b'Q,a\nx,""\ny,\n'
    passed_through(raw)
    assert (tmp_path / "o.csv").read_bytes() == raw


def test_a_taxonomy_matches_the_spelling_of_the_cells(tmp_path: Path, run: Run) -> None:
    (tmp_path / "d.csv").write_text("Q,a\nNo,1\n01,2\n1.0,3\n1,4\n", encoding="utf-8")
    policy = tmp_path / "p.yaml"
    policy.write_text(
        "attributes: {Q: {taxonomy: {ANY: [No, 01, 1.0, 1]}}}\nrequirements: [{qid: [Q], k: 1}]\n", encoding="utf-8"
    )
    assert run("mask", tmp_path / "d.csv", "-p", policy, "-o", tmp_path / "o.csv", "--keep-order").code == 0
    assert cells(tmp_path / "o.csv")[1:] == [["No", "1"], ["01", "2"], ["1.0", "3"], ["1", "4"]]


# One table in every form.


def typed_people() -> pa.Table:
    """People with the types that a database would give them, some cells missing."""
    rows = people(150)
    days = [dt.date(1950, 1, 1) + dt.timedelta(days=137 * int(row[2])) for row in rows]
    table = {name: [row[i] for row in rows] for i, name in enumerate(HEADER)}
    return pa.table(
        {
            **table,
            "Age": pa.array([int(row[2]) for row in rows], pa.int64()),
            "Job": pa.array([None if i % 10 == 3 else row[4] for i, row in enumerate(rows)]),
            "Income": pa.array([None if i % 15 == 4 else int(row[2]) * 10.5 for i, row in enumerate(rows)]),
            "Born": pa.array(days, pa.date32()),
        }
    )


TYPED_POLICY = {
    "class": "Risk",
    "attributes": {
        "Age": {"interval": [0, 120]},
        "Edu": {"taxonomy": {"ANY_Edu": {"School": ["primary", "secondary"], "University": ["bachelor", "master"]}}},
        "Job": "suppress",
    },
    "requirements": [{"qid": ["Age", "Edu", "Job"], "k": 4}, {"qid": ["Born", "Income", "Sex"], "k": 3}],
    "drop": ["Name"],
}


def as_ibis(table: pa.Table, _: Path) -> object:
    con = ibis.duckdb.connect()
    con.con.register("people", table)
    return con.table("people")


def as_csv(table: pa.Table, path: Path) -> Path:
    pacsv.write_csv(table, path / "t.csv")
    return path / "t.csv"


def as_csv_gz(table: pa.Table, path: Path) -> Path:
    sink = io.BytesIO()
    pacsv.write_csv(table, sink)
    (path / "t.csv.gz").write_bytes(gzip.compress(sink.getvalue()))
    return path / "t.csv.gz"


def as_tsv(table: pa.Table, path: Path) -> Path:
    pacsv.write_csv(table, path / "t.tsv", pacsv.WriteOptions(delimiter="\t"))
    return path / "t.tsv"


def as_parquet(table: pa.Table, path: Path) -> Path:
    pq.write_table(table, path / "t.parquet")
    return path / "t.parquet"


def as_parquet_gz(table: pa.Table, path: Path) -> Path:
    (path / "t.parquet.gz").write_bytes(gzip.compress(as_parquet(table, path).read_bytes()))
    return path / "t.parquet.gz"


def as_arrow(table: pa.Table, path: Path) -> Path:
    with pa.OSFile(str(path / "t.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return path / "t.arrow"


def as_arrow_gz(table: pa.Table, path: Path) -> Path:
    (path / "t.arrow.gz").write_bytes(gzip.compress(as_arrow(table, path).read_bytes()))
    return path / "t.arrow.gz"


FORMS: dict[str, Callable[[pa.Table, Path], object]] = {
    "csv": as_csv,
    "csv.gz": as_csv_gz,
    "tsv": as_tsv,
    "parquet": as_parquet,
    "parquet.gz": as_parquet_gz,
    "arrow": as_arrow,
    "arrow.gz": as_arrow_gz,
    "pandas": lambda table, _: table.to_pandas(),
    "pandas with Arrow types": lambda table, _: table.to_pandas(types_mapper=pd.ArrowDtype),
    "pandas with categories": lambda table, _: table.to_pandas(categories=["Edu", "Job", "Risk"]),
    "Polars": lambda table, _: pl.from_arrow(table),
    "Arrow": lambda table, _: table,
    "Arrow in chunks": lambda table, _: pa.concat_tables([table.slice(0, 40), table.slice(40)]),
    "Ibis": as_ibis,
}


def shown_cells(data: object) -> list[list[str | None]]:
    """The masked columns of a release of any kind, a missing cell as None."""
    names = ["Age", "Edu", "Job", "Born", "Income", "Sex"]
    if isinstance(data, pa.Table):
        table = data
    elif isinstance(data, pd.DataFrame):
        return [[None if cell is None or cell != cell else str(cell) for cell in data[name]] for name in names]  # noqa: PLR0124 - NaN
    elif isinstance(data, pl.DataFrame):
        table = data.to_arrow()
    else:
        table = data.to_pyarrow()  # type: ignore[attr-defined]
    return [table.column(name).to_pylist() for name in names]


@pytest.fixture(scope="module")
def expected() -> maskwise.Outcome:
    return maskwise.anonymize(typed_people(), TYPED_POLICY, keep_order=True)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_every_form_of_a_table_gives_the_same_cuts(tmp_path: Path, form: Callable, expected: maskwise.Outcome) -> None:
    source = form(typed_people(), tmp_path)
    outcome = maskwise.anonymize(source, TYPED_POLICY, keep_order=True)
    assert [(c.attribute, c.kind, c.labels, c.missing) for c in outcome.solution.cuts] == [
        (c.attribute, c.kind, c.labels, c.missing) for c in expected.solution.cuts
    ]
    assert len(expected.steps) > 5
    assert [s.score for s in outcome.steps] == [s.score for s in expected.steps]
    assert shown_cells(outcome.data) == shown_cells(expected.data)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "kind"),
    [("pandas", pd.DataFrame), ("Polars", pl.DataFrame), ("Arrow", pa.Table), ("Ibis", ibis.expr.types.Table)],
)
def test_what_comes_back_is_of_the_kind_that_went_in(tmp_path: Path, form: str, kind: type) -> None:
    outcome = maskwise.anonymize(FORMS[form](typed_people(), tmp_path), TYPED_POLICY, keep_order=True)
    assert isinstance(outcome.data, kind)
    assert list(outcome.data.columns if form != "Arrow" else outcome.data.column_names) == [
        name for name in (*HEADER, "Income", "Born") if name != "Name"
    ]


@pytest.mark.slow
def test_pandas_gets_a_fresh_index_and_keeps_the_types_of_columns_that_pass_through(tmp_path: Path) -> None:
    del tmp_path
    table = typed_people().to_pandas().set_index("Id")
    table["Flag"] = [i % 2 == 0 for i in range(len(table))]
    released = maskwise.anonymize(table, TYPED_POLICY, keep_order=True).data
    assert list(released.index) == list(range(len(table)))
    assert released.index.name is None
    assert released["Flag"].dtype == table["Flag"].dtype
    assert released["Zip"].tolist() == table["Zip"].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("form", ["parquet", "Polars", "Arrow", "Ibis", "pandas"])
def test_a_float_that_is_not_a_number_counts_as_missing(tmp_path: Path, form: str) -> None:
    hours = [10.0, 20.0, float("nan")] * 4
    table = pa.table({"Hours": hours, "Risk": ["lo", "hi", "lo", "lo", "hi", "hi"] * 2})
    policy = {
        "class": "Risk",
        "attributes": {"Hours": {"interval": [0, 30]}},
        "requirements": [{"qid": ["Hours"], "k": 4}],
    }
    outcome = maskwise.anonymize(FORMS[form](table, tmp_path), policy, keep_order=True)
    released = read(outcome.data).expr.to_pyarrow().column("c0").to_pylist()
    assert released == ["[0, 15)", "[15, 30]", None] * 4
    dropped = maskwise.anonymize(FORMS[form](table, tmp_path), {**policy, "missing": "drop"}, keep_order=True)
    assert (dropped.n_dropped, dropped.verdict.n_rows) == (4, 8)


# Ordered values.

DAY = dt.date(2024, 3, 1)
NIGHT = dt.datetime(2024, 3, 1, 23, 59, 58)  # noqa: DTZ001 - a csv has no time zone
ORDERED = {
    "date": [DAY + dt.timedelta(days=i) for i in range(10)],
    "timestamp": [NIGHT + dt.timedelta(seconds=i) for i in range(10)],
    "timestamp with a fraction": [NIGHT + dt.timedelta(milliseconds=250 * i) for i in range(10)],
    "time": [dt.time(8, 30 + i) for i in range(10)],
    "negative number": list(range(-5, 5)),
    "fraction": [i / 4 for i in range(10)],
}


def iso(value: object) -> str:
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else str(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "parquet", "pandas", "Polars", "Arrow", "Ibis"])
@pytest.mark.parametrize("values", ORDERED.values(), ids=ORDERED.keys())
def test_ordered_values_become_intervals_with_iso_labels(tmp_path: Path, form: str, values: list) -> None:
    # The first four are of one class and the rest of the other; with k=4 that is the one split there is room for.
    table = pa.table({"When": values, "Risk": ["lo"] * 4 + ["hi"] * 6})
    policy = {"class": "Risk", "requirements": [{"qid": ["When"], "k": 4}]}
    outcome = maskwise.anonymize(FORMS[form](table, tmp_path), policy, as_published=True)
    low, split, high = (iso(value) for value in (values[0], values[4], values[-1]))
    released = read(outcome.data).expr.to_pyarrow().column("c0").to_pylist()
    assert released == [f"[{low}, {split})"] * 4 + [f"[{split}, {high}]"] * 6


@pytest.mark.slow
@pytest.mark.parametrize(
    "texts",
    [
        ["2024-03-01 10:00", "2024-03-01 11:00", "2024-03-02 10:00", "2024-03-02 11:00"],
        ["2024-03-01T10:00:00", "2024-03-01T11:00:00", "2024-03-02T10:00:00", "2024-03-02T11:00:00"],
        [" 1", "2 ", "+3", "4"],
        ["-1.5", ".5", "2.", "1e3"],
        ["1", "2.0", "3", "3.5"],
    ],
)
def test_spellings_of_ordered_values_are_understood(tmp_path: Path, texts: list[str]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("When,Risk\n" + "".join(f"{t},{'lo' if i < 2 else 'hi'}\n" for i, t in enumerate(texts)))
    policy = {"class": "Risk", "requirements": [{"qid": ["When"], "k": 2}]}
    outcome = maskwise.anonymize(path, policy, keep_order=True)
    released = outcome.data.column("When").to_pylist()
    assert released[0] == released[1] != released[2] == released[3]
    assert released[0].endswith(")")
    assert released[2].endswith("]")


def test_a_declared_range_of_dates_is_shown_instead_of_the_datas(tmp_path: Path) -> None:
    table = pa.table({"When": ORDERED["date"], "Risk": ["lo"] * 4 + ["hi"] * 6})
    policy = {
        "class": "Risk",
        "attributes": {"When": {"interval": ["2024-01-01", "2024-12-31"]}},
        "requirements": [{"qid": ["When"], "k": 4}],
    }
    outcome = maskwise.anonymize(as_csv(table, tmp_path), policy, keep_order=True)
    assert set(outcome.data.column("When").to_pylist()) == {"[2024-01-01, 2024-03-05)", "[2024-03-05, 2024-12-31]"}


def test_codes_with_leading_zeros_are_no_numbers_by_default(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Zip\n" + "00501\n00502\n12345\n" * 3, encoding="utf-8")
    outcome = maskwise.anonymize(path, {"requirements": [{"qid": ["Zip"], "k": 3}]}, keep_order=True)
    assert outcome.data.column("Zip").to_pylist() == ["00501", "00502", "12345"] * 3


# What is written.


def released_rows(path: Path) -> list[list[str]]:
    """Read a release of any format without maskwise; missing cells as the empty text."""
    raw = path.read_bytes()
    if path.suffix == ".gz":
        raw = gzip.decompress(raw)
        path = path.with_suffix("")
    if path.suffix in {".csv", ".tsv"}:
        return list(csv.reader(io.StringIO(raw.decode(), newline=""), delimiter="," if path.suffix == ".csv" else "\t"))
    if path.suffix == ".parquet":
        table = pq.read_table(pa.BufferReader(raw))
    else:
        table = pa.ipc.open_file(pa.BufferReader(raw)).read_all()
    rows = [["" if cell is None else str(cell) for cell in row.values()] for row in table.to_pylist()]
    return [table.column_names, *rows]


@pytest.mark.slow
@pytest.mark.parametrize(
    "suffix",
    [".csv", ".tsv", ".parquet", ".arrow", ".feather", ".csv.gz", ".tsv.gz", ".parquet.gz", ".arrow.gz", ".CSV"],
)
def test_the_suffix_tells_the_format_of_the_output(
    tmp_path: Path, run: Run, data: Path, policy: Path, suffix: str
) -> None:
    assert run("mask", data, "-p", policy, "-o", tmp_path / "plain.csv", "--keep-order").code == 0
    target = tmp_path / f"out{suffix}"
    result = run("mask", data, "-p", policy, "-o", target, "--keep-order")
    assert result.code == 0, result.err
    target = target.rename(tmp_path / f"out{suffix.lower()}".replace(".feather", ".arrow"))
    assert released_rows(target) == cells(tmp_path / "plain.csv")


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv.gz", ".parquet", ".parquet.gz", ".arrow", ".arrow.gz"])
def test_what_was_written_can_be_audited(tmp_path: Path, run: Run, data: Path, policy: Path, suffix: str) -> None:
    assert run("mask", data, "-p", policy, "-o", tmp_path / f"out{suffix}").code == 0
    assert run("audit", tmp_path / f"out{suffix}", "-p", policy).code == 0


@pytest.mark.slow
@pytest.mark.parametrize("n", [200, 5_000])
def test_rows_and_columns_keep_their_order(tmp_path: Path, run: Run, n: int) -> None:
    rows = people(n)
    (tmp_path / "d.csv").write_text(csv_text(HEADER, rows), encoding="utf-8")
    (tmp_path / "p.yaml").write_text(POLICY, encoding="utf-8")
    assert (
        run("mask", tmp_path / "d.csv", "-p", tmp_path / "p.yaml", "-o", tmp_path / "o.csv", "--keep-order").code == 0
    )
    header, *released = cells(tmp_path / "o.csv")
    assert header == [name for name in HEADER if name != "Name"]
    kept = [HEADER.index(name) for name in ("Id", "Zip", "Risk")]
    assert [[row[0], row[5], row[6]] for row in released] == [[row[i] for i in kept] for row in rows]


@pytest.mark.slow
def test_order_is_kept_with_more_distinct_values_than_a_case_holds(tmp_path: Path, run: Run) -> None:
    # A suppress attribute with two thousand values is masked by a join, which must not move records.
    rows = [(f"{i:05d}", f"v{(i * 7919) % 2000}") for i in range(6_000)]
    (tmp_path / "d.csv").write_text(csv_text(("Id", "Q"), rows), encoding="utf-8")
    (tmp_path / "p.yaml").write_text("attributes: {Q: suppress}\nrequirements: [{qid: [Q], k: 3}]\n", encoding="utf-8")
    assert (
        run("mask", tmp_path / "d.csv", "-p", tmp_path / "p.yaml", "-o", tmp_path / "o.csv", "--keep-order").code == 0
    )
    assert [row[0] for row in cells(tmp_path / "o.csv")[1:]] == [row[0] for row in rows]
    assert [tuple(row) for row in cells(tmp_path / "o.csv")[1:]] == rows  # each value stands three times


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_shuffle_permutes_and_a_seed_repeats_it(
    tmp_path: Path, run: Run, data: Path, policy: Path, suffix: str
) -> None:
    def masked(name: str, *options: object) -> list[list[str]]:
        assert run("mask", data, "-p", policy, "-o", tmp_path / (name + suffix), *options).code == 0
        return released_rows(tmp_path / (name + suffix))

    plain = masked("plain", "--keep-order")
    one, again, other = (masked(name, "--shuffle", "--seed", seed) for name, seed in (("a", 1), ("b", 1), ("c", 2)))
    assert one == again
    assert one[0] == plain[0]
    assert sorted(one[1:]) == sorted(plain[1:])
    assert one[1:] != plain[1:]
    assert other[1:] != one[1:]
    assert masked("d", "--shuffle") != masked("e", "--shuffle")
    assert masked("f", "--seed", 1) == one
    assert masked("g") != masked("h")


@pytest.mark.slow
def test_a_data_frame_is_shuffled_whole(tmp_path: Path) -> None:
    table = FORMS["pandas"](typed_people(), tmp_path)
    plain = maskwise.anonymize(table, TYPED_POLICY, keep_order=True).data
    shuffled = maskwise.anonymize(table, TYPED_POLICY, shuffle=True, seed=3).data
    assert shuffled["Id"].tolist() != plain["Id"].tolist()
    assert list(shuffled.index) == list(range(len(plain)))
    ordered = [frame.sort_values("Id", ignore_index=True) for frame in (shuffled, plain)]
    pd.testing.assert_frame_equal(*ordered)


def test_formulas_are_quoted_on_request_and_numbers_are_not(tmp_path: Path, run: Run) -> None:
    free = ["=1+1", "+A1", "-x", "@cmd", "-5", "+3.5", "plain", "'=1", "a=b", "-1e5", "=", "-2+3"]
    runs = {"=1+1", "+A1", "-x", "@cmd", "'=1", "=", "-2+3"}
    rows = [("=evil" if i % 2 else "good", cell) for i, cell in enumerate(free)]
    (tmp_path / "d.csv").write_text(csv_text(("Q", "Free"), rows), encoding="utf-8")
    (tmp_path / "p.yaml").write_text("attributes: {Q: suppress}\nrequirements: [{qid: [Q], k: 2}]\n")
    arguments = ("mask", tmp_path / "d.csv", "-p", tmp_path / "p.yaml", "-o", tmp_path / "o.csv", "--keep-order")
    assert run(*arguments).code == 0
    assert [row[1] for row in cells(tmp_path / "o.csv")[1:]] == free
    assert run(*arguments, "--escape-formulas").code == 0
    released = cells(tmp_path / "o.csv")[1:]
    assert [row[1] for row in released] == [f"'{cell}" if cell in runs else cell for cell in free]
    assert {row[0] for row in released} == {"'=evil", "good"}


# A path is a name and nothing more.


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".csv.gz"])
@pytest.mark.parametrize(("name", "other"), [("in[1]", "in1"), ("in*", "in2"), ("in?", "in3")])
def test_a_file_name_is_no_pattern_for_others(tmp_path: Path, suffix: str, name: str, other: str) -> None:
    for stem, value in ((other, "theirs"), (name, "mine")):
        source = FORMS[suffix[1:]](pa.table({"Q": [value] * 3, "a": ["1", "2", "3"]}), tmp_path)
        source.rename(tmp_path / (stem + suffix))
    released = maskwise.anonymize(tmp_path / (name + suffix), LOOSE, keep_order=True).data
    assert released.column("Q").to_pylist() == ["mine"] * 3


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_folder_name_is_no_data(tmp_path: Path, form: str) -> None:
    inner = tmp_path / "Q=folder" / "a=folder"
    inner.mkdir(parents=True)
    source = FORMS[form](pa.table({"Q": ["x", "x", "y"], "a": ["1", "2", "3"]}), inner)
    released = maskwise.anonymize(source, LOOSE, keep_order=True).data
    assert released.column("Q").to_pylist() == ["x", "x", "y"]
    assert released.column("a").to_pylist() == ["1", "2", "3"]
    verdict = maskwise.audit(source, {"requirements": [{"qid": ["Q"], "k": 2}]})
    assert verdict.findings[0].n_violating_groups == 1


@pytest.mark.slow
def test_a_file_name_may_hold_quotes(tmp_path: Path, run: Run, data: Path, policy: Path) -> None:
    source = data.rename(tmp_path / """it's "mine".csv""")
    target = tmp_path / """o'ut "x".csv"""
    assert run("mask", source, "-p", policy, "-o", target, "--keep-order").code == 0
    assert len(cells(target)) == 201


# Types that a database may hand over.

UNUSUAL = {
    "decimal": pa.array([Decimal("1.10"), Decimal("2.20"), Decimal("3.30"), Decimal("4.00")], pa.decimal128(10, 2)),
    "unsigned": pa.array([2**63, 2**63 + 2048, 2**63 + 4096, 2**63 + 6144], pa.uint64()),
    "small": pa.array([1, 2, 3, 4], pa.int8()),
    "single": pa.array([0.5, 1.5, 2.5, 3.5], pa.float32()),
    "beyond 2**53": pa.array([2**62, 2**62 + 1, 2**62 + 2, 2**62 + 3], pa.int64()),
    "date64": pa.array([DAY + dt.timedelta(days=i) for i in range(4)], pa.date64()),
    "seconds": pa.array([NIGHT + dt.timedelta(seconds=i) for i in range(4)], pa.timestamp("s")),
    "zoned": pa.array([NIGHT + dt.timedelta(hours=i) for i in range(4)], pa.timestamp("us", "Europe/Berlin")),
}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["parquet", "Arrow", "Polars"])
@pytest.mark.parametrize("column", UNUSUAL.values(), ids=UNUSUAL.keys())
def test_any_ordered_type_can_be_an_interval(tmp_path: Path, form: str, column: pa.Array) -> None:
    table = pa.table({"Q": column, "Risk": ["lo", "lo", "hi", "hi"]})
    policy = {"class": "Risk", "attributes": {"Q": "interval"}, "requirements": [{"qid": ["Q"], "k": 2}]}
    outcome = maskwise.anonymize(FORMS[form](table, tmp_path), policy, keep_order=True)
    released = read(outcome.data).expr.to_pyarrow().column("c0").to_pylist()
    assert released[0] == released[1] != released[2] == released[3]


def test_truth_values_are_spelled_as_a_taxonomy_spells_them(tmp_path: Path) -> None:
    del tmp_path
    table = pa.table({"Q": [True, False, True, False]})
    policy = {"attributes": {"Q": {"taxonomy": {"ANY": ["true", "false"]}}}, "requirements": [{"qid": ["Q"], "k": 2}]}
    assert maskwise.anonymize(table, policy, keep_order=True).data.column("Q").to_pylist() == [
        "true",
        "false",
        "true",
        "false",
    ]


def test_a_column_of_bytes_is_not_released_in_pythons_spelling() -> None:
    table = pa.table({"Q": [b"x", b"y", b"x", b"y"]})
    try:
        released = maskwise.anonymize(table, LOOSE, keep_order=True).data.column("Q").to_pylist()
    except maskwise.InputError as error:
        assert "`Q`" in str(error)  # noqa: PT017 - to refuse is as good
    else:
        assert released == ["x", "y", "x", "y"]
