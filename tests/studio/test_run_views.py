"""The events of a run as plain values."""

from __future__ import annotations

import pyarrow as pa

import maskwise
from maskwise.progress import Compiling, StageBegun, StillWorking
from maskwise.studio.run_views import event_data, reasons_data
from maskwise.values.stages import Stage


def test_each_event_says_what_it_is_and_in_which_stage_it_came() -> None:
    as_data = event_data()
    search = StageBegun(Stage.SEARCH, 2, 3)
    within = {"stage": "search", "number": 2, "of": 3}
    assert as_data(search) == {"kind": "stage", **within}
    assert as_data(Compiling(search)) == {"kind": "compiling", **within}
    assert as_data(StillWorking(search, 1.5)) == {"kind": "working", **within, "seconds": 1.5}


def test_what_would_show_more_is_one_line_for_each_value() -> None:
    n = 120
    ages = [20 + i * 7 % 40 for i in range(n)]
    rows = pa.table(
        {
            "age": ages,
            "job": ["clerk", "nurse", "pilot", "baker"] * 30,
            "sex": ["F", "M"] * 60,
            "class": ["hi" if age > 40 or i % 4 == 0 else "lo" for i, age in enumerate(ages)],
        }
    )
    policy = {
        "class": "class",
        "attributes": {"age": {"interval": [20, 60]}, "job": "suppress", "sex": "suppress"},
        "requirements": [{"qid": ["age", "job", "sex"], "k": 20}, {"qid": ["age", "job"], "k": 15}],
    }
    with maskwise.Session(rows) as session:
        run = session.search(policy)
        told = reasons_data(run)["changes"]
        changes = run.reasons.changes
    instead = {(one.attribute, one.shown, one.instead) for one in changes}
    assert 0 < len(told) == len({one["text"] for one in told}) <= len(instead) < len(changes)
    assert any("out of the quasi-identifier {age, job, sex}" in one["text"] for one in told)
