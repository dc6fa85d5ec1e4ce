"""Refuse files and folders that cannot be written, before any work is done."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from maskwise.errors import WriteError

if TYPE_CHECKING:
    from pathlib import Path

_LONGEST = 255
"""The most bytes that file systems allow in a name."""


def check_folder(path: Path) -> None:
    """Refuse a folder that cannot be made, before any work is done."""
    _check_name(path)
    if path.exists():
        msg = f"There is already a `{path}`. Remove it, or name another folder."
        raise WriteError(msg)
    check_parent(path)


def check_target(path: Path) -> None:
    """Refuse a target that cannot be written, before any work is done."""
    _check_name(path)
    if path.is_dir():
        msg = f"`{path}` is a folder. Name a file in it."
        raise WriteError(msg)
    if path.exists() and not path.is_file():
        msg = f"`{path}` is a device or a pipe. Name a file: a release is read again before it is given its name."
        raise WriteError(msg)
    check_parent(path)


def make_folder(path: Path) -> None:
    """Make a folder for files to be written to, with those above it; one that is there is fine."""
    _check_name(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        msg = f"The folder `{path}` cannot be made: {(error.strerror or 'refused').lower()}. Choose another."
        raise WriteError(msg) from None


def _check_name(path: Path) -> None:
    for part in path.parts:
        if len(os.fsencode(part)) > _LONGEST:
            msg = f"`{part[:40]}…` is longer than {_LONGEST} bytes. Choose a shorter name."
            raise WriteError(msg)


def check_parent(path: Path) -> None:
    """Refuse a name in a folder that is not there, or cannot be written to."""
    folder = path.parent
    if not folder.is_dir():
        msg = f"There is no folder `{folder}` to write to. Create it first."
        raise WriteError(msg)
    if not os.access(folder, os.W_OK):
        msg = f"The folder `{folder}` cannot be written to. Choose another, or change its permissions."
        raise WriteError(msg)


def not_written(path: Path, error: OSError) -> str:
    """Say that a file could not be written, and why."""
    reason = (error.strerror or "the disk refused").lower()
    return f"A file could not be written to `{path.parent}`: {reason}. Free space or choose another folder."
