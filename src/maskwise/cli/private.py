"""`maskwise mask` for a policy with `epsilon`: its own options, files and lines on the screen."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path  # noqa: TC003 - cyclopts needs it
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from maskwise.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maskwise.certificate.certify import Certification
    from maskwise.policy.policy import Policy
    from maskwise.private.ledger import Ledger
    from maskwise.private.outcome import PrivateOutcome
    from maskwise.release.file_set import Sidecar


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerFlags:
    """Where epsilon is added up over all releases of the same people."""

    ledger: Annotated[
        Path | None,
        Parameter(help="For a policy with epsilon: add up here what is spent on the same people by all releases."),
    ] = None
    total_epsilon: Annotated[
        str | None, Parameter(help="The most that the ledger allows; a release that would exceed it is refused.")
    ] = None
    ledger_key: Annotated[
        str, Parameter(help="Which people it is about, in a ledger of several tables; releases with one key add up.")
    ] = ""

    def open(self) -> Ledger | None:
        """The ledger that is asked for, if one is."""
        if self.ledger is None:
            if self.total_epsilon is not None or self.ledger_key:
                raise InputError("--total-epsilon and --ledger-key go with --ledger, which is not given.")
            return None
        from maskwise.private.ledger import Ledger  # noqa: PLC0415 - start-up

        if self.total_epsilon is None:
            raise InputError("--ledger needs --total-epsilon: the most that may be spent on these people.")
        try:
            total = Fraction(self.total_epsilon)
        except (ValueError, ZeroDivisionError):
            total = Fraction(0)
        if total <= 0:
            msg = f"--total-epsilon is a number above 0; found `{self.total_epsilon}`."
            raise InputError(msg)
        found = Ledger(self.ledger, total, self.ledger_key)
        found.check()
        return found


NO_LEDGER = LedgerFlags()


@dataclass(frozen=True, slots=True)
class PrivateFiles:
    """The files beside a private release; None leaves one out. All of them may accompany it."""

    solution: Path | None
    """For `maskwise apply`."""
    trace: Path | None
    """A line per refinement that the mechanism chose."""
    report: Path | None
    """What was asked, chosen and spent."""
    certification: Certification | None
    """Writes a certificate."""

    def make(self, outcome: PrivateOutcome) -> list[Sidecar]:
        """Make the files of a run."""
        from maskwise.formats import solution_file  # noqa: PLC0415 - start-up
        from maskwise.release.file_set import Sidecar  # noqa: PLC0415 - start-up
        from maskwise.report.private_report import private_report  # noqa: PLC0415 - start-up

        files = []
        said = private_report(outcome)
        if self.solution is not None:
            files.append(Sidecar(self.solution, solution_file.dumps(outcome.solution)))
        if self.trace is not None:
            lines = [{"step": i, **one} for i, one in enumerate(said.data["chosen"], start=1)]
            text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            files.append(Sidecar(self.trace, text))
        if self.report is not None:
            files.append(Sidecar(self.report, said.render(self.report)))
        return files if self.certification is None else [*files, *self.certification(outcome)]


def is_private(asked: Policy, flags: LedgerFlags) -> bool:
    """Whether a policy asks for an epsilon; options of a ledger go with such a policy only."""
    if asked.private is None and flags != NO_LEDGER:
        raise InputError("--ledger, --total-epsilon and --ledger-key go with a policy that asks for an `epsilon`.")
    return asked.private is not None


def refuse_options(given: Mapping[str, object]) -> None:
    """Refuse options that a private release cannot follow.

    Args:
        given: The options, and whether each was given.
    """
    reasons = {
        "--seed": "Whoever knows or guesses the seed could take the noise away again",
        "--curve": "What each refinement gains is not released",
        "--owner-report": "Nothing but what the mechanism released is looked at, and --report says all of it",
        "--why": "Why a value was not refined further follows from the records",
        "--against": "Releases with epsilon add up in a --ledger",
        "--keep-order": "The released records are made from counts, and have no order of their own",
        "--shuffle": "The released records are made from counts, and have no order of their own",
        "--strict-leaks": "No column is released as it was",
        "--numbers": "The release has the labels that the mechanism chose",
        "--method": "Refinements are chosen by a mechanism; steps stand in the policy",
    }
    for option, reason in reasons.items():
        if given.get(option):
            also = ", as are all options of a search," if option == "--method" else ""
            msg = f"{option}{also} does not go with a policy that asks for an `epsilon`. {reason}. Leave it out."
            raise InputError(msg)


def mask_privately(
    data: str,
    policy: Policy,
    output: str,
    files: PrivateFiles,
    ledger: LedgerFlags,
    how: Mapping[str, Any],
    *,
    quiet: bool,
    as_json: bool,
) -> int:
    """Release a table with differential privacy, and say what was done.

    Args:
        data: The table.
        policy: What is asked.
        output: Where to.
        files: What appears beside it.
        ledger: Where epsilon is added up.
        how: Further options of `anonymize_privately`.
        quiet: Print nothing but errors and warnings.
        as_json: Print the result as JSON.
    """
    from maskwise.cli.terminal import Terminal  # noqa: PLC0415 - start-up
    from maskwise.private.run import anonymize_privately  # noqa: PLC0415 - start-up
    from maskwise.report.private_report import private_report  # noqa: PLC0415 - start-up

    outcome = anonymize_privately(data, policy, output, ledger=ledger.open(), beside=files.make, **how)
    if as_json:
        sys.stdout.write(private_report(outcome).to_json())
        return 0
    terminal = Terminal(quiet=quiet)
    if quiet:
        return 0
    for line in outcome.summary().splitlines():
        terminal.say(line)
    written = {"release": output, "solution": files.solution, "trace": files.trace, "report": files.report}
    for what, where in written.items():
        if where is not None:
            terminal.say(f"{what}: {where}")
    for line in [] if files.certification is None else files.certification.lines():
        terminal.say(line)
    return 0
