"""The command `maskwise attack`: parse, call `attack`, print."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - read when the command is registered
from typing import Annotated

from cyclopts import Parameter

from maskwise.cli.options import AsJson, Engine, Memory, PolicyPath, Quiet  # noqa: TC001 - as above
from maskwise.cli.printing import print_json


def attack(
    data: Annotated[str, Parameter(name="release", help="A release of your own, as mask wrote it.")],
    /,
    *,
    policy: PolicyPath,
    solution: Annotated[
        Path | None, Parameter(name=["--solution", "-s"], help="What `maskwise mask --solution` wrote beside it.")
    ] = None,
    original: Annotated[
        str | None, Parameter(help="The table before it was masked; with --solution all attacks are tried.")
    ] = None,
    engine: Engine = None,
    memory: Memory = None,
    quiet: Quiet = False,
    json_: AsJson = False,
) -> int:
    """Try known attacks on a release of your own; exit 1 if one of them succeeds."""
    from maskwise.attacks.attack import AttackResult  # noqa: PLC0415 - start-up
    from maskwise.attacks.run import attack as try_attacks  # noqa: PLC0415 - start-up
    from maskwise.cli.terminal import Terminal  # noqa: PLC0415 - start-up

    found = try_attacks(data, policy, solution=solution, original=original, engine=engine, memory=memory)
    is_failed = any(one.result is AttackResult.FAILED for one in found)
    if json_:
        attacks = {"failed": is_failed, "attacks": [one.to_data() for one in found]}
        print_json(attacks)
    else:
        terminal = Terminal(quiet=quiet)
        # Those who know the same stand together; what they know is said once.
        for knows in dict.fromkeys(one.knows for one in found):
            terminal.say(f"Tried by somebody who knows {knows}:")
            for one in found:
                if one.knows == knows:
                    terminal.say(f"  {one.name}: {one.result}. {one.text}")
        if all(one.result is AttackResult.NOT_RUN for one in found):
            terminal.note("No attack was tried, so this says nothing about the release.")
    return int(is_failed)
