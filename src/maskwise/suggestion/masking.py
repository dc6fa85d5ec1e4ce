"""How each quasi-identifier is masked: a rule that fits its values, intervals, or hiding rare values.

Ranges are rounded outward, so that they do not tell the extremes. No entry has
a value of the data.
"""

from __future__ import annotations

import datetime as dt
import math
from typing import TYPE_CHECKING

from maskwise.errors import quote
from maskwise.suggestion.rule_choice import Masking, choose_rule
from maskwise.suggestion.shapes import Shape
from maskwise.suggestion.vocabulary import Meaning
from maskwise.values.file_words import file_words
from maskwise.values.scales import Scale, as_python, label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.suggestion.evidence import ColumnEvidence

_FEWEST_GROWN, _MOST_GROWN = 4, 64
"""With fewer values there is nothing to put together, with more a label lists too many of them."""
_LONG_SPAN, _SHORT_SPAN = 20 * 366, 2 * 366
"""Days from which dates are rounded to decades, and to years."""
_UNORDERED = frozenset({
    Meaning.SEX, Meaning.ORIGIN, Meaning.COUNTRY, Meaning.PLACE, Meaning.KEY, Meaning.PERSON_KEY, Meaning.CASE_KEY,
    Meaning.POSTCODE, Meaning.RELIGION, Meaning.PHONE,
})  # fmt: skip
"""What has no order, even where it is written in numbers."""


def choose_masking(column: ColumnEvidence, above: Sequence[str] = ()) -> Masking:
    """Choose how a quasi-identifier is masked.

    Args:
        column: What was counted of it.
        above: Columns that it determines, each of which determines the next.
    """
    if (rule := choose_rule(column)) is not None:
        return rule
    if _is_ordered(column):
        assert column.scale is not None  # noqa: S101 - ordered columns have one
        assert column.ends is not None  # noqa: S101 - and a range
        return _in_intervals(column, column.ends, column.scale)
    if above and not column.has_star:
        said = "each value has one of them in every record, so that they are its tree"
        return Masking(
            {"from_column": list(above)},
            f"{quote(above)} {'says' if len(above) == 1 else 'say'} where it belongs: {said}",
        )
    if _FEWEST_GROWN <= column.n_distinct <= _MOST_GROWN and not column.has_star:
        return Masking({"grow": "frequency"}, "a tree is grown from its counts; a taxonomy of your own would say more")
    return Masking("suppress", _why_hidden(column))


def _in_intervals(column: ColumnEvidence, ends: tuple[float, float], scale: Scale) -> Masking:
    """Intervals end where records part, so they show more than a fixed grid; some recipients want the grid.

    Later rows have later dates, so the last interval of dates has no end, unless they are birthdays: nobody is born
    after today, whatever decade it is in.
    """
    low, high = round_outward(*ends, scale)
    said = "the range is rounded outward"
    if scale is Scale.REAL:
        # About a hundred ends are possible then.
        step = label(10.0 ** math.floor(math.log10(float(high) - float(low)) - 1.5), scale)
        entry = file_words(f"interval: {{range: [{low}, {high}], on: {step}}}")
        said += f"; intervals end between records, for round ends add a step{entry}"
    if scale not in {Scale.DATE, Scale.TIMESTAMP}:
        return Masking({"interval": [low, high]}, said)
    months = file_words("calendar: [month, year, decade]")
    grid = f"intervals follow the records, for whole months and years choose parts of a date{months}"
    if column.meaning is Meaning.BIRTH:
        last, next_year = as_python(ends[1], scale), f"{dt.datetime.now(dt.UTC).year + 1:04d}-01-01"
        assert isinstance(last, dt.date)  # noqa: S101 - what the scale is of
        high = min(high, next_year) if f"{last:%Y-%m-%d}" < next_year else high
        return Masking({"interval": [low, high]}, f"{said}; {grid}")
    later = "the last interval goes on without end, so that later dates belong to it" + file_words("clamp")
    return Masking({"interval": [low, high], "clamp": [None, high]}, f"{said}; {later}; {grid}")


def _why_hidden(column: ColumnEvidence) -> str:
    """What would show more than hiding rare values."""
    if column.shape is not None and column.shape.shape is Shape.LOCAL_DATE:
        return (
            "rare values are hidden; these look like dates, but of several forms or with two digits for the year: "
            "written as 2024-04-06 they would be intervals"
        )
    if column.shape is not None and column.shape.shape is Shape.LOCAL_NUMBER:
        forms = " or ".join(column.number_forms)
        open_form = f"once the policy says how they are written ({forms}) they would be intervals"
        mixed = "but in several spellings: written alike they would be intervals"
        return f"rare values are hidden; these look like numbers, {open_form if forms else mixed}"
    if column.n_distinct <= 2:  # noqa: PLR2004
        return "each value is shown or hidden"
    return "rare values are hidden; a taxonomy would show more"


def _is_ordered(column: ColumnEvidence) -> bool:
    """Whether the values are numbers or dates, and not codes that look like numbers."""
    if column.scale is None or column.ends is None or column.has_zeros or column.n_distinct < 3:  # noqa: PLR2004
        return False
    if column.scale is not Scale.INTEGER:
        return True
    return column.meaning not in _UNORDERED


def round_outward(low: float, high: float, scale: Scale) -> tuple[str, str]:
    """A range around a column's values that tells neither end.

    A lower end of 0 stays: nothing is below it.

    >>> round_outward(17, 90, Scale.INTEGER), round_outward(0, 99999, Scale.INTEGER)
    (('10', '100'), ('0', '100000'))
    >>> round_outward(0.25, 1.5, Scale.REAL), round_outward(-3, 700, Scale.INTEGER)
    (('0.2', '1.6'), ('-100', '800'))
    """
    if scale is Scale.TIME:
        return "00:00:00", "23:59:59.999999"
    if scale in {Scale.DATE, Scale.TIMESTAMP}:
        first, last = as_python(low, scale), as_python(high, scale)
        assert isinstance(first, dt.date)  # noqa: S101 - what the scale is of
        assert isinstance(last, dt.date)  # noqa: S101 - as above
        return _round_days(first, last)
    power = math.floor(math.log10(max(high - low, abs(high) * 1e-9, 1e-12) / 2))
    power = max(power, 0) if scale is Scale.INTEGER else power
    below = math.ceil(_scaled(low, power)) - 1 if low != 0 else 0
    above = math.floor(_scaled(high, power)) + 1 if high != 0 else 1
    return _decimal(below if low < 0 else max(below, 0), power), _decimal(above, power)


def _scaled(number: float, power: int) -> float:
    """A number in units of a power of ten, without the noise of a float."""
    return float(f"{number / 10.0**power:.12g}")


def _decimal(units: int, power: int) -> str:
    if power >= 0:
        return str(units * 10**power)
    return f"{units / 10**-power:.{-power}f}"


def _round_days(first: dt.date, last: dt.date) -> tuple[str, str]:
    days = last.toordinal() - first.toordinal()
    unit = 10 if days >= _LONG_SPAN else 1
    if days >= _SHORT_SPAN:
        low, high = (
            (first.year - 1 if _is_first_day(first) else first.year) // unit * unit,
            last.year // unit * unit + unit,
        )
        return f"{max(low, 1):04d}-01-01", f"{min(high, 9999):04d}-01-01" if high <= 9999 else "9999-12-31"  # noqa: PLR2004
    before = dt.date.fromordinal(max(dt.date(first.year, first.month, 1).toordinal() - (first.day == 1), 1)).replace(
        day=1
    )
    after = (last.year, last.month + 1) if last.month < 12 else (last.year + 1, 1)  # noqa: PLR2004
    return before.isoformat(), f"{after[0]:04d}-{after[1]:02d}-01" if after[0] <= 9999 else "9999-12-31"  # noqa: PLR2004


def _is_first_day(day: dt.date) -> bool:
    return (day.month, day.day) == (1, 1)
