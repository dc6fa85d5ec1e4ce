"""What a refinement would do to the requirements, in plain Python: mask the raw records anew and count.

A cut is taken as the labels that each record shows. Everything else, which
records a refinement touches and what every rule then reaches, is counted from
the raw records.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import Any

from tests.reference.privacy_models import Grouped
from tests.reference.topdown import HIDDEN, MISSING, Attribute, K, entropy

Record = dict[str, Any]
GONE = "(missing)"


def is_inside(number: Any, label: str) -> bool:
    """Whether a number is in an interval, as its label says."""
    found = re.fullmatch(r"\[(.+), (.+)([\])])", label)
    assert found is not None
    low, high, end = float(found[1]), float(found[2]), found[3]
    return low <= number and (number <= high if end == "]" else number < high)


def shown_after(attribute: Attribute, cell: Any, now: Any, shown: str, instead: tuple[str, ...]) -> Any:
    """What a cell shows after a refinement of the value `shown` to the values `instead`."""
    if now != shown:
        return now
    if cell is MISSING:
        return MISSING if GONE in instead else now
    if attribute.kind == "interval":
        return next(label for label in instead if label != GONE and is_inside(cell, label))
    if attribute.kind == "suppress":
        return cell if cell == instead[0] else now
    return next(label for label in reversed(attribute.path_to(cell)) if label in instead)


def refined(
    records: list[Record], masked: list[Record], attribute: Attribute, shown: str, instead: tuple[str, ...]
) -> list[Record]:
    """The masked records after a refinement."""
    name = attribute.name
    return [
        {**seen, name: shown_after(attribute, raw[name], seen[name], shown, instead)}
        for raw, seen in zip(records, masked, strict=True)
    ]


def rules_of(requirement: Any, person: Any = None) -> list[Any]:
    parts: list[Any] = requirement.parts()
    return parts if person is None else [person(part) for part in parts]


def broken_rules(
    records: list[Record], masked: list[Record], requirements: list[Any], person: Any = None
) -> dict[int, list[tuple[tuple[str, ...], float]]]:
    """For each broken requirement the QIDs of its broken rules, with what each reaches."""
    found: dict[int, list[tuple[tuple[str, ...], float]]] = {}
    for i, requirement in enumerate(requirements):
        for part, rule in zip(requirement.parts(), rules_of(requirement, person), strict=True):
            badness = rule.badness(masked, records)
            if rule.is_broken(badness):
                figure = part.figure([badness]) if hasattr(part, "figure") else badness
                found.setdefault(i, []).append((tuple(part.qid), float(figure)))
    return found


def without(requirement: Any, name: str) -> Any:
    """A requirement with a column less in its QID; None if there is no such one."""
    if isinstance(requirement, Grouped):
        return replace(requirement, rule=without(requirement.rule, name))
    qid = tuple(one for one in requirement.qid if one != name)
    if hasattr(requirement, "known") and requirement.known > len(qid):
        return None
    return replace(requirement, qid=qid)


def less_shown(attribute: Attribute, records: list[Record], masked: list[Record], level: int) -> list[Record]:
    """The masked records if an attribute shows nothing below a level of its tree."""
    name = attribute.name
    if level == 0:
        return [{**seen, name: "root"} for seen in masked]
    return [
        {**seen, name: seen[name] if raw[name] is MISSING else attribute.path_to(seen[name])[: level + 1][-1]}
        for raw, seen in zip(records, masked, strict=True)
    ]


def deepest(attribute: Attribute, labels: tuple[str, ...]) -> int:
    return max(len(attribute.path_to(label)) - 1 for label in labels)


def bits(records: list[Record], masked: list[Record], name: str) -> float:
    """The bits of the class that an attribute alone does not tell."""
    classes: dict[Any, list[Any]] = {}
    for raw, seen in zip(records, masked, strict=True):
        classes.setdefault(seen[name], []).append(raw["cls"])
    return sum(len(own) * entropy(own) for own in classes.values())


def floor_of(requirements: list[Any], name: str) -> int:
    """The largest k that is asked with an attribute."""
    parts = [part for requirement in requirements for part in requirement.parts()]
    return max([part.k for part in parts if isinstance(part, K) and name in part.qid], default=0)


def hidden_values(attribute: Attribute, records: list[Record], masked: list[Record]) -> Counter[Any]:
    """Which shown values hide something, with their records; of a suppress attribute the values that it hides."""
    name = attribute.name
    pairs = [(raw[name], seen[name]) for raw, seen in zip(records, masked, strict=True)]
    if attribute.kind == "suppress":
        return Counter(cell for cell, label in pairs if label == HIDDEN)
    n_shown = Counter(label for _, label in pairs)
    if attribute.kind == "taxonomy":
        return Counter({label: n for label, n in n_shown.items() if label in attribute.children})
    cells: dict[Any, set[Any]] = {}
    for cell, label in pairs:
        cells.setdefault(label, set()).add(cell)
    return Counter({label: n_shown[label] for label, own in cells.items() if len(own) > 1})
