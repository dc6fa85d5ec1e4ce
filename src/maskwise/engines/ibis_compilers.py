"""Ibis's SQL compilers, each imported when it is asked for.

Ibis imports its compilers for twenty databases, and sqlglot's dialects for them,
wherever one is used: a tenth of a second of processor time in every run.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

_PACKAGE = "ibis.backends.sql.compilers"
_LOCK = threading.Lock()


def import_compilers_when_asked() -> None:
    """Let every compiler be imported by itself from now on, unless all of them are there already."""
    with _LOCK:
        if _PACKAGE in sys.modules:
            return
        # Another thread may be importing Ibis. Python waits for that where Ibis is imported, not where a part of it is.
        importlib.import_module("ibis")
        parent, _, name = _PACKAGE.rpartition(".")
        package = importlib.import_module(parent)
        spec = importlib.util.find_spec(_PACKAGE)
        if spec is None or spec.loader is None:
            # Ibis keeps them elsewhere, and imports them as it likes.
            return
        compilers = importlib.util.module_from_spec(spec)
        compilers.__getattr__ = _Importer(compilers)  # type: ignore[method-assign]
        sys.modules[_PACKAGE] = compilers
        setattr(package, name, compilers)


class _Importer:
    """Gives a package what it is asked for and has not yet."""

    def __init__(self, package: ModuleType) -> None:
        self._package = package

    def __call__(self, name: str) -> Any:
        # `PostgresCompiler` is a class of the module `postgres`.
        module = f"{_PACKAGE}.{name.removesuffix('Compiler').lower()}"
        if not name.startswith("__") and importlib.util.find_spec(module) is not None:
            imported = importlib.import_module(module)
            return getattr(imported, name) if name.endswith("Compiler") else imported
        if "__all__" not in vars(self._package) and name == "__all__":
            self._package.__spec__.loader.exec_module(self._package)  # type: ignore[union-attr]
            return vars(self._package)[name]
        msg = f"module {_PACKAGE!r} has no attribute {name!r}"
        raise AttributeError(msg)
