"""`maskwise apply`: later rows, masked in the same way."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from maskwise.cli.app import main
from tests.conftest import HEADER, MASKED, PARENT, POLICY, Run, cells, csv_text, folder, frame, group_sizes, people


@pytest.fixture(scope="module")
def masked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the release of the people and its solution, masked once for all tests."""
    made = tmp_path_factory.mktemp("masked")
    (made / "people.csv").write_text(csv_text(HEADER, people()), encoding="utf-8")
    (made / "policy.yaml").write_text(POLICY, encoding="utf-8")
    arguments = ("-p", made / "policy.yaml", "-o", made / "released.csv", "--solution", made / "solution.json")
    assert main([str(argument) for argument in ("mask", made / "people.csv", *arguments, "--quiet")]) == 0
    return made


@pytest.fixture
def solution(tmp_path: Path, masked: Path) -> Path:
    """The solution for the people; `released.csv` is their release."""
    shutil.copytree(masked, tmp_path, dirs_exist_ok=True)
    return tmp_path / "solution.json"


def shown_by(solution: Path) -> dict[str, list[str]]:
    """The labels that a solution file says are shown, by attribute."""
    return {e["name"]: e["shown"] for e in json.loads(solution.read_text(encoding="utf-8"))["attributes"]}


def rows_with(**changes: list[str]) -> list[list[str]]:
    """The first people, with columns replaced."""
    n = len(next(iter(changes.values())))
    rows = [list(row) for row in people()[:n]]
    for name, values in changes.items():
        for row, value in zip(rows, values, strict=True):
            row[HEADER.index(name)] = value
    return rows


def applied(tmp_path: Path, run: Run, solution: Path, rows: list[list[str]], *options: str) -> dict:
    (tmp_path / "later.csv").write_text(csv_text(HEADER, rows), encoding="utf-8")
    arguments = ("-s", solution, "-o", tmp_path / "later-out.csv", "--json", "--keep-order", *options)
    result = run("apply", tmp_path / "later.csv", *arguments)
    assert result.code == 0, result.err
    return json.loads(result.out)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".tsv"])
def test_the_training_table_comes_out_as_it_was_released(
    tmp_path: Path, run: Run, data: Path, policy: Path, suffix: str
) -> None:
    one, two = tmp_path / f"one{suffix}", tmp_path / f"two{suffix}"
    assert run("mask", data, "-p", policy, "-o", one, "--solution", tmp_path / "s.json", "--keep-order").code == 0
    arguments = ("-s", tmp_path / "s.json", "-o", two, "--strict", "--enforce", "--keep-order")
    assert run("apply", data, *arguments).code == 0
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.slow
def test_each_later_cell_is_shown_as_the_solution_says(tmp_path: Path, run: Run, solution: Path) -> None:
    later = [list(row) for row in people(100, seed=99)]
    applied(tmp_path, run, solution, later)
    shown, table = shown_by(solution), frame(tmp_path / "later-out.csv")
    assert list(table.columns) == [name for name in HEADER if name != "Name"]
    for row, age, edu, job in zip(later, table["Age"], table["Edu"], table["Job"], strict=True):
        original = dict(zip(HEADER, row, strict=True))
        low, high = age[1:-1].split(", ")
        assert age in shown["Age"]
        assert int(low) <= int(original["Age"]) <= int(high)
        assert edu == seen_as(original["Edu"], shown["Edu"])
        assert job == (original["Job"] if original["Job"] in shown["Job"] else "*")


def seen_as(value: str, shown: list[str]) -> str:
    """The shown value above a leaf, by walking up the tree."""
    while value not in shown:
        value = PARENT[value]
    return value


AGES = ["-40", "121", "99999", "0", "120", "130.5"]
"""Ages of later rows: all but two lie outside the range from 0 to 120."""


def test_numbers_outside_the_range_are_shown_as_the_range_or_outside(tmp_path: Path, run: Run, solution: Path) -> None:
    labels = shown_by(solution)["Age"]
    assert len(labels) > 1
    said = applied(tmp_path, run, solution, rows_with(Age=AGES))
    first, last, beyond = labels[0], labels[-1], "[0, 120] or outside"
    assert frame(tmp_path / "later-out.csv")["Age"].tolist() == [beyond, beyond, beyond, first, last, beyond]
    assert "Age" not in said["unknown"]
    assert (said["outside"], said["dropped_outside"], said["rows"]) == ({"Age": 4}, 0, 6)


def test_rows_outside_the_range_can_be_left_out(tmp_path: Path, run: Run, solution: Path) -> None:
    labels = shown_by(solution)["Age"]
    said = applied(tmp_path, run, solution, rows_with(Age=AGES), "--outside", "drop")
    table = frame(tmp_path / "later-out.csv")
    assert table["Age"].tolist() == [labels[0], labels[-1]]
    assert table["Id"].tolist() == ["0003", "0004"]
    assert (said["outside"], said["dropped_outside"], said["rows"]) == ({"Age": 4}, 4, 2)


@pytest.mark.parametrize("option", [("--outside", "refuse"), ("--strict",), ("--strict", "--outside", "drop")])
def test_rows_outside_the_range_can_be_refused(tmp_path: Path, refused, solution: Path, option: tuple[str]) -> None:
    (tmp_path / "later.csv").write_text(csv_text(HEADER, rows_with(Age=AGES)), encoding="utf-8")
    refused(
        *("apply", tmp_path / "later.csv", "-s", solution, "-o", tmp_path / "out.csv", *option),
        says=["`Age` in 4 records", "outside every interval", "outside drop"],
        hides=["99999", "130.5"],
    )


@pytest.mark.parametrize(("how", "said"), [("root", "shown as the whole range, or outside"), ("drop", "left out")])
def test_people_are_told_what_lies_outside(tmp_path: Path, run: Run, solution: Path, how: str, said: str) -> None:
    (tmp_path / "later.csv").write_text(csv_text(HEADER, rows_with(Age=AGES)), encoding="utf-8")
    arguments = ("-s", solution, "-o", tmp_path / "later-out.csv", "--outside", how)
    result = run("apply", tmp_path / "later.csv", *arguments)
    assert result.code == 0
    assert f"`Age` is outside every interval in 4 records; {said}." in result.err
    assert "99999" not in result.err + result.out


@pytest.mark.slow
def test_dates_after_the_range_are_not_shown_inside_it(tmp_path: Path, run: Run) -> None:
    """A range that ends with 2024 does not hold an admission of January 2025."""
    days = [f"2024-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(120)]
    rows = [(day, "xy"[day > "2024-06"]) for day in days]
    (tmp_path / "in.csv").write_text(csv_text(("Admitted", "C"), rows), encoding="utf-8")
    (tmp_path / "p.yaml").write_text(
        "class: C\nattributes: {Admitted: {interval: [2024-01-01, 2024-12-31]}}\n"
        "requirements: [{qid: [Admitted], k: 10}]\n"
    )
    solution = tmp_path / "s.json"
    masked = ("-p", tmp_path / "p.yaml", "-o", tmp_path / "o.csv", "--solution", solution)
    assert run("mask", tmp_path / "in.csv", *masked).code == 0
    last = shown_by(solution)["Admitted"][-1]
    assert last.endswith(", 2024-12-31]")
    later = ["2024-12-31", "2025-01-01", "2025-01-15", "2023-12-31"]
    (tmp_path / "later.csv").write_text(csv_text(("Admitted", "C"), [(day, "x") for day in later]), encoding="utf-8")
    beyond = "[2024-01-01, 2024-12-31] or outside"
    for outside, expected in {"root": [last, beyond, beyond, beyond], "drop": [last]}.items():
        arguments = ("-s", solution, "-o", tmp_path / "later-out.csv", "--keep-order", "--outside", outside)
        assert run("apply", tmp_path / "later.csv", *arguments).code == 0
        assert frame(tmp_path / "later-out.csv")["Admitted"].tolist() == expected


def test_a_category_that_is_known_but_was_absent_goes_to_its_cut_value(
    tmp_path: Path, run: Run, solution: Path
) -> None:
    said = applied(tmp_path, run, solution, rows_with(Edu=["doctor", "doctor", "master"]), "--strict")
    shown = shown_by(solution)["Edu"]
    expected = [seen_as(value, shown) for value in ("doctor", "doctor", "master")]
    assert frame(tmp_path / "later-out.csv")["Edu"].tolist() == expected
    assert said["unknown"] == {}


def test_an_unknown_category_is_shown_as_the_root_and_counted(tmp_path: Path, run: Run, solution: Path) -> None:
    rows = rows_with(Edu=["wizard", "witch", "wizard", "master"], Job=["clerk", "pilot", "pilot", "nurse"])
    said = applied(tmp_path, run, solution, rows)
    table = frame(tmp_path / "later-out.csv")
    assert table["Edu"].tolist()[:3] == ["ANY_Edu"] * 3
    assert table["Job"].tolist()[1:3] == ["*", "*"]
    assert said["unknown"] == {"Edu": {"values": 2, "records": 3}, "Job": {"values": 1, "records": 2}}


def test_unknown_categories_are_told_to_people_without_their_names(tmp_path: Path, run: Run, solution: Path) -> None:
    (tmp_path / "later.csv").write_text(csv_text(HEADER, rows_with(Edu=["wizard", "witch", "wizard"])))
    result = run("apply", tmp_path / "later.csv", "-s", solution, "-o", tmp_path / "later-out.csv")
    assert result.code == 0
    assert "`Edu` has 2 values the solution does not know, in 3 records" in result.err
    assert "wizard" not in result.err + result.out


def test_unknown_values_of_a_column_that_shows_nothing_are_not_mentioned(tmp_path: Path, run: Run) -> None:
    rows = [f"{i},{'ab'[i % 2]}" for i in range(40)]
    (tmp_path / "people.csv").write_text("\n".join(["code,sex", *rows]) + "\n")
    asked = "attributes: {code: suppress, sex: suppress}\nrequirements: [{qid: [code, sex], k: 5}]\n"
    (tmp_path / "policy.yaml").write_text(asked)
    made = ("-o", tmp_path / "out.csv", "--solution", tmp_path / "s.json")
    assert run("mask", tmp_path / "people.csv", "-p", tmp_path / "policy.yaml", *made).code == 0
    (tmp_path / "later.csv").write_text("code,sex\n901,a\n902,c\n")
    result = run("apply", tmp_path / "later.csv", "-s", tmp_path / "s.json", "-o", tmp_path / "later-out.csv")
    assert result.code == 0
    assert "`code` has" not in result.err
    assert "`sex` has 1 value the solution does not know, in 1 record; shown as" in result.err


def test_strict_refuses_unknown_categories(tmp_path: Path, refused, solution: Path) -> None:
    (tmp_path / "later.csv").write_text(csv_text(HEADER, rows_with(Edu=["wizard", "witch", "wizard"])))
    refused(
        *("apply", tmp_path / "later.csv", "-s", solution, "-o", tmp_path / "out.csv", "--strict"),
        says=["`Edu`", "3 records", "strict"],
        hides=["wizard", "witch"],
    )
    refused("apply", tmp_path / "later.csv", "-s", solution, "-o", tmp_path / "new.csv", "--strict")


def test_the_verdict_is_about_these_rows_alone(tmp_path: Path, run: Run, solution: Path) -> None:
    said = applied(tmp_path, run, solution, [list(row) for row in people(60, seed=5)])
    table = frame(tmp_path / "later-out.csv")
    assert said["rows"] == 60
    for item in said["requirements"]:
        sizes = group_sizes(table, item["qid"])
        small = sizes[sizes < item["k"]]
        assert (item["reached"], item["groups"]) == (sizes.min(), len(sizes))
        assert (item["violating_groups"], item["violating_records"]) == (len(small), small.sum())
    assert said["holds"] is False


def test_enforce_refuses_rows_that_alone_do_not_hold(tmp_path: Path, refused, solution: Path) -> None:
    (tmp_path / "later.csv").write_text(csv_text(HEADER, people(3, seed=5)), encoding="utf-8")
    refused(
        *("apply", tmp_path / "later.csv", "-s", solution, "-o", tmp_path / "out.csv", "--enforce"),
        code=1,
        says=["k=5 on {Age, Edu, Job} is not met", "k=8 on {Age, Sex} is not met"],
    )
    refused("apply", tmp_path / "later.csv", "-s", solution, "-o", tmp_path / "new.csv", "--enforce", code=1)


def test_without_enforce_rows_that_do_not_hold_are_written_with_a_warning(
    tmp_path: Path, run: Run, solution: Path
) -> None:
    (tmp_path / "later.csv").write_text(csv_text(HEADER, people(3, seed=5)), encoding="utf-8")
    result = run("apply", tmp_path / "later.csv", "-s", solution, "-o", tmp_path / "later-out.csv")
    assert result.code == 0
    assert "do not meet every requirement" in result.err
    assert len(cells(tmp_path / "later-out.csv")) == 4


def test_text_in_an_interval_column_is_refused(tmp_path: Path, refused, solution: Path) -> None:
    (tmp_path / "later.csv").write_text(csv_text(HEADER, rows_with(Age=["30", "old", "31", "older"])))
    refused(
        *("apply", tmp_path / "later.csv", "-s", solution, "-o", tmp_path / "out.csv"),
        says=["`Age`", "2 cells", "record 2"],
        hides=["old."],
    )


def test_a_missing_cell_that_the_solution_never_saw_is_shown_as_the_root_and_counted(
    tmp_path: Path, run: Run, solution: Path
) -> None:
    said = applied(tmp_path, run, solution, rows_with(Age=["", "30"], Edu=["master", ""], Job=["", "clerk"]))
    table = frame(tmp_path / "later-out.csv")
    assert (table["Age"][0], table["Edu"][1], table["Job"][0]) == ("[0, 120]", "ANY_Edu", "*")
    assert said["unknown"] == {name: {"values": 1, "records": 1} for name in ("Age", "Edu", "Job")}


def test_new_columns_are_left_out_and_another_column_order_does_no_harm(
    tmp_path: Path, run: Run, solution: Path
) -> None:
    rows = people(20, seed=3)
    order = [*reversed(HEADER)]
    back = [[*reversed(row), "x"] for row in rows]
    (tmp_path / "back.csv").write_text(csv_text([*order, "More"], back), encoding="utf-8")
    result = run("apply", tmp_path / "back.csv", "-s", solution, "-o", tmp_path / "back-out.csv", "--keep-order")
    assert result.code == 0
    assert "`More` left out" in result.err
    applied(tmp_path, run, solution, [list(row) for row in rows])
    one, two = frame(tmp_path / "later-out.csv"), frame(tmp_path / "back-out.csv")
    assert list(two.columns) == [name for name in order if name != "Name"]
    for name in MASKED:
        assert one[name].tolist() == two[name].tolist()


def test_quiet_prints_nothing(tmp_path: Path, run: Run, data: Path, solution: Path) -> None:
    result = run("apply", data, "-s", solution, "-o", tmp_path / "o.csv", "--quiet")
    assert (result.code, result.out, result.err) == (0, "", "")


@pytest.mark.slow
def test_shuffle_and_formulas_work_as_for_mask(tmp_path: Path, run: Run, data: Path, solution: Path) -> None:
    for name, option in {"a": "--shuffle", "b": "--quiet", "kept": "--keep-order"}.items():
        # The order is random whether one asks for it or not.
        arguments = ("-o", tmp_path / f"{name}.csv", option, *(() if name == "kept" else ("--seed", 4)))
        assert run("apply", data, "-s", solution, *arguments).code == 0
    one, two, plain = (cells(tmp_path / f"{name}.csv") for name in ("a", "b", "kept"))
    assert one == two != plain
    assert [row[0] for row in plain[1:]] == [row[0] for row in people()]
    assert sorted(plain) == sorted(cells(tmp_path / "released.csv"))
    assert sorted(one) == sorted(plain)
    (tmp_path / "later.csv").write_text(csv_text(HEADER, rows_with(Zip=["=1+1", "-5"])), encoding="utf-8")
    arguments = ("-s", solution, "-o", tmp_path / "f.csv", "--escape-formulas", "--keep-order")
    assert run("apply", tmp_path / "later.csv", *arguments).code == 0
    assert frame(tmp_path / "f.csv")["Zip"].tolist() == ["'=1+1", "-5"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda s: {**s, "format_version": 99}, ["99"]),
        (lambda s: {**s, "surprise": 1}, ["surprise"]),
        (lambda s: {k: v for k, v in s.items() if k != "attributes"}, ["attributes"]),
        (lambda s: [s], ["no solution file"]),
        (
            lambda s: {**s, "attributes": [{**a, "shown": a["shown"][1:]} for a in s["attributes"]]},
            ["no solution file"],
        ),
        (lambda s: {**s, "attributes": [{**a, "breaks": a["breaks"][::-1]} for a in s["attributes"]]}, ["`Age`"]),
    ],
)
def test_a_solution_file_that_was_tampered_with_is_refused(
    tmp_path: Path, refused, data: Path, solution: Path, change, says
) -> None:
    changed = change(json.loads(solution.read_text(encoding="utf-8")))
    solution.write_text(json.dumps(changed), encoding="utf-8")
    refused("apply", data, "-s", solution, "-o", tmp_path / "out.csv", says=["solution.json", *says])
    assert "out.csv" in folder(tmp_path)
