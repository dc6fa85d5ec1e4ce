"""Work that is shared among processors."""

from __future__ import annotations

import threading

import pytest

from maskwise.values import processors
from maskwise.values.processors import both, for_each


@pytest.mark.parametrize("n_processors", [1, 2, 8])
def test_what_was_found_comes_in_the_order_of_the_items(monkeypatch: pytest.MonkeyPatch, n_processors: int) -> None:
    monkeypatch.setattr(processors, "n_processors", lambda: n_processors)
    assert for_each(lambda item: item * item, range(50)) == [item * item for item in range(50)]
    assert for_each(str, []) == []


def test_two_items_are_worked_on_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processors, "n_processors", lambda: 2)
    # Each waits for the other, so that one after the other would never end.
    meeting = threading.Barrier(2, timeout=30)
    assert sorted(for_each(lambda _: meeting.wait(), [0, 1])) == [0, 1]
    assert sorted(both(meeting.wait, meeting.wait)) == [0, 1]


def test_what_does_not_pay_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processors, "n_processors", lambda: 2)
    here = threading.get_ident()
    assert for_each(lambda _: threading.get_ident(), [0, 1], pays=False) == [here, here]
    assert both(threading.get_ident, threading.get_ident, pays=False) == (here, here)


def test_an_error_of_one_item_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processors, "n_processors", lambda: 2)
    with pytest.raises(ZeroDivisionError):
        for_each(lambda item: 1 / item, [1, 0])
    with pytest.raises(ZeroDivisionError):
        both(str, lambda: 1 / 0)
