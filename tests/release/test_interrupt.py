"""Ctrl-C stops the search after the current step."""

from __future__ import annotations

import signal
import threading

import pytest

from maskwise.release.interrupt import stop_on_interrupt


def test_the_first_ctrl_c_is_noted_and_a_second_aborts() -> None:
    with stop_on_interrupt() as is_pressed:
        assert not is_pressed()
        signal.raise_signal(signal.SIGINT)
        assert is_pressed()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("fails", [False, True])
def test_afterwards_ctrl_c_does_what_it_did_before(fails: bool) -> None:
    before = signal.getsignal(signal.SIGINT)
    try:
        with stop_on_interrupt():
            assert signal.getsignal(signal.SIGINT) is not before
            if fails:
                raise ValueError  # noqa: TRY301 - what a search may do
    except ValueError:
        pass
    assert signal.getsignal(signal.SIGINT) is before


def test_in_another_thread_signals_are_left_as_they_are() -> None:
    before = signal.getsignal(signal.SIGINT)
    seen: list[object] = []

    def work() -> None:
        with stop_on_interrupt() as is_pressed:
            seen.extend([is_pressed(), signal.getsignal(signal.SIGINT)])

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [False, before]


def test_where_ctrl_c_is_ignored_it_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stop_on_interrupt() as is_pressed:
            signal.raise_signal(signal.SIGINT)
            assert not is_pressed()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
