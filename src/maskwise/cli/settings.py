"""Defaults of options from a file: `maskwise.toml`, or `[tool.maskwise]` in `pyproject.toml`.

What a table must satisfy stands in the policy alone, so settings are about how
the work is done. They are read when a command that has such an option is
parsed; what is given on the command line wins.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cyclopts.config import Dict

from maskwise.errors import InputError, did_you_mean, quote
from maskwise.search.registry import criteria, methods
from maskwise.values.background import Background

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cyclopts import App, ArgumentCollection

OWN_FILE = "maskwise.toml"
SHARED_FILE = "pyproject.toml"
_SECTION = ("tool", "maskwise")
_REPOSITORY = (".git", ".hg", ".svn")


@dataclass(frozen=True, slots=True)
class Setting:
    """What one key of a settings file may be."""

    kind: type
    """The type of its value in TOML."""
    choices: tuple[str, ...] = ()
    """Its values, where only these are allowed."""
    yields_to: tuple[str, ...] = ()
    """Options that, given on the command line, put this setting aside."""
    weakens: str = ""
    """What the release then lacks, if a true value gives up a protection that is there by default."""

    def complaint(self, value: object) -> str:
        """What is wrong with a value; empty if nothing is."""
        if self.kind is float and type(value) in {int, float}:
            return ""
        if type(value) is not self.kind:  # `true` is a whole number to isinstance
            return f"is {_CALLED[self.kind]}"
        if self.choices and value not in self.choices:
            return f"is one of {quote(self.choices)}"
        return ""


_CALLED = {str: "a text in quotes", int: "a whole number", float: "a number", bool: "true or false"}
_SEARCH = ("method", "criterion", "effort", "background")
SETTINGS = {
    "engine": Setting(str),
    "memory": Setting(str),
    "method": Setting(str, methods(), yields_to=_SEARCH),
    "criterion": Setting(str, criteria(), yields_to=_SEARCH),
    "effort": Setting(int, yields_to=_SEARCH),
    "background": Setting(str, tuple(map(str, Background)), yields_to=_SEARCH),
    "max_steps": Setting(int),
    "time_limit": Setting(float),
    "keep_order": Setting(
        bool,
        yields_to=("shuffle", "seed"),
        weakens="the records are released in the order they have, which can tell what a masked column hides",
    ),
    "escape_formulas": Setting(bool),
    "strict_leaks": Setting(bool),
    "strict": Setting(bool),
    "enforce": Setting(bool),
}
"""The keys. What says how well people are protected (k, boundaries, as_published, numbers, seed) is none of them."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """The settings of a folder, checked."""

    path: Path
    """The file."""
    values: dict[str, Any]
    """What it sets."""
    lines: dict[str, int]
    """The line of each key, where it was found."""

    def locate(self, key: str) -> str:
        """The file and the line of a key."""
        return f"{self.path.name}, line {self.lines[key]}" if key in self.lines else self.path.name


def find_settings(folder: Path) -> SettingsFile | None:
    """Read the nearest settings file.

    Args:
        folder: Where to begin; then the folders above it, up to the root of the repository or the home folder. Where
            there is neither above it, only this one is looked at, so that nobody can leave a file in a shared folder
            above.

    Raises:
        InputError: A file is no TOML, or has a key or value that is no setting.
    """
    for place in _folders(folder):
        found = [settings for name in (OWN_FILE, SHARED_FILE) if (settings := _read(place / name)) is not None]
        if len(found) > 1:
            msg = (
                f"`{place}` has settings in {OWN_FILE} and in {SHARED_FILE}. Keep one of them: remove [tool.maskwise] "
                f"or {OWN_FILE}."
            )
            raise InputError(msg)
        if found:
            return found[0]
    return None


def use_settings(app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
    """Give options that were not given the values of the settings file; cyclopts calls it for every command.

    Args:
        app: The command's app.
        commands: The words that lead to it.
        arguments: Its options, with what was given.
    """
    names = {name: argument for argument in arguments for name in argument.names}
    options = {key: names[flag] for key in SETTINGS if (flag := _flag(key)) in names}
    # Not every command has them, and a mistake in the file is no reason to keep the others from working.
    settings = find_settings(Path.cwd()) if options else None
    if settings is None:
        return
    given = {key for key in (*SETTINGS, "shuffle", "seed") if (flag := _flag(key)) in names and names[flag].tokens}
    used = {
        key: value
        for key, value in settings.values.items()
        if key in options and key not in given and not given.intersection(SETTINGS[key].yields_to)
    }
    if not used:
        return
    Dict({_flag(key)[2:]: value for key, value in used.items()}, source=settings.path.name, use_commands_as_keys=False)(
        app, commands, arguments
    )
    quiet = "--quiet" in names and bool(names["--quiet"].tokens)
    _tell(settings, used, quiet=quiet)


def _tell(settings: SettingsFile, used: dict[str, Any], *, quiet: bool) -> None:
    """Say which settings are used; of one that gives up a protection also where nothing else is said."""
    from maskwise.cli.terminal import Terminal  # noqa: PLC0415 - start-up

    terminal = Terminal(quiet=quiet)
    terminal.note(f"{', '.join(used)} from `{settings.path}`.")
    for key, value in used.items():
        if value and (lacking := SETTINGS[key].weakens):
            terminal.warn(f"{settings.locate(key)} sets `{key}`: {lacking}.")


def _flag(key: str) -> str:
    return f"--{key.replace('_', '-')}"


def _folders(start: Path) -> Iterator[Path]:
    """The folders to look into, the nearest first."""
    start = start.resolve()
    above = [start, *start.parents]
    home = Path.home().resolve()
    ends = [
        i for i, folder in enumerate(above) if folder == home or any((folder / name).exists() for name in _REPOSITORY)
    ]
    yield from above[: ends[0] + 1 if ends else 1]


def _read(path: Path) -> SettingsFile | None:
    """Read one file; None if it is not there or has no settings."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        data: Any = tomllib.loads(text)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except tomllib.TOMLDecodeError as error:
        msg = f"`{path}` is not TOML: {error}. Correct it, or rename the file."
        raise InputError(msg) from None
    except (OSError, UnicodeDecodeError):
        msg = f"`{path}` may have settings, but it cannot be read as text in UTF-8. Change it, or its permissions."
        raise InputError(msg) from None
    section: tuple[str, ...] = () if path.name == OWN_FILE else _SECTION
    for key in section:
        data = data.get(key) if isinstance(data, dict) else None
    if data is None:
        return None
    if not isinstance(data, dict):
        msg = f"`{path}`: `tool.maskwise` is not a table. Write [tool.maskwise] and a line for each setting below it."
        raise InputError(msg)
    settings = SettingsFile(path, data, _lines(text, section))
    _check(settings)
    return settings


def _check(settings: SettingsFile) -> None:
    """Refuse keys that are no settings, and values that are none of theirs."""
    for key, value in settings.values.items():
        where = settings.locate(key)
        if key not in SETTINGS:
            hint = did_you_mean(key, SETTINGS) or f" Settings are: {', '.join(SETTINGS)}."
            msg = f"{where}: `{key}` is not a setting.{hint} Requirements and attributes stand in a policy."
            raise InputError(msg)
        if complaint := SETTINGS[key].complaint(value):
            msg = f"{where}: `{key}` {complaint}. Change it, or remove the line."
            raise InputError(msg)


def _lines(text: str, section: tuple[str, ...]) -> dict[str, int]:
    """The line of every key of a section, where it is written in the usual way: a key at the start of a line."""
    lines: dict[str, int] = {}
    current: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[\s*([^\[\]]+?)\s*\]", line):
            current = tuple(part.strip().strip("\"'") for part in header[1].split("."))
            if current[:-1] == section:
                lines.setdefault(current[-1], number)
        elif (key := re.match(r"\s*[\"']?([^\s\"'=#.]+)[\"']?\s*[.=]", line)) and current == section:
            lines.setdefault(key[1], number)
    return lines
