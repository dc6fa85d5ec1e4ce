"""The regions of a solution file: the splits that made them, in order."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from maskwise.errors import PolicyError
from maskwise.policy.attributes import Kind
from maskwise.solution.region_codes import Codes
from maskwise.solution.regions import RegionPart, Regions, RegionSplit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.solution.cut import Cut
    from maskwise.solution.region_codes import Taken


class PartEntry(BaseModel):
    """One part of a split; its region is numbered on."""

    model_config = ConfigDict(extra="forbid", defer_build=True)
    shown: str | None
    ends: tuple[int | float, int | float] | None = None
    is_last: bool = False


class SplitEntry(BaseModel):
    """One split of a region."""

    model_config = ConfigDict(extra="forbid", defer_build=True)
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
        PolicyError: A split is of a region that is not there yet, shows what its attribute or its region does not
            have, or has parts that overlap; or an attribute lists labels that no region shows.
    """
    codes = {cut.attribute: _codes(cut) for cut in cuts}
    # What each region holds of each attribute that it was split from another by.
    held: list[dict[str, Taken]] = [{}]
    splits = []
    for number, entry in enumerate(entries, start=1):
        one = codes.get(entry.attribute)
        if one is None or not 0 <= entry.region < len(held) or not entry.parts:
            raise PolicyError([f"split {number} of its regions is of a region or attribute that is not there."])
        parts = tuple(RegionPart(part.shown, part.ends, part.is_last) for part in entry.parts)
        before = held[entry.region]
        taken = [one.taken(part) for part in parts]
        found = [each for each in taken if each is not None and _is_inside(each, before.get(entry.attribute), one)]
        if len(found) < len(parts):
            raise PolicyError([f"split {number} of its regions shows what `{entry.attribute}` does not have there."])
        if any(first.stop > then.first for first, then in pairwise(sorted(found))):
            raise PolicyError([f"split {number} of its regions has parts of `{entry.attribute}` that overlap."])
        splits.append(RegionSplit(entry.region, entry.attribute, parts))
        held += [{**before, entry.attribute: each} for each in found]
    regions = Regions(tuple(splits))
    for cut, column in zip(cuts, zip(*regions.labels(cuts), strict=True), strict=True):
        if not cut.regional or not set(cut.regional) <= set(column):
            raise PolicyError([f"the labels of `{cut.attribute}` are not those of its regions."])
    return regions


def _codes(cut: Cut) -> Codes:
    """The numbers of an attribute, after a look at what the file says of it."""
    tree = cut.taxonomy
    is_known = tree is None or set(cut.shown) <= set(tree.labels)
    if cut.kind is Kind.INTERVAL:
        try:
            is_known = cut.root == cut.label_between(cut.breaks[0], cut.breaks[-1], is_last=True)
        except (OverflowError, ValueError):
            is_known = False
    if not is_known:
        raise PolicyError([f"`{cut.attribute}` shows values that it does not have."])
    return Codes.of(cut)


def _is_inside(part: Taken, region: Taken | None, codes: Codes) -> bool:
    """Whether a part takes only what its region holds; what lies outside the range may have stayed before."""
    if region is None:
        return True
    if codes.missing in {part.first, region.first}:
        return False
    return region.first <= part.first and min(part.stop, codes.n_values) <= min(region.stop, codes.n_values)
