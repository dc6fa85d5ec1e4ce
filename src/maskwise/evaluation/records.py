"""The result of an evaluation: errors with their intervals, for people and for scripts."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v1 as nw
import pyarrow as pa

from maskwise.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

SUFFIXES = (".csv", ".json", ".svg", ".png")
KEYS = ("classifier", "protocol", "k", "measure", "error", "low", "high")
_KEYS_OF_METRICS = ("classifier", "protocol", "k", "measure", "metric", "value", "low", "high")
"""The same where not only errors were measured."""
_OPTIONAL = ("h", "by", "group", "n")
"""Columns that are there only where a record fills them; `note` is, where a figure is missing."""
DEVIATE = 1.959963984540054
"""The normal deviate of a two-sided 95 % interval."""


@dataclass(frozen=True, slots=True)
class Record:
    """One error, in percent of the test records, or another figure."""

    classifier: str
    """The classifier that was trained."""
    protocol: str
    """`held-out` or `combined`."""
    k: int | None
    """The k of the policy; None where the error does not depend on it."""
    measure: str
    """BE, AE, SE, UE, RE, or AE of another tool."""
    error: float | None
    """In percent; None if no masking meets the policy."""
    low: float | None
    """The lower end of the 95 % interval."""
    high: float | None
    """Its upper end."""
    h: float | None = None
    """The confidence bound of the templates, where it was varied."""
    note: str | None = None
    """Why there is no error; or that the class cannot be predicted, not even from the raw table."""
    metric: str = "error"
    """What was measured, as the option `--measure` calls it; `error` above then stands for its figure."""
    by: str | None = None
    """The column by whose values the test records were grouped, if they were."""
    group: str | None = None
    """The value of that column."""
    n: int | None = None
    """The test records that have it."""

    @property
    def value(self) -> float | None:
        """The figure that was measured: what `error` holds, whatever the metric."""
        return self.error


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All errors of one evaluation."""

    records: tuple[Record, ...]
    """One for each classifier, protocol, threshold and measure."""
    class_name: str
    """The class column, which was predicted."""
    source: str
    """The name of the table."""
    n_tested: int
    """The number of predictions that each error is a share of."""
    notes: tuple[str, ...] = ()
    """Remarks for the owner of the table."""
    backend: str = "pyarrow"
    """The kind of table that `to_frame` makes: `pandas`, `polars` or `pyarrow`."""
    guess: float | None = None
    """The error, in percent, of always guessing the most frequent class; None of a class that is a number."""
    is_unasked: bool = False
    """Whether more than errors was measured without being asked for; files, JSON and data frames have the errors."""

    @property
    def written(self) -> tuple[Record, ...]:
        """The records that were asked for, which files have: their form does not depend on the table."""
        return tuple(one for one in self.records if one.metric == "error") if self.is_unasked else self.records

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns; `metric` and `value` in the place of `error` where not only errors were measured."""
        always = KEYS if all(record.metric == "error" for record in self.written) else _KEYS_OF_METRICS
        filled = [key for key in _OPTIONAL if any(getattr(one, key) is not None for one in self.written)]
        return (*always, *filled, *["note"] * any(one.note and one.error is None for one in self.written))

    def to_data(self) -> list[dict[str, Any]]:
        """The records as plain values; only a record with a note has the key `note`."""
        keys = [key for key in self.keys if key != "note"]
        return [
            {key: getattr(record, key) for key in (*keys, *["note"] * (record.note is not None))}
            for record in self.written
        ]

    def to_json(self) -> str:
        """The records as JSON, for scripts."""
        return json.dumps(self.to_data(), indent=2, ensure_ascii=False) + "\n"

    def to_csv(self) -> str:
        """The records as csv, for spreadsheets."""
        file = io.StringIO()
        writer = csv.DictWriter(file, self.keys, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(self.to_data())
        return file.getvalue()

    def to_frame(self) -> Any:
        """The records as a data frame of the kind of the data; for a file pandas, or Arrow without pandas."""
        types = {"k": pa.int64(), "n": pa.int64()}
        types |= dict.fromkeys(("error", "value", "low", "high", "h"), pa.float64())
        columns = {
            key: pa.array([getattr(record, key) for record in self.written], types.get(key, pa.string()))
            for key in self.keys
        }
        frame = nw.from_native(pa.table(columns), eager_only=True)
        conversions = {"pandas": frame.to_pandas, "polars": frame.to_polars}
        return conversions.get(self.backend, frame.to_native)()

    def plot(self, suffix: str = ".svg") -> bytes:
        """The records as a picture, `.svg` or `.png`."""
        from maskwise.evaluation.picture import draw  # noqa: PLC0415 - heavy and optional

        return draw(self, suffix)

    def render(self, path: Path) -> str | bytes:
        """The evaluation in the format of a file's suffix."""
        check_suffix(path)
        return {".csv": self.to_csv, ".json": self.to_json}.get(path.suffix, lambda: self.plot(path.suffix))()


def check_suffix(path: Path) -> None:
    """Refuse a format that does not exist, or that needs a package that is not installed."""
    if path.suffix not in SUFFIXES:
        msg = f"An evaluation is written as .csv, .json, .svg or .png; found `{path.name}`."
        raise InputError(msg)
    if path.suffix in SUFFIXES[2:]:
        from maskwise.report.plot import pyplot  # noqa: PLC0415 - heavy and optional

        pyplot()


def wilson(n_wrong: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927): within 0 and 1, and never of length 0.

    >>> [round(end, 4) for end in wilson(10, 100)]
    [0.0552, 0.1744]
    """
    share, spread = n_wrong / n, DEVIATE**2 / n
    middle = (share + spread / 2) / (1 + spread)
    half_length = DEVIATE / (1 + spread) * math.sqrt(share * (1 - share) / n + spread / (4 * n))
    # Rounding must not put an error of 0 % or 100 % outside its own interval.
    return (middle - half_length if n_wrong else 0.0), (middle + half_length if n_wrong < n else 1.0)
