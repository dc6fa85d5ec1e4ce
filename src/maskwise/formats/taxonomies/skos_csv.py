"""Concept schemes as a table, in the words of SKOS: a concept, its preferred label, and its broader concept."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from maskwise.errors import PolicyError, quote
from maskwise.formats.taxonomies.delimited import find_delimiter, read_rows, write_rows
from maskwise.formats.taxonomies.forest import Forest, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.policy.taxonomy import Taxonomy

_CONCEPT = ("concept", "id", "uri", "notation", "subject")
_LABEL = ("preflabel", "label")
_BROADER = ("broader", "broadertransitive", "parent")


def is_skos(text: str) -> bool:
    """Say whether the first row names a concept and its broader one."""
    delimiter = find_delimiter(text)
    first = re.split(r"[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0]
    if delimiter is None:
        return False
    names = [_plain(cell) for cell in first.split(delimiter)]
    return any(name in names for name in _CONCEPT) and any(name in names for name in _BROADER[:2])


def read_skos(text: str, name: str) -> dict[str, Forest]:
    r"""Read a row for each concept; the columns may stand in any order, and others are passed over.

    A concept is called by its preferred label, or by itself where it has none.

    >>> read_skos("concept,prefLabel,broader\n1,Any,\n2,Flu,1\n3,Cold,1", "t.csv")[""].tree().leaves()
    ('Flu', 'Cold')
    """
    rows = list(read_rows(text, name))
    if not rows:
        raise PolicyError([f"{name}: the file holds no value."])
    names = [_plain(cell) for cell in rows[0][1]]
    concept_at, label_at, broader_at = (_column(names, known) for known in (_CONCEPT, _LABEL, _BROADER))
    if concept_at is None or broader_at is None:
        lacks = quote([known[0] for known in (_CONCEPT, _BROADER) if _column(names, known) is None])
        raise PolicyError([f"{name}, line {rows[0][0]}: the header has no column {lacks}."])
    forest = Forest(name)
    records = [(line, _cell(row, concept_at), _cell(row, label_at), _cell(row, broader_at)) for line, row in rows[1:]]
    called = {concept: label or concept for _, concept, label, _ in reversed(records)}
    for line, concept, _, broader in records:
        if not concept:
            forest.mistake(line, f"the cell of `{_CONCEPT[0]}` is empty. Give the concept a name of its own.")
        elif broader and broader not in called:
            forest.mistake(line, f"the broader concept {shown(broader)} has no row. Add one, or correct the name.")
        else:
            forest.put(called[concept], called[broader] if broader else None, line)
    return {"": forest}


def write_skos(tree: Taxonomy) -> str:
    r"""Write a row for each value; concepts are numbered.

    >>> from maskwise.policy.taxonomy import Taxonomy
    >>> write_skos(Taxonomy.from_nested({"Any": ["a"]}))
    'concept,prefLabel,broader\n1,Any,""\n2,a,1\n'
    """
    pairs = zip(tree.labels, tree.parents, strict=True)
    rows = [(str(i), label, str(parent + 1) if parent >= 0 else "") for i, (label, parent) in enumerate(pairs, 1)]
    return write_rows([("concept", "prefLabel", "broader"), *rows], ",")


def _plain(name: str) -> str:
    """The name of a column without a prefix, a language and quotes: `skos:prefLabel@en` is a prefLabel."""
    return name.strip().strip('"').rpartition(":")[2].partition("@")[0].strip().casefold()


def _column(names: list[str], known: tuple[str, ...]) -> int | None:
    return next((names.index(name) for name in known if name in names), None)


def _cell(row: Sequence[str], at: int | None) -> str:
    return row[at] if at is not None and at < len(row) else ""
