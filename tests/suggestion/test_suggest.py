"""Drafts of policies, on tables with known roles."""

from __future__ import annotations

import datetime as dt
import random
import re
import warnings
from pathlib import Path

import pyarrow as pa
import pytest

import maskwise
from maskwise.datasets import load_adult
from maskwise.errors import InputError
from maskwise.suggestion.roles import Role
from tests.suggestion.made_tables import CONSTANT, IDENTIFIER, PERSON, QUASI, SENSITIVE, TEXT, MadeTable, all_tables

TABLES = {table.name: table for table in all_tables(200)}
SOME = ["hospital-de", "bank-fr", "church-es", "payroll-nl", "visits", "logs"]
"""The tables of the cheap part; bench/suggest.py judges all of them."""
SHOWN = {Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.CLASS}


def suggest(table: MadeTable, **how: object) -> maskwise.Suggestion:
    return maskwise.suggest(pa.table(table.cells), **how)  # type: ignore[arg-type]


def roles_of(suggestion: maskwise.Suggestion) -> dict[str, Role]:
    return {column.name: column.role for column in suggestion.columns}


@pytest.mark.slow
@pytest.mark.parametrize("name", SOME)
def test_roles_are_the_known_ones(name: str) -> None:
    table = TABLES[name]
    found = roles_of(suggest(table))
    for column, role in table.roles.items():
        if role == IDENTIFIER:
            assert found[column] is Role.IDENTIFIER, column
        elif role in {QUASI, SENSITIVE}:
            assert found[column] in SHOWN, column
        elif role in {PERSON, TEXT, CONSTANT}:
            assert str(found[column]) == role, column


@pytest.mark.slow
@pytest.mark.parametrize("name", SOME)
def test_a_draft_runs_as_it_is(name: str, tmp_path: Path) -> None:
    suggestion = suggest(TABLES[name])
    suggestion.write(tmp_path / "draft.yaml")
    assert maskwise.read_policy(tmp_path / "draft.yaml") == suggestion.policy
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", maskwise.MaskwiseWarning)
        outcome = maskwise.anonymize(pa.table(TABLES[name].cells), tmp_path / "draft.yaml")
    assert outcome.verdict.is_met


def test_names_without_meaning_leave_shapes_and_counts() -> None:
    table = TABLES["unnamed"]
    found = roles_of(suggest(table))
    lost = [name for name, role in table.roles.items() if role == IDENTIFIER and found[name] is not Role.IDENTIFIER]
    # The one that is not found, a plain number, is masked.
    assert len(lost) <= 1
    assert all(found[name] is Role.QUASI_IDENTIFIER for name in lost)


@pytest.mark.slow
def test_adult() -> None:
    suggestion = maskwise.suggest(load_adult(), class_name="income")
    assert suggestion.k == 12
    assert suggestion.class_name == "income"
    assert suggestion.named(Role.REPEATED) == ("education",)
    assert {"age", "sex", "race", "native-country", "occupation"} <= set(suggestion.named(Role.QUASI_IDENTIFIER))
    assert suggestion.data["attributes"]["age"] == {"interval": ["10", "100"]}
    assert suggestion.named(Role.IDENTIFIER) == ()


def test_persons_are_counted_where_they_have_several_records() -> None:
    suggestion = suggest(TABLES["visits"])
    assert suggestion.person == "patient_id"
    assert suggestion.policy.person is not None


def test_a_key_with_missing_cells_cannot_name_persons() -> None:
    cells = {**TABLES["visits"].cells}
    cells["patient_id"] = [None, *cells["patient_id"][1:]]
    suggestion = maskwise.suggest(pa.table(cells))
    assert suggestion.person is None
    assert roles_of(suggestion)["patient_id"] is Role.IDENTIFIER


@pytest.mark.parametrize(("risk", "k"), [(0.09, 12), ("ema-0070", 12), (0.2, 5), ("0.05", 20)])
def test_k_follows_from_the_risk(risk: str | float, k: int) -> None:
    suggestion = suggest(TABLES["logs"], risk=risk)
    assert suggestion.k == k
    assert suggestion.requirements[0].entry["k"] == k


@pytest.mark.slow
def test_a_wide_table_gets_lkc_and_a_narrow_one_a_single_qid() -> None:
    n = 400
    narrow = maskwise.suggest(pa.table({"age": [i % 60 for i in range(n)], "sex": ["F", "M"] * (n // 2)}))
    assert [set(one.entry) for one in narrow.requirements] == [{"qid", "k"}]
    wide = {f"m{i}": [(j * (i + 3)) % (i + 5) for j in range(n)] for i in range(12)}
    lkc = maskwise.suggest(pa.table(wide)).requirements[0]
    assert lkc.entry["lkc"]["L"] == 2
    assert "too wide" in lkc.reason


def test_sex_is_known_before_what_tells_more_apart() -> None:
    rng = random.Random(3)  # noqa: S311 - no secrets
    n = 600
    cells: dict[str, list[object]] = {
        "sex": [rng.choice("FM") for _ in range(n)],
        "birth": [f"{rng.randint(1940, 2005)}-{rng.randint(1, 12):02}-11" for _ in range(n)],
        "postcode": [f"{rng.randint(10, 99)}115" for _ in range(n)],
        **{f"weight{i}": [rng.randint(40, 140) for _ in range(n)] for i in range(6)},
    }
    found = [one.entry["qid"] for one in maskwise.suggest(pa.table(cells)).requirements if "qid" in one.entry]
    assert found
    assert all({"sex", "birth", "postcode"} <= set(qid) < set(cells) for qid in found)


def test_uneven_sensitive_values_are_kept_close_to_the_table() -> None:
    n = 300
    cells = {"age": [20 + i % 50 for i in range(n)], "sex": ["F", "M"] * 150, "hiv": ["neg"] * 290 + ["pos"] * 10}
    entries = [one.entry for one in maskwise.suggest(pa.table(cells)).requirements]
    assert {"qid": ["age", "sex"], "sensitive": "hiv", "closeness": 0.2} in entries
    cells["hiv"] = ["a", "b", "c"] * 100
    entries = [one.entry for one in maskwise.suggest(pa.table(cells)).requirements]
    assert {"qid": ["age", "sex"], "sensitive": "hiv", "diversity": {"distinct": 3}} in entries


def test_a_class_that_is_sensitive_is_protected_too() -> None:
    n = 300
    cells = {"age": [20 + i % 50 for i in range(n)], "sex": ["F", "M"] * 150, "diagnosis": ["a", "b", "c"] * 100}
    suggestion = maskwise.suggest(pa.table(cells), class_name="diagnosis")
    assert suggestion.class_name == "diagnosis"
    entries = [one.entry for one in suggestion.requirements]
    assert {"qid": ["age", "sex"], "sensitive": "diagnosis", "diversity": {"distinct": 3}} in entries
    assert suggestion.policy.sensitive == ("diagnosis",)


def test_a_class_that_names_people_or_tells_nothing_is_refused() -> None:
    cells = {
        "age": [20 + i % 50 for i in range(200)],
        "email": [f"a{i}@b.org" for i in range(200)],
        "patient_id": [i // 2 for i in range(200)],
        "same": ["x"] * 200,
        "score": [i * 1.25 for i in range(200)],
    }
    for name, said in (("email", "identifier"), ("patient_id", "key of a person"), ("same", "constant")):
        with pytest.raises(InputError, match=f"`{name}` is given as the class.*{said}"):
            maskwise.suggest(pa.table(cells), class_name=name)
    reason = next(
        one.reason for one in maskwise.suggest(pa.table(cells), class_name="score").columns if one.role is Role.CLASS
    )
    assert "its value alone singles out 100 %" in reason


def test_few_missing_cells_would_hide_a_column() -> None:
    cells: dict[str, list[object]] = {"age": [20 + i % 50 for i in range(300)], "sex": ["F", "M"] * 150}
    assert maskwise.suggest(pa.table(cells)).missing == "keep"
    cells["age"][7] = None
    suggestion = maskwise.suggest(pa.table(cells))
    assert suggestion.missing == "drop"
    assert "1 record" in suggestion.missing_reason


def test_cells_decide_where_a_name_may_say_two_things() -> None:
    n = 200
    suggestion = maskwise.suggest(
        pa.table(
            {
                "first": [f"2024-01-{1 + i % 28:02}" for i in range(n)],
                "family": [f"Miller{i % 150}" for i in range(n)],
                "address": [f"{i} Elm Mills, Port Ann {10_000 + i}" for i in range(n)],
                "residence": [f"{i} Elm Mills, Port Ann {10_000 + i}" for i in range(n)],
                "job": [f"one of the people who see to {i % 100} things" for i in range(n)],
                "pay_card": [34_000_000_000_000 + 7 * i for i in range(n)],
                "sex": ["F", "M"] * (n // 2),
            }
        )
    )
    assert suggestion.named(Role.QUASI_IDENTIFIER) == ("first", "job", "sex")
    assert suggestion.named(Role.IDENTIFIER) == ("family", "address", "residence", "pay_card")


def test_columns_that_say_the_same_are_released_once() -> None:
    cells: dict[str, list[object]] = {"age": [20 + i % 50 for i in range(200)], "v": [i * i % 7 for i in range(200)]}
    cells["w"] = [f"v{cell}" for cell in cells["v"]]
    suggestion = maskwise.suggest(pa.table(cells))
    assert suggestion.named(Role.REPEATED) == ("w",)
    # In one record they differ.
    cells["w"][0] = "v9"
    assert maskwise.suggest(pa.table(cells)).named(Role.REPEATED) == ()


def test_row_order_changes_nothing() -> None:
    cells = TABLES["bank-fr"].cells
    turned = {name: column[::-1] for name, column in cells.items()}
    assert maskwise.suggest(pa.table(cells)).to_yaml() == maskwise.suggest(pa.table(turned)).to_yaml()


ODD = [
    "yes",
    "*",
    "a: b",
    "#x",
    "two\nlines",
    "ünï ☃",
    "007",
    "~",
    "null",
    "[a]",
    "'q'",
    '"d"',
    " b",
    "1e5",
    "\u2028x",
    "-",
]


def test_odd_names_of_columns_are_quoted(tmp_path: Path) -> None:
    cells = {name: [(j * (i + 3) + j // 7) % 6 for j in range(120)] for i, name in enumerate(ODD)}
    # One that a reason speaks of, with characters that YAML refuses even in a comment.
    odd = "diagnosis\x07\x85\n- {k: 1}"
    cells[odd] = [j * j % 5 for j in range(120)]
    suggestion = maskwise.suggest(pa.table(cells))
    suggestion.write(tmp_path / "draft.yaml")
    policy = maskwise.read_policy(tmp_path / "draft.yaml")
    assert {*policy.masked, *policy.drop, *policy.sensitive} == {*ODD, odd}
    assert suggestion.named(Role.SENSITIVE) == (odd,)
    assert policy == suggestion.policy


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"a": pa.array([], pa.string())}, "no records"),
        ({"a": ["x"], "b": [1]}, "1 record"),
        ({"id": list(range(50)), "email": [f"a{i}@b.org" for i in range(50)]}, "no column that could be masked"),
        ({"a": ["x"] * 50}, "no column that could be masked"),
        ({"a": pa.array([None] * 50, pa.string())}, "no column that could be masked"),
        ({"a": [[1]] * 50}, "no column that could be masked"),
        ({f"c{i}": ["x"] for i in range(4_001)}, "4,001 columns"),
    ],
)
def test_tables_that_no_policy_helps_are_refused(cells: dict[str, list[object]], said: str) -> None:
    with pytest.raises(InputError, match=said):
        maskwise.suggest(pa.table(cells))


def test_a_column_that_cannot_be_counted_is_left_out() -> None:
    cells = {"age": [20 + i % 50 for i in range(100)], "lists": [[i] for i in range(100)]}
    suggestion = maskwise.suggest(pa.table(cells))
    assert suggestion.named(Role.UNREADABLE) == ("lists",)
    assert suggestion.policy.drop == ("lists",)


def test_no_cell_of_a_protected_column_is_told() -> None:
    """Secrets stand in every column that is dropped or protected, as frequent and as rare values."""
    n, secret = 200, "Zyxw"
    cells: dict[str, list[object]] = {
        "name": [f"{secret} Mary {i}" for i in range(n)],
        "email": [f"{secret}{i}@{secret}.org" for i in range(n)],
        "note": [f"{secret} came in late and was sent home on the same day {i}" for i in range(n)],
        "diagnosis": [f"{secret}{i % 5}" for i in range(n)],
        "religion": [secret] * 150 + [f"{secret}b"] * 50,
        "v1": [f"{secret}-{i}" for i in range(n)],
        "constant": [secret] * n,
        "city": [f"{secret}{i % 9}" for i in range(n)],
        "salary": [987_654_321 + 7_777 * (i % 90) for i in range(n)],
        "age": [23 + i % 50 for i in range(n)],
    }
    suggestion = maskwise.suggest(pa.table(cells))
    told = suggestion.to_yaml() + str(suggestion.to_data()) + str(suggestion) + repr(suggestion.requirements)
    assert secret not in told
    assert "987654321" not in told
    assert "23" not in suggestion.data["attributes"]["age"]["interval"]


@pytest.mark.parametrize(("last", "is_capped"), [(0, True), (400, False)])
def test_a_range_of_birthdays_ends_with_this_year(last: int, *, is_capped: bool) -> None:
    today = dt.datetime.now(dt.UTC).date()
    newest = today + dt.timedelta(days=last)
    born = [dt.date(1931, 5, 3) + (newest - dt.date(1931, 5, 3)) * i // 199 for i in range(200)]
    draft = maskwise.suggest(pa.table({"date_of_birth": born, "sex": ["F", "M"] * 100}))
    _, high = draft.data["attributes"]["date_of_birth"]["interval"]
    decade = f"{newest.year // 10 * 10 + 10}-01-01"
    assert str(high) == (f"{today.year + 1}-01-01" if is_capped else decade)


def test_a_draft_says_how_intervals_of_decimals_end_at_round_numbers() -> None:
    table = pa.table({"cost": [round(0.03 * i + 3.21, 2) for i in range(400)], "sex": ["F", "M"] * 200})
    draft = maskwise.suggest(table, risk=0.2)
    masking = draft.columns[0].masking
    assert masking is not None
    ((low, high, step),) = re.findall(r"`interval: {range: \[(.*), (.*)\], on: (.*)}`", masking.reason)
    rounded = {**draft.data, "attributes": {"cost": {"interval": {"range": [low, high], "on": step}}}}
    plain, even = (maskwise.anonymize(table, one).solution.cuts[0].breaks for one in (draft.data, rounded))
    assert any(round(end, 1) != end for end in plain)
    assert len(even) > 5
    assert all(round(end, 1) == end for end in even)


def clinic(seed: int) -> pa.Table:
    """Young men have HIV more often than others."""
    rng = random.Random(seed)  # noqa: S311 - no secrets
    age, sex = [rng.randint(18, 80) for _ in range(300)], []
    sex = [rng.choice("FM") for _ in age]
    has_hiv = [rng.random() < (0.12 if s == "M" and a < 40 else 0.01) for s, a in zip(sex, age, strict=True)]
    ill = ["B20" if one else rng.choice(["J45", "I10", "E11", "M54"]) for one in has_hiv]
    return pa.table({"age": age, "sex": sex, "diagnosis": ill})


def minimality_of(table: pa.Table, policy: dict[str, object]) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", maskwise.MaskwiseWarning)
        outcome = maskwise.anonymize(table, policy)
        tried = maskwise.attack(outcome.data, policy, solution=outcome.solution, original=table)
    (found,) = [one for one in tried if one.name == "minimality"]
    return str(found.result)


@pytest.mark.slow
def test_a_draft_that_bounds_a_share_withstands_the_attack_on_it(tmp_path: Path) -> None:
    table = clinic(9)
    draft = maskwise.suggest(table, risk=0.2)
    assert minimality_of(table, {**draft.data, "minimality": "check"}) == "failed"
    assert minimality_of(table, draft.data) == "passed"
    draft.write(tmp_path / "draft.yaml")
    assert maskwise.read_policy(tmp_path / "draft.yaml") == draft.policy


def test_without_a_bound_on_a_share_a_draft_has_no_guard() -> None:
    draft = maskwise.suggest(clinic(9).drop_columns(["diagnosis"]), risk=0.2)
    assert "minimality" not in draft.data
    assert "minimality" not in draft.to_yaml()


def test_a_draft_says_why_persons_in_several_groups_are_not_guarded() -> None:
    table = clinic(9)
    rows = [{**row, "patient_id": f"{who:05}"} for who, row in enumerate(table.to_pylist()) for _ in range(2)]
    assert maskwise.suggest(pa.Table.from_pylist(rows), risk=0.2).data["minimality"] == "guard"
    rows[1]["age"] = rows[1]["age"] % 60 + 18
    draft = maskwise.suggest(pa.Table.from_pylist(rows), risk=0.2)
    assert draft.person == "patient_id"
    assert "minimality" not in draft.data
    assert "no `minimality: guard` here" in draft.to_yaml()


def test_a_patient_comes_before_a_case_that_stands_first() -> None:
    n = 400
    visits = {
        "Fallnr": [f"F{i // 2:05}" for i in range(n)],
        "PID": [f"{i // 4:06}" for i in range(n)],
        "Alter": [20 + i // 4 % 60 for i in range(n)],
        "Station": ["a", "b", "c", "d"] * (n // 4),
    }
    assert maskwise.suggest(pa.table(visits), risk=0.2).person == "PID"
    del visits["PID"]
    assert maskwise.suggest(pa.table(visits), risk=0.2).person == "Fallnr"
