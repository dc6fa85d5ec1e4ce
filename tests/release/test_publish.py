"""What is handed out is what was verified, and nothing else."""

from __future__ import annotations

import json
import os
import stat
from fractions import Fraction
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maskwise
from maskwise import Confidence
from maskwise.cli.app import main
from maskwise.errors import RefusedError, WriteError
from maskwise.formats import solution_file
from maskwise.release.escape import safe_name, safe_text
from maskwise.release.file_set import Sidecar
from maskwise.release.mask import drop_columns
from maskwise.release.publish import publish, recount
from maskwise.table.read import read
from maskwise.values.location import Folder
from tests.conftest import HEADER, people

POLICY: dict[str, Any] = {
    "class": "c",
    "attributes": {"Job": "suppress"},
    "requirements": [{"qid": ["Job"], "k": 3}],
}


def jobs(n: int = 8) -> pa.Table:
    return pa.table({"Job": ["ab"[i % 2] for i in range(n)], "c": ["xy"[i % 3 % 2] for i in range(n)]})


def database(table: pa.Table, name: str = "people") -> Any:
    connection = ibis.duckdb.connect()
    connection.con.register("given", table)
    connection.con.execute(f"CREATE TABLE {name} AS FROM given")
    return connection


def tables(connection: Any) -> set[str]:
    found = connection.con.execute("SELECT table_name FROM duckdb_tables() UNION SELECT view_name FROM duckdb_views()")
    return {name for (name,) in found.fetchall()}


class Refusal(Exception):  # noqa: N818 - what a caller raises to refuse
    """A draft is refused."""


def test_a_draft_can_be_read_and_has_no_name_before_the_block_ends(tmp_path: Path) -> None:
    target, report = tmp_path / "out.csv", tmp_path / "r.md"
    with publish(read(jobs()), target, escape=False) as draft:
        assert draft.data == target
        assert draft.table.names == ("Job", "c")
        assert draft.table.n_rows() == 8
        draft.add([Sidecar(report, "text", private=True)])
        assert not target.exists()
        assert not report.exists()
    assert target.read_text().startswith("Job,c\na,x\n")
    assert (report.read_text(), stat.S_IMODE(report.stat().st_mode)) == ("text", 0o600)
    assert {path.name for path in tmp_path.iterdir()} == {"out.csv", "r.md"}


@pytest.mark.slow
@pytest.mark.parametrize("stop", [Refusal, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("output", ["out.csv", "out.parquet", "out/"])
def test_a_refused_draft_leaves_nothing(tmp_path: Path, output: str, stop: type[BaseException]) -> None:
    target = Folder(tmp_path / "out") if output.endswith("/") else tmp_path / output

    def refuse() -> None:
        with publish(read(jobs()), target, escape=False) as draft:
            draft.add([Sidecar(tmp_path / "r.md", "text")])
            raise stop

    with pytest.raises(stop):
        refuse()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("stop", [Refusal, KeyboardInterrupt])
def test_a_refused_draft_is_removed_from_its_database(stop: type[BaseException]) -> None:
    connection = database(jobs())
    before = tables(connection)
    table = read(connection.table("people"))

    def refuse() -> None:
        with publish(table, None, escape=False) as draft:
            assert tables(connection) > before
            assert draft.data.count().to_pyarrow().as_py() == 8
            raise stop

    with pytest.raises(stop):
        refuse()
    assert tables(connection) == before


def test_the_release_gets_its_name_before_the_files_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named: list[str] = []
    rename = os.replace

    def watch(draft: Path, path: Path) -> None:
        named.append(path.name)
        rename(draft, path)

    monkeypatch.setattr(os, "replace", watch)
    with publish(read(jobs()), tmp_path / "out.csv", escape=False) as draft:
        draft.add([Sidecar(tmp_path / "r.md", "text")])
    assert [name for name in named if not name.endswith(".names")] == ["out.csv", "r.md"]


def test_a_release_that_cannot_be_named_takes_its_files_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)

    def release() -> None:
        with publish(read(jobs()), tmp_path / "out.csv", escape=False) as draft:
            draft.add([Sidecar(tmp_path / "r.md", "text")])

    with pytest.raises(WriteError, match=r"could not be written to .*no space left on device"):
        release()
    assert not list(tmp_path.iterdir())


def test_files_are_made_from_the_finished_outcome_and_only_beside_an_output(tmp_path: Path) -> None:
    seen: list[maskwise.Outcome] = []

    def beside(outcome: maskwise.Outcome) -> list[Sidecar]:
        seen.append(outcome)
        return []

    outcome = maskwise.anonymize(jobs(), POLICY, tmp_path / "out.csv", beside=beside)
    assert seen[0] is outcome
    assert outcome.data == tmp_path / "out.csv"
    with pytest.raises(maskwise.InputError, match="name an output"):
        maskwise.anonymize(jobs(), POLICY, beside=beside)
    assert len(seen) == 1


def test_a_database_release_does_not_change_with_its_source() -> None:
    connection = database(jobs())
    outcome = maskwise.anonymize(connection.table("people"), POLICY)
    connection.con.execute("INSERT INTO people VALUES ('UNIQUE', 'x')")
    assert sorted(outcome.data.to_pyarrow()["Job"].to_pylist()) == ["a"] * 4 + ["b"] * 4


@pytest.mark.slow
def test_two_releases_from_one_database_do_not_touch_each_other_or_its_tables() -> None:
    values = [f"v{i:03}" for i in range(600) for _ in range(1 + i % 3)]
    first = pa.table({"Job": values, "c": ["xy"[i % 2] for i in range(len(values))]})
    connection = database(first)
    connection.con.execute("CREATE TABLE lookup_0 AS SELECT 42 AS answer")
    before = tables(connection)
    one = maskwise.anonymize(connection.table("people"), POLICY)
    shown = one.data.to_pyarrow()["Job"].to_pylist()
    connection.con.execute("CREATE TABLE others AS SELECT 'w' || (i % 700) AS Job, 'x' AS c FROM range(2100) t(i)")
    maskwise.anonymize(connection.table("others"), POLICY, shuffle=True)
    assert one.data.to_pyarrow()["Job"].to_pylist() == shown
    assert connection.con.execute("SELECT answer FROM lookup_0").fetchall() == [(42,)]
    left = tables(connection) - before - {"others"}
    assert {name for name in left if not name.startswith("maskwise_")} == set()
    assert len(left) == 2


def test_a_table_in_memory_is_masked_too() -> None:
    outcome = maskwise.anonymize(ibis.memtable(jobs()), POLICY, keep_order=True)
    assert outcome.data["Job"].to_pylist() == jobs()["Job"].to_pylist()


def test_a_pandas_index_is_not_released() -> None:
    frame = pd.DataFrame({"Age": [20, 21, 22, 40, 41, 42], "c": list("xxxyyy")})
    frame = frame.set_index("Age", drop=False)
    policy = {"class": "c", "attributes": {"Age": {"interval": [0, 99]}}, "requirements": [{"qid": ["Age"], "k": 3}]}
    for shuffle in (False, True):
        released = maskwise.anonymize(frame, policy, shuffle=shuffle).data
        assert list(released.index) == list(range(6))
        assert released.index.name is None


def test_later_rows_bring_no_column_that_the_release_did_not_have(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("Job,SSN,c\n" + "a,1,x\nb,2,y\n" * 4)
    (tmp_path / "p.yaml").write_text(
        "class: c\nattributes: {Job: suppress}\nrequirements: [{qid: [Job], k: 3}]\ndrop: [SSN]\n"
    )
    base = [str(tmp_path / "in.csv"), "-p", str(tmp_path / "p.yaml"), "-o", str(tmp_path / "out.csv")]
    assert main(["mask", *base, "--solution", str(tmp_path / "s.json"), "-q"]) == 0
    (tmp_path / "later.csv").write_text("Job,ssn,email,c\na,111-22,a@b.c,x\n")
    later = maskwise.apply(tmp_path / "later.csv", tmp_path / "s.json", tmp_path / "later-out.csv")
    assert later.left_out == ("email",)
    assert (tmp_path / "later-out.csv").read_text() == "Job,c\na,x\n"
    with pytest.raises(maskwise.InputError, match="the column `email` itself"):
        maskwise.apply(tmp_path / "later.csv", tmp_path / "s.json", strict=True)


def test_numbers_outside_the_range_are_counted() -> None:
    people = pa.table({"Age": [20, 30, 40, 50] * 3, "c": ["x", "x", "y", "y"] * 3})
    policy = {"class": "c", "attributes": {"Age": {"interval": [0, 99]}}, "requirements": [{"qid": ["Age"], "k": 3}]}
    solution = maskwise.anonymize(people, policy).solution
    rows = pa.table({"Age": [-5, 25, 120, 130], "c": list("xxyy")})
    later = maskwise.apply(rows, solution, keep_order=True)
    inside = solution.cut("Age").show_number(25)
    assert (later.outside, later.n_outside_dropped) == ({"Age": 3}, 0)
    assert later.data["Age"].to_pylist() == ["[0, 99] or outside", inside, *["[0, 99] or outside"] * 2]
    left = maskwise.apply(rows, solution, outside="drop")
    assert (left.outside, left.n_outside_dropped, left.verdict.n_rows) == ({"Age": 3}, 3, 1)
    assert left.data.to_pylist() == [{"Age": inside, "c": "x"}]
    with pytest.raises(maskwise.InputError, match="`Age` in 3 records"):
        maskwise.apply(rows, solution, outside="refuse")


def damaged(change: Any) -> str:
    data = json.loads(solution_file.dumps(maskwise.anonymize(jobs(), POLICY).solution))
    change(data)
    return json.dumps(data)


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["attributes"].clear(),
        lambda data: data["requirements"].clear(),
        lambda data: data["attributes"].append(data["attributes"][0]),
        lambda data: data["attributes"][0].update(root="any"),
        lambda data: data["attributes"][0].update(hidden=["a"], shown=["a"]),
        lambda data: data["attributes"][0].update(kind="interval", scale="integer", breaks=[1, float("inf")]),
        lambda data: data["attributes"][0].update(kind="interval", scale="integer", breaks=[2, 1]),
        lambda data: data.update(format_version=99),
    ],
)
def test_a_solution_that_was_tampered_with_is_refused(change: Any) -> None:
    with pytest.raises(maskwise.InputError):
        solution_file.loads(damaged(change))


def test_a_solution_is_for_the_owners_eyes_and_targets_keep_their_mode(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("Job,c\n" + "a,x\nb,y\n" * 4)
    (tmp_path / "p.yaml").write_text("class: c\nattributes: {Job: suppress}\nrequirements: [{qid: [Job], k: 3}]\n")
    out, solution = tmp_path / "out.csv", tmp_path / "s.json"
    out.write_text("old")
    out.chmod(0o600)
    arguments = ["mask", str(tmp_path / "in.csv"), "-p", str(tmp_path / "p.yaml"), "-o", str(out), "-q"]
    assert main([*arguments, "--solution", str(solution)]) == 0
    assert stat.S_IMODE(solution.stat().st_mode) == 0o600
    assert stat.S_IMODE(out.stat().st_mode) == 0o600


def test_files_beside_a_release_appear_with_it_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in.csv").write_text("Job,c\n" + "a,x\nb,y\n" * 4)
    (tmp_path / "p.yaml").write_text("class: c\nattributes: {Job: suppress}\nrequirements: [{qid: [Job], k: 3}]\n")

    def fail(*_: object, **__: object) -> None:
        raise maskwise.errors.WriteError("no space")

    monkeypatch.setattr("maskwise.release.file_set.FileSet.write", fail)
    arguments = [
        "mask",
        str(tmp_path / "in.csv"),
        "-p",
        str(tmp_path / "p.yaml"),
        "-o",
        str(tmp_path / "out.csv"),
        "-q",
    ]
    assert main([*arguments, "--solution", str(tmp_path / "s.json")]) == 2
    assert {path.name for path in tmp_path.iterdir()} == {"in.csv", "p.yaml"}


def test_decimals_after_many_whole_numbers_are_not_rounded(tmp_path: Path) -> None:
    ages = [str(20 + i % 40) for i in range(300)] + ["36.7", "1e1"] * 2
    (tmp_path / "in.csv").write_text("age,c\n" + "".join(f"{a},{'xy'[i % 2]}\n" for i, a in enumerate(ages)))
    policy = {"class": "c", "attributes": {"age": {"interval": [0, 99]}}, "requirements": [{"qid": ["age"], "k": 2}]}
    shown = maskwise.anonymize(tmp_path / "in.csv", policy, keep_order=True).data["age"].to_pylist()
    for age, label in zip(ages, shown, strict=True):
        low, high = (float(end) for end in label.strip("[)]").split(", "))
        assert low <= float(age) <= high, (age, label)


def test_both_zeros_are_one_number() -> None:
    table = pa.table({"x": [0.0, -0.0, 1.0, 2.0], "c": list("abab")})
    for kind in ("interval", "suppress"):
        policy = {"class": "c", "attributes": {"x": kind}, "requirements": [{"qid": ["x"], "k": 2}]}
        shown = maskwise.anonymize(table, policy, keep_order=True).data["x"].to_pylist()
        assert shown[0] == shown[1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["self", "a;b;c;d", "-Age", "row", "n", "c0", "k0", 'quo"te', "new\nline", "which"])
@pytest.mark.parametrize("escape", [False, True])
def test_any_column_name_will_do(tmp_path: Path, name: str, escape: bool) -> None:
    table = pa.table({name: ["a", "a", "b", "b"], "c": list("xyxy")})
    policy = {"class": "c", "attributes": {name: "suppress"}, "requirements": [{"qid": [name], "k": 2}]}
    outcome = maskwise.anonymize(table, policy, tmp_path / "out.csv", escape_formulas=escape)
    assert outcome.verdict.is_met
    shown = maskwise.anonymize(table, policy, criterion="score", keep_order=True).data
    assert shown[name].to_pylist() == ["a", "a", "b", "b"]


def test_value_order_does_not_depend_on_words_that_python_takes_for_numbers() -> None:
    cells = ["10", "9", "nan", "1_0", "infinity"] * 3
    table = pa.table({"x": cells, "c": ["x", "y", "x"] * 5})
    policy = {"class": "c", "attributes": {"x": "suppress"}, "requirements": [{"qid": ["x"], "k": 4}]}
    assert maskwise.anonymize(table, policy).solution.cut("x").hidden == ("10", "1_0", "9", "infinity", "nan")


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (pa.table({"x": [[1], [2]], "c": ["a", "b"]}), "a set of values cannot be masked"),
        (pa.table({"x": ["a", "b"], "c": [[1], [2]]}), "nested or binary"),
        (pa.table({"x": [1] * 1001, "c": list(range(1001))}), "1,001 different values"),
    ],
)
def test_columns_that_cannot_be_counted_are_refused(table: pa.Table, says: str) -> None:
    with pytest.raises(maskwise.InputError, match=says):
        maskwise.anonymize(table, {"class": "c", "requirements": [{"qid": ["x"], "k": 1}]})


@pytest.mark.parametrize("numbers", [[-1.7e308, 0.0, 1.7e308, 1.7e308], [-(2**63), 0, 2**63 - 1, 5]])
def test_the_largest_numbers_have_intervals(numbers: list[float]) -> None:
    outcome = maskwise.anonymize(pa.table({"x": numbers}), {"requirements": [{"qid": ["x"], "k": 1}]})
    assert outcome.verdict.is_met
    assert len(set(outcome.data["x"].to_pylist())) > 1


@pytest.mark.parametrize(
    "options",
    [
        {"keep_order": True, "seed": 3, "criterion": "score"},
        {"seed": -1},
        {"shuffle": True, "seed": -1},
        {"time_limit": float("nan")},
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(maskwise.InputError):
        maskwise.anonymize(jobs(), POLICY, **options)


def test_swapped_arguments_are_told() -> None:
    with pytest.raises(maskwise.InputError, match="swapped"):
        maskwise.anonymize("policy.yaml", jobs())  # type: ignore[arg-type]


def test_lost_leading_zeros_are_suspected() -> None:
    table = pa.table({"zip": [2134, 10001] * 3, "c": list("xyxyxy")})
    policy = {
        "class": "c",
        "attributes": {"zip": {"taxonomy": {"Any": ["02134", "10001"]}}},
        "requirements": [{"qid": ["zip"], "k": 2}],
    }
    with pytest.raises(maskwise.InputError, match="leading zeros"):
        maskwise.anonymize(table, policy)


def test_a_table_without_a_header_is_suspected_and_not_quoted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "in.csv").write_text("39,John Smith,123-45-6789\n40,Jane Roe,987-65-4321\n")
    (tmp_path / "p.yaml").write_text("requirements: [{qid: [Age, Zip], k: 2}]\n")
    assert main(["mask", str(tmp_path / "in.csv"), "-p", str(tmp_path / "p.yaml"), "-o", str(tmp_path / "o.csv")]) == 2
    said = capsys.readouterr().err
    assert "first line a header" in said
    assert "Smith" not in said
    assert "6789" not in said


@pytest.mark.slow
def test_wide_quasi_identifiers_are_masked_in_seconds() -> None:
    rng = np.random.default_rng(0)
    table = pa.table(
        {f"a{i}": rng.integers(0, 3, 60).astype(str) for i in range(120)} | {"c": ["xy"[i % 2] for i in range(60)]}
    )
    policy = {"class": "c", "requirements": [{"qid": [f"a{i}" for i in range(120)], "k": 5}]}
    assert maskwise.anonymize(table, policy).verdict.is_met


@pytest.mark.slow
def test_many_intervals_are_looked_up() -> None:
    """More intervals than a CASE takes: each number still falls into the interval it shows."""
    numbers = list(range(1200))
    table = pa.table({"x": numbers, "c": ["xy"[i % 2] for i in numbers]})
    policy = {"class": "c", "attributes": {"x": {"interval": [0, 1199]}}, "requirements": [{"qid": ["x"], "k": 1}]}
    outcome = maskwise.anonymize(table, policy, as_published=True)
    shown = outcome.data["x"].to_pylist()
    assert len(set(shown)) == 1200
    for number, label in zip(numbers, shown, strict=True):
        low, high = (int(end) for end in label.strip("[)]").split(", "))
        assert low <= number < high or (number == high == 1199)


@settings(deadline=None)
@given(st.text("'=+-@a1.\t", max_size=5))
def test_escaping_keeps_different_texts_apart(text: str) -> None:
    others = {text, f"'{text}", f"''{text}", text.removeprefix("'"), text.lstrip("'")}
    assert len({safe_text(one) for one in others}) == len({safe_name(one) for one in others}) == len(others)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_formula_and_its_escaped_form_are_two_values_and_can_be_audited(tmp_path: Path, suffix: str) -> None:
    """Both are in the QID and in the sensitive column, whose name begins like a formula as well."""
    texts = ["=x", "'=x", "''=x"] * 8
    table = pa.table({"q": texts, "=ill": sorted(texts), "c": ["a", "b"] * 12})
    policy = {
        "class": "c",
        "attributes": {"q": {"taxonomy": {"any": ["=x", "'=x", "''=x"]}}},
        "requirements": [
            {"qid": ["q"], "k": 4},
            {"qid": ["q"], "sensitive": {"=ill": ["=x", "'=x"]}, "confidence": 0.5},
            {"qid": ["q"], "sensitive": "=ill", "diversity": {"distinct": 3}},
        ],
    }
    out = tmp_path / f"out{suffix}"
    outcome = maskwise.anonymize(table, policy, out, escape_formulas=True)
    found = maskwise.audit(out, policy, escape_formulas=True)
    assert found == outcome.verdict
    assert found.is_met
    assert found.findings[1].figure > 0


@pytest.mark.slow
def test_nothing_but_the_release_is_left_in_the_owners_database() -> None:
    table = pa.table(dict(zip(HEADER, zip(*people(), strict=True), strict=True)))
    connection = database(table)
    before = tables(connection)
    asked = {"class": "Risk", "requirements": [{"qid": ["Age", "Job"], "k": 5}], "drop": ["Name"]}
    outcome = maskwise.anonymize(connection.table("people"), asked, criterion="conditional")
    assert tables(connection) - before == {outcome.data.op().name}


def test_every_temporary_table_is_dropped_even_if_one_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    source = read(jobs())
    engine = source.engine
    for _ in range(3):
        engine.materialize(source.expr)
    dropped: list[str] = []

    def drop(name: str) -> None:
        dropped.append(name)
        if len(dropped) == 2:
            raise Refusal

    monkeypatch.setattr(engine.dialect, "drop", drop)
    with pytest.raises(Refusal):
        engine.close()
    assert len(dropped) == len(set(dropped)) >= 4


def test_a_requirement_on_an_unreleased_column_is_counted_on_the_whole_table() -> None:
    asked = [Confidence(("Job",), (("Ill", "HIV", Fraction(1, 2)),))]
    whole = read(pa.table({"Job": ["x", "x", "y", "y"], "Ill": ["HIV", "Flu", "HIV", "HIV"]}))
    verdict = recount(drop_columns(whole, ["Ill"]), asked, escaped=False, whole=whole)
    assert (verdict.is_met, verdict.findings[0].figure, verdict.findings[0].n_violating_groups) == (False, 1.0, 1)
    other = read(pa.table({"Job": ["x", "x", "x", "y"]}))
    with pytest.raises(RefusedError, match="does not show the groups on"):
        recount(other, asked, escaped=False, whole=whole)
