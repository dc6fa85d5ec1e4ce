"""YAML with a line number for every key and item.

Scalars stay text, so `No`, `01` and `1.0` keep their spelling; what a text
means is decided by whoever reads the document (`policy_file`, `taxonomies`).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import yaml

from maskwise.errors import PolicyError
from maskwise.formats.text_file import read_text
from maskwise.policy.source_lines import Document, Place

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path


_NULLS = ("", "~", "null", "Null", "NULL")
"""How YAML spells that a key has no value. As an item of a list, `null` is a text like any other."""
MOST_NODES = 2_000_000
"""A document that unfolds to more nodes than this is refused (nested aliases grow without bound)."""

_LONG = 100_000
"""A text of so many characters takes PyYAML's own parser a quarter of a second."""


def load(path: Path) -> Document:
    """Read a YAML file."""
    return replace(parse(read_text(path), path.name), path=path)


def parse(text: str, name: str) -> Document:
    """Read YAML text.

    >>> parse("a: {b: [No, 01]}", "x.yaml").data
    {'a': {'b': ['No', '01']}}
    """
    builder = _Builder(name)
    try:
        node = _compose(text)
        data = builder.build(node, (), frozenset()) if node is not None else None
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        hint = " Indent with blanks, and start the entries of a block in the same column." if error.problem_mark else ""
        raise PolicyError([f"{name}{line}: this is not YAML: {error.problem}.{hint}"]) from None
    except yaml.YAMLError:
        raise PolicyError([f"{name}: this is not YAML text."]) from None
    except RecursionError:
        raise PolicyError([f"{name}: the values are nested too deeply to read. Flatten them."]) from None
    if builder.mistakes:
        raise PolicyError(builder.mistakes)
    return Document(data, name, builder.lines)


def _compose(text: str) -> Any:
    """The node of a text, or None; long ones are parsed by libyaml, where PyYAML has it: seven times as fast.

    What libyaml complains of is read again, so that the complaint is the same.
    """
    if yaml.__with_libyaml__ and len(text) >= _LONG:
        from maskwise.formats.libyaml import compose  # noqa: PLC0415 - only where PyYAML has it

        with suppress(yaml.YAMLError):
            return compose(text)
    return yaml.compose(text, Loader=yaml.SafeLoader)


class _Builder:
    """Walks YAML nodes once, collecting data, lines and mistakes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: dict[Place, int] = {}
        self.mistakes: list[str] = []
        self.n_nodes = 0

    def build(self, node: yaml.Node, place: Place, above: frozenset[int]) -> object:
        line = node.start_mark.line + 1
        self.lines.setdefault(place, line)
        self.n_nodes += 1
        if self.n_nodes > MOST_NODES:
            raise PolicyError([f"{self.name}: its aliases unfold to over {MOST_NODES:,} values. Write them out."])
        if id(node) in above:
            raise PolicyError([f"{self.name}, line {line}: an alias makes a cycle here. Remove the alias."])
        above |= {id(node)}
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, place, above)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(item, (*place, i), above) for i, item in enumerate(node.value)]
        return None if _is_plain(node, {"", "~"}) else self._text(node)

    def _text(self, node: yaml.Node) -> str:
        """A scalar; the halves of a character that JSON escapes one by one are put together."""
        text = str(node.value)
        if text.isprintable() or not any("\ud800" <= letter <= "\udfff" for letter in text):
            return text
        try:
            return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except UnicodeDecodeError:
            line = node.start_mark.line + 1
            raise PolicyError(
                [f"{self.name}, line {line}: half of an escaped character stands here. Write it out."]
            ) from None

    def _mapping(self, node: yaml.MappingNode, place: Place, above: frozenset[int]) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                self.mistakes.append(f"{self.name}, line {line}: a key here is not plain text. Quote it.")
                continue
            name = self._text(key)
            if name in found:
                first = self.lines[(*place, name)]
                # A key below `sensitive` is a protected value, or its column: not for a log.
                what = "a key of `sensitive`" if "sensitive" in place else f"`{name}`"
                self.mistakes.append(
                    f"{self.name}, line {line}: {what} stands twice; first on line {first}. Remove one."
                )
                continue
            self.lines[(*place, name)] = line
            built = self.build(value, (*place, name), above)
            found[name] = None if _is_plain(value, _NULLS) else built
        return found


def _is_plain(node: yaml.Node, spellings: Collection[str]) -> bool:
    """Say whether a node is a scalar without quotes that is spelled in one of these ways."""
    return isinstance(node, yaml.ScalarNode) and not node.style and node.value in spellings
