"""Public names of a package that are imported only when they are used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazy_exports(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make the `__getattr__` and `__dir__` of a package.

    Args:
        package: Its name.
        homes: For each public name the module that has it.

    >>> find, names = lazy_exports("people", {"OrderedDict": "collections"})
    >>> find("OrderedDict").__name__, names()
    ('OrderedDict', ['OrderedDict'])
    """

    def find(name: str) -> Any:
        if name not in homes:
            msg = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(msg)
        return getattr(import_module(homes[name]), name)

    return find, lambda: sorted(homes)
