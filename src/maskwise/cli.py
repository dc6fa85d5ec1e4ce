"""The command line: thin wrappers that parse, call `pipeline` and print.

Start-up stays fast: nothing heavy is imported before a command runs.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, CycloptsError, Parameter

from maskwise.errors import InputError, MaskwiseError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.console import Terminal

app = App(
    name="maskwise",
    help="Mask a table about people so that nobody can be linked, and classifiers trained on it still work.",
    help_format="plaintext",
    version_flags=["--version"],
    suppress_keyboard_interrupt=False,
)

Quiet = Annotated[bool, Parameter(name=["--quiet", "-q"], negative="", help="Print nothing but errors.")]
AsJson = Annotated[bool, Parameter(name="--json", negative="", help="Print the result as JSON.")]
PolicyPath = Annotated[Path, Parameter(name=["--policy", "-p"], help="The policy, a YAML file.")]
Output = Annotated[
    Path, Parameter(name=["--output", "-o"], help="Where to write: .csv, .tsv, .parquet or .arrow, each also with .gz.")
]
Shuffle = Annotated[bool, Parameter(negative="", help="Release the records in random order.")]
Seed = Annotated[int | None, Parameter(help="Makes --shuffle repeatable; keep it secret.")]
Formulas = Annotated[
    bool,
    Parameter(name="--escape-formulas", negative="", help="Quote cells that a spreadsheet would run as a formula."),
]


@app.command
def mask(
    data: Annotated[Path, Parameter(help="The table: .csv, .tsv, .parquet or .arrow, each also with .gz.")],
    /,
    *,
    policy: PolicyPath,
    output: Output,
    solution: Annotated[Path | None, Parameter(help="Write the solution here, for `maskwise apply`.")] = None,
    public: Annotated[
        bool, Parameter(negative="", help="Write --solution in the form that may accompany the release.")
    ] = False,
    trace: Annotated[Path | None, Parameter(help="Write a line per refinement here (.jsonl).")] = None,
    report: Annotated[Path | None, Parameter(help="Write a report here: .md, .txt or .json.")] = None,
    engine: Annotated[Literal["duckdb"], Parameter(help="Where the work is done.")] = "duckdb",
    method: Annotated[Literal["tdr"], Parameter(help="Which way the search goes.")] = "tdr",
    criterion: Annotated[Literal["score", "infogain"], Parameter(help="How the next refinement is chosen.")] = "score",
    max_steps: Annotated[
        int | None, Parameter(help="Stop after so many refinements; the table is safe at every step.")
    ] = None,
    time_limit: Annotated[float | None, Parameter(help="Stop searching after so many seconds.")] = None,
    shuffle: Shuffle = False,
    seed: Seed = None,
    escape_formulas: Formulas = False,
    quiet: Quiet = False,
    json_: AsJson = False,
) -> int:
    """Mask a table, recount the result, and only then release it."""
    from maskwise.console import Terminal  # noqa: PLC0415 - start-up
    from maskwise.formats import solution_file, trace_file  # noqa: PLC0415 - start-up
    from maskwise.pipeline import anonymize  # noqa: PLC0415 - start-up
    from maskwise.report import report as make_report  # noqa: PLC0415 - start-up
    from maskwise.write import check_target, write_text  # noqa: PLC0415 - start-up

    del engine, method
    if public and solution is None:
        raise InputError("--public says how --solution is written, but no --solution is given.")
    beside = [path for path in (solution, trace, report) if path is not None]
    for path in beside:
        check_target(path)
    if report is not None and report.suffix not in {".md", ".txt", ".json"}:
        msg = f"A report is written as .md, .txt or .json; found `{report.name}`."
        raise InputError(msg)
    _insist_on_own_names(data, policy, output, *beside)
    terminal = Terminal(quiet=quiet or json_)
    with terminal:
        outcome = anonymize(
            data,
            policy,
            output,
            criterion=criterion,
            max_steps=max_steps,
            time_limit=time_limit,
            shuffle=shuffle,
            seed=seed,
            escape_formulas=escape_formulas,
            observer=terminal,
        )
    made = make_report(outcome)
    if solution is not None:
        write_text(solution, solution_file.dumps(outcome.solution, public=public))
    if trace is not None:
        write_text(trace, trace_file.dumps(outcome.steps))
    if report is not None:
        write_text(report, made.render(report))
    if json_:
        sys.stdout.write(made.to_json())
        return 0
    terminal.show_report(made.data)
    for note in made.data["notes"]:
        terminal.warn(note)
    _tell_ending(terminal, made.data)
    written: dict[str, Path | None] = {"release": output, "solution": solution, "trace": trace, "report": report}
    for what, where in written.items():
        if where is not None:
            terminal.say(f"{what}: {where}")
    return 0


@app.command
def audit(
    data: Annotated[Path, Parameter(help="Any table, also one that another tool masked.")],
    /,
    *,
    policy: PolicyPath,
    quiet: Quiet = False,
    json_: AsJson = False,
) -> int:
    """Recount a table against a policy; exit 1 if a requirement is violated."""
    from maskwise.console import Terminal  # noqa: PLC0415 - start-up
    from maskwise.pipeline import audit as recount  # noqa: PLC0415 - start-up
    from maskwise.report import verdict_data  # noqa: PLC0415 - start-up

    verdict = recount(data, policy)
    if json_:
        _print_json(verdict_data(verdict))
    else:
        terminal = Terminal(quiet=quiet)
        terminal.say(f"{verdict.n_rows:,} records in {data}")
        terminal.show_verdict(verdict)
    return 0 if verdict.is_met else 1


@app.command
def apply(
    data: Annotated[Path, Parameter(help="Other rows, with the columns the solution masks.")],
    /,
    *,
    solution: Annotated[Path, Parameter(name=["--solution", "-s"], help="What `maskwise mask --solution` wrote.")],
    output: Output,
    strict: Annotated[bool, Parameter(negative="", help="Refuse values that the solution does not know.")] = False,
    enforce: Annotated[
        bool, Parameter(negative="", help="Refuse rows that alone do not meet the requirements.")
    ] = False,
    shuffle: Shuffle = False,
    seed: Seed = None,
    escape_formulas: Formulas = False,
    quiet: Quiet = False,
    json_: AsJson = False,
) -> int:
    """Mask other rows, such as next month's, in the same way."""
    from maskwise.console import Terminal  # noqa: PLC0415 - start-up
    from maskwise.pipeline import apply as mask_alike  # noqa: PLC0415 - start-up
    from maskwise.report import applied_data  # noqa: PLC0415 - start-up

    applied = mask_alike(
        data,
        solution,
        output,
        strict=strict,
        enforce=enforce,
        shuffle=shuffle,
        seed=seed,
        escape_formulas=escape_formulas,
    )
    if json_:
        _print_json(applied_data(applied))
        return 0
    terminal = Terminal(quiet=quiet)
    terminal.say(f"{applied.verdict.n_rows:,} records masked: {output}")
    if applied.n_dropped:
        terminal.warn(f"{applied.n_dropped:,} records were left out because a masked cell is missing.")
    for name, lost in applied.unknown.items():
        terminal.warn(
            f"`{name}` has {lost.n_values:,} values the solution does not know, in {lost.n_records:,} records; "
            "they are shown as the root."
        )
    terminal.say("These rows alone, recounted:")
    terminal.show_verdict(applied.verdict)
    if not applied.verdict.is_met:
        terminal.warn(
            "These rows alone do not meet every requirement. Release them together with the others, "
            "or use --enforce to refuse."
        )
    return 0


@app.command
def demo(
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"], help="The folder to write to.")] = Path("demo-output"),
    quiet: Quiet = False,
) -> int:
    """Mask the bundled Adult table, start to end, in seconds."""
    from maskwise.demo import run  # noqa: PLC0415 - start-up

    return run(output, quiet=quiet)


def _insist_on_own_names(*paths: Path) -> None:
    """Refuse to write two files, or a file and a source, under one name."""
    seen: dict[Path, Path] = {}
    for path in paths:
        if path.resolve() in seen:
            msg = f"`{path}` is named twice. Give each file its own name."
            raise InputError(msg)
        seen[path.resolve()] = path


def _tell_ending(terminal: Terminal, data: dict[str, Any]) -> None:
    if data["ending"] == "maximal":
        terminal.say(f"{data['steps']} refinements; no further one is valid and beneficial.")
    else:
        terminal.warn(
            f"The search was stopped early ({data['ending']}) after {data['steps']} refinements. "
            "The table is safe, but more could be shown."
        )


def _print_json(data: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def main(arguments: Sequence[str] | None = None) -> int:  # noqa: PLR0911 - one for each exit code
    """Run a command and return its exit code: 0 done, 1 violated, 2 bad input, 3 no solution, 70 our bug."""
    signal.signal(signal.SIGTERM, _on_terminate)
    try:
        result = app(arguments, exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as error:
        return _fail(f"{error} Try `maskwise --help`.", 2)
    except MaskwiseError as error:
        return _fail(str(error), error.exit_code)
    except KeyboardInterrupt:
        return _fail("Interrupted; nothing was written.", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError:
        return _fail("The table does not fit into memory. Use a machine with more, or fewer columns.", 2)
    except Exception as error:
        if os.environ.get("MASKWISE_DEBUG"):
            raise
        kind = type(error).__name__
        return _fail(
            f"maskwise failed ({kind}); nothing was released. Set MASKWISE_DEBUG=1 to see where, and report it.", 70
        )
    return result if isinstance(result, int) else 0


def run() -> None:
    """Be the command: end without tearing down the engine and the compiler, which takes half a second."""
    code = main()
    atexit._run_exitfuncs()  # noqa: SLF001 - removes temporary folders
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _on_terminate(number: int, frame: Any) -> None:
    """End as after Ctrl-C, so that temporary files are removed."""
    del frame
    sys.exit(128 + number)


def _fail(text: str, code: int) -> int:
    from maskwise.console import Terminal  # noqa: PLC0415 - start-up

    Terminal(quiet=False).fail(text)
    return code


if __name__ == "__main__":
    run()
