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
    rows = pa.table({"job": ["clerk", "nurse", "pilot"] * 4, "sex": ["F", "M"] * 6})
    policy = {
        "attributes": {"job": "suppress", "sex": "suppress"},
        "requirements": [{"qid": ["job", "sex"], "k": 5}, {"qid": ["job"], "k": 5}],
    }
    with maskwise.Session(rows) as session:
        run = session.search(policy)
        changes = reasons_data(run)["changes"]
        all_changes = run.reasons.changes
    told = [(one["attribute"], one["shown"]) for one in changes]
    assert told
    assert len(told) == len(set(told)) < len(all_changes)
