"""Bad input: the exit code, the facts in the message, and a folder that stays as it was."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

from tests.conftest import HEADER, Run, cells, csv_text, folder, people

SECRET = "SECRET-7391"  # noqa: S105 - a cell, no password
Refused = Callable[..., object]


@pytest.fixture
def mask(tmp_path: Path, policy: Path, refused: Refused) -> Callable[..., object]:
    """Mask bytes that must be refused."""

    def call(raw: bytes, *, name: str = "in.csv", asks: str = "", **expected: object) -> object:
        (tmp_path / name).write_bytes(raw)
        if asks:
            policy.write_text(asks, encoding="utf-8")
        return refused("mask", tmp_path / name, "-p", policy, "-o", tmp_path / "out.csv", **expected)

    return call


def with_cells(column: str, changes: dict[int, str]) -> bytes:
    """The people, with some cells of a column replaced."""
    rows = [list(row) for row in people()]
    for at, cell in changes.items():
        rows[at][HEADER.index(column)] = cell
    return csv_text(HEADER, rows).encode()


def test_no_such_file_suggests_the_nearest(tmp_path: Path, data: Path, policy: Path, refused: Refused) -> None:
    del data
    path = tmp_path / "poeple.csv"
    refused("mask", path, "-p", policy, "-o", tmp_path / "out.csv", says=[str(path), "Did you mean `people.csv`?"])


def test_a_folder_is_no_table(tmp_path: Path, policy: Path, refused: Refused) -> None:
    (tmp_path / "in.csv").mkdir()
    refused("mask", tmp_path / "in.csv", "-p", policy, "-o", tmp_path / "out.csv", says=["in.csv"])


@pytest.mark.parametrize("name", ["in.csv", "in.tsv", "in.parquet", "in.arrow", "in.csv.gz"])
def test_an_empty_file_is_refused(mask: Callable, name: str) -> None:
    mask(b"", name=name, says=[name, "empty"])


def test_a_gzip_of_nothing_is_refused(mask: Callable) -> None:
    mask(gzip.compress(b""), name="in.csv.gz", says=["in.csv.gz", "empty"])


@pytest.mark.parametrize("raw", [b",".join(name.encode() for name in HEADER) + end for end in (b"\n", b"", b"\r\n")])
def test_a_header_alone_is_refused(mask: Callable, raw: bytes) -> None:
    mask(raw, says=["in.csv", "no record"])


@pytest.mark.parametrize("name", ["in.parquet", "in.arrow"])
def test_a_typed_file_without_records_is_refused(tmp_path: Path, policy: Path, refused: Refused, name: str) -> None:
    table = pa.table({name: pa.array([], pa.string()) for name in HEADER})
    if name.endswith("parquet"):
        pq.write_table(table, tmp_path / name)
    else:
        with pa.OSFile(str(tmp_path / name), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    refused("mask", tmp_path / name, "-p", policy, "-o", tmp_path / "out.csv", says=[name, "no record"])


def test_a_column_name_that_stands_twice_is_refused(mask: Callable) -> None:
    mask(b"Age,Sex,Age\n1,M,2\n", says=["in.csv", "the same name in columns 1 and 3", "Rename one"], hides=["Age"])


def test_names_that_differ_in_case_alone_are_refused(mask: Callable) -> None:
    mask(b"Age,Sex,AGE\n1,M,2\n", says=["in.csv", "differ in case", "columns 1 and 3", "Rename one"])


def test_a_column_without_a_name_is_refused(mask: Callable) -> None:
    mask(b"Age,,Sex\n1,x,M\n", says=["in.csv", "column 2", "Name every column"])


def test_a_column_of_the_policy_that_the_table_lacks_suggests_the_nearest(mask: Callable) -> None:
    mask(
        csv_text(HEADER, people()).encode(),
        asks="requirements:\n  - {qid: [Sex], k: 2}\n  - {qid: [Zipcode], k: 2}\n",
        says=["policy.yaml, line 3", "`Zipcode`", "`Age`, `Edu`, `Job`", "Did you mean `Zip`?"],
    )


@pytest.mark.parametrize(
    "asks",
    [
        "class: Rsik\nrequirements: [{qid: [Sex], k: 2}]\n",
        "requirements: [{qid: [Sex], k: 2}]\ndrop: [Rsik]\n",
        "attributes: {Rsik: suppress}\nrequirements: [{qid: [Sex], k: 2}]\n",
    ],
)
def test_every_place_of_the_policy_is_held_against_the_table(mask: Callable, asks: str) -> None:
    mask(csv_text(HEADER, people()).encode(), asks=asks, says=["policy.yaml, line", "`Rsik`", "Did you mean `Risk`?"])


def test_all_columns_that_the_table_lacks_are_named_at_once(mask: Callable) -> None:
    mask(
        csv_text(HEADER, people()).encode(),
        asks="class: Rsik\nrequirements:\n  - {qid: [Sexx, Agee], k: 2}\n",
        says=["`Rsik`", "`Sexx`", "`Agee`", "line 1", "line 3"],
    )


def test_values_that_the_taxonomy_lacks_are_counted_and_five_are_shown(mask: Callable) -> None:
    strange = [f"level {i}" for i in range(7)]
    result = mask(
        with_cells("Edu", dict(enumerate(strange))),
        says=["policy.yaml, line 4", "`Edu`", "7 values", *(f"`{text}`" for text in strange[:5]), "2 more"],
        hides=["`level 5`", "`level 6`"],
    )
    assert result.err.count("`level") == 5  # type: ignore[attr-defined]


def test_one_value_that_the_taxonomy_lacks_is_shown_alone(mask: Callable) -> None:
    mask(with_cells("Edu", {3: "PhD"}), says=["`Edu`", "1 value ", "`PhD`"], hides=["more"])


def test_an_inner_value_of_the_taxonomy_in_the_data_is_explained(mask: Callable) -> None:
    mask(with_cells("Edu", {3: "School"}), says=["`Edu`", "`School`", "inner value"])


def test_text_in_an_interval_column_is_counted_and_located(mask: Callable) -> None:
    mask(
        with_cells("Age", {11: "n/a", 40: SECRET, 41: "n/a"}),
        says=["policy.yaml, line 3", "`Age`", "3 of its cells", "record 12"],
        hides=["n/a", SECRET],
    )


def test_records_are_counted_past_quoted_newlines(mask: Callable) -> None:
    raw = csv_text(HEADER, people()).encode().replace(b",Name 3,", b',"Name\n3",')
    assert b'"Name\n3"' in raw
    mask(raw.replace(b"\n0005,Name 5,", b"\n0005,Name 5,x"), says=["`Age`", "1 of its cells", "record 6"])


def test_a_day_that_no_calendar_has_is_refused(mask: Callable) -> None:
    mask(
        b"When,Risk\n2023-02-28,a\n2023-02-29,b\n2023-03-01,a\n",
        asks="attributes: {When: interval}\nrequirements: [{qid: [When], k: 1}]\n",
        says=["`When`", "1 of its cells", "record 2"],
    )


def test_cells_outside_the_declared_range_are_counted(mask: Callable) -> None:
    mask(
        with_cells("Age", {2: "130", 9: "-1", 10: "121"}),
        says=["policy.yaml, line 3", "`Age`", "3 cells", "[0, 120]", "Widen the range"],
        hides=["130", "121"],
    )


def test_a_range_of_the_wrong_kind_is_refused(mask: Callable) -> None:
    mask(
        b"When\n2023-02-28\n2023-03-01\n",
        asks="attributes:\n  When: {interval: [1, 99]}\nrequirements: [{qid: [When], k: 1}]\n",
        says=["policy.yaml, line 2", "`When`", "`1`", "date"],
    )


def test_a_k_above_the_number_of_records_has_no_solution(mask: Callable) -> None:
    mask(
        csv_text(HEADER, people()).encode(),
        asks="requirements:\n  - {qid: [Sex], k: 5}\n  - {qid: [Job, Sex], k: 201}\n  - {qid: [Age], k: 300}\n",
        code=3,
        says=["line 3", "k=201", "{Job, Sex}", "200 records", "line 4", "k=300", "{Age}", "Lower k"],
        hides=["k=5"],
    )


def test_a_class_with_one_value_releases_the_most_masked_table_and_says_so(
    tmp_path: Path, run: Run, policy: Path
) -> None:
    rows = [(*row[:-1], "low") for row in people()]
    (tmp_path / "in.csv").write_text(csv_text(HEADER, rows), encoding="utf-8")
    result = run("mask", tmp_path / "in.csv", "-p", policy, "-o", tmp_path / "out.csv")
    assert result.code == 0
    assert "`Risk` has one value only" in result.err
    released = cells(tmp_path / "out.csv")[1:]
    assert len(released) == len(rows)
    assert {tuple(row[1:5]) for row in released} == {("[0, 120]", "ANY_Edu", "*", "*")}


# Where to write.


def test_a_target_in_no_folder_is_refused(tmp_path: Path, data: Path, policy: Path, refused: Refused) -> None:
    target = tmp_path / "nowhere" / "out.csv"
    refused("mask", data, "-p", policy, "-o", target, says=[str(target.parent), "Create it first"])


def test_a_target_that_is_a_folder_is_refused(tmp_path: Path, data: Path, policy: Path, refused: Refused) -> None:
    (tmp_path / "there.csv").mkdir()
    refused("mask", data, "-p", policy, "-o", tmp_path / "there.csv", says=["there.csv", "is a folder"])


def test_a_folder_without_permission_is_refused(
    tmp_path: Path, data: Path, policy: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    refused("mask", data, "-p", policy, "-o", tmp_path / "out.csv", says=[str(tmp_path), "cannot be written to"])


@pytest.mark.parametrize("option", ["--solution", "--trace", "--report"])
def test_every_target_is_checked_before_anything_is_written(
    tmp_path: Path, data: Path, policy: Path, refused: Refused, option: str
) -> None:
    target = tmp_path / "nowhere" / "file.json"
    refused("mask", data, "-p", policy, "-o", tmp_path / "out.csv", option, target, says=[str(target.parent)])


def test_the_input_is_never_overwritten(tmp_path: Path, data: Path, policy: Path, refused: Refused) -> None:
    refused("mask", data, "-p", policy, "-o", data, says=["people.csv` is the input. Write to another file."])
    (tmp_path / "link.csv").symlink_to(data)
    refused("mask", data, "-p", policy, "-o", tmp_path / "link.csv", says=["link.csv"])


def test_a_hard_link_to_the_input_is_never_overwritten(
    tmp_path: Path, data: Path, policy: Path, refused: Refused
) -> None:
    (tmp_path / "same.csv").hardlink_to(data)
    refused("mask", data, "-p", policy, "-o", tmp_path / "same.csv", says=["same.csv", "is the input"])


@pytest.mark.parametrize("option", ["--solution", "--trace", "--report"])
def test_two_outputs_of_one_name_are_refused(
    tmp_path: Path, data: Path, policy: Path, refused: Refused, option: str
) -> None:
    for other in (data, policy):
        refused("mask", data, "-p", policy, "-o", tmp_path / "out.csv", option, other, says=["`"])
    if option != "--report":
        refused("mask", data, "-p", policy, "-o", tmp_path / "out.csv", option, data, says=["is the input"])
        refused("mask", data, "-p", policy, "-o", data.parent / "o.csv", option, data.parent / "o.csv", says=["twice"])


@pytest.mark.parametrize("name", ["out.xlsx", "out", "out.gz", "out.csv.zip"])
def test_an_unknown_suffix_of_the_output_is_refused(
    tmp_path: Path, data: Path, policy: Path, refused: Refused, name: str
) -> None:
    refused("mask", data, "-p", policy, "-o", tmp_path / name, says=[f"`{name}`", "`.csv`", "`.parquet`", "`.arrow`"])


def test_an_unknown_suffix_of_the_input_is_refused(mask: Callable) -> None:
    mask(b"a,b\n1,2\n", name="in.xlsx", says=["`in.xlsx`", "`.csv`"])


def test_an_unknown_suffix_of_the_report_is_refused(tmp_path: Path, data: Path, policy: Path, refused: Refused) -> None:
    refused(
        *("mask", data, "-p", policy, "-o", tmp_path / "out.csv", "--report", tmp_path / "r.pdf"),
        says=["`r.pdf`", ".md", ".json"],
    )


# Damaged files.


@pytest.mark.parametrize("n_cells", [7, 9])
def test_a_ragged_line_is_located_without_its_content(mask: Callable, n_cells: int) -> None:
    lines = csv_text(HEADER, people()).splitlines()
    lines[20] = ",".join([SECRET] * n_cells)
    mask(
        "\n".join(lines).encode() + b"\n",
        says=["in.csv, line 21", f"{n_cells} cells", "header has 8"],
        hides=[SECRET, "Name 1", "duckdb", "read_csv"],
    )


def test_mixed_line_ends_are_read_or_explained(tmp_path: Path, policy: Path, run: Run) -> None:
    lines = csv_text(HEADER, people()).splitlines()
    raw = "".join(line + ("\r\n" if i % 2 else "\n") for i, line in enumerate(lines))
    (tmp_path / "in.csv").write_bytes(raw.encode())
    result = run("mask", tmp_path / "in.csv", "-p", policy, "-o", tmp_path / "out.csv")
    assert (result.code == 0 and len(cells(tmp_path / "out.csv")) == 201) or "line end" in result.err, result.err


def test_a_damaged_letter_is_located_without_what_stands_beside_it(mask: Callable) -> None:
    lines = csv_text(HEADER, people()).splitlines()
    lines[10] = lines[10].replace("Name", "Jürgen")
    lines[20] = lines[20].replace("Name", SECRET)
    raw = "\n".join(lines).encode().replace(SECRET.encode(), SECRET.encode() + b"\xe4")
    mask(raw, says=["in.csv, line 21", "UTF-8"], hides=[SECRET])


def test_latin_1_text_far_down_a_large_file_is_refused(mask: Callable) -> None:
    lines = csv_text(HEADER, people(40_000)).splitlines()
    assert sum(map(len, lines[:-100])) > 1 << 20
    lines[-5] = lines[-5].replace("Name", SECRET + "ü")
    mask("\n".join(lines).encode("latin-1"), says=["in.csv", "UTF-8"], hides=[SECRET])


def test_a_quote_that_is_never_closed_is_refused_without_its_content(mask: Callable) -> None:
    lines = csv_text(HEADER, people()).splitlines()
    lines[20] = lines[20].split(",")[0] + ',"' + SECRET
    mask("\n".join(lines).encode() + b"\n", says=["in.csv"], hides=[SECRET, "Name 1"])


def test_text_after_a_closing_quote_is_refused_without_its_content(mask: Callable) -> None:
    lines = csv_text(HEADER, people()).splitlines()
    lines[20] = lines[20].replace("Name", f'"{SECRET}"{SECRET}')
    mask("\n".join(lines).encode() + b"\n", says=["in.csv, line 21"], hides=[SECRET])


def parquet_bytes(tmp_path: Path) -> bytes:
    rows = people()
    path = tmp_path / "whole.parquet"
    pq.write_table(pa.table({name: [row[i] for row in rows] for i, name in enumerate(HEADER)}), path)
    raw = path.read_bytes()
    path.unlink()
    return raw


@pytest.mark.parametrize("damage", ["cut off", "other text", "first byte", "inside"])
def test_a_damaged_parquet_file_is_refused(tmp_path: Path, mask: Callable, damage: str) -> None:
    raw = parquet_bytes(tmp_path)
    damaged = {
        "cut off": raw[: len(raw) // 2],
        "other text": b"not parquet at all\n" * 10,
        "first byte": raw[:-1] + b"X",
        "inside": raw[:40] + b"\xff" * 1500 + raw[1540:],
    }[damage]
    mask(damaged, name="in.parquet", says=["in.parquet"], hides=["Name 1"])


@pytest.mark.parametrize("name", ["in.arrow", "in.arrow.gz", "in.parquet.gz", "in.csv.gz"])
def test_a_file_that_is_not_what_its_name_says_is_refused(mask: Callable, name: str) -> None:
    mask(csv_text(HEADER, people()).encode(), name=name, says=[name, "not a whole"])


@pytest.mark.slow
@pytest.mark.parametrize("n_people", [200, 40_000])
def test_half_a_gzip_file_is_refused(mask: Callable, n_people: int) -> None:
    raw = gzip.compress(csv_text(HEADER, people(n_people)).encode())
    mask(raw[: len(raw) // 2], name="in.csv.gz", says=["in.csv.gz", "not a whole"])


def test_a_missing_cell_is_refused_where_the_policy_says_error(mask: Callable) -> None:
    mask(
        with_cells("Age", {4: "", 5: ""}),
        asks="requirements: [{qid: [Age], k: 2}]\nmissing: error\n",
        says=["policy.yaml, line 2", "`Age`", "2 missing cells", "missing: keep"],
    )


# The command line itself.


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["maks", "a.csv"], ["maks", "mask"]),
        (["mask"], ["--help"]),
        (["mask", "people.csv"], ["policy"]),
        (["mask", "people.csv", "-p", "policy.yaml"], ["output"]),
        (["mask", "people.csv", "-p", "policy.yaml", "-o", "out.csv", "--frobnicate"], ["--frobnicate"]),
        (["mask", "people.csv", "-p", "policy.yaml", "-o", "out.csv", "--max-steps", "many"], ["many"]),
        (["mask", "people.csv", "-p", "policy.yaml", "-o", "out.csv", "--max-steps", "-1"], ["at least 0"]),
        (["mask", "people.csv", "-p", "policy.yaml", "-o", "out.csv", "--time-limit", "-1"], ["at least 0"]),
        (["mask", "people.csv", "-p", "policy.yaml", "-o", "out.csv", "--criterion", "luck"], ["luck", "infogain"]),
        (["mask", "people.csv", "-p", "policy.yaml", "-o", "out.csv", "--public"], ["--solution"]),
        (["apply", "people.csv", "-o", "out.csv"], ["solution"]),
        (["apply", "people.csv", "-s", "nowhere.json", "-o", "out.csv"], ["nowhere.json"]),
        (["apply", "people.csv", "-s", "policy.yaml", "-o", "out.csv"], ["policy.yaml", "not JSON"]),
        (["audit", "people.csv"], ["policy"]),
        (["audit", "people.csv", "-p", "nowhere.yaml"], ["nowhere.yaml"]),
    ],
)
def test_wrong_arguments_exit_2(
    tmp_path: Path,
    data: Path,
    policy: Path,
    refused: Refused,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    says: list[str],
) -> None:
    del data, policy
    monkeypatch.chdir(tmp_path)
    refused(*arguments, says=["error:", *says])


@pytest.mark.parametrize("arguments", [["--help"], ["mask", "--help"], ["--version"], []])
def test_asking_for_help_is_no_mistake(run: Run, arguments: list[str]) -> None:
    result = run(*arguments)
    assert (result.code, result.err) == (0, "")
    assert result.out.strip()


@pytest.mark.parametrize("name", ["[bold]red[/bold].csv", "a:100:b.csv", "x\\[y.csv"])
def test_names_are_printed_as_they_are(tmp_path: Path, policy: Path, refused: Refused, name: str) -> None:
    refused("mask", tmp_path / name, "-p", policy, "-o", tmp_path / "out.csv", says=[name])


def test_an_unforeseen_failure_is_our_bug_and_quotes_no_data(
    tmp_path: Path, data: Path, policy: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise KeyError(SECRET)

    monkeypatch.delenv("MASKWISE_DEBUG", raising=False)
    monkeypatch.setattr("maskwise.release.publish.verify", fail)
    refused(
        *("mask", data, "-p", policy, "-o", tmp_path / "out.csv"),
        code=70,
        says=["KeyError", "MASKWISE_DEBUG"],
        hides=[SECRET],
    )


def test_a_release_that_the_verifier_does_not_accept_is_never_written(
    tmp_path: Path, data: Path, policy: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    from maskwise.release import mask as masking

    # A mask that forgets to mask: the recount must notice.
    monkeypatch.setattr(masking, "mask", lambda table, solution, *_, **__: masking.drop_columns(table, solution.drop))
    refused(
        *("mask", data, "-p", policy, "-o", tmp_path / "out.csv"),
        code=70,
        says=["k=5 on {Age, Edu, Job} is not met, it reaches 1", "Nothing was released"],
    )


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".arrow"])
def test_the_verifier_reads_the_cells_and_not_the_name_of_the_folder(
    tmp_path: Path, data: Path, policy: Path, run: Run, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    from maskwise.release import mask as masking

    # A database may take `Age=30` for the value of a column; then every record would look alike.
    target = tmp_path / "Age=30" / "Edu=x" / "Job=y" / "Sex=z" / f"out{suffix}"
    target.parent.mkdir(parents=True)
    monkeypatch.setattr(masking, "mask", lambda table, solution, *_, **__: masking.drop_columns(table, solution.drop))
    result = run("mask", data, "-p", policy, "-o", target)
    assert result.code == 70
    assert list(target.parent.iterdir()) == []


@pytest.mark.slow
def test_audit_and_apply_refuse_as_mask_does(
    tmp_path: Path, data: Path, policy: Path, refused: Refused, run: Run
) -> None:
    solution = tmp_path / "s.json"
    assert run("mask", data, "-p", policy, "-o", tmp_path / "first.csv", "--solution", solution).code == 0
    bad = tmp_path / "in.csv"
    bad.write_text(f"Age,Sex\n{SECRET}\n", encoding="utf-8")
    refused("audit", bad, "-p", policy, says=["in.csv, line 2"], hides=[SECRET])
    refused("apply", bad, "-s", solution, "-o", tmp_path / "out.csv", says=["in.csv, line 2"], hides=[SECRET])
    bad.write_text("Age,Sex\n30,M\n", encoding="utf-8")
    refused("audit", bad, "-p", policy, says=["`Edu`", "not in the table"])
    refused("apply", bad, "-s", solution, "-o", tmp_path / "out.csv", says=["`Edu`", "is in the solution"])
    assert "first.csv" in folder(tmp_path)
