"""Taxonomies from files: nested YAML, and the semicolon tables that ARX keeps.

Every mistake is reported with its line. The tree itself is `taxonomy.Taxonomy`.
"""

from __future__ import annotations

import csv
from itertools import pairwise
from typing import TYPE_CHECKING

from maskwise.errors import InputError, PolicyError
from maskwise.formats import yaml_lines
from maskwise.formats.text_file import read_text
from maskwise.policy.taxonomy import Taxonomy

if TYPE_CHECKING:
    from pathlib import Path

    from maskwise.policy.source_lines import Document, Place


def read_taxonomy(path: Path) -> Taxonomy:
    """Read a taxonomy by its suffix: `.yaml` and `.yml` nested, `.csv` as ARX writes it."""
    suffix = path.suffix.lower()
    if suffix in {".yaml", ".yml"}:
        return from_document(yaml_lines.load(path), ())
    if suffix == ".csv":
        return from_arx(path)
    msg = f"`{path}` is no taxonomy file: its suffix is `{path.suffix}`. Use .yaml, or .csv for an ARX hierarchy."
    raise InputError(msg)


def from_document(document: Document, place: Place) -> Taxonomy:
    """Build the taxonomy that stands at `place` of a YAML document."""
    nested = document.data
    for step in place:
        nested = nested[step]  # type: ignore[index]
    seen: dict[str, int] = {}
    mistakes: list[str] = []

    def walk(part: object, at: Place) -> None:
        if isinstance(part, dict):
            for label, below in part.items():
                note(label, (*at, label))
                walk(below, (*at, label))
        elif isinstance(part, list):
            for i, item in enumerate(part):
                walk(item, (*at, i))
        elif part is not None:
            note(str(part), at)

    def note(label: str, at: Place) -> None:
        line = document.lines.get(at, 0)
        if label in seen:
            mistakes.append(
                f"{document.locate(at)}: the value `{label}` stands twice in this taxonomy, first on line "
                f"{seen[label]}. A value has one parent; rename or remove one."
            )
        else:
            seen[label] = line

    walk(nested, place)
    if mistakes:
        raise PolicyError(mistakes)
    try:
        return Taxonomy.from_nested(nested)
    except PolicyError as error:
        raise PolicyError([f"{document.locate(place)}: {m}" for m in error.mistakes]) from None


def from_arx(path: Path) -> Taxonomy:
    """Read an ARX hierarchy: one row a value, the value first, then ever coarser labels."""
    text = read_text(path)
    delimiter = ";" if ";" in text.partition("\n")[0] else ","
    parent_of: dict[str, tuple[str, int]] = {}
    roots: dict[str, int] = {}
    leaves: dict[str, int] = {}
    mistakes: list[str] = []
    for line, row in enumerate(csv.reader(text.splitlines(), delimiter=delimiter), start=1):
        steps = [label for i, label in enumerate(row) if i == 0 or label != row[i - 1]]
        if not any(steps):
            continue
        if steps[0] in leaves:
            mistakes.append(f"{path.name}, line {line}: `{steps[0]}` has a row already, line {leaves[steps[0]]}.")
        leaves[steps[0]] = line
        roots.setdefault(steps[-1], line)
        for child, parent in pairwise(steps):
            known, first = parent_of.setdefault(child, (parent, line))
            if known != parent:
                mistakes.append(
                    f"{path.name}, line {line}: `{child}` goes to `{parent}` here but to `{known}` on line {first}. "
                    "A value has one parent; rename one."
                )
    if not leaves:
        mistakes.append(f"{path.name}: the file holds no value.")
    if len(roots) > 1:
        mistakes.append(f"{path.name}: the rows end in {len(roots)} different roots. End every row in the same label.")
    mistakes += [
        f"{path.name}, line {line}: `{r}` is a root and has a parent: a cycle."
        for r, line in roots.items()
        if r in parent_of
    ]
    if mistakes:
        raise PolicyError(mistakes)
    root = next(iter(roots))
    below: dict[str, dict[str, object]] = {label: {} for label in (*parent_of, root)}
    for child, (parent, _) in parent_of.items():
        below[parent][child] = below[child]
    tree = Taxonomy.from_nested({root: below[root]})
    lost = [label for label in parent_of if label not in tree.labels]
    if lost:
        raise PolicyError([f"{path.name}: `{lost[0]}` never reaches the root `{root}`: a cycle."])
    return tree
