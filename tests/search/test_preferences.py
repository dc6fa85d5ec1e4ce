"""Weights and levels of attributes: what they do to a search, and which levels cannot be met."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.errors import PolicyError
from maskwise.formats import solution_file, trace_file
from maskwise.formats.policy_file import to_data
from maskwise.policy.attributes import Attribute, Kind
from tests.conftest import Run, csv_text

TREE = {"Any": {"North": ["n1", "n2"], "South": ["s1", "s2"], "w": None}}
N = 120
ROWS = [
    {
        "zone": ["n1", "n2", "s1", "s2", "w"][i % 5],
        "job": ["clerk", "nurse", "trader"][i % 3],
        "age": 20 + i % 40,
        "cls": "Y" if (i % 5 < 2) ^ (i % 7 == 0) else "N",
    }
    for i in range(N)
]
PEOPLE = pa.Table.from_pylist(ROWS)


def policy(zone: dict[str, Any] | None = None, job: Any = "suppress", k: int = 6) -> dict[str, Any]:
    return {
        "class": "cls",
        "attributes": {"zone": {"taxonomy": TREE, **(zone or {})}, "job": job, "age": {"interval": [0, 99]}},
        "requirements": [{"qid": ["zone", "job", "age"], "k": k}],
    }


METHODS: dict[str, dict[str, Any]] = {
    "score": {},
    "infogain": {"criterion": "infogain"},
    "conditional": {"criterion": "conditional"},
    "bug": {"method": "bug"},
}


@pytest.mark.slow
@pytest.mark.parametrize("options", METHODS.values(), ids=METHODS.keys())
def test_a_level_is_shown_by_every_search(options: dict[str, Any]) -> None:
    asked = policy({"at_least": 1}, {"suppress": None, "at_least": 1})
    outcome = maskwise.anonymize(PEOPLE, asked, **options, keep_order=True)
    assert set(outcome.data["zone"].to_pylist()) <= {"North", "South", "w", "n1", "n2", "s1", "s2"}
    assert outcome.data["job"].to_pylist() == PEOPLE["job"].to_pylist()
    assert outcome.solution.cut("job").labels == ("clerk", "nurse", "trader")
    assert outcome.solution.cut("job").kind is Kind.SUPPRESS
    assert "job" not in {step.attribute for step in outcome.steps}
    assert all(step.before != "Any" for step in outcome.steps)


def test_a_search_that_takes_no_step_shows_the_levels() -> None:
    outcome = maskwise.anonymize(PEOPLE, policy({"at_least": 1}), max_steps=0, keep_order=True)
    shown = {"n1": "North", "n2": "North", "s1": "South", "s2": "South", "w": "w"}
    assert outcome.data["zone"].to_pylist() == [shown[row["zone"]] for row in ROWS]
    assert set(outcome.data["job"].to_pylist()) == {"*"}
    (start,) = outcome.curve
    smallest = min(Counter(shown[row["zone"]] for row in ROWS).values())
    assert start.requirements == (smallest,)
    # Of 5 leaves a value above two of them hides a quarter of all there is; the other attributes show their root.
    spread = sum(0.25 if shown[row["zone"]] != "w" else 0.0 for row in ROWS) / N
    assert start.information_kept == pytest.approx(1 - (spread + 2) / 3)


@pytest.mark.slow
@pytest.mark.parametrize("options", METHODS.values(), ids=METHODS.keys())
def test_a_level_that_breaks_a_requirement_is_infeasible(options: dict[str, Any]) -> None:
    smallest = min(Counter((row["zone"], row["job"]) for row in ROWS).values())
    asked = policy({"at_least": 2}, {"suppress": None, "at_least": 1}, k=smallest + 1)
    with pytest.raises(maskwise.InfeasibleError) as caught:
        maskwise.anonymize(PEOPLE, asked, **options, keep_order=True)
    assert str(caught.value) == (
        f"k={smallest + 1} on {{zone, job, age}} cannot be met with `zone` at_least 2, `job` at_least 1: at these "
        f"levels it reaches {smallest} at best. Lower a level, or ask for less."
    )
    asked["requirements"][0]["k"] = smallest
    assert maskwise.anonymize(PEOPLE, asked, **options, keep_order=True).verdict.findings[0].figure == smallest


def test_a_level_that_breaks_a_requirement_ends_with_exit_code_3(tmp_path: Path, run: Run) -> None:
    (tmp_path / "in.csv").write_text(csv_text(list(ROWS[0]), [list(row.values()) for row in ROWS]), encoding="utf-8")
    (tmp_path / "p.yaml").write_text(
        "attributes:\n  zone: {taxonomy: {Any: {North: [n1, n2], South: [s1, s2], w: }}, at_least: 1}\n"
        "requirements:\n  - {qid: [zone, age], k: 30}\n",
        encoding="utf-8",
    )
    result = run("mask", tmp_path / "in.csv", "-p", tmp_path / "p.yaml", "-o", tmp_path / "o.csv")
    assert result.code == 3
    assert "p.yaml, line 4" in result.err
    assert "`zone` at_least 1" in result.err
    assert not (tmp_path / "o.csv").exists()


def test_a_template_can_forbid_a_level() -> None:
    table = PEOPLE.append_column("ill", pa.array(["HIV" if row["zone"] == "n1" else "flu" for row in ROWS]))
    asked = policy({"at_least": 2})
    asked["requirements"] = [{"qid": ["zone"], "sensitive": {"ill": ["HIV"]}, "confidence": 0.5}]
    with pytest.raises(
        maskwise.InfeasibleError, match=r"`zone` at_least 2: at these levels it reaches 1\.0000 at best"
    ):
        maskwise.anonymize(table, asked, keep_order=True)
    asked["attributes"]["zone"]["at_least"] = 1
    assert maskwise.anonymize(table, asked, keep_order=True).verdict.findings[0].figure == 0.5


@pytest.mark.slow
@pytest.mark.parametrize("method", ["tdr", "bug"])
def test_a_weight_decides_which_attribute_is_shown(method: str) -> None:
    n_shown = {}
    for weight in (0.001, 1000):
        outcome = maskwise.anonymize(PEOPLE, policy({"weight": weight}), method=method, keep_order=True)
        n_shown[weight] = len(outcome.solution.cut("zone").labels)
    assert n_shown[0.001] < n_shown[1000]


def test_a_trace_has_the_gain_and_the_weighted_score() -> None:
    plain = maskwise.anonymize(PEOPLE, policy(), keep_order=True).steps[0]
    steps = maskwise.anonymize(PEOPLE, policy({"weight": 1e6}), keep_order=True).steps
    assert steps[0].attribute == "zone"
    assert steps[0].score == pytest.approx(1e6 * steps[0].info_gain / (steps[0].loss + 1))
    assert json.loads(trace_file.dumps(steps).splitlines()[0])["info_gain"] == pytest.approx(steps[0].info_gain)
    assert plain.score == pytest.approx(plain.info_gain / (plain.loss + 1))


def test_a_common_weight_changes_nothing_but_scores() -> None:
    asked = policy({"weight": 2}, {"suppress": None, "weight": 2})
    asked["attributes"]["age"]["weight"] = 2
    one, two = maskwise.anonymize(PEOPLE, policy(), keep_order=True), maskwise.anonymize(PEOPLE, asked, keep_order=True)
    assert one.data.equals(two.data)
    assert [2 * step.score for step in one.steps] == pytest.approx([step.score for step in two.steps])


def test_later_values_below_an_empty_branch_show_its_level(tmp_path: Path) -> None:
    north = pa.Table.from_pylist([row for row in ROWS if row["zone"] != "s1" and row["zone"] != "s2"])
    path = tmp_path / "solution.json"
    path.write_text(solution_file.dumps(maskwise.anonymize(north, policy({"at_least": 2}), keep_order=True).solution))
    assert set(maskwise.apply(PEOPLE, path, keep_order=True).data["zone"].to_pylist()) == {"n1", "n2", "s1", "s2", "w"}


def test_missing_cells_and_stars_of_the_data_stay_what_they_are() -> None:
    jobs = ["clerk", "*", None] * (N // 3)
    table = PEOPLE.set_column(1, "job", pa.array(jobs))
    outcome = maskwise.anonymize(table, policy(job={"suppress": None, "at_least": 1}), keep_order=True)
    assert outcome.data["job"].to_pylist() == jobs


def test_all_values_are_shown_also_where_there_are_very_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maskwise.profile.column_counts.MOST_VALUES", 5)
    codes = [f"code {i // 3}" for i in range(N)]
    table = pa.table({"code": codes})
    asked = {"attributes": {"code": {"suppress": None, "at_least": 1}}, "requirements": [{"qid": ["code"], "k": 3}]}
    assert maskwise.anonymize(table, asked, keep_order=True).data["code"].to_pylist() == codes
    asked["requirements"][0]["k"] = 4  # type: ignore[index]
    with pytest.raises(maskwise.InfeasibleError, match="reaches 3 at best"):
        maskwise.anonymize(table, asked, keep_order=True)


def test_a_policy_with_preferences_is_written_read_and_hashed() -> None:
    asked = policy({"at_least": 1, "weight": 2.5}, {"suppress": None, "at_least": 1})
    asked["attributes"]["age"] = {"interval": None, "weight": 3}
    parsed = maskwise.read_policy(asked)
    assert [(a.weight, a.at_least) for a in parsed.attributes] == [(2.5, 1), (1.0, 1), (3.0, 0)]
    again = maskwise.read_policy(json.loads(json.dumps(to_data(parsed))))
    assert again == parsed
    assert again.fingerprint() == parsed.fingerprint()
    hashes = {maskwise.read_policy(policy(zone)).fingerprint() for zone in ({}, {"weight": 2}, {"at_least": 2})}
    assert len(hashes) == 3
    assert maskwise.read_policy(policy({"weight": 1, "at_least": 0})).fingerprint() in hashes


REFUSED = {
    "weight of nothing": ({"weight": 0}, "`weight` is a number above 0; found `0`"),
    "weight without end": ({"weight": "inf"}, "`weight` is a number above 0; found `inf`"),
    "weight in words": ({"weight": "heavy"}, "`weight` is a number above 0; found `heavy`"),
    "negative level": ({"at_least": -1}, "at_least is at least 0; found `-1`"),
    "half a level": ({"at_least": 1.5}, "`at_least` is a whole number; found `1.5`"),
    "too deep": ({"at_least": 3}, "`zone`: at_least is 3, but its taxonomy has levels 0 to 2"),
    "misspelt": ({"wieght": 3}, "Did you mean `weight`"),
    "two ways": ({"suppress": None}, "an attribute is `suppress`"),
}


@pytest.mark.parametrize(("zone", "says"), REFUSED.values(), ids=REFUSED.keys())
def test_entries_that_do_not_fit_are_complained_of_once(zone: dict[str, Any], says: str) -> None:
    with pytest.raises(PolicyError) as caught:
        maskwise.read_policy(policy(zone))
    assert says in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_weight_alone_is_no_way_of_masking() -> None:
    with pytest.raises(PolicyError, match="an attribute is `suppress`"):
        maskwise.read_policy(policy(job={"weight": 2}))


def test_levels_of_other_kinds() -> None:
    with pytest.raises(PolicyError, match="an interval attribute has no levels"):
        Attribute("age", Kind.INTERVAL, at_least=1)
    with pytest.raises(PolicyError, match=r"has level 0 \(`\*`\) and level 1"):
        Attribute("job", Kind.SUPPRESS, at_least=2)
    with pytest.raises(PolicyError, match="a weight is a number above 0; found -1"):
        Attribute("job", Kind.SUPPRESS, weight=-1.0)
