"""Questions to the user, and the editor; a script is asked nothing."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

from maskwise.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from maskwise.cli.terminal import Terminal


def is_interactive() -> bool:
    """Whether somebody sits there who can answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask(terminal: Terminal, question: str, *, default: bool) -> bool:
    """Ask for yes or no until one of them is answered; an empty answer, or none, is the default.

    Args:
        terminal: Where to ask.
        question: What to ask.
        default: What an empty answer means.
    """
    choices = "Y/n" if default else "y/N"
    while True:
        terminal.err.print(f"{question} [{choices}] ", end="", markup=False)
        answer = sys.stdin.readline().strip().casefold()
        if not answer:
            return default
        if answer in {"y", "yes", "n", "no"}:
            return answer.startswith("y")
        terminal.err.print("Please answer y or n.", markup=False)


def editor() -> str | None:
    """The editor that the user has chosen, if any."""
    return os.environ.get("VISUAL") or os.environ.get("EDITOR") or None


def edit(path: Path, command: str) -> None:
    """Open a file in an editor and wait until it is closed.

    Args:
        path: The file.
        command: The editor, with its options.

    Raises:
        InputError: The editor cannot be started, or says that it failed.
    """
    try:
        # The user's own choice of a program, as git and others start it; no shell is in between.
        done = subprocess.run([*shlex.split(command), os.fspath(path)], check=False)  # noqa: S603
    except (OSError, ValueError):
        msg = f"The editor `{command}` cannot be started. Set $VISUAL or $EDITOR to another one."
        raise InputError(msg) from None
    if done.returncode:
        msg = f"The editor `{command}` ended with {done.returncode}. Set $VISUAL or $EDITOR to another one."
        raise InputError(msg)
