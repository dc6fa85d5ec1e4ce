"""The command `maskwise studio`: parse, check, and serve the page."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from maskwise.cli.options import Engine, Memory, Quiet  # noqa: TC001 - read when a command is parsed
from maskwise.errors import InputError
from maskwise.values.location import is_there


def studio(
    data: Annotated[
        str | None, Parameter(help="The table to open first; as for `mask`. Without it the page asks for one.")
    ] = None,
    /,
    *,
    browser: Annotated[
        bool,
        Parameter(
            name="--browser", negative="--no-browser", help="Open the browser; otherwise the address is printed."
        ),
    ] = True,
    max_upload: Annotated[
        str, Parameter(help="How large a file may be that is dropped on the page, such as 500MB.")
    ] = "2GB",
    engine: Engine = None,
    memory: Memory = None,
    quiet: Quiet = False,
) -> int:
    """Mask a table in the browser, step by step; nothing leaves this machine."""
    from maskwise.studio.serving import StudioOptions, serve  # noqa: PLC0415 - start-up
    from maskwise.studio.sources import describe_file, describe_table  # noqa: PLC0415 - start-up
    from maskwise.values.memory import parse_memory  # noqa: PLC0415 - start-up

    parse_memory(memory)
    source = None
    if data is not None:
        source = describe_file(data) if engine is None else describe_table(engine, data)
        if (
            source.kind == "file"
            and not any(letter in data for letter in "*?[")
            and not is_there(Path(data).expanduser())
        ):
            msg = f"There is no file `{data}`. Name another one, or start the studio without it."
            raise InputError(msg)
    n_bytes = parse_memory(max_upload)
    options = StudioOptions(source, memory, n_bytes or 0, opens_browser=browser)

    def say(text: str) -> None:
        if not quiet or "#token=" in text:
            print(text, flush=True)  # noqa: T201 - the terminal is for this

    # Other commands do without it; a server lives for days, and every request leaves cycles behind.
    gc.enable()
    serve(options, say)
    return 0
