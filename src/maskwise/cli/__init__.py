"""The command line.

`app` has the commands `mask`, `audit` and `apply`, `evaluate` the one that
measures, `verify` the one that checks certificates, `demo` runs on the bundled
table; `options` are shared by several commands, `sidecars` are the files beside
a release, `terminal` and `why` print.
"""

from maskwise.cli.app import app, main, run

__all__ = ["app", "main", "run"]
