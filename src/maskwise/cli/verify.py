"""The command `maskwise verify`: parse, call `check_certificate` and print."""

from __future__ import annotations

import json
import re
from pathlib import Path  # noqa: TC003 - cyclopts reads annotations
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from maskwise.cli.options import AsJson, Quiet  # noqa: TC001 - as above
from maskwise.cli.printing import print_error, print_json
from maskwise.errors import plural

if TYPE_CHECKING:
    from maskwise.certificate.checks import CertificateCheck

_LONGEST = 60
"""What agrees or is claimed is shown up to so many letters; what differs is shown whole."""
_HASH = re.compile("[0-9a-f]{64}")
_IN_SENTENCES = ("not_covered", "statement")
"""Claims that are printed below the table, in whole."""


def verify(
    certificate: Annotated[Path, Parameter(help="What `maskwise mask --certificate` wrote.")],
    release: Annotated[Path, Parameter(help="The file or folder that came with it.")],
    /,
    *,
    signers: Annotated[
        Path | None,
        Parameter(help="Whose signature is trusted: a list of allowed signers, as `ssh-keygen -Y verify` reads it."),
    ] = None,
    policy: Annotated[
        Path | None,
        Parameter(
            name=["--policy", "-p"], help="The owner's policy, to recount requirements with protected values too."
        ),
    ] = None,
    certificate_key: Annotated[
        Path | None, Parameter(help="The owner's key of the certificate, to compare the whole policy.")
    ] = None,
    quiet: Quiet = False,
    json_: AsJson = False,
) -> int:
    """Check a certificate against the release it came with; exit 1 if anything differs."""
    from maskwise.certificate.check import check_certificate  # noqa: PLC0415 - start-up
    from maskwise.certificate.checks import CheckMark  # noqa: PLC0415 - start-up
    from maskwise.cli.terminal import Terminal  # noqa: PLC0415 - start-up
    from maskwise.values.printable import printable  # noqa: PLC0415 - start-up

    checked = check_certificate(certificate, release, signers=signers, policy=policy, key=certificate_key)
    if json_:
        print_json(checked.to_data())
        return 0 if checked.is_confirmed else 1
    terminal = Terminal(quiet=quiet)
    _show(checked, terminal.out)
    claims = {check.name: check.stated for check in checked.checks if check.mark is CheckMark.CLAIMED}
    if claims["not_covered"]:
        terminal.say("What the certificate does not cover:")
    for text in claims["not_covered"]:
        terminal.say(f"  {printable(text)}")
    if claims["statement"] is not None:
        terminal.say(f"The owner states: {printable(claims['statement'])}")
    for check in checked.checks:
        if check.name == "signature" and check.mark is CheckMark.NOT_CHECKED:
            terminal.warn(f"The certificate is {check.found}.")
    n = {mark: sum(check.mark is mark for check in checked.checks) for mark in CheckMark}
    if not checked.is_confirmed:
        first = next(check.name for check in checked.checks if check.mark is CheckMark.DIFFERS)
        what = f"{plural(n[CheckMark.DIFFERS], 'check')} found something else, first `{printable(first)}`"
        print_error(f"The certificate is not confirmed: {what}.")
        return 1
    rest = plural(n[CheckMark.CLAIMED], "statement")
    terminal.say(
        f"Confirmed: {plural(n[CheckMark.AGREES], 'check')} found what is stated. {rest} of the owner cannot be "
        "counted."
    )
    n_words = sum(name.startswith("requirement ") for name in claims)
    if n_words:
        holds, it = ("holds", "it") if n_words == 1 else ("hold", "them")
        told = plural(n_words, "requirement")
        terminal.warn(f"That {told} {holds} is the owner's word: recipients cannot count {it}.")
    return 0


def _show(checked: CertificateCheck, out: Any) -> None:
    """Print what was checked: what is stated, what was found, and how they compare."""
    from rich.table import Table as Grid  # noqa: PLC0415 - start-up
    from rich.text import Text  # noqa: PLC0415 - start-up

    from maskwise.certificate.checks import CheckMark  # noqa: PLC0415 - start-up

    colours = {
        CheckMark.AGREES: "green",
        CheckMark.DIFFERS: "bold red",
        CheckMark.CLAIMED: "",
        CheckMark.NOT_CHECKED: "yellow",
    }
    grid = Grid(title="The certificate and the release", title_justify="left")
    for column in ("check", "stated", "found", "mark"):
        grid.add_column(column, overflow="fold")
    for check in checked.checks:
        if check.mark is CheckMark.CLAIMED and check.name in _IN_SENTENCES:
            continue
        is_whole = check.mark in {CheckMark.DIFFERS, CheckMark.NOT_CHECKED} or check.name == "signature"
        values = (
            # Names of columns and files stay as they are.
            check.name if "{" in check.name or check.name.startswith("sha256 of ") else check.name.replace("_", " "),
            check.stated,
            check.found,
        )
        cells = [_cell(value, is_whole=is_whole) for value in values]
        grid.add_row(*map(Text, cells), Text(check.mark, style=colours[check.mark]))
    out.print(grid)


def _cell(value: Any, *, is_whole: bool) -> str:
    """A plain value as a cell; whoever wrote the certificate does not write to the terminal."""
    from maskwise.values.printable import printable  # noqa: PLC0415 - start-up

    match value:
        case None:
            text = ""
        case str():
            text = value if is_whole or not _HASH.fullmatch(value) else f"{value[:12]}…"
        case []:
            text = "none"
        case dict() if not is_whole:
            text = ", ".join(f"{key}: {_cell(item, is_whole=True)}" for key, item in value.items())
        case list() if not is_whole:
            text = ", ".join(_cell(item, is_whole=True) for item in value)
        case _:
            text = json.dumps(value, ensure_ascii=False)
    text = printable(text)
    return text if is_whole or len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
