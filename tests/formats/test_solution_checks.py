"""A solution file that was edited is refused where it contradicts itself, and never ends in anything but a sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.formats import solution_file

TABLE = pa.table(
    {"Age": [i % 9 for i in range(90)], "Sex": ["FM"[i % 2] for i in range(90)], "J": ["abc"[i % 3] for i in range(90)]}
)
POLICY = {
    "attributes": {
        "J": {"taxonomy": {"any": {"x": ["a", "b"], "y": ["c"]}}},
        "Sex": "suppress",
        "Age": {"interval": [0, 20]},
    },
    "requirements": [{"qid": ["Age", "Sex", "J"], "k": 2}, {"qid": ["Sex"], "k": 2}],
}


@pytest.fixture(scope="module")
def said() -> str:
    return solution_file.dumps(maskwise.anonymize(TABLE, POLICY).solution)


def age(data: Any) -> Any:
    return next(entry for entry in data["attributes"] if entry["name"] == "Age")


EDITS: dict[str, Callable[[Any], Any]] = {
    "breaks beyond any float": lambda d: age(d).update(breaks=[0, 10**400]),
    "breaks below any float": lambda d: age(d).update(breaks=[-(10**400), 20]),
    "breaks beyond 64 bits": lambda d: age(d).update(breaks=[0, 10**19, 10**20]),
    "other breaks": lambda d: age(d).update(breaks=[0, 1, 20]),
    "other labels": lambda d: age(d).update(shown=["secret"]),
    "another root": lambda d: age(d).update(root="[0, 99]"),
    "another scale": lambda d: age(d).update(scale="date"),
    "no columns": lambda d: d.update(columns=[]),
    "a column twice": lambda d: d.update(columns=[*d["columns"], "Age"]),
    "a nameless column": lambda d: d.update(columns=[*d["columns"], ""]),
    "dropped and released": lambda d: d.update(drop=["Age"]),
    "masked twice": lambda d: d.update(fixed=[age(d)]),
    "no records": lambda d: d.update(rows=-1),
    "nothing masked": lambda d: d.update(attributes=[], requirements=[], method="private"),
    "a larger k": lambda d: d["requirements"][0].update(k=10**400),
    "a larger group than the table": lambda d: d["requirements"][0].update(reached=99_999),
    "a smaller group than k": lambda d: d["requirements"][0].update(reached=1),
    "follows from itself": lambda d: d["requirements"][1].update(implied_by=1),
    "follows from nothing": lambda d: d["requirements"][1].update(implied_by=7),
    "drops another": lambda d: d.update(dropped_requirements=[0]),
    "means that nothing shows": lambda d: d.update(means={"Age": {age(d)["shown"][0]: 3.0}}),
    "means of no label": lambda d: d.update(numbers="mean", means={"Age": {"x": 3.0}}),
    "a person who is masked": lambda d: d.update(person={"column": "Age", "release": "drop"}),
}


@pytest.mark.parametrize("edit", list(EDITS))
def test_a_solution_that_contradicts_itself_is_refused(said: str, edit: str) -> None:
    data = json.loads(said)
    assert solution_file.loads(said)
    EDITS[edit](data)
    with pytest.raises(maskwise.InputError, match="is no solution file"):
        solution_file.loads(json.dumps(data))


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 5_000 + "1" + "}" * 5_000,
        '{"format": "\\ud800"}',
        '{"rows": 1' + "0" * 5_000 + "}",
    ],
    ids=["lists", "mappings", "half a pair", "digits"],
)
def test_what_json_cannot_hold_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(maskwise.InputError, match="the solution is"):
        solution_file.loads(text)


def test_a_tree_nested_too_deeply_in_a_solution_is_refused(said: str) -> None:
    deep = '{"a":' * 600 + '["b"]' + "}" * 600
    with pytest.raises(maskwise.InputError, match="is no"):
        solution_file.loads(said.replace('"taxonomy": {', f'"taxonomy": {deep}, "x": {{', 1))


def test_a_tree_of_300_levels_survives_its_file() -> None:
    tree: Any = ["leaf", "other leaf"]
    for i in range(298):
        tree = {f"level {i}": tree}
    policy = {"attributes": {"J": {"taxonomy": {"any": tree}}}, "requirements": [{"qid": ["J"], "k": 2}]}
    solution = maskwise.anonymize(pa.table({"J": ["leaf"] * 4 + ["other leaf"] * 4}), policy).solution
    assert solution_file.loads(solution_file.dumps(solution)).cuts == solution.cuts
