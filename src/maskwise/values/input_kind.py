"""What kind of data, or of engine, was given.

Told by the class and where it is defined, so that none of these libraries has
to be imported, or even installed.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Any


class InputKind(StrEnum):
    """The kinds of data and engines that maskwise takes."""

    TEXT = "text"
    """A path, a table's name or an address, as text."""
    PATH = "path"
    """A `Path`."""
    PANDAS = "pandas"
    """A pandas table."""
    POLARS = "polars"
    """A Polars table."""
    ARROW = "pyarrow"
    """An Arrow table."""
    IBIS_TABLE = "ibis table"
    """An Ibis table, in whatever database."""
    IBIS_BACKEND = "ibis backend"
    """A connection of Ibis."""
    SPARK_TABLE = "spark table"
    """A Spark data frame."""
    SPARK_SESSION = "spark session"
    """A Spark session."""
    OTHER = "other"
    """Anything else."""

    @property
    def is_database_table(self) -> bool:
        """Whether it is a table inside a database, which stays there."""
        return self in {InputKind.IBIS_TABLE, InputKind.SPARK_TABLE}


_PREFIXES = {
    "pandas.": InputKind.PANDAS,
    "polars.": InputKind.POLARS,
    "pyarrow.": InputKind.ARROW,
    "ibis.expr.": InputKind.IBIS_TABLE,
    "ibis.backends.": InputKind.IBIS_BACKEND,
}
_SPARK = {"DataFrame": InputKind.SPARK_TABLE, "SparkSession": InputKind.SPARK_SESSION}


def is_lazy_frame(data: Any) -> bool:
    """Whether the data is a Polars query that has not run yet."""
    return any(parent.__name__ == "LazyFrame" for parent in type(data).__mro__) and input_kind(data) is InputKind.POLARS


def input_kind(data: Any) -> InputKind:
    """Tell what kind of data was given; a subclass is of its parent's kind.

    >>> input_kind("people.csv").value, input_kind(Path("people.csv")).value, input_kind(3).value
    ('text', 'path', 'other')
    """
    if isinstance(data, str):
        return InputKind.TEXT
    if isinstance(data, Path):
        return InputKind.PATH
    for parent in type(data).__mro__:
        # pandas 3 says that its table is of `pandas`, Arrow that its is of `pyarrow.lib`.
        module = f"{parent.__module__}."
        if module.startswith("pyspark.sql.") and parent.__name__ in _SPARK:
            return _SPARK[parent.__name__]
        kind = next((kind for prefix, kind in _PREFIXES.items() if module.startswith(prefix)), None)
        if kind is not None:
            return kind
    return InputKind.OTHER
