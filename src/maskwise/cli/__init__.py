"""The command line.

`app` has the commands `mask`, `audit` and `apply`, `evaluate` the one that
measures, `verify` the one that checks certificates, `demo` runs on the bundled
table; `options` are shared by several commands, `sidecars` are the files beside
a release, `terminal` and `why` print. Nothing of it is imported before `run`
is called, so that Ctrl-C is answered from the beginning.
"""

import os
import sys

__all__ = ["run"]


def run() -> None:
    """Be the command; Ctrl-C while it is still being loaded ends it as later."""
    # A plugin of pydantic's would see what is in a policy, and may send it anywhere. To look for them takes time, too.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        from maskwise.cli import app  # noqa: PLC0415 - the block is about loading it
    except KeyboardInterrupt:
        sys.stderr.write("error: Interrupted; nothing was written.\n")
        sys.stderr.flush()
        os._exit(130)
    app.run()
