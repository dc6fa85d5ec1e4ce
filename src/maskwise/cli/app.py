"""The command line: thin wrappers that parse, call `pipeline` and print.

Start-up stays fast: nothing heavy is imported before a command runs.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import signal
import sys
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, CycloptsError, MissingArgumentError, Parameter

from maskwise.cli.attack import attack
from maskwise.cli.evaluate import evaluate
from maskwise.cli.options import (
    DEFAULT_SEARCH,
    NO_CERTIFICATE,
    Against,
    AsJson,
    CertificateFlags,
    Engine,
    Formulas,
    KeepOrder,
    Memory,
    Output,
    PolicyPath,
    Quiet,
    SearchFlags,
    Seed,
    Shuffle,
    require_distinct_names,
)
from maskwise.cli.risk import risk
from maskwise.cli.studio import studio
from maskwise.cli.suggest import suggest
from maskwise.cli.verify import verify
from maskwise.errors import MaskwiseError, MaskwiseWarning, plural, quote

if TYPE_CHECKING:
    from collections.abc import Sequence

app = App(
    name="maskwise",
    help="Mask a table about people so that nobody can be linked through the columns you name, "
    "and classifiers trained on it still work. The documentation is in docs/ and README.md.",
    help_format="plaintext",
    version=lambda: version("maskwise"),
    version_flags=["--version"],
    suppress_keyboard_interrupt=False,
)


@app.command
def mask(
    data: Annotated[
        str,
        Parameter(
            help="The table: .csv, .tsv, .parquet or .arrow, each also with .gz; a folder of parquet files; "
            "a pattern in quotes; a table of the engine."
        ),
    ],
    /,
    *,
    policy: PolicyPath,
    output: Output,
    solution: Annotated[Path | None, Parameter(help="Write the solution here, for `maskwise apply`.")] = None,
    public: Annotated[
        bool, Parameter(negative="", help="Write --solution in the form that may accompany the release.")
    ] = False,
    trace: Annotated[Path | None, Parameter(help="Write a line per step here (.jsonl).")] = None,
    curve: Annotated[
        Path | None, Parameter(help="Write what each step keeps and reaches here: .csv, or a plot as .svg or .png.")
    ] = None,
    report: Annotated[
        Path | None, Parameter(help="Write a report here that may accompany the release: .html, .md, .txt or .json.")
    ] = None,
    owner_report: Annotated[
        Path | None, Parameter(help="Write a report for the owner alone here, with everything that is known.")
    ] = None,
    certificate: CertificateFlags = NO_CERTIFICATE,
    why: Annotated[
        bool, Parameter(negative="", help="Say why each masked value is shown as it is, and what would free some.")
    ] = False,
    engine: Engine = None,
    memory: Memory = None,
    search: SearchFlags = DEFAULT_SEARCH,
    keep_order: KeepOrder = False,
    shuffle: Shuffle = False,
    seed: Seed = None,
    escape_formulas: Formulas = False,
    strict_leaks: Annotated[
        bool, Parameter(negative="", help="Refuse a released column that tells what a masked one hides.")
    ] = False,
    against: Against = (),
    quiet: Quiet = False,
    json_: AsJson = False,
) -> int:
    """Mask a table, recount the result, and only then release it."""
    from maskwise.cli.risk_tables import show_risk  # noqa: PLC0415 - start-up
    from maskwise.cli.terminal import Terminal  # noqa: PLC0415 - start-up
    from maskwise.cli.why import show_why  # noqa: PLC0415 - start-up
    from maskwise.formats.policy_file import policy_files  # noqa: PLC0415 - start-up
    from maskwise.pipeline import anonymize  # noqa: PLC0415 - start-up
    from maskwise.report.report import report as make_report  # noqa: PLC0415 - start-up
    from maskwise.session.sidecars import SidecarPaths  # noqa: PLC0415 - start-up
    from maskwise.table.endpoints import source_files  # noqa: PLC0415 - start-up
    from maskwise.values.message import Audience, Level  # noqa: PLC0415 - start-up

    certification = certificate.certification(output, data, engine)
    sidecars = SidecarPaths(solution, trace, curve, report, owner_report, is_public=public, certification=certification)
    sidecars.check()
    inputs = [Path(data), *source_files(data, engine), *policy_files(policy), *against]
    require_distinct_names(Path(output), *sidecars.paths, inputs=inputs)
    terminal = Terminal(quiet=quiet or json_)
    with terminal:
        outcome = anonymize(
            data,
            policy,
            output,
            keep_order=keep_order,
            shuffle=shuffle,
            seed=seed,
            escape_formulas=escape_formulas,
            strict_leaks=strict_leaks,
            against=against,
            why=why or owner_report is not None,
            engine=engine,
            memory=memory,
            on_event=terminal.hear,
            beside=sidecars.make,
            **search.keywords(),
        )
    report_data = make_report(outcome, Audience.OWNER).data
    terminal.show_messages(outcome.messages, Level.WARNING)
    if json_:
        _print_json(report_data)
        return 0
    terminal.show_report(report_data, outcome.verdict)
    if (owners := outcome.owner_risk or outcome.risk) is not None:
        show_risk(terminal, owners)
    if why:
        show_why(terminal, report_data["why"])
    terminal.show_messages(outcome.messages, Level.NOTE)
    written: dict[str, str | Path | None] = {"release": output, "solution": solution, "trace": trace}
    written |= {"curve": curve, "report": report, "owner's report": owner_report}
    for what, where in written.items():
        if where is not None:
            is_private = what in {"trace", "curve", "owner's report"} or (what == "solution" and not public)
            terminal.say(f"{what}: {where}{' (keep it private: it says more than the release)' * is_private}")
    for line in [] if certification is None else certification.lines():
        terminal.say(line)
    return 0


@app.command
def audit(
    data: Annotated[str, Parameter(help="Any table, also one that another tool masked.")],
    other: Annotated[
        str | None, Parameter(help="Another release of the same people: what do both tell together?")
    ] = None,
    /,
    *,
    policy: PolicyPath,
    escape_formulas: Annotated[
        bool,
        Parameter(name="--escape-formulas", negative="", help="The table was written by mask --escape-formulas."),
    ] = False,
    engine: Engine = None,
    memory: Memory = None,
    quiet: Quiet = False,
    json_: AsJson = False,
) -> int:
    """Recount a table against a policy; exit 1 if a requirement is violated."""
    from maskwise.assessment import audit_with_risk  # noqa: PLC0415 - start-up
    from maskwise.cli.risk_tables import show_risk  # noqa: PLC0415 - start-up
    from maskwise.cli.terminal import Terminal  # noqa: PLC0415 - start-up
    from maskwise.report.report import verdict_data  # noqa: PLC0415 - start-up
    from maskwise.values.message import Level  # noqa: PLC0415 - start-up

    terminal = Terminal(quiet=quiet)
    if other is not None:
        from maskwise.cli.two_releases import audit_both  # noqa: PLC0415 - start-up

        names = (_shown(data), _shown(other))
        how = {"escape_formulas": escape_formulas, "engine": engine, "memory": memory}
        return audit_both((data, other), policy, names, terminal, how, _print_json if json_ else None)
    verdict, found = audit_with_risk(data, policy, escape_formulas=escape_formulas, engine=engine, memory=memory)
    terminal.show_messages(verdict.messages, Level.WARNING)
    if json_:
        _print_json({**verdict_data(verdict), "warnings": list(verdict.warnings), "risk": found.to_data()})
    else:
        about = "" if verdict.n_persons is None else f" about {plural(verdict.n_persons, verdict.unit)}"
        terminal.say(f"{plural(verdict.n_rows, 'record')}{about} in {_shown(data)}")
        terminal.show_verdict(verdict)
        show_risk(terminal, found)
    return 0 if verdict.is_met else 1


@app.command
def apply(
    data: Annotated[str, Parameter(help="Other rows, with the columns the solution masks.")],
    /,
    *,
    solution: Annotated[Path, Parameter(name=["--solution", "-s"], help="What `maskwise mask --solution` wrote.")],
    output: Output,
    engine: Engine = None,
    memory: Memory = None,
    strict: Annotated[
        bool,
        Parameter(
            negative="", help="Refuse values that the solution does not know, and what lies outside every interval."
        ),
    ] = False,
    outside: Annotated[
        Literal["root", "refuse", "drop"],
        Parameter(
            help="A number or date outside every interval shown: show the whole range and `or outside`, refuse the "
            "rows, or leave the row out."
        ),
    ] = "root",
    enforce: Annotated[
        bool, Parameter(negative="", help="Refuse rows that alone do not meet the requirements.")
    ] = False,
    keep_order: KeepOrder = False,
    shuffle: Annotated[bool, Parameter(negative="", help="Release the rows in random order: the default.")] = False,
    seed: Annotated[int | None, Parameter(help="Makes the order repeatable; keep it secret.")] = None,
    escape_formulas: Formulas = False,
    quiet: Quiet = False,
    json_: AsJson = False,
) -> int:
    """Mask other rows, such as next month's, in the same way."""
    from maskwise.cli.terminal import Terminal  # noqa: PLC0415 - start-up
    from maskwise.pipeline import apply as mask_alike  # noqa: PLC0415 - start-up
    from maskwise.report.report import applied_data  # noqa: PLC0415 - start-up

    applied = mask_alike(
        data,
        solution,
        output,
        strict=strict,
        outside=outside,
        enforce=enforce,
        keep_order=keep_order,
        shuffle=shuffle,
        seed=seed,
        escape_formulas=escape_formulas,
        engine=engine,
        memory=memory,
    )
    if json_:
        _print_json(applied_data(applied))
        return 0
    terminal = Terminal(quiet=quiet)
    terminal.say(f"{plural(applied.verdict.n_rows, 'record')} masked: {output}")
    if applied.n_dropped:
        terminal.note(f"{plural(applied.n_dropped, 'record')} left out because a masked cell is missing.")
    for name, lost in applied.unknown.items():
        values, records = plural(lost.n_values, "value"), plural(lost.n_records, "record")
        terminal.note(f"`{name}` has {values} the solution does not know, in {records}; shown as the root.")
    for name, n_outside in applied.outside.items():
        records = plural(n_outside, "record")
        how = "left out" if applied.n_outside_dropped else "shown as the whole range, or outside"
        terminal.note(f"`{name}` is outside every interval in {records}; {how}.")
    if applied.n_suppressed:
        terminal.note(f"{plural(applied.n_suppressed, 'record')} suppressed, as the solution suppresses their labels.")
    if applied.left_out:
        terminal.note(f"{quote(applied.left_out)} left out: the release does not have such a column.")
    for requirement in applied.unchecked:
        terminal.note(f"{requirement.asks()} could not be recounted: {applied.unchecked_why}.")
    terminal.say("These rows alone, recounted:")
    terminal.show_verdict(applied.verdict)
    if not applied.verdict.is_met:
        terminal.note(
            "These rows alone do not meet every requirement. Put them with the others and run `maskwise audit` on the "
            "whole before you release them, or mask all rows anew. --enforce refuses such rows."
        )
    return 0


app.command(attack)
app.command(evaluate)
app.command(verify)
app.command(risk)
app.command(suggest)
app.command(studio)


@app.command
def demo(
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"], help="The folder to write to.")] = Path("demo-output"),
    quiet: Quiet = False,
) -> int:
    """Mask the bundled Adult table, start to end, in seconds."""
    from maskwise.cli.demo import run  # noqa: PLC0415 - start-up

    return run(output, quiet=quiet)


def _shown(data: str) -> str:
    """What is said of the data: an address may hold a password."""
    return data.rpartition("#")[2] if "://" in data else data


def _print_json(data: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 violated, 2 bad input, 3 no solution, 70 our bug."""
    ended: list[int] = []
    before = _n_written()

    def on_signal(number: int, frame: Any) -> None:
        """End as after Ctrl-C, so that temporary files are removed."""
        del frame
        ended.append(128 + number)
        raise KeyboardInterrupt

    # Windows has no SIGHUP, and without it every command would fail there.
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), on_signal)
    try:
        with warnings.catch_warnings():
            # A command prints what it has to warn of.
            warnings.simplefilter("ignore", MaskwiseWarning)
            result = app(arguments, exit_on_error=False, print_error=False, result_action="return_value")
    except BaseException as error:
        if isinstance(error, SystemExit | GeneratorExit):
            raise
        if ended:
            return ended[0]
        if isinstance(error, KeyboardInterrupt) and _n_written() > before:
            return _fail("Interrupted, after the files were written.", 130)
        return _complain(error)
    return result if isinstance(result, int) else 0


def _complain(error: BaseException) -> int:  # noqa: PLR0911 - one for each exit code
    """Say what went wrong and return the exit code."""
    match error:
        case MissingArgumentError() if error.argument is not None:
            hint = str(error).partition("requires an argument.")[2]  # which option was misspelt
            return _fail(f"`{error.argument.name}` is missing.{hint} {_help_on(error)}", 2)
        case CycloptsError():
            return _fail(f"{error} {_help_on(error)}", 2)
        case MaskwiseError():
            return _fail(str(error), error.exit_code)
        case KeyboardInterrupt():
            return _fail("Interrupted; nothing was written.", 130)
        case BrokenPipeError():
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        case MemoryError():
            return _fail("The table does not fit into memory. Use a machine with more, or fewer columns.", 2)
    if os.environ.get("MASKWISE_DEBUG"):
        raise error
    kind = type(error).__name__
    return _fail(f"maskwise failed ({kind}). Set MASKWISE_DEBUG=1 to see where, and report it.", 70)


def _n_written() -> int:
    """How many sets of files this process has written; what was never imported has written none."""
    files = sys.modules.get("maskwise.release.file_set")
    return 0 if files is None else int(files.FileSet.n_finished)


def _help_on(error: CycloptsError) -> str:
    """Where the options of the command stand that an error is about."""
    return f"Try `{' '.join(['maskwise', *(error.command_chain or ()), '--help'])}`."


def run() -> None:
    """Be the command: end without tearing down the engine and the compiler, which takes half a second."""
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    sys.stderr.reconfigure(errors="replace")  # type: ignore[union-attr]
    gc.disable()  # a short life: refcounts free what is large, and imports are a tenth faster
    code = main()
    atexit._run_exitfuncs()  # noqa: SLF001 - removes temporary folders
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _fail(text: str, code: int) -> int:
    from maskwise.cli.terminal import Terminal  # noqa: PLC0415 - start-up

    Terminal(quiet=False).fail(text)
    return code
