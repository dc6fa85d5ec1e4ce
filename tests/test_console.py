"""What a terminal shows while a run goes on, and what a pipe does not."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from maskwise.console import Terminal
from maskwise.cut import Step

STEP = Step(3, "Work [hrs]", "[1, 99]", ("[1, 37)", "[37, 99]"), 0.36, 22.0, 0.0156, (34, 0.25))


def watched(*, is_terminal: bool, quiet: bool = False, stage: str = "search") -> str:
    terminal = Terminal(quiet=quiet)
    shown = io.StringIO()
    terminal.err = Console(file=shown, force_terminal=is_terminal, width=160, emoji=False)
    with terminal:
        terminal.stage(stage)
        terminal.step(STEP)
        if terminal._progress is not None:  # noqa: SLF001 - a frame now, not when the clock says so
            terminal._progress.refresh()  # noqa: SLF001
    return shown.getvalue()


def test_a_terminal_shows_step_attribute_figures_and_how_to_stop() -> None:
    shown = watched(is_terminal=True)
    for part in ("step 3", "Work [hrs]", "anonymity 34", "0.250", "Ctrl-C stops safely"):
        assert part in shown


def test_a_terminal_says_which_of_several_searches_goes_on() -> None:
    assert "search 3 of 9: step 3" in watched(is_terminal=True, stage="search 3 of 9")


@pytest.mark.parametrize(("is_terminal", "quiet"), [(False, False), (True, True)])
def test_nothing_moves_when_piped_or_quiet(is_terminal: bool, quiet: bool) -> None:
    assert watched(is_terminal=is_terminal, quiet=quiet) == ""
