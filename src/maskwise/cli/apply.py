"""The command `maskwise apply`: parse, call `apply`, print."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - read when the command is registered
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from maskwise.cli.options import AsJson, Engine, Formulas, KeepOrder, Memory, Output, Quiet  # noqa: TC001 - as above
from maskwise.cli.printing import print_json
from maskwise.errors import plural, quote

if TYPE_CHECKING:
    from maskwise.outcome import Applied


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
    from maskwise.outcome import UNPROTECTED  # noqa: PLC0415 - start-up
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
        print_json(applied_data(applied))
        return 0
    terminal = Terminal(quiet=quiet)
    terminal.say(f"{plural(applied.verdict.n_rows, 'record')} masked: {output}")
    if applied.n_dropped:
        terminal.note(f"{plural(applied.n_dropped, 'record')} left out because a masked cell is missing.")
    for name, lost in applied.unknown.items():
        if name not in applied.uninformative:
            values, records = plural(lost.n_values, "value"), plural(lost.n_records, "record")
            terminal.note(
                f"`{name}` has {values} the solution does not know, in {records}; shown as the label that says least."
            )
    for text in describe_outside(applied):
        terminal.note(text)
    if applied.n_suppressed:
        terminal.note(f"{plural(applied.n_suppressed, 'record')} suppressed, as the solution suppresses their labels.")
    if applied.left_out:
        terminal.note(f"{quote(applied.left_out)} left out: the release does not have such a column.")
    for requirement in applied.unchecked:
        terminal.note(f"{requirement.asks()} could not be recounted: {applied.unchecked_why}.")
    if applied.is_private:
        terminal.warn(UNPROTECTED)
        return 0
    terminal.say("These rows alone, recounted:")
    terminal.show_verdict(applied.verdict)
    if not applied.verdict.is_met:
        terminal.note(_advise(applied))
    return 0


def describe_outside(applied: Applied) -> list[str]:
    """What is said of rows beyond the ranges that a solution knows: what was done, and what would help."""
    said = []
    for name, n_outside in applied.outside.items():
        records = plural(n_outside, "record")
        if applied.n_outside_dropped:
            said.append(f"`{name}` is outside every interval in {records}; left out.")
            continue
        said.append(
            f"`{name}` is outside every interval in {records}; shown as the whole range, or outside. That is a label "
            "which the release does not have, so these records are in groups of their own. To give them a place, widen "
            "the range in the policy, or end it with `clamp: [~, HIGHEST]`, after which the last interval goes on "
            "without end, and mask all rows anew; or leave them out with --outside drop."
        )
    return said


def _advise(applied: Applied) -> str:
    """What to do with rows that alone do not meet every requirement."""
    if applied.outside and not applied.n_outside_dropped:
        return (
            "These rows alone do not meet every requirement. Together with the others they would not either while some "
            "lie outside every interval: see above. --enforce refuses such rows."
        )
    if applied.verdict.n_persons is not None:
        return (
            "These rows alone do not meet every requirement. Mask them anew, together with the others: an audit of "
            "both releases could not tell which records are of one person. --enforce refuses such rows."
        )
    return (
        "These rows alone do not meet every requirement. Put them with the others and run `maskwise audit` on the "
        "whole before you release them, or mask all rows anew. --enforce refuses such rows."
    )
