"""The rivals by name. A new rival is one new file and one line here."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, Self

from maskwise.errors import InputError, did_you_mean, quote

if TYPE_CHECKING:
    from collections.abc import Callable

    from maskwise.policy.policy import Policy

_CLASSES = {
    "mondrian": ("maskwise.rivals.mondrian", "Mondrian"),
    "full-domain": ("maskwise.rivals.full_domain", "FullDomain"),
}


class Rival(Protocol):
    """A masking algorithm to compare with."""

    def fit(self, data: Any, policy: Policy) -> Self:
        """Learn from training records how to mask."""

    def transform(self, data: Any) -> Any:
        """Mask records."""


def find_rival(name: str) -> Callable[[], Rival]:
    """Find a rival's class by its name.

    >>> find_rival("mondrian").__name__
    'Mondrian'
    """
    if name not in _CLASSES:
        msg = f"There is no rival `{name}`. Known are {quote(_CLASSES)}.{did_you_mean(name, _CLASSES)}"
        raise InputError(msg)
    module_name, class_name = _CLASSES[name]
    try:
        rival: Callable[[], Rival] = getattr(import_module(module_name), class_name)
    except (ImportError, AttributeError):
        msg = f"The rival `{name}` is not part of this maskwise. Evaluate another tool's file with against instead."
        raise InputError(msg) from None
    return rival
