"""The command line.

`app` has the commands that mask, `evaluate` the one that measures; `options`
are shared between them, `terminal` prints, `demo` runs on the bundled table.
"""

from maskwise.cli.app import app, main, run

__all__ = ["app", "main", "run"]
