"""`maskwise evaluate`: what it prints and writes, and what it refuses."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.conftest import HEADER, POLICY, Run, cells, csv_text, people

KEYS = ["classifier", "protocol", "k", "measure", "error", "low", "high"]
RULES = """\
class: Risk
requirements: [{qid: [Job, Sex], sensitive: {Edu: [master]}, confidence: 0.9}]
drop: [Id, Name, Zip]
"""


def write(path: Path, rows: Sequence[Sequence[str]], header: Sequence[str] = HEADER) -> Path:
    path.write_text(csv_text(header, rows), encoding="utf-8")
    return path


@pytest.mark.slow
def test_json_has_exactly_the_documented_keys(run: Run, data: Path, policy: Path) -> None:
    result = run("evaluate", data, "-p", policy, "--json", "--k", "5,20", "--protocol", "both")
    assert (result.code, result.err) == (0, "")
    said = json.loads(result.out)
    assert all(list(one) == [*KEYS, *(["note"] if "note" in one else [])] for one in said)
    assert all(one["measure"] == "BE" and "predicted" in one["note"] for one in said if "note" in one)
    there = [(one["classifier"], one["protocol"], one["k"], one["measure"]) for one in said]
    assert there == [
        (classifier, protocol, k, measure)
        for protocol in ("held-out", "combined")
        for classifier in ("c4.5", "naive-bayes")
        for k, measure in ((None, "BE"), (5, "AE"), (20, "AE"), (None, "UE"))
    ]
    assert all(0 <= one["low"] <= one["error"] <= one["high"] <= 100 for one in said)


@pytest.mark.slow
def test_tables_name_protocol_classifier_measures_and_intervals(run: Run, data: Path, policy: Path) -> None:
    result = run("evaluate", data, "-p", policy, "--k", "5,150")
    assert result.code == 0
    assert "c4.5, held-out: the cut is found on the training records only" in result.out
    assert "67 test records" in result.out
    said = json.loads(run("evaluate", data, "-p", policy, "--json", "--k", "5,150").out)
    for one in said:
        if one["error"] is not None:
            assert f"{one['low']:.2f} to {one['high']:.2f}" in result.out
    assert [one["k"] for one in said if one["error"] is None] == [150, 150]
    assert result.out.count("cannot be met") == 2
    assert "Always guessing the most frequent class has an error of" in result.out
    notes = [one["note"] for one in said if "note" in one]
    assert result.err.count("note:") == len(set(notes))
    assert "k=150 cannot be met" in result.err


@pytest.mark.slow
def test_files_are_written_by_their_suffix(run: Run, data: Path, policy: Path, tmp_path: Path) -> None:
    files = [tmp_path / f"errors{suffix}" for suffix in (".csv", ".json", ".svg", ".png")]
    options = [part for path in files for part in ("-o", path)]
    result = run("evaluate", *options, data, "--policy", policy, "--quiet", "--classifier", "c4.5")
    assert (result.code, result.out, result.err) == (0, "", "")
    table = cells(files[0])
    assert table[0] == KEYS
    said = json.loads(files[1].read_text())
    assert [row[3] for row in table[1:]] == [one["measure"] for one in said] == ["BE", "AE", "UE"]
    assert files[2].read_text().startswith("<?xml")
    assert files[3].read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_sensitive_columns_give_se_and_re(run: Run, data: Path, tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(RULES)
    result = run("evaluate", data, "-p", tmp_path / "rules.yaml", "--h", "0.4,1/2", "--json", "--classifier", "c4.5")
    said = json.loads(result.out)
    assert [(one["measure"], one["h"]) for one in said] == [
        ("BE", None),
        ("SE", 0.4),
        ("SE", 0.5),
        ("UE", None),
        ("RE", None),
    ]
    assert all(list(one) == [*KEYS, "h"] for one in said)


@pytest.mark.slow
def test_a_test_file_is_what_errors_are_counted_on(run: Run, tmp_path: Path, policy: Path) -> None:
    train = write(tmp_path / "train.csv", people(200))
    same = write(tmp_path / "test.csv", people(40, seed=8))
    wrong = write(
        tmp_path / "wrong.csv",
        [(*row[:-1], {"high": "low", "low": "high"}[row[-1]]) for row in people(40, seed=8)],
    )
    first, second = (
        json.loads(run("evaluate", train, "-p", policy, "--test", path, "--json").out) for path in (same, wrong)
    )
    for one, other in zip(first, second, strict=True):
        assert one["error"] == pytest.approx(100 - other["error"])
        assert one["error"] * 0.4 == pytest.approx(round(one["error"] * 0.4))


@pytest.mark.slow
def test_another_tools_file_is_evaluated_too(run: Run, data: Path, policy: Path, tmp_path: Path) -> None:
    assert run("mask", data, "-p", policy, "-o", tmp_path / "ours.csv", "--keep-order").code == 0
    arguments = ("evaluate", data, "-p", policy, "--protocol", "combined", "--json")
    said = json.loads(run(*arguments, "--against", f"arx={tmp_path / 'ours.csv'}").out)
    by_name = {(one["classifier"], one["measure"]): one for one in said}
    for classifier in ("c4.5", "naive-bayes"):
        assert by_name[classifier, "AE(arx)"]["error"] == by_name[classifier, "AE"]["error"]
        assert by_name[classifier, "AE(arx)"]["k"] is None


@pytest.mark.slow
def test_both_boundaries_are_measured(run: Run, data: Path, policy: Path) -> None:
    arguments = ("evaluate", data, "-p", policy, "--criterion", "score", "--classifier", "naive-bayes", "--json")
    both, safe, exact, published = (
        {one["measure"]: one["error"] for one in json.loads(run(*arguments, *options).out)}
        for options in (["--boundaries=both"], [], ["--boundaries=exact"], ["--as-published"])
    )
    assert both == {**safe, "AE(exact boundaries)": exact["AE"]}
    assert published == exact


@pytest.mark.slow
def test_unseen_categories_of_a_test_file_are_noted_without_their_name(
    run: Run, data: Path, policy: Path, tmp_path: Path
) -> None:
    rows = [(*row[:4], "astronaut", *row[5:]) for row in people(30, seed=8)]
    test = write(tmp_path / "test.csv", [(*row, "x") for row in rows], [*HEADER, "Mood"])
    result = run("evaluate", data, "-p", policy, "--test", test)
    assert result.code == 0
    assert "`Job` has a category that no training record has in 30 test records" in result.err
    assert "`Mood` of the test file left out" in result.err
    assert "astronaut" not in result.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (["--k", "5,x"], 2, ["whole numbers", "`x`"]),
        (["--k", "5,,6"], 2, ["whole numbers"]),
        (["--k", "0"], 2, ["at least 1"]),
        (["--h", "0.5"], 2, ["no confidence requirement", "no h to vary"]),
        (["--k", "190"], 3, ["k=190 cannot be met", "133 records"]),
        (["--split", "1.5"], 2, ["share of test records", "1.5"]),
        (["--split", "nan"], 2, ["share of test records"]),
        (["--split", "0.001"], 2, ["too few for this split"]),
        (["--folds", "1"], 2, ["at least 2 folds"]),
        (["--folds", "201"], 2, ["200 records cannot be parted into 201 folds"]),
        (["--folds", "3", "--split", "0.5"], 2, ["Give one of them"]),
        (["--test", "people.csv", "--split", "0.5"], 2, ["Give one of them"]),
        (["--test", "people.csv", "--folds", "3"], 2, ["Give one of them"]),
        (["--test", "nowhere.csv"], 2, ["There is no file"]),
        (["--seed", "-1"], 2, ["seed"]),
        (["--classifier", "naive-bayse"], 2, ["Did you mean `naive-bayes`?", "import path"]),
        (["--classifier", "sklearn.linear_model.LinearRegression"], 2, ["no scikit-learn classifier"]),
        (["--classifier", "json.loads"], 2, ["cannot be made without arguments"]),
        (["--method", "bug", "--criterion", "infogain"], 2, ["criterion"]),
        (["--criterion", "score", "--effort", "2"], 2, ["effort", "`regions`"]),
        (["--protocol", "papers"], 2, ["held-out"]),
        (["--measure", "aucc"], 2, ["Did you mean `auc`?"]),
        (["--measure", "mae"], 2, ["class that is a number"]),
        (["--by", "Sexx"], 2, ["`Sexx` is to be grouped by", "Did you mean `Sex`?"]),
        (["--numbers", "median"], 2, ["midpoint"]),
        (["--against", "arx.csv"], 2, ["NAME=FILE"]),
        (["--against", "a=people.csv", "--against", "a=people.csv"], 2, ["twice"]),
        (["--against", "a=nowhere.csv"], 2, ["There is no file"]),
        (["--rival", "mondrian"], 2, ["Other algorithms are no part of maskwise", "--against NAME=FILE"]),
        (["-o", "errors.pdf"], 2, [".csv, .json, .svg or .png"]),
        (["-o", "nowhere/errors.csv"], 2, ["There is no folder"]),
        (["-o", "people.csv"], 2, ["is the input"]),
        (["-o", "e.csv", "-o", "e.csv"], 2, ["named twice"]),
    ],
)
def test_what_does_not_fit_is_refused(
    refused: Callable, data: Path, policy: Path, monkeypatch: pytest.MonkeyPatch, options: list, code: int, says: list
) -> None:
    monkeypatch.chdir(data.parent)
    refused("evaluate", data, "-p", policy, *options, code=code, says=says)


def test_k_is_refused_where_the_policy_has_none(refused: Callable, data: Path, tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(RULES)
    refused("evaluate", data, "-p", tmp_path / "rules.yaml", "--k", "5", says=["no k requirement", "vary h"])
    refused("evaluate", data, "-p", tmp_path / "rules.yaml", "--h", "1.5", says=["above 0 and at most 1", "1.5"])
    refused("evaluate", data, "-p", tmp_path / "rules.yaml", "--h", "1/0", says=["above 0 and at most 1"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda row: (*row[:-1], "secret"), ["`Risk` has the same value in every record"]),
        (lambda row: (*row[:-1], "" if row[-1] == "high" else "secret"), ["`Risk` is missing in", "of 200 records"]),
        (lambda row: (*row[:4], "secret", *row[5:2], *row[5:]), None),
    ],
)
def test_a_class_that_tells_nothing_is_refused(
    run: Run, refused: Callable, tmp_path: Path, policy: Path, change: Callable, says: list | None
) -> None:
    path = write(tmp_path / "people.csv", [change(row) for row in people()])
    if says is None:
        assert run("evaluate", path, "-p", policy, "-q").code == 0
        return
    refused("evaluate", path, "-p", policy, says=says, hides=["secret"])


def test_a_policy_without_a_class_is_refused(refused: Callable, data: Path, tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(POLICY.replace("class: Risk\n", ""))
    refused("evaluate", data, "-p", tmp_path / "p.yaml", says=["names no class", "class: income"])


@pytest.mark.slow
def test_a_test_file_that_does_not_fit_is_refused(refused: Callable, data: Path, policy: Path, tmp_path: Path) -> None:
    rows = people(20, seed=9)
    lacking = write(tmp_path / "lacking.csv", [row[:2] + row[3:] for row in rows], [*HEADER[:2], *HEADER[3:]])
    says = ["`lacking.csv` lacks `Age`", "`people.csv`"]
    refused("evaluate", data, "-p", policy, "--test", lacking, says=says)
    renamed = write(tmp_path / "renamed.csv", rows, ["Id", "Name", "age", *HEADER[3:]])
    refused("evaluate", data, "-p", policy, "--test", renamed, says=["Did you mean `age`?"])
    dotted = write(tmp_path / "dotted.csv", [(*row[:-1], row[-1] + ".") for row in rows])
    refused("evaluate", data, "-p", policy, "--test", dotted, says=["20 records of the test file"], hides=["high."])
    empty = write(tmp_path / "empty.csv", [])
    refused("evaluate", data, "-p", policy, "--test", empty, says=["at least one record each"])
    odd = write(tmp_path / "odd.csv", [(*row[:2], "secret", *row[3:]) for row in rows])
    refused("evaluate", data, "-p", policy, "--test", odd, says=["`Age`"], hides=["secret"])


def test_another_tools_file_with_other_records_is_refused(
    refused: Callable, data: Path, policy: Path, tmp_path: Path
) -> None:
    short = write(tmp_path / "short.csv", people()[:-1])
    refused("evaluate", data, "-p", policy, "--against", f"arx={short}", says=["`arx` has 199 records", "200"])
    mixed = write(tmp_path / "mixed.csv", people()[::-1])
    refused("evaluate", data, "-p", policy, "--against", f"arx={mixed}", says=["another class", "same order"])


def test_plots_say_which_extra_they_need(
    refused: Callable, data: Path, policy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    refused("evaluate", data, "-p", policy, "-o", data.parent / "e.svg", says=['pip install "maskwise[plot]"'])


@pytest.mark.slow
def test_progress_is_shown_on_a_terminal(data: Path, policy: Path) -> None:
    ours, theirs = pty.openpty()
    program = [sys.executable, "-m", "maskwise.cli", "evaluate", data, "-p", policy, "--k", "5,20"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(list(map(str, program)), stdout=subprocess.DEVNULL, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
    assert process.wait(timeout=60) == 0
    assert b"c4.5" in shown or b"mask" in shown


@pytest.mark.slow
def test_several_measures_and_groups_are_shown_in_words(run: Run, data: Path, policy: Path, tmp_path: Path) -> None:
    arguments = ("evaluate", data, "-p", policy, "--classifier", "naive-bayes", "--by", "Sex", "--k", "5")
    measures = ("--measure", "error,auc", "--measure", "logloss")
    result = run(*arguments, *measures, "-o", tmp_path / "f.csv")
    assert (result.code, result.err) == (0, "")
    for title in ("error, %", "area under the curve", "log-loss"):
        assert f"the training records only; {title}" in result.out
        assert f"{title} by Sex" in result.out
    for words in ("│ raw ", "│ masked ", "│ without the quasi-identifiers "):
        assert result.out.count(words) == 3
    assert "masked, k=5" in result.out
    said = json.loads(run(*arguments, *measures, "--json").out)
    assert [one["metric"] for one in said if one["measure"] == "BE" and one.get("group") is None] == [
        *("error", "auc", "logloss")
    ]
    assert {one["by"] for one in said} == {None, "Sex"}
    for one in said:
        digits = 2 if one["metric"] == "error" else 4
        assert f"{one['low']:.{digits}f} to {one['high']:.{digits}f}" in result.out
    assert cells(tmp_path / "f.csv")[0][4:6] == ["metric", "value"]


@pytest.mark.slow
def test_a_class_that_is_a_number_is_measured_by_mae_and_r2(run: Run, data: Path, tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(
        "class: {Age: number}\nrequirements: [{qid: [Job, Sex], k: 5}]\ndrop: [Id, Name, Zip]\n"
    )
    result = run("evaluate", data, "-p", tmp_path / "p.yaml", "--json")
    assert result.code == 0
    said = json.loads(result.out)
    assert {(one["classifier"], one["metric"]) for one in said} == {
        (classifier, metric)
        for classifier in ("tree", "linear-regression", "gradient-boosting")
        for metric in ("mae", "r2")
    }


@pytest.mark.slow
def test_chances_stand_before_errors_where_guessing_is_as_good(run: Run, tmp_path: Path) -> None:
    rows = [(str(20 + i % 60), "rare" if i % 60 > 50 and i % 9 == 0 else "usual") for i in range(900)]
    data = tmp_path / "rare.csv"
    data.write_text(csv_text(("Age", "Risk"), rows), encoding="utf-8")
    asked = tmp_path / "p.yaml"
    asked.write_text("class: Risk\nrequirements:\n  - {qid: [Age], k: 5}\n", encoding="utf-8")
    result = run("evaluate", data, "-p", asked, "--classifier", "naive-bayes")
    assert result.code == 0
    places = [result.out.find(title) for title in ("area under the curve", "; log-loss", "; error, %")]
    assert -1 not in places
    assert places == sorted(places)
