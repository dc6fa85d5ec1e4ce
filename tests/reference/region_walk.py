"""Rows walked through the splits of regions one by one, in plain Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from maskwise.policy.attributes import Kind
from maskwise.solution.cut import Cut
from maskwise.solution.regions import RegionPart, Regions
from maskwise.values.scales import label


def is_true(cut: Cut, shown: str | None, cell: Any) -> bool:  # noqa: PLR0911 - one for each way to show a value
    """Whether a label holds for a cell, by what it says alone."""
    if shown is None:
        return cell is None
    if shown == cut.root:
        low, high = (cut.breaks[0], cut.breaks[-1]) if cut.kind is Kind.INTERVAL else (0, 0)
        return cut.kind is not Kind.INTERVAL or cell is None or low <= cell <= high
    if cell is None:
        return False
    if cut.kind is Kind.SUPPRESS:
        return bool(shown == cell)
    if cut.taxonomy is not None:
        return cell in cut.taxonomy.at_or_below(shown)
    number = {label(end, cut.scale): end for end in cut.breaks}
    if shown.startswith("≥ "):
        return bool(cell >= number[shown[2:]])
    if shown.startswith("< "):
        return bool(cell < number[shown[2:]])
    low, high = (number[text] for text in shown[1:-1].split(", "))
    return bool(low <= cell <= high if shown.endswith("]") else low <= cell < high)


def walk(regions: Regions, cuts: Sequence[Cut], row: Mapping[str, Any]) -> tuple[int, tuple[str | None, ...]]:
    """The region of a row, and what it shows."""
    cut_of = {cut.attribute: cut for cut in cuts}
    shown: dict[str, str | None] = {cut.attribute: cut.root for cut in cuts}
    region, n_regions = 0, 1
    for split in regions.splits:
        if split.region == region:
            for number, part in enumerate(split.parts, start=n_regions):
                if _is_taken(cut_of[split.attribute], part, row[split.attribute]):
                    region, shown[split.attribute] = number, part.shown
                    break
        n_regions += len(split.parts)
    for cut in cuts:
        cell = row[cut.attribute]
        if cut.kind is Kind.INTERVAL and cell is not None and shown[cut.attribute] == cut.root:
            is_inside = cut.breaks[0] <= cell <= cut.breaks[-1]
            shown[cut.attribute] = cut.root if is_inside else f"{cut.root} or outside"
    return region, tuple(shown.values())


def sets_of(regions: Regions, cuts: Sequence[Cut], row: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """What a row shows of each attribute, and what was told out of that: together the values it can stand for."""
    cut_of = {cut.attribute: cut for cut in cuts}
    shown: dict[str, str | None] = {cut.attribute: cut.root for cut in cuts}
    told: dict[str, frozenset[Any]] = {cut.attribute: frozenset() for cut in cuts}
    is_part = dict.fromkeys(shown, False)
    region, n_regions = 0, 1
    for split in regions.splits:
        name = split.attribute
        if split.region == region:
            taken = [_is_taken(cut_of[name], part, row[name]) for part in split.parts]
            if any(taken):
                part = split.parts[taken.index(True)]
                region, shown[name], told[name] = n_regions + taken.index(True), part.shown, frozenset()
                is_part[name] = True
            else:
                told[name] |= {part.shown for part in split.parts}
        n_regions += len(split.parts)
    return [(shown[cut.attribute], told[cut.attribute], is_part[cut.attribute]) for cut in cuts]


def _is_taken(cut: Cut, part: RegionPart, cell: Any) -> bool:
    """Whether a cell belongs to a part: one that shows the whole range, or a value `*`, takes nothing else."""
    if part.shown is None or cell is None:
        return part.shown is None and cell is None
    return part.shown == cell if cut.kind is Kind.SUPPRESS else is_true(cut, part.shown, cell)
