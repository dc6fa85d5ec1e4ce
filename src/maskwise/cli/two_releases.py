"""`maskwise audit` of two releases of the same people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maskwise.attacks.attack import AttackResult
from maskwise.composition import compose
from maskwise.errors import plural
from maskwise.report.report import verdict_data
from maskwise.values.message import Level

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from maskwise.cli.terminal import Terminal


def audit_both(
    releases: tuple[str, str],
    policy: Path,
    names: tuple[str, str],
    terminal: Terminal,
    how: Mapping[str, Any],
    print_json: Callable[[dict[str, Any]], None] | None,
) -> int:
    """Recount two releases, and say what both tell together; return the exit code.

    Args:
        releases: The releases.
        policy: The policy file.
        names: What they are called.
        terminal: Where it is shown.
        how: The options of `compose`.
        print_json: Prints the result as JSON instead.
    """
    found = compose(*releases, policy, **how)
    attack = found.attack
    for verdict in found.verdicts:
        terminal.show_messages(verdict.messages, Level.WARNING)
    if attack.result is not AttackResult.PASSED:
        terminal.warn(f"Both releases together: {attack.text}")
    if print_json is not None:
        tables = [
            {"data": name, **verdict_data(verdict), "warnings": list(verdict.warnings)}
            for name, verdict in zip(names, found.verdicts, strict=True)
        ]
        print_json({"holds": found.is_met, "tables": tables, "attacks": [attack.to_data()]})
        return 0 if found.is_met else 1
    for name, verdict in zip(names, found.verdicts, strict=True):
        terminal.say(f"{plural(verdict.n_rows, 'record')} in {name}")
        terminal.show_verdict(verdict)
    # What is not passed was said in full as a warning.
    is_passed = attack.result is AttackResult.PASSED
    terminal.say(f"Both together ({attack.name}): {attack.result}.{f' {attack.text}' * is_passed}")
    return 0 if found.is_met else 1
