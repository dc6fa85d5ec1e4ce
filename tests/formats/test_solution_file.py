"""solution.json and trace.jsonl: nothing is lost on the way, and the public form does not list what is hidden."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.formats import solution_file, trace_file

TABLE = pa.table(
    {
        "Age": [20 + i % 40 for i in range(80)],
        "Job": [["clerk", "nurse", "judge", "pilot"][i % 7 % 4] for i in range(80)],
        "Edu": [["a1", "a2", "b1"][i % 3] for i in range(80)],
        "Ill": [["flu", "hiv", "none"][i % 5 % 3] for i in range(80)],
        "Risk": ["lo" if i % 40 < 18 else "hi" for i in range(80)],
    }
)
POLICY: dict[str, Any] = {
    "class": "Risk",
    "attributes": {
        "Age": {"interval": [0, 99]},
        "Job": "suppress",
        "Edu": {"taxonomy": {"any": {"A": ["a1", "a2"], "B": ["b1"]}}},
    },
    "requirements": [
        {"qid": ["Age", "Job", "Edu"], "k": 4},
        {"qid": ["Age"], "sensitive": {"Ill": {"hiv": 0.9}}},
        {"qid": ["Age"], "sensitive": "Ill", "diversity": {"distinct": 2}},
    ],
}


@pytest.fixture(scope="module")
def outcome() -> maskwise.Outcome:
    return maskwise.anonymize(TABLE, POLICY)


def test_a_solution_survives_writing_and_reading(outcome: maskwise.Outcome) -> None:
    read = solution_file.loads(solution_file.dumps(outcome.solution))
    assert read == replace(outcome.solution, steps=(), curve=(), messages=())


def test_the_public_form_lists_nothing_hidden_and_no_protected_value(outcome: maskwise.Outcome) -> None:
    hidden = [text for cut in outcome.solution.cuts for text in cut.hidden]
    assert hidden
    text = solution_file.dumps(outcome.solution, public=True)
    assert not [value for value in [*hidden, "hiv"] if f'"{value}"' in text]
    assert "hiv" in solution_file.dumps(outcome.solution)


def test_a_trace_has_a_line_for_each_step_in_full_precision(outcome: maskwise.Outcome) -> None:
    lines = [json.loads(line) for line in trace_file.dumps(outcome.steps).splitlines()]
    assert [line["step"] for line in lines] == list(range(1, len(outcome.steps) + 1))
    for line, step in zip(lines, outcome.steps, strict=True):
        assert (line["attribute"], line["info_gain"], line["score"]) == (step.attribute, step.info_gain, step.score)
        assert line["requirements"] == list(step.requirements)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda data: {**data, "format_version": 99}, "format version 99"),
        (lambda data: {**data, "format": "another"}, "is no solution file"),
        (lambda data: {**data, "attributes": []}, "solution"),
        (lambda _: {"nothing": 1}, "solution"),
        (lambda data: [data], "solution"),
    ],
)
def test_what_is_no_solution_is_refused(outcome: maskwise.Outcome, change: Any, says: str) -> None:
    data = json.loads(solution_file.dumps(outcome.solution))
    with pytest.raises(maskwise.MaskwiseError, match=says):
        solution_file.loads(json.dumps(change(data)))
