"""Judge what a masked table is still good for.

Train:
    C45Classifier: The decision tree that the papers measure with.

Nothing heavy is imported until it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maskwise.evaluate.c45 import C45Classifier

_HOME = {"C45Classifier": "c45"}

__all__ = ["C45Classifier"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        msg = f"module 'maskwise.evaluate' has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"maskwise.evaluate.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
