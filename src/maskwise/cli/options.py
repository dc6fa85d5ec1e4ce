"""Options that several commands share, and a check on the files they name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from maskwise.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

Quiet = Annotated[bool, Parameter(name=["--quiet", "-q"], negative="", help="Print nothing but errors and warnings.")]
AsJson = Annotated[bool, Parameter(name="--json", negative="", help="Print the result as JSON.")]
PolicyPath = Annotated[Path, Parameter(name=["--policy", "-p"], help="The policy, a YAML file.")]


def require_distinct_names(*paths: Path, inputs: Iterable[Path]) -> None:
    """Refuse to write two files under one name, or one over what is read.

    Args:
        paths: What is written.
        inputs: What is read.
    """
    read = {path.resolve() for path in inputs}
    seen: dict[Path, Path] = {}
    for path in paths:
        if path.resolve() in read:
            msg = f"`{path}` is the input. Write to another file."
            raise InputError(msg)
        if path.resolve() in seen:
            msg = f"`{path}` is named twice. Give each file its own name."
            raise InputError(msg)
        seen[path.resolve()] = path
