"""The command line: thin wrappers that parse, call `pipeline` and print.

Start-up stays fast: nothing heavy is imported before a command runs.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, CycloptsError, MissingArgumentError, Parameter, UnknownOptionError

from maskwise.cli.apply import apply
from maskwise.cli.attack import attack
from maskwise.cli.audit import audit
from maskwise.cli.completion import completion
from maskwise.cli.evaluate import evaluate
from maskwise.cli.init import init
from maskwise.cli.limits import refuse_little_memory
from maskwise.cli.mask import mask
from maskwise.cli.options import Quiet  # noqa: TC001 - read when the command is registered
from maskwise.cli.printing import print_error
from maskwise.cli.risk import risk
from maskwise.cli.settings import use_settings
from maskwise.cli.studio import studio
from maskwise.cli.suggest import suggest
from maskwise.cli.taxonomy import taxonomy
from maskwise.cli.verify import verify
from maskwise.engines.error_messages import is_interrupt
from maskwise.errors import MaskwiseError, MaskwiseWarning
from maskwise.search.options import GONE

if TYPE_CHECKING:
    from collections.abc import Sequence


def _version() -> str:
    from importlib.metadata import version  # noqa: PLC0415 - start-up

    return version("maskwise")


app = App(
    name="maskwise",
    help="Mask a table about people so that nobody can be linked through the columns you name, "
    "and classifiers trained on it still work. The documentation is in docs/ and README.md.",
    help_format="plaintext",
    version=_version,
    version_flags=["--version"],
    suppress_keyboard_interrupt=False,
    config=use_settings,
)


app.command(mask)
app.command(audit)
app.command(apply)
app.command(attack)
app.command(completion)
app.command(evaluate)
app.command(init)
app.command(verify)
app.command(risk)
app.command(suggest)
app.command(studio)
app.command(taxonomy)


@app.command
def demo(
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"], help="The folder to write to.")] = Path("demo-output"),
    quiet: Quiet = False,
) -> int:
    """Mask the bundled Adult table, start to end, in seconds."""
    from maskwise.cli.demo import run  # noqa: PLC0415 - start-up

    return run(output, quiet=quiet)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 violated, 2 bad input, 3 no solution, 70 our bug."""
    ended: list[int] = []
    before = _n_written()

    def on_signal(number: int, frame: Any) -> None:
        """End as after Ctrl-C, so that temporary files are removed."""
        del frame
        ended.append(128 + number)
        raise KeyboardInterrupt

    # Windows has no SIGHUP, and without it every command would fail there.
    for name in ("SIGTERM", "SIGHUP"):
        # After nohup a signal is ignored, and stays so.
        if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) is not signal.SIG_IGN:
            signal.signal(getattr(signal, name), on_signal)
    try:
        refuse_little_memory(sys.argv[1:] if arguments is None else arguments)
        with warnings.catch_warnings():
            # A command prints what it has to warn of.
            warnings.simplefilter("ignore", MaskwiseWarning)
            result = app(arguments, exit_on_error=False, print_error=False, result_action="return_value")
    except BaseException as error:
        if isinstance(error, SystemExit | GeneratorExit):
            raise
        if ended:
            return ended[0]
        if is_interrupt(error):
            error = KeyboardInterrupt()
        if isinstance(error, KeyboardInterrupt) and _n_written() > before:
            return _fail("Interrupted, after the files were written.", 130)
        return _complain(error)
    return result if isinstance(result, int) else 0


def _complain(error: BaseException) -> int:  # noqa: PLR0911 - one for each exit code
    """Say what went wrong and return the exit code."""
    match error:
        case MissingArgumentError() if error.argument is not None:
            hint = str(error).partition("requires an argument.")[2]  # which option was misspelt
            return _fail(f"`{error.argument.name}` is missing.{hint} {_help_on(error)}", 2)
        case UnknownOptionError() if (gone := GONE.get((error.token.keyword or "").lstrip("-"))) is not None:
            return _fail(gone, 2)
        case CycloptsError():
            return _fail(f"{error} {_help_on(error)}", 2)
        case MaskwiseError():
            return _fail(str(error), error.exit_code)
        case KeyboardInterrupt():
            return _fail(str(error) or "Interrupted; nothing was written.", 130)
        case BrokenPipeError():
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        case MemoryError():
            return _fail("The table does not fit into memory. Use a machine with more, or fewer columns.", 2)
    if os.environ.get("MASKWISE_DEBUG"):
        raise error
    kind = type(error).__name__
    return _fail(f"maskwise failed ({kind}). Set MASKWISE_DEBUG=1 to see where, and report it.", 70)


def _n_written() -> int:
    """How many sets of files this process has written; what was never imported has written none."""
    files = sys.modules.get("maskwise.release.file_set")
    return 0 if files is None else int(files.FileSet.n_finished)


def _help_on(error: CycloptsError) -> str:
    """Where the options of the command stand that an error is about."""
    return f"Try `{' '.join(['maskwise', *(error.command_chain or ()), '--help'])}`."


def run() -> None:
    """Be the command: end without tearing down the engine and the compiler, which takes half a second."""
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    sys.stderr.reconfigure(errors="replace")  # type: ignore[union-attr]
    gc.disable()  # a short life: refcounts free what is large, and imports are a tenth faster
    code = main()
    atexit._run_exitfuncs()  # noqa: SLF001 - removes temporary folders
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _fail(text: str, code: int) -> int:
    print_error(text)
    return code
