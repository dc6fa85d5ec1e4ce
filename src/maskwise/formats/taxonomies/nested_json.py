"""Nested JSON: objects and lists as in YAML, or objects with `name` and `children`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from maskwise.errors import PolicyError
from maskwise.formats.taxonomies.forest import Forest, shown

if TYPE_CHECKING:
    from maskwise.policy.taxonomy import Taxonomy

_NAMES = ("name", "label", "id")


class _Members(list[tuple[str, object]]):
    """The members of an object, in order and with those that stand twice."""


def read_json(text: str, name: str) -> dict[str, Forest]:
    """Read objects and lists; numbers keep their spelling. JSON has no lines once it is read: labels say where.

    >>> read_json('{"Any": {"A": ["a1", "a2"], "b": null}}', "t.json")[""].tree().leaves()
    ('a1', 'a2', 'b')
    >>> read_json('{"name": "Any", "children": [{"name": "a"}, {"name": "b"}]}', "t.json")[""].tree().leaves()
    ('a', 'b')
    """
    try:
        data = json.loads(text, object_pairs_hook=_Members, parse_int=str, parse_float=str, parse_constant=str)
    except json.JSONDecodeError as error:
        raise PolicyError([f"{name}, line {error.lineno}: this is not JSON: {error.msg}."]) from None
    except RecursionError:
        raise PolicyError([f"{name}: the values are nested too deeply to read. Flatten them."]) from None
    forest = Forest(name)
    stack: list[tuple[object, str | None]] = [(data, None)]
    while stack:
        part, parent = stack.pop()
        stack.extend(reversed(list(_children(part, parent, forest))))
    return {"": forest}


def write_json(tree: Taxonomy) -> str:
    r"""Write nested objects.

    >>> from maskwise.policy.taxonomy import Taxonomy
    >>> write_json(Taxonomy.from_nested({"Any": ["a"]}))
    '{\n "Any": {\n  "a": {}\n }\n}\n'
    """
    return json.dumps(tree.to_nested(), ensure_ascii=False, indent=1) + "\n"


def _children(part: object, parent: str | None, forest: Forest) -> list[tuple[object, str | None]]:
    """Put the values of one part below their parent, and return what is below each of them."""
    if part is None:
        return []
    if isinstance(part, _Members):
        members = dict(part)
        named = next((key for key in _NAMES if isinstance(members.get(key), str)), None)
        if named is not None and set(members) - set(_NAMES) <= {"children", "value", "size"}:
            label = str(members[named])
            _put(forest, label, parent)
            return [(members.get("children"), label)]
        for label, _ in part:
            _put(forest, label, parent)
        return [(below, label) for label, below in part]
    if isinstance(part, list):
        return [(item, parent) for item in part]
    if isinstance(part, bool):
        forest.mistake(None, f"a truth value stands{_below(parent)}. Write it in quotes.")
        return []
    _put(forest, str(part), parent)
    return []


def _put(forest: Forest, label: str, parent: str | None) -> None:
    if label in forest.lines:
        known = forest.parent_of.get(label)
        forest.mistake(
            None,
            f"the value {shown(label)} stands twice in this taxonomy,{_below(known)} and{_below(parent)}. A value has "
            "one parent; rename or remove one.",
        )
    else:
        forest.put(label, parent, 1)


def _below(parent: str | None) -> str:
    return " at the top" if parent is None else f" below {shown(parent)}"
