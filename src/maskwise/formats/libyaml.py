"""YAML nodes made of the events of libyaml's parser."""

from __future__ import annotations

from typing import Any

from yaml.composer import Composer
from yaml.cyaml import CParser  # type: ignore[attr-defined]
from yaml.resolver import Resolver


def compose(text: str) -> Any:
    """The node of a text, or None.

    >>> compose("a: 1").value[0][0].value
    'a'
    """
    return _Loader(text).get_single_node()


class _Loader(Composer, CParser, Resolver):
    """Takes events from libyaml, and makes nodes of them in Python.

    PyYAML's loader of libyaml makes the nodes in C, too, and a text that is nested
    very deeply then ends the process.
    """

    def __init__(self, stream: str) -> None:
        CParser.__init__(self, stream)
        Composer.__init__(self)
        Resolver.__init__(self)
