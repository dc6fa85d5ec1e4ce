"""Data that comes with maskwise, for the demonstration and for trying things out."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


def adult_folder() -> Path:
    """The folder with the Adult table, its taxonomies and a policy."""
    return Path(str(files("maskwise.datasets").joinpath("adult")))


def load_adult() -> pa.Table:
    """The Adult table: 32,561 training records, then 16,281 test records.

    Becker and Kohavi (1996), UCI Machine Learning Repository, CC BY 4.0.

    >>> load_adult().num_rows
    48842
    """
    import pyarrow.parquet as pq  # noqa: PLC0415 - heavy

    return pq.read_table(adult_folder() / "adult.parquet")
