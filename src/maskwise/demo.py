"""The main job on the bundled table, with a look at what came out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.console import Terminal
from maskwise.datasets import adult_folder, load_adult
from maskwise.formats import solution_file, trace_file
from maskwise.pipeline import anonymize
from maskwise.report import report
from maskwise.write import write_text

if TYPE_CHECKING:
    from pathlib import Path

_LOOK = ("age", "education", "marital-status", "occupation", "hours-per-week", "relationship", "income")
_ROWS = 5


def run(folder: Path, *, quiet: bool) -> int:
    """Mask Adult and write everything a run can write.

    Args:
        folder: Where the files go; made if it is not there.
        quiet: Print nothing but errors.
    """
    import pyarrow.csv as arrow_csv  # noqa: PLC0415 - heavy

    folder.mkdir(parents=True, exist_ok=True)
    source, policy = adult_folder() / "adult.parquet", adult_folder() / "policy.yaml"
    files = {name: folder / name for name in ("adult-masked.csv", "solution.json", "trace.jsonl", "report.md")}
    terminal = Terminal(quiet=quiet)
    terminal.say(f"Masking the bundled Adult table (48,842 people, UCI, CC BY 4.0) by {policy}")
    with terminal:
        outcome = anonymize(source, policy, files["adult-masked.csv"], observer=terminal)
    made = report(outcome)
    write_text(files["solution.json"], solution_file.dumps(outcome.solution))
    write_text(files["trace.jsonl"], trace_file.dumps(outcome.steps))
    write_text(files["report.md"], made.to_markdown())
    terminal.show_report(made.data)
    raw = load_adult().drop_null().select(_LOOK).slice(0, _ROWS)
    masked = arrow_csv.read_csv(files["adult-masked.csv"]).select(_LOOK).slice(0, _ROWS)
    terminal.show_rows("Before", _LOOK, [list(row.values()) for row in raw.to_pylist()])
    terminal.show_rows("After", _LOOK, [list(row.values()) for row in masked.to_pylist()])
    for note in made.data["notes"]:
        terminal.warn(note)
    for name, path in files.items():
        terminal.say(f"{name:17} {path}")
    terminal.say(f"Recount it yourself: maskwise audit {files['adult-masked.csv']} -p {policy}")
    return 0
