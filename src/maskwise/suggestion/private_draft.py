"""A draft of a policy with an epsilon: the domains that it must declare, each for a person to confirm.

A private release may know nothing of the records that it did not pay for. A
draft looks at them, so what it says of a domain is a question: ranges are
rounded outward, values that few records have are not listed, and every entry
says that somebody has to replace it by what is possible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from maskwise.errors import InputError, plural
from maskwise.formats.policy_file import read_policy
from maskwise.policy.grids import Grid
from maskwise.suggestion.draft_lines import comment, flow
from maskwise.suggestion.masking import round_outward
from maskwise.suggestion.roles import Role
from maskwise.suggestion.rule_choice import choose_rule
from maskwise.suggestion.suggest import DEFAULT_RISK, suggest_for
from maskwise.suggestion.suggestion import write_new
from maskwise.table.endpoints import closing, open_data
from maskwise.values.memory import parse_memory
from maskwise.values.reading import Rename, renaming
from maskwise.values.scales import Scale, bound
from maskwise.values.yaml_spelling import spelled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from maskwise.policy.policy import Policy
    from maskwise.suggestion.evidence import ColumnEvidence
    from maskwise.suggestion.suggestion import ColumnSuggestion
    from maskwise.table.table import Table

_MOST_PARTS = 120
"""A grid parts a range into no more than so many."""
_MOST_VALUES = 60
"""More values than these are not listed."""
_UNITS = ("minute", "hour", "day", "week", "month", "quarter", "year")
_TOO_FINE = {"icd10": "code", "naics": "national"}
"""The levels of rules that cannot be listed."""
_LISTED = frozenset({"icd10", "isco", "nace", "naics", "un"})
_CONFIRM = "CONFIRM"
_WARNING = (
    "Every domain below was looked up in the records, and a domain tells something about them: that somebody is so "
    "old, or has a rare job. The guarantee of epsilon holds only for domains that are known without the records. So "
    f"somebody who knows what is possible has to confirm or replace each line marked {_CONFIRM}, before it is used."
)


@dataclass(frozen=True, slots=True)
class DraftedDomain:
    """What a draft declares of one column."""

    name: str
    """The column."""
    entry: Any
    """Its entry as plain data; None leaves the column out."""
    reason: str
    """What there is to confirm, or why it is left out."""


@dataclass(frozen=True, slots=True)
class PrivateDraft:
    """A draft of a policy that asks for an epsilon."""

    source: str
    """What the table is called."""
    epsilon: Fraction
    """What is asked for."""
    class_name: str
    """The class."""
    class_values: tuple[str, ...]
    """Its values."""
    n_rare_classes: int
    """How many values of the class are not listed, because few records have them."""
    person: str | None
    """The column that says whom a record is about, if persons have several."""
    per_person: int
    """How many records of a person are used."""
    domains: tuple[DraftedDomain, ...]
    """What is declared of each column, or why it is left out."""
    dates: Mapping[str, str] = field(default_factory=dict)
    """How the dates of some columns are written."""
    numbers: Mapping[str, str] = field(default_factory=dict)
    """How the numbers of some columns are written."""
    rename: Rename | None = None
    """How columns of the same name are told apart."""

    @property
    def data(self) -> dict[str, Any]:
        """The policy as the mapping that `read_policy` reads."""
        released = {one.name: one.entry for one in self.domains if one.entry is not None}
        dates = {name: form for name, form in self.dates.items() if name in released}
        numbers = {name: form for name, form in self.numbers.items() if name in released}
        exact = Fraction(str(float(self.epsilon))) == self.epsilon
        asked: dict[str, Any] = {"epsilon": float(self.epsilon) if exact else str(self.epsilon)}
        asked["attributes"] = list(released)
        asked |= {} if self.person is None else {"per_person": self.per_person}
        return {
            "class": {self.class_name: list(self.class_values)},
            **({} if self.person is None else {"person": self.person}),
            **({} if self.rename is None else {"rename": str(self.rename)}),
            **({} if not dates else {"dates": dates}),
            **({} if not numbers else {"numbers": numbers}),
            "attributes": released,
            "requirements": [asked],
            "missing": "keep",
        }

    @property
    def policy(self) -> Policy:
        """The policy; it is ready for `anonymize_privately` once somebody has confirmed its domains."""
        return read_policy(self.data, private=True)

    def to_yaml(self) -> str:
        """The policy as a file, with what there is to confirm as comments."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        data = self.data
        about = f"A draft that `maskwise suggest --epsilon` wrote for {spelled(self.source)}. {_WARNING}"
        yield from comment(about)
        yield ""
        yield f"class: {flow(data['class'])}"
        rare = f"; {plural(self.n_rare_classes, 'rarer one')} not listed" if self.n_rare_classes else ""
        yield from comment(
            f"{_CONFIRM}: these are all values that it can have{rare}; records of others are left out", 2
        )
        if self.person is not None:
            yield f"person: {spelled(self.person)}"
            yield from comment("the guarantee is for a whole person", 2)
        if self.rename is not None:
            yield f"rename: {self.rename}"
        if "dates" in data:
            yield f"dates: {flow(data['dates'])}"
            yield from comment("how the dates of these columns are written", 2)
        if "numbers" in data:
            yield f"numbers: {flow(data['numbers'])}"
            yield from comment("how these columns write the number 1234 and a half", 2)
        yield "attributes:"
        for one in self.domains:
            if one.entry is not None:
                yield f"  {spelled(one.name)}: {flow(one.entry)}"
                yield from comment(f"{_CONFIRM}: {one.reason}", 4)
        yield "requirements:"
        if self.person is not None:
            said = (
                f"{_CONFIRM}: of each person at most {plural(self.per_person, 'record')}, others are left out at random"
            )
            yield from comment(said, 2)
        yield f"  - {flow(data['requirements'][0])}"
        left_out = [one for one in self.domains if one.entry is None]
        if left_out:
            yield from comment("Every column that is not named above is left out:")
        for one in left_out:
            yield from comment(f"- {spelled(one.name)}: {one.reason}")
        yield "missing: keep"
        yield from comment("what is missing, or in no domain, is shown as the root; drop leaves such records out", 2)

    def write(self, path: str | Path) -> None:
        """Write the draft to a new file; a file that is there is left alone.

        Args:
            path: Where.
        """
        write_new(path, self.to_yaml())


def suggest_privately(
    data: Any,
    epsilon: float | str | Fraction = 1,
    *,
    class_name: str | None = None,
    rename: str | None = None,
    engine: Any = None,
    memory: str | None = None,
) -> PrivateDraft:
    """Draft a policy with an epsilon for a raw table; somebody has to confirm what it says of domains.

    Args:
        data: The table; as in `anonymize`.
        epsilon: What is asked for.
        class_name: The column that recipients will predict; None guesses it from the names.
        rename: As in `suggest`.
        engine: As in `anonymize`.
        memory: As in `anonymize`.

    Raises:
        InputError: The data cannot be read, there is no class, or no column has a domain that can be drafted.

    Example:
        >>> import pyarrow as pa
        >>> people = {"age": [20 + i % 50 for i in range(200)], "sex": ["F", "M"] * 100}
        >>> table = pa.table({**people, "ill": ["no", "no", "yes", "no"] * 50})
        >>> draft = suggest_privately(table, 1, class_name="ill")
        >>> draft.data["attributes"]
        {'age': {'interval': {'range': ['10', '70'], 'on': '1'}}, 'sex': {'suppress': ['F', 'M']}}
    """
    try:
        asked = Fraction(str(epsilon))
    except (ValueError, ZeroDivisionError):
        asked = Fraction(0)
    if asked <= 0:
        msg = f"epsilon is a number above 0; found `{epsilon}`."
        raise InputError(msg)
    reading = renaming(rename)
    table = open_data(data, engine, None, parse_memory(memory), reading)
    with closing(table):
        return replace(_draft(table, asked, class_name), rename=reading.rename)


def _draft(table: Table, epsilon: Fraction, class_name: str | None) -> PrivateDraft:
    found = suggest_for(table, class_name, DEFAULT_RISK)[0]
    if found.class_name is None:
        msg = "A release with an epsilon needs a class, and no name tells which column it is. Name one with --class."
        raise InputError(msg)
    by_name = {column.name: column for column in found.columns}
    classes, n_rare = _values(table, found.class_name, found.k)
    if not 1 < len(classes) <= _MOST_VALUES:
        msg = (
            f"The class `{found.class_name}` has {plural(len(classes), 'value')} that {found.k} records or more have; "
            f"a draft lists 2 to {_MOST_VALUES}. Name another one with --class."
        )
        raise InputError(msg)
    domains = tuple(
        _domain(table, column, found.k) for column in found.columns if column.role not in {Role.CLASS, Role.PERSON}
    )
    if not any(one.entry is not None for one in domains):
        raise InputError("No column has a domain that could be drafted. Write a policy by hand; see docs/private.md.")
    persons = None if found.person is None else by_name[found.person].figures.n_distinct
    per_person = 1 if persons is None else math.ceil(found.n_records / max(persons, 1))
    dates = {name: forms[0] for name, one in by_name.items() if len(forms := one.figures.date_forms) == 1}
    # Values that are listed are spelled as in the table.
    ranged = [one.name for one in domains if one.entry is not None and "interval" in one.entry]
    numbers = {name: forms[0] for name in ranged if len(forms := by_name[name].figures.number_forms) == 1}
    return PrivateDraft(
        table.source, epsilon, found.class_name, classes, n_rare, found.person, per_person, domains, dates, numbers
    )


def _domain(table: Table, column: ColumnSuggestion, k: int) -> DraftedDomain:
    """What is declared of a column, or why it is left out."""
    name, figures = column.name, column.figures
    if column.role.is_left_out and column.role is not Role.BEYOND:
        return DraftedDomain(name, None, f"{column.role}: {column.reason}")
    rule = choose_rule(figures)
    entry: dict[str, Any] = {} if rule is None else rule.entry
    key = next((key for key in _LISTED if key in entry), None)
    if key is not None:
        return DraftedDomain(name, {**entry, key: _levels(key, entry[key])}, "its cells are codes that this rule lists")
    if figures.scale is not None and figures.ends is not None and not _is_named(figures):
        drafted = _range(figures.ends, figures.scale)
        return DraftedDomain(
            name, {"interval": drafted}, "the range is what is possible, and no narrower; `on` is the grid"
        )
    if figures.n_distinct > _MOST_VALUES:
        why = f"more than {_MOST_VALUES} values; add {{taxonomy: tree.yaml}}, whose leaves are all that are possible"
        return DraftedDomain(name, None, why)
    listed, n_rare = _values(table, name, k)
    if not listed:
        return DraftedDomain(name, None, f"no value has {k} records; list those that are possible")
    rare = f"; {plural(n_rare, 'rarer one')} not listed" if n_rare else ""
    return DraftedDomain(name, {"suppress": list(listed)}, f"these are the values that are possible{rare}")


def _is_named(figures: ColumnEvidence) -> bool:
    """Whether numbers are names, or too few to have an order that matters."""
    return figures.has_zeros or figures.n_distinct < 3  # noqa: PLR2004


def _levels(key: str, said: Any) -> Any:
    """What stands beside the key of a rule, without a level that cannot be listed."""
    finest = _TOO_FINE.get(key)
    if isinstance(said, dict):
        return {**said, "levels": [level for level in said["levels"] if level != finest]}
    return [level for level in said if level != finest]


def _range(ends: tuple[float, float], scale: Scale) -> dict[str, Any]:
    """A range that is rounded outward, and the finest round grid that parts it into few enough."""
    low, high = round_outward(*ends, scale)
    if scale in {Scale.INTEGER, Scale.REAL}:
        width = (Fraction(high) - Fraction(low)) / _MOST_PARTS
        power = math.floor(math.log10(width))
        steps = (Fraction(10) ** (power + up) * times for up in (0, 1) for times in (1, 2, 5))
        step = next(step for step in steps if step >= width)
        step = max(step, Fraction(1)) if scale is Scale.INTEGER else step
        return {"range": [low, high], "on": str(step) if step.denominator == 1 else f"{float(step):.{-power}f}"}
    first, last = (bound(end, scale) for end in (low, high))
    fitting = [grid for grid in map(Grid.read, _UNITS) if grid.misfit(scale) is None]
    few = (grid for grid in fitting if grid.n_points(first, last, scale) <= _MOST_PARTS)
    return {"range": [low, high], "on": next(few, fitting[-1]).text}


def _values(table: Table, name: str, k: int) -> tuple[tuple[str, ...], int]:
    """The values of a column that at least k records have, and how many others there are."""
    text = table.column(name).cast("string")
    counted = table.engine.group(table.expr, [text]).to_pylist()
    known = {row["k0"]: int(row["n"]) for row in counted if row["k0"] is not None}
    listed = sorted(value for value, n in known.items() if n >= k and value != "*")
    return tuple(listed), len(known) - len(listed)
