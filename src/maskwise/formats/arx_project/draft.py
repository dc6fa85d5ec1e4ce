"""A draft of a policy from an ARX project: roles, hierarchies and models that map; the rest in comments.

The draft is a policy that can be read, and its owner has to read it first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maskwise.errors import InputError, PolicyError
from maskwise.formats.arx_project.archive import Archive
from maskwise.formats.arx_project.definition import ArxRole, read_definition
from maskwise.formats.arx_project.privacy_models import requirement_of_model
from maskwise.formats.arx_project.xml_elements import Element, parse_xml
from maskwise.formats.policy_file import from_data
from maskwise.formats.taxonomies.arx_csv import forest_of_rows
from maskwise.formats.taxonomies.delimited import read_rows
from maskwise.formats.taxonomies.nested_yaml import spell, write_yaml
from maskwise.policy.source_lines import Document
from maskwise.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from maskwise.formats.arx_project.definition import ArxAttribute

_GUESSED_K = 5
"""What is asked where the project asks nothing that maps."""


@dataclass(frozen=True, slots=True)
class PolicyDraft:
    """What is written of a project."""

    text: str
    """The policy."""
    trees: Mapping[str, str]
    """The taxonomy files beside it, by name."""
    notes: tuple[str, ...]
    """What the project says and the draft does not."""


@dataclass(slots=True)
class _Parts:
    """A draft while it is made."""

    stem: str
    attributes: list[str] = field(default_factory=list)
    trees: dict[str, str] = field(default_factory=dict)
    requirements: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def draft_policy(path: Path, stem: str) -> PolicyDraft:
    """Draft the policy that asks what a project asks.

    Args:
        path: The project, a `.deid` file.
        stem: What the names of the taxonomy files begin with.
    """
    archive = Archive(path)
    folder = "input/" if "input/definition.xml" in archive.names else ""
    columns = read_definition(_xml(archive, f"{folder}definition.xml"), path.name)
    config = _xml(archive, f"{folder}config.xml")
    roles = {role: [column for column in columns if column.role is role] for role in ArxRole}
    qid = [column.name for column in roles[ArxRole.QUASI_IDENTIFYING]]
    if not qid:
        msg = f"`{path}` names no quasi-identifying column, so there is nothing to mask. Set their roles in ARX first."
        raise InputError(msg)
    parts = _Parts(stem)
    for column in roles[ArxRole.QUASI_IDENTIFYING]:
        _add_attribute(parts, column, archive, folder)
    _add_requirements(parts, [one.text.strip() for one in config.below("criterion")], qid, columns)
    head = _class_line(parts, columns)
    tail = _tail(parts, config, roles)
    _note_weights(parts, config)
    comments = [
        f"# A draft from the ARX project {printable(path.name)}. Read every line before you use it.",
        *([f"# {printable(column.name)}: sensitive" for column in roles[ArxRole.SENSITIVE]]),
        *([f"# {printable(column.name)}: insensitive, released as it is" for column in roles[ArxRole.INSENSITIVE]]),
        *(["# What the project says and this draft does not:"] if parts.notes else []),
        *(f"#   - {printable(note)}" for note in parts.notes),
    ]
    lines = [*comments, *head, "attributes:", *parts.attributes, "requirements:", *parts.requirements, *tail]
    if not parts.attributes:
        lines.remove("attributes:")
    return PolicyDraft("\n".join(lines) + "\n", parts.trees, tuple(parts.notes))


def _xml(archive: Archive, name: str) -> Element:
    if name not in archive.names:
        msg = f"`{archive.path}` is no ARX project: it has no `{name}`. Save it again in ARX."
        raise InputError(msg)
    return parse_xml(archive.text(name), f"{archive.path.name}: {name}")


def _add_attribute(parts: _Parts, column: ArxAttribute, archive: Archive, folder: str) -> None:
    """Write the entry of a quasi-identifier, and its tree into a file of its own."""
    member = f"{folder}{column.hierarchy}"
    if column.microaggregation:
        _note(parts, f"`{column.name}` is microaggregated ({column.microaggregation})")
    if column.hierarchy is None or member not in archive.names:
        _note(
            parts, f"`{column.name}` has no hierarchy: numbers and dates become intervals, other values are suppressed"
        )
        return
    name = f"{archive.path.name}: {member}"
    text, is_guess = archive.table(member)
    if is_guess:
        _note(parts, f"the hierarchy of `{column.name}` is not UTF-8 and was read as Windows-1252: look at its letters")
    rows = list(read_rows(text, name, _separator(archive))) if text.strip() else []
    there = [(line, row) for line, row in rows if row[0]]
    if len(there) < len(rows):
        _note(parts, f"`{column.name}`: the row for missing cells is left out; they are a value of their own")
    width = max((len(row) for _, row in there), default=0)
    if width < 2:  # noqa: PLR2004 - the values alone
        _note(parts, f"the hierarchy of `{column.name}` has no levels: numbers become intervals, others are suppressed")
        return
    tree = forest_of_rows(there, name).tree()
    file = _file_name(column.name, parts)
    parts.trees[file] = write_yaml(tree)
    entry = f"taxonomy: {spell(file)}"
    if column.most is not None and column.most < width - 1:
        if tree.height == width - 1:
            entry += f", at_least: {width - 1 - column.most}"
        else:
            _note(parts, f"`{column.name}` is generalized to level {column.most} at most")
    if column.least:
        _note(parts, f"`{column.name}` is generalized to level {column.least} at least, even where less would do")
    parts.attributes.append(f"  {spell(column.name)}: {{{entry}}}")


def _add_requirements(
    parts: _Parts, models: Sequence[str], qid: Sequence[str], columns: Sequence[ArxAttribute]
) -> None:
    by_name = {column.name: column for column in columns}
    for model in models:
        asked = requirement_of_model(model, qid, by_name)
        if not isinstance(asked, str):
            try:
                from_data(Document({"requirements": [asked]}, "", {}), Path())
                parts.requirements.append(f"  - {_flow(asked)}  # {printable(model)}")
                continue
            except PolicyError as error:
                asked = error.mistakes[0]
        _note(parts, f"privacy model {model}: {asked}")
    if not parts.requirements:
        _note(parts, f"no privacy model of the project maps, so k = {_GUESSED_K} is a guess")
        parts.requirements.append(f"  - {_flow({'qid': list(qid), 'k': str(_GUESSED_K)})}  # a guess: choose your own")


def _class_line(parts: _Parts, columns: Sequence[ArxAttribute]) -> list[str]:
    responses = [column for column in columns if column.is_response]
    if len(responses) == 1 and responses[0].role in {ArxRole.INSENSITIVE, ArxRole.SENSITIVE}:
        return [f"class: {spell(responses[0].name)}"]
    for column in responses:
        _note(parts, f"`{column.name}` is a response variable; a policy has one class, and it is in no QID")
    return []


def _tail(parts: _Parts, config: Element, roles: Mapping[ArxRole, Sequence[ArxAttribute]]) -> list[str]:
    """The columns that are dropped, and how many records may be suppressed."""
    lines = []
    dropped = roles[ArxRole.IDENTIFYING]
    if dropped:
        lines.append(f"drop: [{', '.join(spell(column.name) for column in dropped)}]")
    text = config.find("relativeMaxOutliers") or "0"
    share = float(text) if re.fullmatch(r"\d+(\.\d+)?([eE]-?\d+)?", text) else 0.0
    if 0 < share < 1:
        lines.append(f"suppress: {{share: {share:.9g}, as: root}}")
    elif share >= 1:
        _note(parts, "any number of records may be suppressed (100 %); give a share below that with `suppress`")
    return lines


def _note_weights(parts: _Parts, config: Element) -> None:
    """Say so if the attributes weigh differently: the two tools weigh different figures."""
    weights = [one.find("weight") for one in config.below("attributeWeight")]
    if len(set(weights)) > 1:
        _note(parts, "the attributes have weights; give those that matter most a `weight` above 1")


def _separator(archive: Archive) -> str | None:
    """What separates the cells of the hierarchies."""
    if "project.xml" not in archive.names:
        return None
    said = next(_xml(archive, "project.xml").below("separator"), None) or Element("")
    return said.text if len(said.text) == 1 else None


def _file_name(attribute: str, parts: _Parts) -> str:
    """A name for the tree of an attribute that no other has and that stays in its folder."""
    plain = re.sub(r"[^\w-]+", "_", attribute).strip("_")[:60] or "attribute"
    taken = {name.casefold() for name in parts.trees}
    names = (f"{parts.stem}-{plain}{'' if i == 1 else f'-{i}'}.yaml" for i in range(1, len(taken) + 2))
    return next(name for name in names if name.casefold() not in taken)


def _flow(value: Any) -> str:
    """Plain data on one line of YAML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(below)}" for key, below in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return str(value) if re.fullmatch(r"\d+(\.\d+)?", str(value)) else spell(str(value))


def _note(parts: _Parts, text: str) -> None:
    parts.notes.append(f"{text}.")
