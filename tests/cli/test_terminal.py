"""What a terminal shows while a run goes on, and what a pipe does not."""

from __future__ import annotations

import io
import re
from fractions import Fraction

import pytest
from rich.console import Console

from maskwise.cli.terminal import Terminal
from maskwise.errors import did_you_mean
from maskwise.policy.requirements.confidence import Confidence
from maskwise.policy.requirements.k_anonymity import KAnonymity
from maskwise.progress import Compiling, Event, StageBegun, StepTaken
from maskwise.solution.curve import Point
from maskwise.solution.steps import Step
from maskwise.values.stages import Stage
from maskwise.verify.verdict import Finding, Verdict

SEARCH = StageBegun(Stage.SEARCH)
POINT = Point(3, "Work [hrs]", (34, 0.25), 0.5, 0.25)
STEP = Step(3, "Work [hrs]", "[1, 99]", ("[1, 37)", "[37, 99]"), 0.36, 22.0, 0.0156, (34, 0.25))


def watched(*, is_terminal: bool, quiet: bool = False, stage: StageBegun = SEARCH, then: Event | None = None) -> str:
    terminal = Terminal(quiet=quiet)
    shown = io.StringIO()
    terminal.err = Console(file=shown, force_terminal=is_terminal, width=160, emoji=False)
    with terminal:
        terminal.hear(stage)
        terminal.hear(then or StepTaken(STEP, POINT))
        if terminal._progress is not None:  # noqa: SLF001 - a frame now, not when the clock says so
            terminal._progress.refresh()  # noqa: SLF001
    return shown.getvalue()


def test_a_terminal_shows_step_attribute_figures_and_how_to_stop() -> None:
    shown = watched(is_terminal=True)
    for part in ("step 3", "Work [hrs]", "anonymity 34", "0.250", "Ctrl-C stops safely"):
        assert part in shown


def test_a_terminal_says_which_of_several_searches_goes_on() -> None:
    assert "search 3 of 9: step 3" in watched(is_terminal=True, stage=StageBegun(Stage.SEARCH, 3, 9))


def test_a_terminal_says_that_code_is_compiled() -> None:
    shown = watched(is_terminal=True, then=Compiling(SEARCH))
    assert "search: compiling loop 1 (only the first run does, for some seconds)" in re.sub(
        r"\x1b\[[0-9;]*m", "", shown
    )


@pytest.mark.parametrize(("is_terminal", "quiet"), [(False, False), (True, True)])
def test_nothing_moves_when_piped_or_quiet(is_terminal: bool, quiet: bool) -> None:
    assert watched(is_terminal=is_terminal, quiet=quiet) == ""


# Words.


def test_one_of_a_thing_is_not_many(capsys: pytest.CaptureFixture[str]) -> None:
    finding = Finding(KAnonymity(("Age",), 2), 1, 1, 1, 1, ((1, 1),), n_rows=1)
    Terminal(quiet=False).show_verdict(Verdict(1, (finding,)))
    shown = capsys.readouterr().out
    assert "the smallest of 1 group has 1 record" in shown
    assert "1 groups" not in shown
    assert "1 records" not in shown


@pytest.mark.parametrize(
    "requirement", [KAnonymity(("Age", "Job"), 5), Confidence(("Age", "Job"), (("Ill", "HIV", Fraction(1, 2)),))]
)
def test_a_complaint_names_its_quasi_identifier_once_and_no_value(requirement: KAnonymity | Confidence) -> None:
    complaint = Finding(requirement, 0.75, 4, 1, 3, ((3, 4),)).complaint()
    assert complaint.count("{Age, Job}") == 1
    assert "0.75" in complaint
    assert "HIV" not in complaint


@pytest.mark.parametrize(
    ("name", "known", "near"),
    [
        ("Rsik", ["Risk", "Job"], "Risk"),
        ("zip", ["Age", "Zipcode"], "Zipcode"),
        ("peple.csv", ["people.csv", "policy.yaml"], "people.csv"),
        ("nope.csv", ["people.csv", "policy.yaml"], None),
        ("income", ["occupation", "name", "education"], None),
        ("salary", ["age", "marital-status", "capital-gain"], None),
        ("job", ["Zip", "Hours", "Body"], None),
    ],
)
def test_only_a_near_name_is_suggested(name: str, known: list[str], near: str | None) -> None:
    assert did_you_mean(name, known) == (f" Did you mean `{near}`?" if near else "")
