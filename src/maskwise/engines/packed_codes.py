"""Codes of several columns side by side in whole numbers of 64 bits, so that an engine groups and sends a few of them.

A row of 14 small codes is one or two such words: on PostgreSQL and Spark, where
every column of a row costs, they are grouped, sent and read in a fraction of the time.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from maskwise.values.arrow import as_numpy, from_numpy, narrowest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from maskwise.engines.base import Lookup, Lookups
    from maskwise.engines.dialect import Dialect

_BITS = 62
"""The sign stays out of it, and no sum runs over."""


@dataclass(frozen=True, slots=True)
class CodePlace:
    """Where the codes of one column are."""

    word: int
    """In which word."""
    shift: int
    """From which bit on."""
    bits: int
    """How many bits they take."""

    @property
    def mask(self) -> int:
        """Their bits in the word."""
        return ((1 << self.bits) - 1) << self.shift


@dataclass(frozen=True, slots=True)
class WordLayout:
    """Where the codes of each column are; the words are the columns w0, w1, ... of a recoded table."""

    places: Mapping[str, CodePlace]
    """By column, in their order."""

    @property
    def n_words(self) -> int:
        """How many words there are."""
        return 1 + max((place.word for place in self.places.values()), default=-1)

    def shifted(self, name: str, how: Lookup) -> Lookup:
        """How a column is looked up as codes that stand at their place; the numbers of ranges are shifted later."""
        if how.codes is None:
            return how
        shift = self.places[name].shift
        codes = from_numpy(as_numpy(how.codes).astype(np.int64) << shift)
        missing, other = (None if code is None else code << shift for code in (how.missing, how.other))
        return replace(how, codes=codes, missing=missing, other=other)

    def shift_sql(self, name: str, number: str) -> str:
        """A number of a range, in SQL, at its place."""
        return f"CAST({number} AS BIGINT) * {1 << self.places[name].shift}"

    def words_sql(self, codes: Mapping[str, str]) -> list[str]:
        """The words of a record, in SQL, each under its name.

        Args:
            codes: For each column its code at its place, in SQL; where one is missing, so is its word.
        """
        return [
            f"{' + '.join(codes[name] for name, place in self.places.items() if place.word == word)} AS w{word}"
            for word in range(self.n_words)
        ]

    @contextmanager
    def count(
        self, dialect: Dialect, source: str, columns: Sequence[str], sums: Sequence[str]
    ) -> Iterator[Iterable[pa.RecordBatch]]:
        """Count the distinct rows of some columns, as `Engine.count_rows` does.

        Args:
            dialect: How the database is talked to.
            source: The recoded table.
            columns: The columns.
            sums: Columns of ones and zeros beside the words, which are added up.
        """
        masks: dict[int, int] = {}
        for name in columns:
            place = self.places[name]
            masks[place.word] = masks.get(place.word, 0) | place.mask
        whole = [
            sum(place.mask for place in self.places.values() if place.word == word) for word in range(self.n_words)
        ]
        words = [f"w{word}" if mask == whole[word] else f"w{word} & {mask}" for word, mask in masks.items()]
        # Grouped by name below: an expression that is grouped by would be computed twice.
        chosen = "".join(f"{word} AS p{i}, " for i, word in enumerate(words))
        # Sums of 64-bit numbers would be wider ones, which take longer.
        marks = ", ".join(f"CAST({name} AS INTEGER) AS {name}" for name in sums)
        # The offset keeps this apart from the query around it: else PostgreSQL computes the words twice.
        records = f"SELECT {chosen}{marks or '1 AS one'} FROM {source} OFFSET 0"  # noqa: S608
        keys = ", ".join(f"p{i}" for i in range(len(words)))
        totals = "".join(f", CAST(sum({name}) AS BIGINT) AS {name}" for name in sums)
        sql = f"SELECT {keys}, count(*) AS n{totals} FROM ({records}) r GROUP BY {keys}"  # noqa: S608
        at = {word: i for i, word in enumerate(masks)}
        places = {name: replace(self.places[name], word=at[self.places[name].word]) for name in columns}
        with dialect.stream(sql) as batches:
            yield (_unpack(batch, places, len(words)) for batch in batches)


def lay_out(lookups: Lookups) -> WordLayout:
    """Give the codes of each column a place, in their order.

    >>> import pyarrow as pa
    >>> from maskwise.engines.base import Lookup
    >>> colours = Lookup(pa.array(["red", "blue"]), pa.array([0, 1]), missing=2)
    >>> lay_out({"c0": colours, "c1": colours}).places["c1"]
    CodePlace(word=0, shift=2, bits=2)
    """
    places = {}
    word, used = 0, 0
    for name, how in lookups.items():
        bits = max(_most(how).bit_length(), 1)
        if used + bits > _BITS:
            word, used = word + 1, 0
        places[name] = CodePlace(word, used, bits)
        used += bits
    return WordLayout(places)


def _most(how: Lookup) -> int:
    """The largest code."""
    of_keys = len(how.keys) if how.codes is None else max(as_numpy(how.codes).tolist(), default=0)
    return max(of_keys, how.missing or 0, how.other or 0)


def _unpack(batch: pa.RecordBatch, places: Mapping[str, CodePlace], n_words: int) -> pa.RecordBatch:
    """The codes of each column, and what stands behind the words; a missing word makes missing codes."""
    columns: dict[str, Any] = {}
    for name, place in places.items():
        word = batch.column(place.word)
        if word.null_count:
            columns[name] = pa.nulls(len(word), pa.int64())
            continue
        codes = (as_numpy(word) >> place.shift) & ((1 << place.bits) - 1)
        columns[name] = from_numpy(codes.astype(narrowest(1 << place.bits)))
    columns |= {batch.schema.names[i]: batch.column(i) for i in range(n_words, batch.num_columns)}
    return pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))
