"""The command `maskwise audit`: parse, call `audit`, print."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from maskwise.cli.options import AsJson, Engine, Memory, PolicyPath, Quiet  # noqa: TC001 - read when it is registered
from maskwise.cli.printing import print_json, shown_name
from maskwise.errors import plural


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

        names = (shown_name(data), shown_name(other))
        how = {"escape_formulas": escape_formulas, "engine": engine, "memory": memory}
        return audit_both((data, other), policy, names, terminal, how, print_json if json_ else None)
    verdict, found = audit_with_risk(data, policy, escape_formulas=escape_formulas, engine=engine, memory=memory)
    terminal.show_messages(verdict.messages, Level.WARNING)
    if json_:
        print_json({**verdict_data(verdict), "warnings": list(verdict.warnings), "risk": found.to_data()})
    else:
        about = "" if verdict.n_persons is None else f" about {plural(verdict.n_persons, verdict.unit)}"
        terminal.say(f"{plural(verdict.n_rows, 'record')}{about} in {shown_name(data)}")
        terminal.show_verdict(verdict)
        show_risk(terminal, found)
    return 0 if verdict.is_met else 1
