"""A query that is ended by another thread, and the same connection afterwards."""

from __future__ import annotations

import threading
import time
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise.engines.sql import Engine
from maskwise.session.session import Session
from tests.engines.conftest import Place

POLICY: dict[str, Any] = {"requirements": [{"qid": ["Age"], "k": 5}]}


def people() -> pa.Table:
    return pa.table({"Age": [20 + i % 40 for i in range(400)]})


def test_a_search_is_stopped_while_the_engine_counts(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    counting = Engine.group_each
    stop, begun = threading.Event(), threading.Event()

    def count_long(self: Engine, expr: Any, keys: Any, by: Any) -> Any:
        rows = self.materialize(expr).get_name()
        begun.set()
        many = ", ".join(f"{rows} {letter}" for letter in "abcde")
        if place.name == "spark":  # its workers do not look up from the inside of a join
            many = "range(0, 100000000000, 1, 2)"
        with self.dialect.stream(f"SELECT count(*) AS n FROM {many}") as found:  # noqa: S608
            found.read_all()
        return counting(self, expr, keys, by)

    data, engine = place.load(people())
    with Session(data, engine=engine) as session:
        monkeypatch.setattr(Engine, "group_each", count_long)
        stopped: list[float] = []

        def stop_soon() -> None:
            begun.wait(60)
            time.sleep(0.3)
            stopped.append(time.monotonic())
            stop.set()

        other = threading.Thread(target=stop_soon)
        other.start()
        with pytest.raises(maskwise.UnfinishedError, match="before its search began"):
            session.search(POLICY, stop=stop)
        assert time.monotonic() - stopped[0] < 2.5
        other.join()
        # The session goes on.
        monkeypatch.setattr(Engine, "group_each", counting)
        assert session.search(POLICY).verdict.is_met
