"""Waiting for a lock that another run has."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable

import pytest

from maskwise.errors import WriteError
from maskwise.release import locks


def busy(times: float) -> Callable[[], None]:
    asked = itertools.count()

    def lock() -> None:
        if next(asked) < times:
            raise BlockingIOError

    return lock


def test_somebody_who_waits_is_told_once(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(locks, "TOLD_AFTER", 0.01)
    with caplog.at_level(logging.WARNING, logger="maskwise"):
        locks.wait_for_lock(busy(5), "the folder `out`", 60)
    assert caplog.messages == ["Another run has the folder `out`; it is waited for, 60 seconds at most."]


def test_a_free_lock_is_taken_without_a_word(caplog: pytest.LogCaptureFixture) -> None:
    locks.wait_for_lock(busy(0), "the folder `out`", 60)
    assert not caplog.messages


def test_patience_ends() -> None:
    with pytest.raises(WriteError, match="Another run has had the ledger `l` for 0 seconds"):
        locks.wait_for_lock(busy(float("inf")), "the ledger `l`", 0.1)
