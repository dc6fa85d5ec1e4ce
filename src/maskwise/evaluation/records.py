"""What an evaluation found: errors with their intervals, for people and for scripts."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maskwise.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

SUFFIXES = (".csv", ".json", ".svg", ".png")
KEYS = ("classifier", "protocol", "k", "measure", "error", "low", "high")
_DEVIATE = 1.959963984540054
"""The normal deviate of a two-sided 95 % interval."""


@dataclass(frozen=True, slots=True)
class Record:
    """One error, in percent of the test records."""

    classifier: str
    """Who was trained."""
    protocol: str
    """`held-out` or `combined`."""
    k: int | None
    """The smallest group that was asked for; None where the error does not depend on it."""
    measure: str
    """BE, AE, SE, UE, RE, or AE of another tool."""
    error: float | None
    """In percent; None if no masking meets the policy."""
    low: float | None
    """The lower end of the 95 % interval."""
    high: float | None
    """Its upper end."""
    h: float | None = None
    """The bound of the templates, where it was varied."""
    note: str | None = None
    """Why there is no error."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All errors of one evaluation."""

    records: tuple[Record, ...]
    """One for each classifier, protocol, threshold and measure."""
    class_name: str
    """What was predicted."""
    source: str
    """What the table is called."""
    n_tested: int
    """How many predictions each error rests on."""
    notes: tuple[str, ...] = ()
    """What the owner should know."""
    backend: str = "pyarrow"
    """The kind of table that `to_frame` makes: `pandas`, `polars` or `pyarrow`."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns: `h` only where it was varied, `note` only where an error is missing."""
        more = [key for key in ("h", "note") if any(getattr(record, key) is not None for record in self.records)]
        return (*KEYS, *more)

    def to_data(self) -> list[dict[str, Any]]:
        """The records as plain values; a note stands only where there is one."""
        return [
            {key: getattr(one, key) for key in self.keys if key != "note" or one.note is not None}
            for one in self.records
        ]

    def to_json(self) -> str:
        """For scripts."""
        return json.dumps(self.to_data(), indent=2, ensure_ascii=False) + "\n"

    def to_csv(self) -> str:
        """For spreadsheets."""
        file = io.StringIO()
        writer = csv.DictWriter(file, self.keys, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.to_data())
        return file.getvalue()

    def to_frame(self) -> Any:
        """A data frame of the kind that the data was; for a file pandas, or without pandas an Arrow table."""
        import narwhals.stable.v1 as nw  # noqa: PLC0415 - heavy
        import pyarrow as pa  # noqa: PLC0415 - heavy

        kinds = {"k": pa.int64(), "error": pa.float64(), "low": pa.float64(), "high": pa.float64(), "h": pa.float64()}
        columns = {
            key: pa.array([getattr(one, key) for one in self.records], kinds.get(key, pa.string())) for key in self.keys
        }
        frame = nw.from_native(pa.table(columns), eager_only=True)
        made = {"pandas": frame.to_pandas, "polars": frame.to_polars}
        return made.get(self.backend, frame.to_native)()

    def plot(self, suffix: str = ".svg") -> bytes:
        """A picture, as `.svg` or `.png`."""
        from maskwise.evaluation.picture import draw  # noqa: PLC0415 - heavy and optional

        return draw(self, suffix)

    def render(self, path: Path) -> str | bytes:
        """The form that a file's suffix asks for."""
        check_suffix(path)
        return {".csv": self.to_csv, ".json": self.to_json}.get(path.suffix, lambda: self.plot(path.suffix))()


def check_suffix(path: Path) -> None:
    """Refuse a form that does not exist, or that needs what is not installed."""
    if path.suffix not in SUFFIXES:
        msg = f"An evaluation is written as .csv, .json, .svg or .png; found `{path.name}`."
        raise InputError(msg)
    if path.suffix in SUFFIXES[2:]:
        from maskwise.report.plot import pyplot  # noqa: PLC0415 - heavy and optional

        pyplot()


def wilson(n_wrong: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927): within 0 and 1, and never of no width.

    >>> [round(end, 4) for end in wilson(10, 100)]
    [0.0552, 0.1744]
    """
    share, spread = n_wrong / n, _DEVIATE**2 / n
    middle = (share + spread / 2) / (1 + spread)
    width = _DEVIATE / (1 + spread) * math.sqrt(share * (1 - share) / n + spread / (4 * n))
    # Rounding must not put an error of nothing, or of everything, outside its own interval.
    return (middle - width if n_wrong else 0.0), (middle + width if n_wrong < n else 1.0)
