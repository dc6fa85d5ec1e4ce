"""The values that a rule can show, listed without a look at any table: the domain of a private release.

Code systems and cycles have a list of their own; dates and numbers have one
within a declared range. Of other rules nobody can list what they may read.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from itertools import product
from typing import TYPE_CHECKING

from maskwise.errors import PolicyError
from maskwise.policy.rules import icd10, isco, nace, naics, un
from maskwise.policy.rules.base import PathTree
from maskwise.policy.rules.calendar import Calendar
from maskwise.policy.rules.cycles import Season, TimeOfDay, Weekday
from maskwise.policy.rules.number_grids import Rounded, Steps
from maskwise.values.scales import Scale, bound, scale_of_bound

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from maskwise.policy.attributes import Attribute
    from maskwise.policy.rules.base import ValueRule
    from maskwise.policy.taxonomy import Taxonomy

_DIGITS = "0123456789"
_HOURS = 24
_NUMBERS = {Scale.INTEGER, Scale.REAL}
_DAYS = {Scale.DATE, Scale.TIMESTAMP}
_MOST = 200_000
"""More values are not listed; fewer can be leaves of a private release."""


def domain_misfit(entry: Attribute) -> str | None:
    """Why the values of a rule cannot be listed, and what to write instead; None if they can.

    Args:
        entry: An attribute with a rule.
    """
    assert entry.rule is not None  # noqa: S101 - asked of rules only
    rule, ends = entry.rule.rule, entry.bounds
    for kind, finest, usual in (
        (icd10.Icd10, "code", "category, block, chapter"),
        (naics.Naics, "national", "industry, group, subsector, sector"),
    ):
        if isinstance(rule, kind) and finest in rule.levels:
            levels = ", ".join(level for level in reversed(rule.levels) if level != finest) or usual
            return f"`{rule.key}` has too many codes of the level `{finest}`. Leave it out: {rule.key}: [{levels}]."
    if isinstance(rule, Calendar):
        return _range_misfit(rule.key, ends, _DAYS, "[2000-01-01, 2029-12-31]")
    if isinstance(rule, Steps | Rounded):
        return _range_misfit(rule.key, ends, _NUMBERS, "[0, 120]")
    listed = Weekday | Season | TimeOfDay | icd10.Icd10 | isco.Isco | nace.Nace | naics.Naics | un.UnRegion
    if not isinstance(rule, listed):
        return f"`{rule.key}` reads more texts than anybody can list. Write a taxonomy instead."
    if ends is not None:
        return f"`{rule.key}` has a list of its own, so it needs no range. Delete `range`."
    return None


def _range_misfit(key: str, ends: tuple[str, str] | None, scales: set[Scale], example: str) -> str | None:
    if ends is None:
        return f"`{key}` needs a range, of which it lists the parts: {{{key}: ..., range: {example}}}."
    if not {scale_of_bound(end) for end in ends} <= scales:
        return f"`{key}` has a range such as {example}; found [{', '.join(ends)}]."
    return None


def public_domain(entry: Attribute) -> Taxonomy:
    """The tree of everything that a rule can show, from the policy alone.

    A value whose finest label stands above others has no place in it.

    Args:
        entry: An attribute with a rule whose values can be listed.

    Example:
        >>> from maskwise.policy.attributes import Attribute, Kind
        >>> from maskwise.policy.rules.registry import read_rule_tree
        >>> rule = read_rule_tree({"steps": [10, 20]})
        >>> public_domain(Attribute("Age", Kind.TAXONOMY, rule=rule, bounds=("0", "39"))).to_nested()
        {'*': {'[0, 20)': {'[0, 10)': {}, '[10, 20)': {}}, '[20, 40)': {'[20, 30)': {}, '[30, 40)': {}}}}
    """
    assert entry.rule is not None  # noqa: S101 - asked of rules only
    rule = entry.rule
    tree = PathTree(rule.root)
    for n, value in enumerate(_values(rule.rule, entry.bounds or ("", ""))):
        if n > _MOST:
            msg = f"`{rule.rule.key}` lists more than {_MOST:,} values. Use coarser levels, or a narrower range."
            raise PolicyError([msg])
        path = rule.path(value)
        if path is not None:
            tree.place(path)
    if rule.other is not None:
        tree.place((rule.other,))
    tree.refuse_ambiguous(rule.rule.key)
    return tree.taxonomy()


def _values(rule: ValueRule, ends: tuple[str, str]) -> Iterable[str]:  # noqa: PLR0911 - one for each kind of rule
    """A value for everything that a rule can show at its finest level."""
    match rule:
        case Weekday():
            return [f"2024-01-{day:02}" for day in range(1, 8)]
        case Season():
            return [f"2024-{month:02}-01" for month in range(1, 13)]
        case TimeOfDay():
            return [f"{hour:02}:00" for hour in range(_HOURS)]
        case Calendar():
            return _moments(rule, ends)
        case Steps():
            return _multiples(rule.widths[0], ends)
        case Rounded():
            return _multiples(rule.units[0], ends)
        case icd10.Icd10():
            third = _DIGITS + ("AB" if rule.version == "cm" else "")
            letters = (chr(letter) for letter in range(ord("A"), ord("Z") + 1))
            return [*("".join(parts) for parts in product(letters, _DIGITS, third)), "QA0"]
        case isco.Isco():
            return _codes(isco.WIDTHS[rule.levels[-1]])
        case nace.Nace():
            return _activities(rule)
        case naics.Naics():
            most = naics.WIDTHS[rule.levels[-1]] - 2
            return (
                *naics.SECTOR_OF.values(),
                *(head + rest for head in naics.SECTOR_OF for rest in ("", *_codes(most))),
            )
        case un.UnRegion():
            return sorted({code for code, _ in un.all_countries().values()})
    msg = f"{rule.key} cannot be listed"
    raise ValueError(msg)


def _codes(most: int) -> Iterator[str]:
    """All codes of digits up to a length."""
    for width in range(1, most + 1):
        yield from ("".join(parts) for parts in product(_DIGITS, repeat=width))


def _activities(rule: nace.Nace) -> Iterator[str]:
    """Sections, and divisions with all groups and classes that they may have."""
    n_more = nace.LEVELS[::-1].index(rule.levels[-1]) - 1
    yield from nace.SECTIONS[rule.version].split()[::2]
    for division in product(_DIGITS, repeat=2):
        for width in range(max(n_more, 0) + 1):
            yield from (
                "".join(division) + "." * bool(width) + "".join(rest) for rest in product(_DIGITS, repeat=width)
            )


def _moments(rule: Calendar, ends: tuple[str, str]) -> Iterator[str]:
    """Every day of a range, or every hour where a level needs one."""
    has_hours = bool({"hour", "shift"} & set(rule.levels))
    unit = dt.timedelta(hours=1) if has_hours else dt.timedelta(days=1)
    epoch = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - as written
    at, last = (epoch + dt.timedelta(microseconds=bound(end, Scale.TIMESTAMP)) for end in ends)
    if scale_of_bound(ends[1]) is Scale.DATE:
        last += dt.timedelta(days=1) - unit
    while at <= last:
        yield at.isoformat(timespec="minutes") if has_hours else at.date().isoformat()
        at += unit


def _multiples(width: Decimal, ends: tuple[str, str]) -> Iterator[str]:
    """Numbers of a range that lie no farther apart than the parts are wide, and its upper end."""
    at, last = (Decimal(end.strip()) for end in ends)
    while at < last:
        yield f"{at:f}"
        at += width
    yield f"{last:f}"
