"""The regions of a solution file: the splits that made them, in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from maskwise.errors import PolicyError
from maskwise.policy.attributes import Kind
from maskwise.solution.regions import RegionPart, Regions, RegionSplit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.solution.cut import Cut


class PartEntry(BaseModel):
    """One part of a split; its region is numbered on."""

    model_config = ConfigDict(extra="forbid")
    shown: str | None
    ends: tuple[int | float, int | float] | None = None
    is_last: bool = False


class SplitEntry(BaseModel):
    """One split of a region."""

    model_config = ConfigDict(extra="forbid")
    region: int
    attribute: str
    parts: list[PartEntry]


def list_splits(regions: Regions) -> list[SplitEntry]:
    """The splits as the file has them."""
    return [
        SplitEntry(
            region=split.region,
            attribute=split.attribute,
            parts=[PartEntry(shown=part.shown, ends=part.ends, is_last=part.is_last) for part in split.parts],
        )
        for split in regions.splits
    ]


def read_splits(entries: Sequence[SplitEntry], cuts: Sequence[Cut]) -> Regions:
    """Read the splits, and make sure that they can be followed.

    Args:
        entries: What the file has.
        cuts: The attributes of the solution.

    Raises:
        PolicyError: A split is of a region that is not there yet, or shows what its attribute does not have.
    """
    cut_of = {cut.attribute: cut for cut in cuts}
    n_regions, splits = 1, []
    for number, entry in enumerate(entries, start=1):
        cut = cut_of.get(entry.attribute)
        if cut is None or not 0 <= entry.region < n_regions or not entry.parts:
            raise PolicyError([f"split {number} of its regions is of a region or attribute that is not there."])
        parts = tuple(RegionPart(part.shown, part.ends, part.is_last) for part in entry.parts)
        if not _fit(parts, cut):
            raise PolicyError([f"split {number} of its regions shows what `{cut.attribute}` does not have."])
        splits.append(RegionSplit(entry.region, entry.attribute, parts))
        n_regions += len(parts)
    return Regions(tuple(splits))


def _fit(parts: Sequence[RegionPart], cut: Cut) -> bool:
    """Whether the parts of a split show different values of an attribute, spelled as they are shown."""
    if len({part.shown for part in parts}) < len(parts):
        return False
    if cut.kind is not Kind.INTERVAL:
        return all(part.ends is None and (part.shown is None or part.shown in cut.shown) for part in parts)
    for part in parts:
        if part.shown is None:
            continue
        if part.ends is None or not set(part.ends) <= set(cut.breaks):
            return False
        if part.shown != cut.label_between(*part.ends, is_last=part.is_last):
            return False
    return True
