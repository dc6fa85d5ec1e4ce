"""Intervals written as numbers: what stands for a label, and the recount of what is written."""

from __future__ import annotations

import csv
import datetime as dt
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import maskwise
from maskwise.cli.app import main
from maskwise.formats import solution_file
from maskwise.release import number_columns
from maskwise.release.interval_labels import interval_ends

N = 160
POLICY: dict[str, Any] = {
    "class": "Risk",
    "attributes": {
        "Age": {"interval": [0, 100], "clamp": [None, 80]},
        "Born": {"interval": ["1930-01-01", "2020-01-01"]},
    },
    "requirements": [{"qid": ["Age", "Sex"], "k": 4}, {"qid": ["Born", "Sex"], "k": 5}],
}
FORMS = ["midpoint", "mean", "bounds"]


def people() -> pa.Table:
    ages = [18 + (i * 37) % 70 for i in range(N)]
    return pa.table(
        {
            "Age": [None if i % 20 == 0 else age for i, age in enumerate(ages)],
            "Born": [dt.date(2019 - age, 1 + i % 12, 1 + i % 28) for i, age in enumerate(ages)],
            "Sex": ["FM"[(i // 3) % 2] for i in range(N)],
            "Town": [f"T{i % 6}" for i in range(N)],
            "Risk": ["hi" if age > 50 else "lo" for age in ages],
        }
    )


def masked(numbers: str, **more: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = maskwise.anonymize(
        people(), POLICY, criterion="score", keep_order=True, numbers=numbers, **more
    ).data.to_pylist()
    return rows


def test_a_midpoint_is_the_middle_of_the_label() -> None:
    shown = set()
    for label, number in zip(masked("label"), masked("midpoint"), strict=True):
        assert number["Sex"] == label["Sex"]
        if label["Age"] is None:
            assert number["Age"] is None
        elif label["Age"].startswith("≥"):
            assert number["Age"] == float(label["Age"][2:])
        else:
            low, high = interval_ends(label["Age"]) or (0, 0)
            assert number["Age"] == (low + high) / 2
        first, last = (dt.date.fromisoformat(end) for end in label["Born"][1:-1].split(", "))
        assert number["Born"] == first + dt.timedelta(days=(last - first).days // 2)
        shown.add(label["Age"])
    assert len(shown) > 2


def test_bounds_are_two_columns_beside_each_other() -> None:
    labels, numbers = masked("label"), masked("bounds")
    assert list(numbers[0]) == ["Age_low", "Age_high", "Born_low", "Born_high", "Sex", "Town", "Risk"]
    for label, number in zip(labels, numbers, strict=True):
        if label["Age"] is None:
            assert (number["Age_low"], number["Age_high"]) == (None, None)
        elif label["Age"].startswith("≥"):
            assert (number["Age_low"], number["Age_high"]) == (float(label["Age"][2:]), None)
        else:
            assert (number["Age_low"], number["Age_high"]) == interval_ends(label["Age"])
        assert f"[{number['Born_low']}, {number['Born_high']}" == label["Born"][:-1]


@pytest.mark.slow
@pytest.mark.parametrize("how", [{}, {"method": "regions", "effort": 1}])
def test_a_mean_is_that_of_the_records_behind_the_label(how: dict[str, Any]) -> None:
    raw, labels, numbers = people()["Age"].to_pylist(), masked("label", **how), masked("mean", **how)
    behind: dict[str, list[int]] = {}
    for age, row in zip(raw, labels, strict=True):
        if row["Age"] is not None and age is not None:
            behind.setdefault(row["Age"], []).append(age)
    for label, number in zip(labels, numbers, strict=True):
        if label["Age"] is not None and not label["Age"].startswith("≥"):
            assert number["Age"] == pytest.approx(np.mean(behind[label["Age"]]), rel=1e-4)


def test_a_mean_tells_nothing_of_what_clamp_hides() -> None:
    ages = [20 + i % 30 for i in range(60)] + [80] * 6

    def shown(oldest: int) -> set[float]:
        table = pa.table({"Age": [*ages, oldest], "Risk": ["lo"] * 60 + ["hi"] * 7})
        asked = {
            "class": "Risk",
            "attributes": {"Age": {"interval": [0, 120], "clamp": [None, 80]}},
            "requirements": [{"qid": ["Age"], "k": 5}],
        }
        return set(maskwise.anonymize(table, asked, numbers="mean").data["Age"].to_pylist())

    assert shown(80) == shown(119)
    assert len(shown(80)) > 1


def test_no_mean_is_of_fewer_records_than_k() -> None:
    """With a template alone a label may have one record, whose number its mean would be."""
    table = pa.table({"Age": [*range(20, 40), 90], "Ill": ["flu", "cold"] * 10 + ["flu"], "Risk": ["lo"] * 20 + ["hi"]})
    asked = {
        "class": "Risk",
        "attributes": {"Age": {"interval": [0, 100]}},
        "boundaries": "exact",
        "requirements": [{"qid": ["Age"], "sensitive": {"Ill": ["cold"]}, "confidence": 0.99}],
    }
    outcome = maskwise.anonymize(table, asked, numbers="mean", keep_order=True)
    label = outcome.solution.cut("Age").labels[-1]
    assert outcome.data["Age"].to_pylist()[-1] == sum(interval_ends(label) or ()) / 2 != 90
    assert outcome.solution.means == ()


@pytest.mark.slow
@pytest.mark.parametrize("numbers", FORMS)
@pytest.mark.parametrize("how", [{}, {"method": "regions", "effort": 1}])
def test_what_is_written_is_what_is_recounted(numbers: str, how: dict[str, Any], tmp_path: Path) -> None:
    outcome = maskwise.anonymize(people(), POLICY, tmp_path / "out.csv", numbers=numbers, **how)
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for asked, finding in zip(POLICY["requirements"], outcome.verdict.findings, strict=True):
        columns = [name for name in rows[0] if name.partition("_")[0] in asked["qid"]]
        smallest = min(Counter(tuple(row[name] for name in columns) for row in rows).values())
        assert smallest == finding.figure >= asked["k"]
    assert any("written as numbers" in note for note in (message.text for message in outcome.messages))


@pytest.mark.slow
@pytest.mark.parametrize("numbers", FORMS)
def test_a_number_that_tells_more_than_its_label_is_refused(numbers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The recount reads the written numbers: cells that part a group are found."""
    written = number_columns.write_numbers

    def part(table: Any, solution: Any) -> Any:
        from dataclasses import replace

        import ibis

        made = written(table, solution)
        name = "Age_low" if numbers == "bounds" else "Age"
        if name not in made.names:
            return made
        key = made.key(name)
        return replace(made, expr=made.expr.mutate(**{key: made.expr[key] + ibis.row_number() * 0.001}))

    monkeypatch.setattr("maskwise.pipeline.releasing.write_numbers", part)
    with pytest.raises(maskwise.RefusedError):
        maskwise.anonymize(people(), POLICY, numbers=numbers)


@pytest.mark.slow
@pytest.mark.parametrize("numbers", FORMS)
def test_later_rows_are_written_alike_also_from_a_file(numbers: str) -> None:
    outcome = maskwise.anonymize(people(), POLICY, numbers=numbers, keep_order=True)
    text = solution_file.dumps(outcome.solution)
    assert json.loads(text)["numbers"] == numbers
    again = maskwise.apply(people(), solution_file.loads(text), keep_order=True)
    assert again.data.equals(outcome.data)
    assert again.verdict.is_met
    assert "numbers" not in json.loads(solution_file.dumps(maskwise.anonymize(people(), POLICY).solution))


def test_a_number_outside_every_interval_has_none() -> None:
    outcome = maskwise.anonymize(people(), POLICY | {"attributes": {"Age": {"interval": [0, 100]}}}, numbers="bounds")
    later = people().slice(1, 1).set_column(0, "Age", pa.array([130]))
    (row,) = maskwise.apply(later, outcome.solution).data.to_pylist()
    assert (row["Age_low"], row["Age_high"]) == (None, None)


def test_a_name_that_is_taken_is_refused() -> None:
    table = people().rename_columns(["Age", "Born", "Sex", "Age_low", "Risk"])
    with pytest.raises(maskwise.InputError, match="The table has `Age_low` already"):
        maskwise.anonymize(table, POLICY, numbers="bounds")


def test_there_is_no_such_form() -> None:
    with pytest.raises(maskwise.InputError, match="one of `label`, `midpoint`, `mean`, `bounds`; found `middle`"):
        maskwise.anonymize(people(), POLICY, numbers="middle")


@pytest.mark.slow
def test_the_command_line_writes_numbers(tmp_path: Path) -> None:
    pa.csv.write_csv(people(), tmp_path / "people.csv")
    (tmp_path / "policy.yaml").write_text(json.dumps(POLICY).replace("null", "~"))
    command = ["mask", str(tmp_path / "people.csv"), "-p", str(tmp_path / "policy.yaml"), "-q"]
    out = tmp_path / "out.parquet"
    assert main([*command, "-o", str(out), "--numbers", "midpoint"]) == 0
    assert pq.read_table(out).schema.field("Age").type == pa.float64()
    certified = [
        *command,
        "-o",
        str(tmp_path / "b.csv"),
        "--numbers",
        "bounds",
        "--certificate",
        str(tmp_path / "c.json"),
    ]
    assert main(certified) == 2
    assert not (tmp_path / "b.csv").exists()


@pytest.mark.slow
@pytest.mark.parametrize("encode", ["onehot", "midpoint", "mean", "bounds"])
def test_a_masker_encodes_for_learners(encode: str) -> None:
    frame = people().to_pandas().drop(columns=["Risk"])
    asked, risks = {key: value for key, value in POLICY.items() if key != "class"}, people()["Risk"].to_pylist()
    masker = maskwise.Masker(asked, encode=encode)
    shown = masker.fit(frame, risks).transform(frame)
    assert list(masker.get_feature_names_out()) == list(shown.columns)
    labels = maskwise.Masker(asked, encode="label").fit(frame, risks).transform(frame)

    if encode == "onehot":
        for label in set(labels["Age"].dropna()):
            assert (shown[f"Age={label}"] == (labels["Age"] == label)).all()
    else:
        columns = ["Age_low", "Age_high"] if encode == "bounds" else ["Age"]
        assert all(shown[name].dtype == float for name in columns)
        groups = shown[columns].fillna(-1).apply(tuple, axis=1)
        assert groups.nunique() == labels["Age"].fillna("none").nunique()
    assert maskwise.Masker.from_json(masker.to_json()).transform(frame).equals(shown)
