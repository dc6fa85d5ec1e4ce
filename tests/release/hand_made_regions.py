"""Random tables with random regions that no search has made."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from maskwise.formats.policy_file import read_policy
from maskwise.formats.requirement_file import read_requirement
from maskwise.policy.attributes import Kind
from maskwise.policy.taxonomy import Taxonomy
from maskwise.solution.cut import HIDDEN, Cut, MissingShown, in_tree_order
from maskwise.solution.regions import RegionPart, Regions, RegionSplit
from maskwise.solution.solution import Reached, Solution
from maskwise.values.scales import Scale, interval_label

NESTED = {"any": {"x": ["a", "b"], "y": {"z": ["c", "d"], "e": None}}}
TREE = Taxonomy.from_nested(NESTED)
CODES = ("007", "07", "7", "*", "1e3", "NULL?")
EPOCH = dt.date(1970, 1, 1)
AGES, DAYS = (0, 20), (18_000, 18_030)
NAMES = ("tree", "*", "age", "day")
SUPPRESS = "*"
"""A column may be called like what hides its values."""


@dataclass(frozen=True)
class Case:
    """A table, and regions of it."""

    rows: list[dict[str, Any]]
    """Cells by attribute; dates as days since 1970."""
    later: list[dict[str, Any]]
    """Rows with values, missing cells and numbers that nobody had seen."""
    solution: Solution
    """The regions."""
    policy: Any
    """What they could have been found for."""

    def table(self, rows: list[dict[str, Any]]) -> pa.Table:
        """Rows as a table."""
        columns: dict[str, pa.Array] = {
            "tree": pa.array([row["tree"] for row in rows], pa.string()),
            SUPPRESS: pa.array([row[SUPPRESS] for row in rows], pa.string()),
            "age": pa.array([row["age"] for row in rows], pa.int64()),
            "day": pa.array([as_date(row["day"]) for row in rows], pa.date32()),
            "note": pa.array([str(i) for i in range(len(rows))]),
        }
        return pa.table(columns)


def as_date(day: int | None) -> dt.date | None:
    """A day since 1970 as a date."""
    return None if day is None else EPOCH + dt.timedelta(days=day)


@st.composite
def cases(draw: Any) -> Case:
    """A table, regions of it, and later rows."""
    empty = st.none() if draw(st.booleans()) else st.nothing()
    row = st.fixed_dictionaries(
        {
            "tree": st.one_of(st.sampled_from("abcde"), empty),
            SUPPRESS: st.one_of(st.sampled_from(CODES), empty),
            "age": st.one_of(st.integers(*AGES), empty),
            "day": st.one_of(st.integers(*DAYS), empty),
        }
    )
    rows = draw(st.lists(row, min_size=1, max_size=25))
    rows.append(dict(zip(NAMES, ["a", "7", AGES[0], DAYS[0]], strict=True)))
    odd = st.fixed_dictionaries(
        {
            "tree": st.sampled_from(["a", "c", "e", "x", "other", "A", None]),
            SUPPRESS: st.sampled_from([*CODES, "7.0", "new", None]),
            "age": st.one_of(st.integers(AGES[0] - 5, AGES[1] + 5), st.none()),
            "day": st.one_of(st.integers(DAYS[0] - 5, DAYS[1] + 5), st.none()),
        }
    )
    later = draw(st.lists(odd, min_size=1, max_size=25))
    coded = {"age": draw(st.tuples(st.booleans(), st.booleans())), "day": (False, False)}
    return Case(rows, later, make_solution(draw(_splits(coded)), coded, rows), _policy())


def make_solution(
    splits: tuple[RegionSplit, ...], coded: dict[str, tuple[bool, bool]], rows: list[dict[str, Any]]
) -> Solution:
    """A solution with these splits.

    Args:
        splits: Of the attributes of these tables.
        coded: Which ends of the interval attributes are coded.
        rows: The rows it was found on.
    """
    regions = Regions(splits)
    cuts = [_cut(name, splits, coded.get(name, (False, False)), rows) for name in NAMES]
    shown = zip(*regions.labels(cuts), strict=True)
    labelled = (
        replace(cut, regional=tuple(dict.fromkeys(label for label in column if label is not None)))
        for cut, column in zip(cuts, shown, strict=True)
    )
    return Solution(
        cuts=tuple(labelled),
        reached=(Reached(read_requirement({"qid": list(NAMES), "k": "1"}), 1),),
        n_rows=len(rows),
        policy_hash="0",
        method="regions",
        criterion="score",
        ending="maximal",
        columns=(*NAMES, "note"),
        regions=regions,
    )


def _policy() -> Any:
    ends = [str(as_date(day)) for day in DAYS]
    return read_policy(
        {
            "attributes": {
                "tree": {"taxonomy": NESTED},
                SUPPRESS: "suppress",
                "age": {"interval": list(AGES)},
                "day": {"interval": ends},
            },
            "requirements": [{"qid": list(NAMES), "k": 1}],
        }
    )


@st.composite
def _splits(draw: Any, coded: dict[str, tuple[bool, bool]]) -> tuple[RegionSplit, ...]:
    """Splits, each of a region that is there, into parts that are inside it and do not overlap."""
    held: list[dict[str, Any]] = [{}]
    splits = []
    for _ in range(draw(st.integers(0, 14))):
        region = draw(st.integers(0, len(held) - 1))
        name = draw(st.sampled_from(NAMES))
        before = held[region].get(name)
        if name == "tree":
            parts = draw(_tree_parts(before))
        elif name == SUPPRESS:
            chosen = draw(st.lists(st.sampled_from([*CODES, None]), min_size=1, unique=True))
            parts = [] if name in held[region] else [RegionPart(text) for text in chosen]
        else:
            parts = draw(_interval_parts(before, name, coded[name])) if before != "missing" else []
        if parts:
            splits.append(RegionSplit(region, name, tuple(parts)))
            held += [{**held[region], name: _holds(name, part)} for part in parts]
    return tuple(splits)


def _holds(name: str, part: RegionPart) -> Any:
    if part.shown is None:
        return "missing"
    return part.shown if name in {"tree", SUPPRESS} else (*(part.ends or ()), part.is_last)


@st.composite
def _tree_parts(draw: Any, before: str | None) -> list[RegionPart]:
    if before == "missing":
        return []
    below = [label for label in TREE.at_or_below(before or "any") if label != (before or "any")]
    chosen: list[str] = []
    for label in draw(st.lists(st.sampled_from(below), max_size=4, unique=True)) if below else []:
        inside = TREE.at_or_below(label)
        if not any(other in inside or label in TREE.at_or_below(other) for other in chosen):
            chosen.append(label)
    has_missing = before is None and draw(st.booleans())
    return [RegionPart(label) for label in [*chosen, *([None] if has_missing else [])]]


@st.composite
def _interval_parts(draw: Any, before: Any, name: str, coded: tuple[bool, bool]) -> list[RegionPart]:
    ends = AGES if name == "age" else DAYS
    low, high, is_last = before or (*ends, True)
    inner = draw(st.lists(st.integers(low + 1, high), max_size=2, unique=True)) if high > low else []
    borders = sorted(border for border in inner if border < high or is_last)
    root = interval_label(*ends, _scale(name), closed=True)
    cut = Cut(name, Kind.INTERVAL, root, scale=_scale(name), breaks=ends, coded=coded)
    points = [low, *borders, high]
    parts = []
    for i, (begin, end) in enumerate(pairwise(points)):
        ends_here = is_last and i == len(points) - 2
        parts.append(RegionPart(cut.label_between(begin, end, is_last=ends_here), (begin, end), ends_here))
    if before is not None and not borders:
        return []
    has_missing = before is None and (not borders or draw(st.booleans()))
    kept = draw(st.lists(st.sampled_from(parts), min_size=1, unique=True))
    return [*kept, *([RegionPart(None)] if has_missing else [])]


def _scale(name: str) -> Scale:
    return Scale.INTEGER if name == "age" else Scale.DATE


def _cut(name: str, splits: tuple[RegionSplit, ...], coded: tuple[bool, bool], rows: list[dict[str, Any]]) -> Cut:
    parts = [part for split in splits if split.attribute == name for part in split.parts]
    told = {part.shown for part in parts if part.shown is not None}
    missing = MissingShown.UNSEEN
    if any(row[name] is None for row in rows):
        missing = MissingShown.ITSELF if RegionPart(None) in parts else MissingShown.ROOT
    if name == "tree":
        return Cut(
            name,
            Kind.TAXONOMY,
            "any",
            missing,
            taxonomy=TREE,
            shown=in_tree_order({*told, "any"}, TREE),
            regional=("",),
        )
    if name == SUPPRESS:
        hidden = tuple(text for text in CODES if text not in told)
        return Cut(name, Kind.SUPPRESS, HIDDEN, missing, shown=tuple(sorted(told)), hidden=hidden)
    ends = AGES if name == "age" else DAYS
    all_ends = {*ends, *(end for part in parts for end in part.ends or ())}
    between = [part for part in parts if part.ends is not None]
    twice = any(part.ends == (ends[1], ends[1]) or (part.ends[1] == ends[1] and not part.is_last) for part in between)
    breaks = (*sorted(all_ends), *([ends[1]] if twice else []))
    root = interval_label(*ends, _scale(name), closed=True)
    return Cut(name, Kind.INTERVAL, root, missing, scale=_scale(name), breaks=breaks, coded=coded)
