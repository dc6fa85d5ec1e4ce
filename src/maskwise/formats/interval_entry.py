"""An interval attribute as a policy file says it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from maskwise.errors import PolicyError
from maskwise.policy.attributes import Attribute, Kind
from maskwise.values.scales import parse_bound

if TYPE_CHECKING:
    from collections.abc import Mapping


def _bounds(given: object) -> tuple[str, str] | None:
    if not isinstance(given, list) or len(given) != 2:  # noqa: PLR2004
        return None
    low, high = (parse_bound(str(part)) for part in given)
    if type(low) is not type(high) and not (isinstance(low, int | float) and isinstance(high, int | float)):
        raise PolicyError([f"The range [{given[0]}, {given[1]}] mixes numbers and dates."])
    if low > high:  # type: ignore[operator]
        raise PolicyError([f"The range [{given[0]}, {given[1]}] is upside down. Write the lower end first."])
    return str(given[0]), str(given[1])


def read_interval(name: str, parts: Mapping[str, object]) -> Attribute:
    """Read an interval attribute, with its range and the ends of bottom- and top-coding."""
    bounds, clamp = _bounds(parts["interval"]), parts.get("clamp")
    grid = None if parts.get("grid") is None else str(parts["grid"])
    if not isinstance(clamp, list) or len(clamp) != 2:  # noqa: PLR2004
        return Attribute(name, Kind.INTERVAL, bounds=bounds, grid=grid)
    low, high = (None if part is None else str(part) for part in clamp)
    if bounds is not None:
        for pair in pairwise((bounds[0], low or bounds[0], high or bounds[1], bounds[1])):
            try:
                _bounds(list(pair))
            except PolicyError:
                shown = f"[{'~' if low is None else low}, {'~' if high is None else high}]"
                msg = f"clamp {shown} does not lie inside the range [{bounds[0]}, {bounds[1]}], the lower end first."
                raise PolicyError([msg]) from None
    return Attribute(name, Kind.INTERVAL, bounds=bounds, clamp=(low, high), grid=grid)
