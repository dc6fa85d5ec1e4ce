"""The main job on the bundled table, with a look at what came out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from maskwise.cli.evaluation_tables import show_evaluation
from maskwise.cli.risk_tables import show_risk
from maskwise.cli.terminal import Terminal
from maskwise.datasets import adult_folder, load_adult
from maskwise.evaluation.run import evaluate
from maskwise.pipeline import anonymize, apply
from maskwise.release.file_set import Sidecar, write_files
from maskwise.report.plot import can_draw
from maskwise.report.report import DOES_NOT_PROTECT, report, what_is_protected
from maskwise.session.sidecars import SidecarPaths
from maskwise.values.message import Audience, Level

if TYPE_CHECKING:
    from maskwise.evaluation.records import Evaluation

_LOOK = ("age", "education", "marital-status", "sex", "hours-per-week", "income")
_ROWS = 5
_FILES = {
    "adult-masked.csv": "the release",
    "solution.json": "for `maskwise apply`; keep it private, it lists hidden values",
    "trace.jsonl": "every refinement, with what it gained and cost",
    "report.html": "what was asked and reached, to go with the release",
    "owner-report.html": "everything that is known of it; keep it private",
}
_CURVE = {"curve.svg": "what each refinement kept, and what privacy it left"}
_ERRORS = {"errors.svg": "what masking cost two classifiers"}


def run(folder: Path, *, quiet: bool) -> int:
    """Mask Adult and write everything a run can write.

    Args:
        folder: Where the files go; made if it is not there.
        quiet: Print nothing but errors.
    """
    folder.mkdir(parents=True, exist_ok=True)
    source, policy = adult_folder() / "adult.parquet", adult_folder() / "policy.yaml"
    masked_file = folder / "adult-masked.csv"
    pictures = can_draw()
    sidecars = SidecarPaths(
        solution=folder / "solution.json",
        trace=folder / "trace.jsonl",
        curve=folder / "curve.svg" if pictures else None,
        report=folder / "report.html",
    )
    terminal = Terminal(quiet=quiet)
    terminal.say("Masking the bundled Adult table: 48,842 records (UCI Machine Learning Repository, CC BY 4.0).")
    with terminal:
        outcome = anonymize(source, policy, masked_file, why=True, on_event=terminal.hear, beside=sidecars.make)
    terminal.show_messages(outcome.messages, Level.WARNING)
    terminal.show_report(report(outcome, Audience.OWNER).data, outcome.verdict)
    if outcome.risk is not None:
        show_risk(terminal, outcome.risk)
    raw = load_adult().drop_null().slice(0, _ROWS)
    # The release is in random order, so that these records are masked once more to be shown beside what they were.
    masked = apply(raw, outcome.solution, keep_order=True).data
    terminal.show_rows("Before", _LOOK, [list(row.values()) for row in raw.select(_LOOK).to_pylist()])
    terminal.show_rows("After", _LOOK, [list(row.values()) for row in masked.select(_LOOK).to_pylist()])
    terminal.show_messages(outcome.messages, Level.NOTE)
    cost = _show_cost(terminal, policy, folder, pictures=pictures)
    owners = report(outcome, Audience.OWNER, cost).to_html()
    write_files([Sidecar(folder / "owner-report.html", owners, private=True)])
    protected = what_is_protected(outcome.policy.requirements, outcome.verdict.unit)
    terminal.say("What this protects: " + " ".join(protected))
    terminal.say("What it does not: " + DOES_NOT_PROTECT[0] + " " + DOES_NOT_PROTECT[1])
    terminal.say("")
    for name, what in {
        **_FILES,
        **(_CURVE if pictures else {}),
        **(_ERRORS if pictures else {}),
    }.items():
        terminal.say(f"{folder / name!s:32} {what}")
    terminal.say(f"{_near(policy)!s:32} the policy that was asked")
    terminal.say("")
    terminal.say(f"Recount it yourself: {_command()} audit {masked_file} -p {_near(policy)}")
    return 0


def _command() -> str:
    """How this command was called."""
    called = Path(sys.argv[0])
    return f"{sys.executable} -m maskwise" if called.suffix == ".py" else str(called)


def _show_cost(terminal: Terminal, policy: Path, folder: Path, *, pictures: bool) -> Evaluation:
    """Measure and show what masking costs two classifiers."""
    with terminal:
        found = evaluate(load_adult("train"), policy, test=load_adult("test"), progress=terminal.progress)
    terminal.say("")
    show_evaluation(terminal, found)
    if pictures:
        write_files([Sidecar(folder / "errors.svg", found.plot(".svg"))])
    return found


def _near(path: Path) -> Path:
    """A path as seen from here, if it lies below."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
