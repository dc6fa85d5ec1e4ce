"""The events of a run as plain values."""

from __future__ import annotations

from maskwise.progress import Compiling, StageBegun, StillWorking
from maskwise.studio.run_views import event_data
from maskwise.values.stages import Stage


def test_each_event_says_what_it_is_and_in_which_stage_it_came() -> None:
    as_data = event_data()
    search = StageBegun(Stage.SEARCH, 2, 3)
    within = {"stage": "search", "number": 2, "of": 3}
    assert as_data(search) == {"kind": "stage", **within}
    assert as_data(Compiling(search)) == {"kind": "compiling", **within}
    assert as_data(StillWorking(search, 1.5)) == {"kind": "working", **within, "seconds": 1.5}
