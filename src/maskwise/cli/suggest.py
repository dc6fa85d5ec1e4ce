"""The command `maskwise suggest`: parse, call `suggest`, write the draft, print."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003 - read when a command is parsed
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from maskwise.cli.options import AsJson, Engine, Memory, Quiet, Renaming  # noqa: TC001 - as above
from maskwise.cli.printing import print_json
from maskwise.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from maskwise.cli.terminal import Terminal
    from maskwise.suggestion.private_draft import PrivateDraft
    from maskwise.suggestion.suggestion import Suggestion


def suggest(
    data: Annotated[str, Parameter(help="The raw table; as for `mask`.")],
    /,
    *,
    output: Annotated[
        Path | None,
        Parameter(
            name=["--output", "-o"],
            help="Where to write the draft, a new YAML file; without it the draft is printed.",
        ),
    ] = None,
    class_name: Annotated[
        str | None,
        Parameter(name="--class", help="The column that recipients will predict; without it, a name may tell."),
    ] = None,
    risk: Annotated[
        str, Parameter(help="The largest chance of being found, as a number or by name (ema-0070); 0.09 makes k 12.")
    ] = "0.09",
    rename: Renaming = None,
    epsilon: Annotated[
        str | None,
        Parameter(help="Draft a private release with this epsilon: domains that somebody has to confirm."),
    ] = None,
    explain: Annotated[bool, Parameter(negative="", help="Print what was counted of every column as a table.")] = False,
    engine: Engine = None,
    memory: Memory = None,
    quiet: Quiet = False,
    json_: AsJson = False,
) -> int:
    """Draft a policy for a raw table, with the reasons as comments."""
    from maskwise.cli.terminal import Terminal  # noqa: PLC0415 - start-up
    from maskwise.search.registry import DEFAULT_METHOD  # noqa: PLC0415 - start-up
    from maskwise.suggestion.private_draft import suggest_privately  # noqa: PLC0415 - start-up
    from maskwise.suggestion.suggest import suggest as draft  # noqa: PLC0415 - start-up
    from maskwise.suggestion.suggestion import check_target  # noqa: PLC0415 - start-up

    if output is not None:
        check_target(output)
    terminal = Terminal(quiet=quiet or json_)
    if epsilon is not None:
        if explain:
            raise InputError("--explain does not go with --epsilon: its draft says of each column what to confirm.")
        drafted = suggest_privately(data, epsilon, class_name=class_name, rename=rename, engine=engine, memory=memory)
        return _show_private(terminal, drafted, output, as_json=json_)
    with terminal:
        found = draft(
            data,
            class_name=class_name,
            risk=risk,
            rename=rename,
            progress=terminal.progress,
            engine=engine,
            memory=memory,
        )
    if output is not None:
        found.write(output)
    if json_:
        print_json(found.to_data())
        return 0
    if explain and not quiet:
        # A draft that is printed may go to a file, and the tables are no part of it.
        _show_evidence(terminal.out if output is not None else terminal.err, found)
    if output is None:
        sys.stdout.write(found.to_yaml())
        return 0
    if not quiet:
        _show_summary(terminal, found)
        terminal.say(f"draft: {output} (keep it private: its comments have figures of the raw table)")
        method = (
            "" if found.trial is None or found.trial.method == DEFAULT_METHOD else f" --method {found.trial.method}"
        )
        terminal.say(f"Read it, change what is wrong, then run: maskwise mask DATA -p {output} -o OUT{method}")
    return 0


def _show_private(terminal: Terminal, found: PrivateDraft, output: Path | None, *, as_json: bool) -> int:
    """Write or print the draft of a private release."""
    if output is not None:
        found.write(output)
    if as_json:
        print_json({"policy": found.data})
    elif output is None:
        sys.stdout.write(found.to_yaml())
    else:
        terminal.say(f"draft: {output} (keep it private: it was made by looking at the records)")
        terminal.say("Confirm or replace every domain in it by what is possible, whatever the records say.")
        terminal.say(f"Then run: maskwise mask DATA -p {output} -o OUT --ledger LEDGER --total-epsilon TOTAL")
    return 0


def _show_summary(terminal: Terminal, found: Suggestion) -> None:
    from maskwise.errors import plural  # noqa: PLC0415 - start-up
    from maskwise.suggestion.roles import Role  # noqa: PLC0415 - start-up
    from maskwise.suggestion.wording import trial_lines  # noqa: PLC0415 - start-up
    from maskwise.values.yaml_spelling import spelled  # noqa: PLC0415 - start-up

    terminal.say(f"{plural(found.n_records, 'record')}, k = {found.k}")
    for role in Role:
        names = found.named(role)
        if names:
            terminal.say(f"{role}: {', '.join(map(spelled, names))}")
    for line in () if found.trial is None else trial_lines(found.trial, found.knowledge_said):
        terminal.say(line)


def _show_evidence(console: Console, found: Suggestion) -> None:
    from rich.table import Table as Grid  # noqa: PLC0415 - start-up
    from rich.text import Text  # noqa: PLC0415 - start-up

    from maskwise.suggestion.column_sets import LARGEST  # noqa: PLC0415 - start-up
    from maskwise.suggestion.wording import EVIDENCE_HEADERS, evidence_cells, search_text, set_text  # noqa: PLC0415

    grid = Grid(title="What was counted of each column", title_justify="left")
    for header in EVIDENCE_HEADERS:
        grid.add_column(header, overflow="fold")
    for column in found.columns:
        grid.add_row(*map(Text, [*evidence_cells(column.figures), str(column.role), column.reason]))
    console.print(grid)
    grid = Grid(title="Smallest sets of columns that single out records", title_justify="left")
    grid.add_column("set", overflow="fold")
    for one in found.search.sets:
        grid.add_row(Text(set_text(one)))
    console.print(grid)
    console.print(search_text(found.search, LARGEST), markup=False)
