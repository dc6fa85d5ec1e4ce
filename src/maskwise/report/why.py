"""Why values stay masked, as an owner's report and the terminal tell it.

The reasons are found in `search.explain` and rest on raw counts: none of this
goes to recipients.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from maskwise.errors import plural
from maskwise.policy.requirements.wording import plain_figure
from maskwise.solution.reasons import ChangeKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.policy.policy import Policy
    from maskwise.policy.requirements.unit import Unit
    from maskwise.solution.reasons import Change, Coarser, Reason, Reasons

TITLE = "Why values stay masked"
FREED = "What would let the most wanted values show more"
MOST_VALUES = 40
"""So many values of an attribute are listed in a report; of more, the rest is counted."""


def why_data(reasons: Reasons, policy: Policy) -> dict[str, Any]:
    """The reasons as plain values with their sentences.

    Args:
        reasons: What was found.
        policy: What was asked.
    """
    binding = dict(reasons.binding)
    coarser = {one.attribute: one for one in reasons.coarser}
    attributes = []
    for name, own in groupby(reasons.reasons, key=lambda reason: reason.attribute):
        at = binding.get(name)
        held = {} if at is None else {"held_back_by": {"requirement": at, "asks": policy.requirements[at].asks()}}
        values = [_value_data(reason) for reason in own]
        about = {} if name not in coarser else {"sentence": coarser_sentence(coarser[name], len(values), policy.unit)}
        attributes.append({"name": name, **held, **about, "values": values})
    return {"attributes": attributes, "wanted": [_wanted_data(reasons, place) for place in reasons.wanted]}


def coarser_sentence(coarser: Coarser, n_listed: int, unit: Unit) -> str:
    """How many records show less of an attribute than its finest values, and in how many regions.

    >>> from maskwise.policy.requirements.unit import Unit
    >>> from maskwise.solution.reasons import Coarser
    >>> coarser_sentence(Coarser("Age", 1500, 12), 10, Unit.RECORD)
    '1,500 records in 12 regions show less than the finest values; the 10 largest regions are listed.'
    """
    shows = "shows" if coarser.n_records == 1 else "show"
    where = f"{plural(coarser.n_records, unit)} in {plural(coarser.n_regions, 'region')}"
    said = f"{where} {shows} less than the finest values"
    return f"{said}." if n_listed == coarser.n_regions else f"{said}; the {n_listed:,} largest regions are listed."


def _value_data(reason: Reason) -> dict[str, Any]:
    return {
        "shown": reason.shown,
        "instead": list(reason.instead),
        "records": reason.n_records,
        "kind": str(reason.kind),
        "text": reason.text,
        "requirement": reason.requirement,
        "figure": None if reason.figure is None else plain_figure(reason.figure),
        "breaks": [
            {"requirement": one.requirement, "qid": list(one.qid), "figure": plain_figure(one.figure)}
            for one in reason.breaks
        ],
        "gain": reason.gain,
        **({} if reason.region is None else {"region": reason.region}),
    }


def _wanted_data(reasons: Reasons, place: int) -> dict[str, Any]:
    """One of the values whose refinement would tell most, and what would free it."""
    reason = reasons.reasons[place]
    own = (reason.attribute, reason.shown, reason.instead)
    changes = [change for change in reasons.changes if (change.attribute, change.shown, change.instead) == own]
    told = "; or ".join(_sentences(changes))
    freed = (
        f"one of these would do: {told}" if changes else "no single change of k, a share, a level or a column would do"
    )
    instead = ", ".join(reason.instead)
    return {
        "attribute": reason.attribute,
        "shown": reason.shown,
        "instead": list(reason.instead),
        "text": f"To show {instead} instead of {reason.shown} on `{reason.attribute}`, {freed}.",
        "changes": [
            {
                "kind": str(change.kind),
                "text": change.text,
                "requirement": change.requirement,
                "column": change.column,
                "value": change.value,
            }
            for change in changes
        ],
    }


def _sentences(changes: Sequence[Change]) -> list[str]:
    """The changes in words; columns that do the same are named together."""
    told: dict[str, list[str]] = {}
    for change in changes:
        name = f"`{change.column}` "
        is_joint = change.kind in {ChangeKind.COLUMN, ChangeKind.LEVEL} and change.text.startswith(name)
        told.setdefault(change.text.removeprefix(name) if is_joint else change.text, []).extend(
            [name.strip()] * is_joint
        )
    return [f"{_either(names)} {text}" if names else text for text, names in told.items()]


def _either(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def holding_back(data: dict[str, Any]) -> list[str]:
    """Which requirements hold attributes back, a sentence for each.

    Args:
        data: What `why_data` says.
    """
    names: dict[tuple[int, str], list[str]] = {}
    for attribute in data["attributes"]:
        if (held := attribute.get("held_back_by")) is not None:
            names.setdefault((held["requirement"], held["asks"]), []).append(attribute["name"])
    return [f"Requirement {at + 1} ({asks}) holds back {', '.join(own)}." for (at, asks), own in sorted(names.items())]


def most_of(values: Sequence[dict[str, Any]], most: int) -> tuple[list[dict[str, Any]], str]:
    """The values with the most records in their order, and how many are left out.

    Args:
        values: The values of an attribute.
        most: How many are listed at most.
    """
    if len(values) <= most:
        return list(values), ""
    places = sorted(range(len(values)), key=lambda at: -(values[at]["records"] or 0))[:most]
    left = len(values) - most
    return [values[at] for at in sorted(places)], f"and {plural(left, 'other value')} with fewer records"
