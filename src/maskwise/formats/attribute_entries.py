"""The entries of attributes in a policy file: how each column is masked.

`policy_file` has the rest of the file; rules are read by `policy.rules.registry`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from maskwise.errors import InputError, PolicyError, did_you_mean, quote
from maskwise.formats.taxonomies.nested_yaml import from_document
from maskwise.formats.taxonomies.registry import read_taxonomy
from maskwise.policy.attributes import Attribute, Kind
from maskwise.policy.grids import Grid
from maskwise.policy.requirements.file_form import name_list
from maskwise.policy.rules.made import MADE_KEYS, read_source
from maskwise.policy.rules.registry import BESIDE, RULE_KEYS, read_rule_tree
from maskwise.policy.taxonomy import Taxonomy
from maskwise.values.location import is_there
from maskwise.values.scales import parse_bound

if TYPE_CHECKING:
    from pathlib import Path

    from maskwise.policy.source_lines import Document, Place

_PREFERRED = ("weight", "at_least")
_BY_LEVEL = ("at_least", "release")
"""What is a level of a tree: a number, or of a rule the name of one of its levels."""
_BESIDE_RULES = ("root", "other", "range")
_OTHERS = ("clamp", *_PREFERRED, "release")
ATTRIBUTE_KEYS = ("taxonomy", "interval", "suppress", *_OTHERS, *_BESIDE_RULES, *sorted(RULE_KEYS | MADE_KEYS))
"""The keys that are known in an entry."""


class AttributeEntry(BaseModel):
    """The parts of an entry whose shape is checked before anything is read; rules check themselves."""

    model_config = ConfigDict(extra="forbid")
    taxonomy: Any = None
    release: int | None = Field(default=None, ge=0)
    interval: list[str] | None = Field(default=None, min_length=2, max_length=2)
    suppress: Annotated[list[str] | None, BeforeValidator(name_list)] = Field(default=None, min_length=1)
    range: list[str] | None = Field(default=None, min_length=2, max_length=2)
    clamp: list[str | None] | None = Field(default=None, min_length=2, max_length=2)
    weight: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    at_least: int = Field(default=0, ge=0)


def entry_shape(value: object) -> object:
    """An entry as pydantic checks it: without the parts of a rule, and with the range of an interval alone."""
    parts = _parts(value)
    rules = RULE_KEYS & set(parts)
    own = {key: part for key, part in parts.items() if key not in rules | MADE_KEYS and not (rules and key in BESIDE)}
    if rules:
        own = {key: part for key, part in own.items() if key not in _BY_LEVEL or _is_number(part)}
    else:
        # `_misplaced` says with what they go.
        own = {key: part for key, part in own.items() if key not in _BESIDE_RULES}
    if isinstance(own.get("interval"), Mapping):
        own["interval"] = own["interval"].get("range")
    return own


def read_attributes(document: Document, folder: Path, mistakes: list[str]) -> list[Attribute]:
    """Read the entries that have the right shape; pydantic has complained about the others.

    Args:
        document: The policy as plain data.
        folder: Where taxonomy files are looked up.
        mistakes: Takes what is wrong.
    """
    data = document.data
    entries = data.get("attributes") if isinstance(data, dict) else None
    found: list[Attribute] = []
    for name, entry in entries.items() if isinstance(entries, dict) else ():
        place = ("attributes", name)
        try:
            parts = _parts(entry)
            if RULE_KEYS & set(parts):
                found.append(_by_rule(name, parts, document, folder))
            elif MADE_KEYS & set(parts):
                found.append(Attribute(name, Kind.TAXONOMY, source=read_source(parts), **_preferred(parts)))
            elif "taxonomy" in parts:
                tree, release = _taxonomy(document, place, folder), str(parts.get("release", ""))
                depth = int(release) if release.isdecimal() else None
                found.append(Attribute(name, Kind.TAXONOMY, tree, release=depth, **_preferred(parts)))
            elif "interval" in parts:
                found.append(replace(_interval(name, parts), **_preferred(parts)))
            elif "suppress" in parts:
                found.append(Attribute(name, Kind.SUPPRESS, values=_values(parts), **_preferred(parts)))
        except PydanticCustomError:
            continue
        except PolicyError as error:
            mistakes += [m if document.name and ", line " in m else locate(document, place) + m for m in error.mistakes]
        except InputError as error:
            mistakes.append(locate(document, place) + str(error))
        if isinstance(entry, dict):
            mistakes += [locate(document, place) + text for text in _misplaced(name, entry)]
    return found


def _misplaced(name: str, entry: Mapping[str, Any]) -> list[str]:
    """What is said of keys that belong to another way of masking."""
    texts = [
        f"`{name}`: {key} is for an attribute with {kind}."
        for key, kind in (("clamp", Kind.INTERVAL), ("release", Kind.TAXONOMY))
        if key in entry and kind not in entry and not (kind is Kind.TAXONOMY and RULE_KEYS & set(entry))
    ]
    rules = quote(sorted(RULE_KEYS))
    return texts + [
        f"`{name}`: {key} goes with a rule: {rules}."
        for key in _BESIDE_RULES
        if key in entry and not RULE_KEYS & set(entry)
    ]


def write_attribute(attribute: Attribute) -> Any:
    """Write an entry as `read_attributes` reads it."""
    entry: Any = {"suppress": list(attribute.values)} if attribute.values else "suppress"
    if attribute.kind is Kind.TAXONOMY:
        tree, source = attribute.taxonomy, attribute.source
        entry = {"taxonomy": tree.to_nested()} if tree is not None and source is None else {}
        entry |= {} if source is None else {source.key: source.to_data()}
        entry |= {} if attribute.rule is None else attribute.rule.to_data()
        entry |= {} if attribute.bounds is None else {"range": list(attribute.bounds)}
        entry |= {} if attribute.release is None else {"release": attribute.release}
    elif attribute.kind is Kind.INTERVAL:
        bounds = {} if attribute.bounds is None else {"range": list(attribute.bounds)}
        entry = {"interval": bounds.get("range")}
        if attribute.grid is not None:
            entry = {"interval": bounds | {"on": attribute.grid.text}}
        entry |= {} if attribute.clamp == (None, None) else {"clamp": list(attribute.clamp)}
    if attribute.preferred:
        entry = ({entry: None} if isinstance(entry, str) else entry) | dict(attribute.preferred)
    return "interval" if entry == {"interval": None} else entry


def locate(document: Document, place: Place) -> str:
    """Begin a message with file and line, where the policy is a file."""
    return f"{document.locate(place)}: " if document.name else ""


def _parts(value: object) -> dict[str, Any]:
    """The parts of an entry that names one way of masking."""
    if isinstance(value, str):
        value = {value: None}
    if not isinstance(value, Mapping) or not _is_one_kind(set(value)):
        raise PydanticCustomError(
            "entry",
            "an attribute is `suppress`, `interval`, {interval: [low, high]}, {taxonomy: ...}, a rule such as "
            "{prefix: [5, 3]}, {grow: ...} or {from_column: [...]}",
        )
    return dict(value)


def _is_one_kind(keys: set[object]) -> bool:
    """Whether the keys of an entry name one way of masking; a single key that is none may be misspelt."""
    kinds, rules = keys & {*Kind, *MADE_KEYS}, keys & RULE_KEYS
    if rules:
        return len(rules) == 1 and kinds <= {Kind.TAXONOMY}
    return len(kinds) == 1 or (not kinds and len(keys) == 1 and not keys & {*_OTHERS, *_BESIDE_RULES})


def _is_number(part: object) -> bool:
    text = str(part).strip()
    return text.lstrip("+-").replace(".", "", 1).isdecimal()


def _by_rule(name: str, parts: dict[str, Any], document: Document, folder: Path) -> Attribute:
    """Read an attribute with a rule; levels may be named."""
    over = _taxonomy(document, ("attributes", name), folder) if parts.get("taxonomy") is not None else None
    rule = read_rule_tree(parts, over)
    levels = {
        key: str(rule.depth_of(str(parts[key]))) for key in _BY_LEVEL if key in parts and not _is_number(parts[key])
    }
    parts = {**parts, **levels}
    release = str(parts.get("release", ""))
    depth = int(release) if release.isdecimal() else None
    return Attribute(
        name, Kind.TAXONOMY, rule=rule, bounds=_bounds(parts.get("range")), release=depth, **_preferred(parts)
    )


def _preferred(parts: Mapping[str, Any]) -> dict[str, Any]:
    """The weight and the level of an entry; pydantic has complained about what is none."""
    try:
        entry = AttributeEntry.model_validate({key: parts[key] for key in _PREFERRED if key in parts})
    except ValidationError:
        raise PydanticCustomError("preferred", "complained about") from None
    return {key: getattr(entry, key) for key in _PREFERRED}


def _taxonomy(document: Document, place: Place, folder: Path) -> Taxonomy:
    tree: object = document.data
    for step in (*place, "taxonomy"):
        tree = tree[step]  # type: ignore[index]
    if isinstance(tree, Taxonomy):
        return tree
    if isinstance(tree, str):
        path = folder / tree
        if not is_there(path):
            beside = did_you_mean(tree, (p.name for p in folder.iterdir())) if folder.is_dir() else ""
            msg = f"There is no taxonomy file `{path}`.{beside}"
            raise InputError(msg)
        return read_taxonomy(path, str(place[-1]))
    return from_document(document, (*place, "taxonomy"))


def _values(parts: Mapping[str, Any]) -> tuple[str, ...]:
    """The values that an entry lists; pydantic has complained about what is no list."""
    listed = name_list(parts["suppress"])
    return tuple(map(str, listed)) if isinstance(listed, list) else ()


def _bounds(given: object) -> tuple[str, str] | None:
    if not isinstance(given, list) or len(given) != 2:  # noqa: PLR2004
        return None
    low, high = (parse_bound(str(part)) for part in given)
    if type(low) is not type(high) and not (isinstance(low, int | float) and isinstance(high, int | float)):
        raise PolicyError([f"The range [{given[0]}, {given[1]}] mixes numbers and dates."])
    if low > high:  # type: ignore[operator]
        raise PolicyError([f"The range [{given[0]}, {given[1]}] is upside down. Write the lower end first."])
    return str(given[0]), str(given[1])


def _interval(name: str, parts: Mapping[str, Any]) -> Attribute:
    """Read an interval attribute, with its range, its grid and the ends of bottom- and top-coding."""
    given: Any = parts["interval"]
    grid: Grid | None = None
    if isinstance(given, Mapping):
        strange = sorted(set(given) - {"range", "on"})
        if strange or given.get("on") is None:
            known = did_you_mean(strange[0], ("range", "on")) if strange else ""
            msg = f"`{name}`: an interval is [low, high], or {{range: [low, high], on: month}}.{known}"
            raise PolicyError([msg])
        grid = Grid.read(str(given["on"]))
        given = given.get("range")
    bounds, clamp = _bounds(given), parts.get("clamp")
    if not isinstance(clamp, list) or len(clamp) != 2:  # noqa: PLR2004
        return Attribute(name, Kind.INTERVAL, bounds=bounds, grid=grid)
    # An item of a list that is spelled `null` is a text elsewhere, but no end of a range.
    low, high = (None if part is None or part == "null" else str(part) for part in clamp)
    if bounds is not None:
        for pair in pairwise((bounds[0], low or bounds[0], high or bounds[1], bounds[1])):
            try:
                _bounds(list(pair))
            except PolicyError:
                shown = f"[{'~' if low is None else low}, {'~' if high is None else high}]"
                msg = f"clamp {shown} does not lie inside the range [{bounds[0]}, {bounds[1]}], the lower end first."
                raise PolicyError([msg]) from None
    return Attribute(name, Kind.INTERVAL, bounds=bounds, grid=grid, clamp=(low, high))
