"""The command `maskwise risk`: parse, call `risk`, print."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - read when a command is parsed
from typing import Annotated

from cyclopts import Parameter

from maskwise.cli.options import AsJson, Engine, Memory, PolicyPath, Quiet  # noqa: TC001 - as above
from maskwise.cli.printing import print_json


def risk(
    data: Annotated[str, Parameter(help="The table, as it is released or raw.")],
    /,
    *,
    policy: PolicyPath,
    population: Annotated[
        str | None,
        Parameter(
            help="A table of the population that the data was drawn from: masked by the same cut, or raw together with "
            "--solution."
        ),
    ] = None,
    solution: Annotated[
        Path | None,
        Parameter(name=["--solution", "-s"], help="Mask --population by this solution, which `mask --solution` wrote."),
    ] = None,
    population_size: Annotated[
        int | None,
        Parameter(help="How large the population is: how many of it are unique is then estimated."),
    ] = None,
    threshold: Annotated[
        tuple[str, ...],
        Parameter(
            negative="",
            show_default=False,
            help="A chance of being found, by name (ema-0070) or as a number; by default 0.05, ema-0070, 0.2 and 0.33. "
            "May be given several times.",
        ),
    ] = (),
    engine: Engine = None,
    memory: Memory = None,
    quiet: Quiet = False,
    json_: AsJson = False,
) -> int:
    """Say how likely somebody is found in a table, or something about them."""
    from maskwise.assessment import risk as assess  # noqa: PLC0415 - start-up
    from maskwise.cli.risk_tables import show_risk  # noqa: PLC0415 - start-up
    from maskwise.cli.terminal import Terminal  # noqa: PLC0415 - start-up
    from maskwise.formats.policy_file import read_policy  # noqa: PLC0415 - start-up
    from maskwise.policy.requirements.qid import called  # noqa: PLC0415 - start-up
    from maskwise.policy.requirements.unit import Unit  # noqa: PLC0415 - start-up
    from maskwise.risks.risk import ColumnSet  # noqa: PLC0415 - start-up
    from maskwise.risks.thresholds import DEFAULT_THRESHOLDS  # noqa: PLC0415 - start-up

    asked = read_policy(policy)
    found = assess(
        data,
        asked,
        population=population,
        population_size=population_size,
        solution=solution,
        thresholds=threshold or DEFAULT_THRESHOLDS,
        engine=engine,
        memory=memory,
    )
    if json_:
        print_json(found.to_data())
        return 0
    terminal = Terminal(quiet=quiet)
    person = asked.person
    if person is not None and found.unit is Unit.RECORD:
        terminal.note(
            f"The policy counts persons, and the table has no column `{person.column}`: these are chances to pick one "
            "record. Of a person with several records the chance is larger."
        )
    show_risk(terminal, found, in_full=True)
    compared = {one.qid for one in found.populations}
    for one in found.qids if population is not None else ():
        if one.columns_are is ColumnSet.QID and one.columns not in compared:
            terminal.note(f"The population lacks a column of {called(one.columns)}, so it says nothing about that.")
    return 0
