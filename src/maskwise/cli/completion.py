"""The command `maskwise completion`: the script that lets a shell complete commands and options."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

from cyclopts import Parameter

_HOW = {
    "bash": "It is loaded by the package bash-completion in every new shell; without it, add to ~/.bashrc: . '{path}'",
    "zsh": "Add to ~/.zshrc, if it is not there: fpath=('{folder}' $fpath); autoload -Uz compinit; compinit",
    "fish": "Every new fish loads it.",
    "powershell": "Add to your profile ($PROFILE): . '{path}'",
}


def completion(
    shell: Annotated[
        Literal["bash", "zsh", "fish", "powershell"] | None,
        Parameter(help="The shell; without it, the one that started this command."),
    ] = None,
    /,
    *,
    install: Annotated[
        bool,
        Parameter(negative="", help="Write the script where the shell looks for it, instead of printing it."),
    ] = False,
) -> int:
    """Print the script that lets a shell complete commands and options; nothing is written unless asked."""
    from cyclopts.completion.detect import ShellDetectionError, detect_shell  # noqa: PLC0415 - start-up

    from maskwise.cli.app import app  # noqa: PLC0415 - it has this command
    from maskwise.errors import InputError, WriteError  # noqa: PLC0415 - start-up

    try:
        named = detect_shell() if shell is None else shell
    except ShellDetectionError:
        msg = "The shell cannot be told. Name it: maskwise completion bash, zsh, fish or powershell."
        raise InputError(msg) from None
    if not install:
        sys.stdout.write(app.generate_completion(shell=named))
        return 0
    try:
        # Start-up files of the shell are the user's: the line that one may need is told, not written.
        path = app.install_completion(shell=named, add_to_startup=False)
    except OSError as error:
        msg = (
            f"The script cannot be written: {error.strerror}. Print it with `maskwise completion {named}` and keep it "
            "where the shell looks."
        )
        raise WriteError(msg) from None
    sys.stdout.write(f"script: {path}\n{_HOW[named].format(path=path, folder=path.parent)}\n")
    return 0
