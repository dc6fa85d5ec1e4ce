"""Rules through the whole of a run: fixed columns, sensitive ones, reports, rivals, attacks, earlier releases."""

from __future__ import annotations

import datetime as dt
import random
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest
from experiments.rivals import FullDomain, Mondrian

import maskwise
from maskwise.formats import solution_file
from maskwise.policy.rules.registry import read_rule
from maskwise.report.report import report
from maskwise.values.message import Audience
from tests.policy.rules.trees import tree_of

N = 120


def people() -> pa.Table:
    rng = random.Random(4)  # noqa: S311 - test data
    days = [dt.date(1960, 1, 1) + dt.timedelta(days=rng.randrange(9000)) for _ in range(N)]
    return pa.table(
        {
            "zip": [rng.choice(["02139", "02138", "02142", "10001", "10002", "94110"]) for _ in range(N)],
            "born": pa.array(days, pa.date32()),
            "seen": pa.array([dt.datetime(2024, 3, day.month, day.day % 24) for day in days], pa.timestamp("us")),  # noqa: DTZ001
            "pay": [rng.randrange(20000, 60000) for _ in range(N)],
            "ill": [rng.choice(["2024-01-05", "2024-01-20", "2024-07-07", "2023-02-02"]) for _ in range(N)],
            "cls": ["Y" if day.year > 1972 else "N" for day in days],
        }
    )


ENTRIES: dict[str, Any] = {
    "zip": {"prefix": [5, 3, 1]},
    "born": {"calendar": ["month", "year", "decade"]},
    "seen": {"time_of_day": ["hour", "shift"]},
    "pay": {"steps": [5000, 20000]},
}
POLICY: dict[str, Any] = {
    "class": "cls",
    "attributes": ENTRIES,
    "requirements": [{"qid": ["zip", "born", "pay"], "k": 6}, {"qid": ["seen", "zip"], "k": 4}],
}


@pytest.mark.slow
def test_dates_timestamps_and_numbers_of_an_engine_are_read_as_their_texts_are() -> None:
    table = people()
    texts = pa.table({name: pa.array([str(cell) for cell in table[name].to_pylist()]) for name in table.column_names})
    by_type = maskwise.anonymize(table, POLICY, keep_order=True)
    by_text = maskwise.anonymize(texts, POLICY, keep_order=True)
    assert by_type.data.select(list(ENTRIES)).equals(by_text.data.select(list(ENTRIES)))
    assert by_type.solution.cuts == by_text.solution.cuts
    by_pandas = maskwise.anonymize(table.to_pandas(), POLICY, keep_order=True).data
    assert by_pandas[list(ENTRIES)].to_dict("list") == by_type.data.select(list(ENTRIES)).to_pydict()


def test_values_that_a_rule_cannot_read_are_counted_and_rare_ones_not_quoted() -> None:
    cells = ["02139"] * 20 + ["n/a"] * 12 + ["?*"] * 11 + ["Mrs * Smith"]
    table = pa.table({"zip": cells})
    policy = {"attributes": {"zip": {"prefix": [3]}}, "requirements": [{"qid": ["zip"], "k": 2}]}
    with pytest.raises(maskwise.InputError) as found:
        maskwise.anonymize(table, policy)
    assert "holds 2 values in 12 records that the rule `prefix` does not cover: `?*` and 1 more." in str(found.value)
    assert "Smith" not in str(found.value)
    assert "other: under" in str(found.value)
    placed = {**policy, "attributes": {"zip": {"prefix": [3], "other": "under unread"}}}
    released = maskwise.anonymize(table, placed, keep_order=True)
    assert released.data["zip"].to_pylist() == ["021**"] * 20 + ["n/a"] * 12 + ["unread"] * 12
    later = maskwise.apply(pa.table({"zip": ["**", "02199", "777"]}), released.solution, keep_order=True)
    assert later.data["zip"].to_pylist() == ["unread", "021**", "*"]
    assert later.unknown["zip"].n_records == 1


def test_a_listed_tree_over_a_rule_is_searched_and_applied() -> None:
    entry = {"prefix": [5, 1], "taxonomy": {"US": {"east": ["0****", "1****"], "west": ["9****"]}}}
    policy = {"attributes": {"zip": entry}, "requirements": [{"qid": ["zip", "cls"], "k": 20}], "class": "pay"}
    outcome = maskwise.anonymize(people(), {**policy, "class": None}, keep_order=True)
    assert outcome.solution.cut("zip").root == "US"
    shown = dict(zip(people()["zip"].to_pylist(), outcome.data["zip"].to_pylist(), strict=True))
    assert set(shown.values()) <= {"US", "east", "west", "0****", "1****", "9****", *shown}
    with pytest.raises(maskwise.InputError, match="the rule `prefix` and its taxonomy do not cover"):
        maskwise.anonymize(pa.table({"zip": ["55555", "02139"], "cls": ["Y", "N"]}), {**policy, "class": None})


def test_a_column_in_no_qid_is_released_at_a_level_of_its_rule() -> None:
    entries = {**ENTRIES, "ill": {"calendar": ["day", "month", "year"], "release": "month"}}
    outcome = maskwise.anonymize(people(), {**POLICY, "attributes": entries}, keep_order=True)
    assert outcome.data["ill"].to_pylist() == [cell[:7] for cell in people()["ill"].to_pylist()]
    later = people().set_column(4, "ill", pa.array(["2024-01-31", "1999-09-09"] * (N // 2)))
    saved = solution_file.loads(solution_file.dumps(outcome.solution))
    applied = maskwise.apply(later, saved, keep_order=True)
    assert applied.data["ill"].to_pylist()[:2] == ["2024-01", "*"]
    assert applied.unknown["ill"].n_records == N // 2


LEVELS = {"*": {"2024": {"2024-01": ["2024-01-05", "2024-01-20"], "2024-07": ["2024-07-07"]}, "2023": ["2023-02-02"]}}


@pytest.mark.slow
@pytest.mark.parametrize(
    "said",
    [
        {"sensitive": "ill", "diversity": {"distinct": 2}, "by": "level 1"},
        {"sensitive": {"ill": {"any": ["2024"]}}, "confidence": 0.9},
        {"sensitive": {"ill": {"any": ["2024-01", "2023-02-02"]}}, "confidence": 0.8},
    ],
    ids=str,
)
def test_levels_and_labels_of_a_sensitive_column_are_those_of_its_rule(said: dict[str, Any]) -> None:
    found = []
    for entry in ({"calendar": ["month", "year"]}, {"taxonomy": LEVELS}):
        policy = {"attributes": {"zip": ENTRIES["zip"], "ill": entry}, "requirements": [{"qid": ["zip"], **said}]}
        outcome = maskwise.anonymize(people(), policy, keep_order=True)
        saved = solution_file.loads(solution_file.dumps(outcome.solution))
        again = maskwise.apply(people(), saved, keep_order=True)
        figures = [[one.figure for one in verdict.findings] for verdict in (outcome.verdict, again.verdict)]
        found.append((outcome.data.to_pydict(), figures))
    assert found[0] == found[1]


def test_reports_list_no_value_that_is_hidden() -> None:
    table = people()
    outcome = maskwise.anonymize(table, POLICY, why=True)
    hidden = {str(day) for day in table["born"].to_pylist()} | {str(pay) for pay in table["pay"].to_pylist()}
    for audience in (Audience.RECIPIENT, Audience.OWNER):
        written = report(outcome, audience).to_markdown()
        assert not [cell for cell in hidden if cell in written]


@pytest.mark.slow
def test_an_earlier_release_by_a_rule_counts_as_known() -> None:
    table = people()
    first = maskwise.anonymize(table, POLICY)
    second = maskwise.anonymize(
        table, {**POLICY, "requirements": [{"qid": ["zip", "born"], "k": 6}]}, against=first.solution
    )
    earlier = maskwise.apply(table, first.solution, keep_order=True).data
    now = maskwise.apply(table, second.solution, keep_order=True).data
    groups: dict[Any, int] = {}
    for rows in zip(*(each[name].to_pylist() for each in (earlier, now) for name in ("zip", "born")), strict=True):
        groups[rows] = groups.get(rows, 0) + 1
    assert min(groups.values()) >= 6


@pytest.mark.slow
@pytest.mark.parametrize("other", [Mondrian, FullDomain])
def test_another_algorithm_masks_by_a_rule_as_by_its_tree_listed(other: Any) -> None:
    from maskwise.formats.policy_file import read_policy

    rule = read_rule("prefix", [5, 3, 1])
    table = people().select(["zip", "cls"])
    later = pa.table({"zip": ["02139", "99999", "10002"], "cls": ["Y", "N", "Y"]})
    found = []
    for entry in (ENTRIES["zip"], {"taxonomy": tree_of(rule, table["zip"].to_pylist()).to_nested()}):
        policy = read_policy(
            {"class": "cls", "attributes": {"zip": entry}, "requirements": [{"qid": ["zip"], "k": 15}]}
        )
        fitted = other().fit(table, policy)
        found.append([repr(fitted.transform(each)) for each in (table, later)])
    assert found[0] == found[1]


@pytest.mark.slow
def test_evaluation_and_the_masker_take_rules() -> None:
    from maskwise.sklearn import Masker

    policy = {**POLICY, "requirements": POLICY["requirements"][:1]}
    frame = people().to_pandas()
    assert maskwise.evaluate(frame, policy, split=0.5).records
    masker = Masker(policy, encode="label").fit(frame.drop(columns="cls"), frame["cls"])
    assert len(masker.transform(frame.drop(columns="cls"))) == N


def test_boundaries_of_intervals_lie_on_the_grid() -> None:
    entries = {"born": {"interval": {"on": "quarter"}}, "pay": {"interval": {"range": [0, 70000], "on": 2500}}}
    policy = {"class": "cls", "attributes": entries, "requirements": [{"qid": ["born", "pay"], "k": 3}]}
    for boundaries in ("safe", "exact"):
        cuts = maskwise.anonymize(people(), {**policy, "boundaries": boundaries}).solution.cuts
        starts = [dt.date(1970, 1, 1) + dt.timedelta(days=int(day)) for day in cuts[0].breaks]
        assert all((day.month % 3, day.day) == (1, 1) for day in starts)
        assert len(starts) > 2
        assert all(pay % 2500 == 0 for pay in cuts[1].breaks)
    with pytest.raises(maskwise.PolicyError, match="`on: month` is not for numbers"):
        maskwise.anonymize(people(), {**policy, "attributes": {"pay": {"interval": {"on": "month"}}}})


def test_both_sides_of_a_boundary_on_the_grid_have_k_records() -> None:
    ages = [18, 19, 19, 20, 21, 24, 25, 25, 26, 31, 40, 40, 41, 44, 45]
    table = pa.table({"age": ages, "cls": ["Y", "N"] * 7 + ["Y"]})
    policy = {
        "class": "cls",
        "attributes": {"age": {"interval": {"on": 5}}},
        "requirements": [{"qid": ["age"], "k": 4}],
    }
    breaks = maskwise.anonymize(table, policy).solution.cuts[0].breaks
    assert all(end % 5 == 0 for end in breaks)
    for low, high in pairwise(breaks):
        assert sum(low <= age < high or age == high == breaks[-1] for age in ages) >= 4


@pytest.mark.slow
def test_more_values_than_a_column_is_told_apart_by_are_put_together() -> None:
    codes = [f"{i:06d}" for i in range(70_000)]
    table = pa.table({"code": [*codes, *codes[:5] * 9], "sex": ["F", "M"] * 35_000 + ["F"] * 45})
    policy = {"attributes": {"code": {"prefix": [6, 3, 1]}}, "requirements": [{"qid": ["code", "sex"], "k": 40}]}
    outcome = maskwise.anonymize(table, policy)
    shown = outcome.solution.cut("code").shown
    assert shown == tuple(f"{i:03d}***" for i in range(70))
    assert len(solution_file.dumps(outcome.solution)) < 10_000
    later = maskwise.apply(
        pa.table({"code": ["069999", "070000"], "sex": ["F", "F"]}), outcome.solution, keep_order=True
    )
    assert later.data["code"].to_pylist() == ["069***", "*"]


def test_a_level_that_is_shown_at_least_may_be_named() -> None:
    entry = {"calendar": ["day", "month", "year", "decade"], "at_least": "year"}
    policy = {"attributes": {"born": entry}, "requirements": [{"qid": ["born"], "k": 1}]}
    labels = maskwise.anonymize(people(), policy, max_steps=0).solution.cut("born").labels
    assert set(labels) == {str(day.year) for day in people()["born"].to_pylist()}
