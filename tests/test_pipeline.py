"""The promise: no verdict, no release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as arrow_csv
import pytest

import maskwise
from maskwise.report.report import describe_ending, report
from maskwise.solution.cut import Cut
from maskwise.values.message import Audience

PEOPLE = pa.table(
    {
        "Age": [23, 25, 41, 47, 52, 60],
        "Sex": ["F", "M", "F", "M", "F", "M"],
        "Risk": ["lo", "lo", "hi", "hi", "lo", "hi"],
    }
)
POLICY: dict[str, Any] = {
    "class": "Risk",
    "attributes": {"Age": {"interval": [0, 99]}, "Sex": "suppress"},
    "requirements": [{"qid": ["Age", "Sex"], "k": 2}],
}


def leak(cut: Cut, number: float) -> str:
    """A mask that is broken: it shows the number itself."""
    del cut
    return str(number)


@pytest.mark.parametrize("to_file", [True, False])
def test_a_release_that_fails_the_recount_is_never_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, to_file: bool
) -> None:
    monkeypatch.setattr("maskwise.release.mask._MOST_STEPS", 0)
    monkeypatch.setattr(Cut, "show_number", leak)
    target = tmp_path / "out.csv"
    target.write_text("old")
    with pytest.raises(maskwise.RefusedError, match="is not met, it reaches 1"):
        maskwise.anonymize(PEOPLE, POLICY, target if to_file else None, boundaries="exact")
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_a_lost_record_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from maskwise.engines.sql import Engine

    write = Engine.write
    monkeypatch.setattr(Engine, "write", lambda self, table, *rest: write(self, table.limit(4), *rest))
    with pytest.raises(maskwise.RefusedError, match="4 records written, not 6"):
        maskwise.anonymize(PEOPLE, POLICY, tmp_path / "out.csv")
    assert not list(tmp_path.iterdir())


def test_k_larger_than_the_table_is_infeasible() -> None:
    asked = [{"qid": ["Age"], "k": 7}, {"qid": ["Sex"], "k": 6}, {"qid": ["Sex", "Age"], "k": 8}]
    with pytest.raises(maskwise.InfeasibleError) as caught:
        maskwise.anonymize(PEOPLE, {**POLICY, "requirements": asked})
    assert caught.value.exit_code == 3
    said = str(caught.value).splitlines()
    assert len(said) == 2
    assert "k=7 cannot be met on {Age}: the whole table has 6 records" in said[0]
    assert "k=8 cannot be met on {Sex, Age}" in said[1]


def test_the_search_needs_no_class() -> None:
    """Without a class the finest valid table wins; two separate groups of ages are told apart."""
    people = pa.table({"Age": [20] * 5 + [21] * 5 + [70] * 5})
    outcome = maskwise.anonymize(people, {"requirements": [{"qid": ["Age"], "k": 5}]})
    assert len(set(outcome.data["Age"].to_pylist())) == 3


def test_distortion_prefers_what_more_records_show() -> None:
    """The gain of disclosing a value is the number of records that show it."""
    people = pa.table({"Job": ["a"] * 3 + ["b"] * 9 + ["c"] * 5})
    outcome = maskwise.anonymize(people, {"requirements": [{"qid": ["Job"], "k": 3}]}, criterion="infogain")
    assert [step.after[0] for step in outcome.steps] == ["b", "c", "a"]
    assert [step.info_gain for step in outcome.steps] == [9, 5, 3]


def test_an_implied_requirement_is_dropped_and_reported() -> None:
    policy = {**POLICY, "requirements": [{"qid": ["Sex"], "k": 2}, {"qid": ["Age", "Sex"], "k": 2}]}
    outcome = maskwise.anonymize(PEOPLE, policy)
    assert [reached.implied_by for reached in outcome.solution.reached] == [1, None]
    from maskwise.report.report import report

    assert any("follows from requirement 2" in note for note in report(outcome).data["notes"])
    alone = maskwise.anonymize(PEOPLE, POLICY)
    assert [s.loss for s in outcome.steps] == [s.loss for s in alone.steps]
    sexes = [row["Sex"] for row in outcome.data.to_pylist()]
    assert outcome.solution.reached[0].figure == min(sexes.count(sex) for sex in set(sexes))


def test_the_same_table_gives_the_same_bytes(tmp_path: Path) -> None:
    outputs = []
    for name in ("one.csv", "two.csv"):
        maskwise.anonymize(PEOPLE, POLICY, tmp_path / name, seed=7)
        outputs.append((tmp_path / name).read_bytes())
    assert outputs[0] == outputs[1]
    assert arrow_csv.read_csv(tmp_path / "one.csv").column_names == PEOPLE.column_names


def test_many_values_are_looked_up_and_keep_their_order() -> None:
    """More values than a CASE takes: the join keeps each record in its place."""
    n = 3000
    people = pa.table({"zip": [f"z{i * 7919 % n:04}" for i in range(n)], "row": list(range(n))})
    tree = {"any": {f"z{i:02}": [f"z{i:02}{j:02}" for j in range(100)] for i in range(30)}}
    policy = {"attributes": {"zip": {"taxonomy": tree}}, "requirements": [{"qid": ["zip"], "k": 100}]}
    outcome = maskwise.anonymize(people, policy, keep_order=True)
    assert outcome.data["row"].to_pylist() == list(range(n))
    assert outcome.data["zip"].to_pylist() == [value[:3] for value in people["zip"].to_pylist()]


@pytest.mark.slow
@pytest.mark.parametrize("how", [{}, {"method": "bug"}, {"criterion": "conditional"}])
def test_a_two_valued_attribute_is_shown_under_its_own_names(how: dict[str, Any]) -> None:
    """Disclosing one of two values leaves `*` to stand for the other alone."""
    people = pa.table({"Sex": ["F"] * 6 + ["M"] * 5, "C": ["x"] * 5 + ["y"] * 5 + ["x"]})
    policy = {"class": "C", "attributes": {"Sex": "suppress"}, "requirements": [{"qid": ["Sex"], "k": 5}]}
    outcome = maskwise.anonymize(people, policy, **how)
    assert sorted(outcome.data["Sex"].to_pylist()) == ["F"] * 6 + ["M"] * 5
    (cut,) = outcome.solution.cuts
    assert (cut.labels, cut.hidden) == (("F", "M"), ())
    too_few = {**policy, "requirements": [{"qid": ["Sex"], "k": 6}]}
    assert set(maskwise.anonymize(people, too_few, **how).data["Sex"].to_pylist()) == {"*"}


@pytest.mark.slow
@pytest.mark.parametrize("how", [{"criterion": "score"}, {"criterion": "conditional"}])
def test_as_published_leaves_a_lone_hidden_value_hidden(how: dict[str, Any]) -> None:
    """Three values, of which the search discloses two; the third has no class to tell."""
    people = pa.table({"Job": ["a"] * 6 + ["b"] * 6 + ["c"] * 6, "C": ["x"] * 6 + ["y"] * 6 + ["z"] * 6})
    policy = {"class": "C", "attributes": {"Job": "suppress"}, "requirements": [{"qid": ["Job"], "k": 5}]}
    published, shown = (
        maskwise.anonymize(people, policy, max_steps=2, as_published=is_published, **how)
        for is_published in (True, False)
    )
    assert published.steps == shown.steps
    hidden = published.solution.cuts[0].hidden
    assert len(hidden) == 1
    assert set(published.data["Job"].to_pylist()) == {*"abc"} - {*hidden} | {"*"}
    assert set(shown.data["Job"].to_pylist()) == {*"abc"}


@pytest.mark.slow
def test_the_demo_runs_and_its_output_passes_an_audit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from maskwise.cli.app import main
    from maskwise.datasets import adult_folder

    assert main(["demo", "-o", str(tmp_path / "demo")]) == 0
    shown = capsys.readouterr().out
    assert "Before" in shown
    assert "After" in shown
    names = {path.name for path in (tmp_path / "demo").iterdir()}
    files = {"adult-masked.csv", "solution.json", "trace.jsonl", "report.html", "owner-report.html"}
    assert names == files | {"curve.svg", "errors.svg"}
    masked = arrow_csv.read_csv(tmp_path / "demo" / "adult-masked.csv")
    assert masked.num_rows == 45_222
    verdict = maskwise.audit(masked, adult_folder() / "policy.yaml")
    assert verdict.is_met
    sizes = masked.group_by(["age", "marital-status", "hours-per-week"]).aggregate([([], "count_all")])
    assert verdict.findings[1].anonymity == min(sizes["count_all"].to_pylist())


# What a report says of the search.


def people_with_ages() -> pa.Table:
    ages = list(range(20, 60))
    return pa.table({"Age": ages, "Sex": ["FM"[age % 2] for age in ages], "C": ["xy"[age > 43] for age in ages]})


@pytest.mark.slow
@pytest.mark.parametrize("qid", [["Age", "Sex"], ["Sex"]])
@pytest.mark.parametrize("how", [{"method": "bug"}, {"criterion": "score"}, {"criterion": "conditional"}])
def test_a_report_says_no_more_of_the_ending_than_the_search_knows(qid: list[str], how: dict[str, str]) -> None:
    policy = {"class": "C", "attributes": {"Sex": "suppress"}, "requirements": [{"qid": qid, "k": 3}]}
    said = describe_ending(report(maskwise.anonymize(people_with_ages(), policy, **how), Audience.OWNER).data)
    has_intervals = "Age" in qid
    if "method" in how:
        assert ("the smallest that the search made" in said) is has_intervals
    else:
        assert "every further refinement that the search considers" in said
        assert ("a split elsewhere might still be safe" in said) is (has_intervals and how["criterion"] == "score")
        assert "nothing more can be shown" not in said


def test_a_split_that_the_search_did_not_try_may_be_safe() -> None:
    """Why a report does not say that nothing more can be shown: the best split leaves one record alone, others none."""
    table = pa.table({"Age": list(range(20)), "C": ["x"] + ["y"] * 19})
    policy = {"class": "C", "attributes": {"Age": {"interval": [0, 19]}}, "requirements": [{"qid": ["Age"], "k": 5}]}
    outcome = maskwise.anonymize(table, policy, criterion="score", boundaries="exact")
    assert not outcome.steps
    assert describe_ending(report(outcome, Audience.OWNER).data).endswith("a split elsewhere might still be safe.")
    halves = pa.table({"Age": ["[0, 10)"] * 10 + ["[10, 19]"] * 10, "C": table["C"]})
    assert maskwise.audit(halves, policy).is_met
