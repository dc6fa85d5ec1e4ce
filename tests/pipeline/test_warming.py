"""What a search needs is loaded while the table is read."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pyarrow as pa
import pytest

import maskwise
from maskwise.pipeline.compile_ahead import compile_ahead
from maskwise.pipeline.warming import Warming
from maskwise.progress import Compiling, Event, RunProgress, StageBegun
from maskwise.search.conditional.gain_kernels import worst_of_splits
from maskwise.search.groups.split_kernels import split_all
from maskwise.values.stages import Stage


def test_what_is_warm_is_not_warmed_again() -> None:
    done: list[int] = []
    warming = Warming(lambda _: done.append(1))
    heard: list[Event] = []
    progress = RunProgress(heard.append)
    assert not warming.finish(progress)
    warming.start()
    warming.finish(progress)
    warming.start()
    warming.finish(progress)
    assert done == [1]


@pytest.mark.parametrize("compiles_early", [True, False])
def test_whoever_waits_is_told_that_code_is_loaded_and_compiled(*, compiles_early: bool) -> None:
    may_compile, may_end, has_begun = threading.Event(), threading.Event(), threading.Event()
    heard: list[Event] = []

    def load(tell: Callable[[], None]) -> None:
        may_compile.wait(10)
        tell()
        has_begun.set()
        tell()
        may_end.wait(10)

    def hear(event: Event) -> None:
        heard.append(event)
        (may_end if isinstance(event, Compiling) else may_compile).set()

    warming = Warming(load)
    warming.start()
    if compiles_early:
        may_compile.set()
        assert has_begun.wait(10)
    assert warming.finish(RunProgress(hear))
    load_stage = StageBegun(Stage.LOAD)
    assert heard == [load_stage, Compiling(load_stage)]


def test_what_goes_wrong_while_warming_is_left_to_the_run() -> None:
    def fail(_: Callable[[], None]) -> None:
        raise OSError("disk full")

    warming = Warming(fail)
    warming.start()
    warming.finish(RunProgress())


def test_after_warming_up_a_search_compiles_no_more_versions() -> None:
    compile_ahead()
    before = len(worst_of_splits.signatures), len(split_all.signatures)
    people = pa.table({"Age": list(range(20, 60)), "Sex": ["F", "M"] * 20, "Risk": ["lo", "hi", "hi", "lo"] * 10})
    policy = {"class": "Risk", "requirements": [{"qid": ["Age", "Sex"], "k": 5}]}
    heard: list[Event] = []
    maskwise.anonymize(people, policy, on_event=heard.append)
    assert (len(worst_of_splits.signatures), len(split_all.signatures)) == before
    assert not any(isinstance(event, Compiling) for event in heard)
