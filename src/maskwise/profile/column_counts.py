"""The distinct cells of every masked column, by class; ranges of them, or the frequent ones, where there are too many.

A column with more values than the limit is cut down inside the engine before
its counts travel: numbers and dates to ranges between quantiles, texts to those
that may ever be shown. What the cells mean is the concern of `profile`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from maskwise.errors import InputError, plural, quote
from maskwise.policy.attributes import Kind
from maskwise.policy.taxonomy_check import showable_values
from maskwise.profile.spelling_advice import advise_on_dates, advise_on_numbers
from maskwise.table.table import Distinct
from maskwise.values.arrow import as_numpy, from_numpy
from maskwise.values.date_forms import forms_of
from maskwise.values.file_words import command_words, file_words
from maskwise.values.parsing import CODE, MOMENT, parse_keys, patterns
from maskwise.values.scales import Scale, scale_of_bound
from maskwise.values.spelling import text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from maskwise.engines.value_counts import ValueCounts
    from maskwise.policy.attributes import Attribute
    from maskwise.policy.policy import Policy
    from maskwise.policy.taxonomy import Taxonomy
    from maskwise.table.table import Table

    Ints = NDArray[np.int64]

MOST_VALUES = 65_536
"""With more distinct numbers a column is counted by so many ranges; with more texts, by those that may be shown."""
MOST_TEXTS = 1 << 20
"""With more texts that all may be shown a column is refused."""
MOST_CLASSES = 1000
"""Above so many classes a column is taken for a number that was meant to be grouped."""
_OF_DATES = (Scale.DATE, Scale.TIMESTAMP)
_SUPPRESS = file_words("suppress")
_SHOWN = 5
"""How many offending values a message lists."""


@dataclass(frozen=True, slots=True)
class ColumnCounts:
    """The cells of one column and their counts."""

    name: str
    """The column."""
    keys: pa.Array
    """The distinct cells, without the missing one; or the smallest numbers of ranges, ascending."""
    counts: Ints  # (n_keys, n_classes)
    """Their records, by class."""
    missing: Ints  # (n_classes,)
    """Records whose cell is missing."""
    n_numbers: int | None = None
    """The distinct numbers, where `keys` are ranges of them."""
    tops: pa.Array | None = None
    """The largest number of each range, where `keys` are ranges."""
    rest: Ints | None = None  # (n_classes,)
    """Records of texts that are not among the keys."""
    n_rest: int = 0
    """How many such texts there are."""
    is_mixed: bool = False
    """Whether some of them are no numbers, though the keys may be."""

    @property
    def n_records(self) -> int:
        """All records."""
        return int(self.counts.sum() + self.missing.sum() + (0 if self.rest is None else self.rest.sum()))


def count_columns(
    table: Table, policy: Policy, entries: Mapping[str, Attribute], *, keep_rare: bool
) -> tuple[int, Iterator[ColumnCounts]]:
    """Count every masked column by class, in one scan; return how many classes there are, and the columns.

    Args:
        table: The records.
        policy: What is masked.
        entries: How, by attribute; one without an entry is decided on later.
        keep_rare: Every text is needed, also one that is too rare to be shown.

    Claim: cutting a column down changes no guarantee. Each number lies in one
    range, so a cut between ranges is a cut of the numbers, and groups are
    counted as before; a text with fewer than k records is hidden in every state.
    """
    known = _find_known(table, policy)
    asked = [name for name in policy.masked if name not in known.columns]
    if not asked:
        return len(known.classes), (known.columns[name] for name in policy.masked)
    counts = table.count_each(asked, policy.class_name)
    tables = counts.up_to(MOST_VALUES)
    classes = _classes(counts, tables, policy.class_name)
    if len(classes) > MOST_CLASSES:
        msg = f"The class `{policy.class_name}` has {len(classes):,} different values. Group them into a few classes."
        raise InputError(policy.at(("class",)) + msg)
    known.classes.update(classes)
    _give_classes(table, tables, policy.class_name)
    floors = dict.fromkeys(policy.masked, 0) if keep_rare else policy.floors()
    floors |= {attribute.name: 0 for attribute in policy.attributes if attribute.at_least}

    def columns() -> Iterator[ColumnCounts]:
        for name in policy.masked:
            if name in known.columns:
                yield known.columns[name]
                continue
            i = asked.index(name)
            counted = None if tables[i] is None else count_by_class(name, tables[i], classes)
            if counted is not None and len(counted.keys) <= MOST_VALUES:
                known.columns[name] = counted
                yield counted
                continue
            many = _Many(table, policy, counts, name, i, classes, entries.get(name), floors[name])
            if many.are_moments():
                yield counted or count_by_class(name, counts.all_of(i), classes)
                continue
            yield many.as_numbers() or many.as_texts() or counted or count_by_class(name, counts.all_of(i), classes)
        counts.drop()

    return len(classes), columns()


@dataclass(frozen=True, slots=True)
class _Known:
    """Columns of a table that were counted before, by one class; those with few values, whatever was asked of them."""

    classes: dict[object, int]
    columns: dict[str, ColumnCounts]


def _find_known(table: Table, policy: Policy) -> _Known:
    of_class = None if policy.class_name is None else table.column(policy.class_name).op()
    return table.kept.get(("columns", table.expr.op(), of_class), lambda: _Known({}, {}))


def refuse_cells(
    table: Table, policy: Policy, name: str, scale: Scale, n_cells: int, unreadable: pa.Array | None
) -> None:
    """Refuse an interval attribute some of whose cells have no place in its order.

    Args:
        table: The records.
        policy: What was asked.
        name: The attribute.
        scale: What its other cells are; where the policy gives a range, its ends tell what they should be.
        n_cells: How many cells do not fit.
        unreadable: Their distinct values, if they are known.
    """
    row = None if unreadable is None else table.first_row_with(name, unreadable)
    first = f", first in record {row:,}" if row else ""
    range_ = next((entry.bounds for entry in policy.attributes if entry.name == name and entry.bounds), None)
    scale = scale if range_ is None else scale_of_bound(range_[0])
    are_no = f"is no {scale.noun}" if n_cells == 1 else f"are no {scale.noun}s"
    texts = [] if unreadable is None else list(map(str, unreadable.to_pylist()))
    if scale in _OF_DATES or forms_of(texts):
        advice = advise_on_dates(name, texts, policy.reading)
    elif scale is Scale.TIME:
        advice = f"Write them as {scale.example}."
    else:
        advice = advise_on_numbers(name, texts, policy.reading)
    msg = (
        f"{policy.at(('attributes', name))}Column `{name}` is an interval attribute, but {n_cells:,} of its cells "
        f"{are_no}{first}. {advice} Leave missing cells empty, or show each value or hide it{_SUPPRESS}."
    )
    raise InputError(msg)


def refuse_texts(policy: Policy, name: str, taxonomy: Taxonomy, n_records: Mapping[str, int]) -> None:
    """Refuse a taxonomy attribute some of whose values are no leaves, without telling a secret one.

    A value of a sensitive column is not shown, nor one that may be a person's name.

    Args:
        policy: What was asked.
        name: The attribute.
        taxonomy: Its tree.
        n_records: Every value of the column, with its records.
    """
    leaves = set(taxonomy.leaves())
    lost = [text for text in n_records if text not in leaves]
    quoted = [] if name in policy.sensitive else showable_values(lost, n_records)[:_SHOWN]
    rest = f"{len(lost) - len(quoted):,} more" if len(lost) > len(quoted) else ""
    listed = f": {' and '.join(filter(None, [quote(quoted), rest]))}" if quoted else ""
    inner = " (an inner value of the tree cannot stand in the data)" if set(lost) & set(taxonomy.labels) else ""
    unpadded = {leaf.lstrip("0") for leaf in leaves if leaf.startswith("0")}
    hint = " Were leading zeros lost when the data was read?" if set(lost) & unpadded else ""
    them = "it as a leaf" if len(lost) == 1 else "them as leaves"
    msg = (
        f"{policy.at(('attributes', name))}Column `{name}` holds {plural(len(lost), 'value')} that its taxonomy does "
        f"not have{inner}{listed}. Add {them}, or clean the data.{hint}"
    )
    raise InputError(msg)


@dataclass(frozen=True, slots=True)
class _Many:
    """A column with more values than the limit."""

    table: Table
    policy: Policy
    counts: ValueCounts
    name: str
    i: int
    classes: dict[object, int]
    entry: Attribute | None
    floor: int

    def are_moments(self) -> bool:
        """Whether texts are moments that engines read differently, such as with an offset: all come over."""
        if not pa.types.is_string(self.counts.type_of(self.i)):
            return False
        if self.entry is not None and self.entry.kind is not Kind.INTERVAL:
            return False
        moments, plain = self.counts.matching(self.i, [MOMENT, patterns()[Scale.TIMESTAMP]])
        return moments[0] == self.counts.n_values(self.i) > plain[0]

    def as_numbers(self) -> ColumnCounts | None:
        """Count by ranges of numbers; None if it is no interval attribute, or all its cells are needed to tell."""
        if self.entry is not None and self.entry.kind is not Kind.INTERVAL:
            return None
        kind = self.counts.type_of(self.i)
        is_text = pa.types.is_string(kind)
        scale = self._scale_of_texts() if is_text else None
        if (is_text and scale is None) or parse_keys(pa.array([], kind)) is None:
            return None
        ranged = self.counts.ranged(self.i, MOST_VALUES, None if scale is None else scale.engine_type)
        if ranged.n_odd and self.entry is None:
            # Without an entry it is for the owner to say that it is an interval attribute.
            return None
        if ranged.n_odd:
            refuse_cells(self.table, self.policy, self.name, scale or Scale.REAL, ranged.n_odd, None)
        counted = count_by_class(self.name, ranged.groups, self.classes)
        parsed = parse_keys(counted.keys)
        assert parsed is not None  # noqa: S101 - the type was looked at above
        order = np.argsort(parsed.numbers, kind="stable")
        keys = counted.keys.take(from_numpy(order))
        tops = ranged.tops.column(1).take(pc.index_in(keys, value_set=ranged.tops.column(0))).combine_chunks()
        return ColumnCounts(
            self.name, keys, counted.counts[order], self._missing(), n_numbers=ranged.n_numbers, tops=tops
        )

    def _scale_of_texts(self) -> Scale | None:
        """The scale that an engine can read all texts as; refuse an interval attribute of which some do not fit."""
        looks = patterns()
        matched = self.counts.matching(self.i, [*looks.values(), CODE])
        n_texts = self.counts.n_values(self.i)
        *by_scale, n_codes = [n for n, _ in matched]
        if self.entry is None and n_codes:
            # A zip code is no number, unless the policy says so.
            return None
        for scale, n in zip(looks, by_scale, strict=True):
            if n == n_texts:
                return scale if scale.engine_type else None
        if self.entry is not None:
            best = max(range(len(looks)), key=by_scale.__getitem__)
            scale = list(looks)[best]
            unreadable = self.counts.odd_texts(self.i, looks[scale], MOST_VALUES + 1)
            known = unreadable if len(unreadable) <= MOST_VALUES else None
            refuse_cells(self.table, self.policy, self.name, scale, matched[best][1], known)
        return None

    def as_texts(self) -> ColumnCounts | None:
        """Count only texts that may ever be shown; None if all of them may."""
        n_texts = self.counts.n_values(self.i)
        at = self.policy.at(("attributes", self.name))
        tree = None if self.entry is None else self.entry.taxonomy
        if tree is not None and n_texts > len(tree.leaves()):
            msg = (
                f"{at}Column `{self.name}` holds {n_texts:,} different values, but its taxonomy has "
                f"{len(tree.leaves()):,} leaves. Add the others as leaves, or use suppress."
            )
            raise InputError(msg)
        if self.entry is not None and self.entry.kind is not Kind.SUPPRESS:
            return None
        if self.floor > 1:
            return self._frequent(n_texts)
        if n_texts > MOST_TEXTS:
            msg = (
                f"{at}Column `{self.name}` holds {n_texts:,} different texts, each of which may be shown or hidden. "
                "These are too many to search. Ask for a k on it and search "
                f"top-down{command_words('--method tdr')}, or give it a taxonomy."
            )
            raise InputError(msg)
        return None

    def _frequent(self, n_texts: int) -> ColumnCounts:
        """Count the texts with at least k records; rarer ones are hidden in every state, so they are one."""
        counted = count_by_class(self.name, self.counts.frequent(self.i, self.floor), self.classes)
        totals = np.zeros(len(self.classes), np.int64)
        by_class = self.counts.totals(self.i)
        np.add.at(totals, class_numbers(by_class, 0, self.classes), as_numpy(by_class.column("n")).astype(np.int64))
        # Texts are sorted as numbers only if all of them are some, so those that stay behind are asked too.
        is_text = pa.types.is_string(self.counts.type_of(self.i))
        n_numbers = self.counts.matching(self.i, [patterns()[Scale.REAL]])[0][0] if is_text else n_texts
        return ColumnCounts(
            self.name,
            counted.keys,
            counted.counts,
            self._missing(),
            rest=totals - counted.counts.sum(axis=0),
            n_rest=n_texts - len(counted.keys),
            is_mixed=n_numbers < n_texts,
        )

    def _missing(self) -> Ints:
        return count_by_class(self.name, self.counts.missing(self.i), self.classes).missing


def _classes(counts: ValueCounts, tables: list[pa.Table | None], class_name: str | None) -> dict[object, int]:
    if class_name is None:
        return {None: 0}
    groups = next((groups for groups in tables if groups is not None), None)
    return number_classes(counts.classes() if groups is None else groups.column(1).unique().to_pylist())


def _give_classes(table: Table, tables: list[pa.Table | None], class_name: str | None) -> None:
    """Tell the records of each class, which follow from those of any column by class."""
    groups = next((groups for groups in tables if groups is not None), None)
    if class_name is None or groups is None:
        return
    encoded = groups.column(1).combine_chunks().dictionary_encode(null_encoding="encode")
    n_records = np.zeros(len(encoded.dictionary), np.int64)
    np.add.at(n_records, as_numpy(encoded.indices), as_numpy(groups.column("n")).astype(np.int64))
    is_there = as_numpy(encoded.dictionary.is_valid())
    n_missing = int(n_records[~is_there].sum())
    table.give_distinct(class_name, Distinct(encoded.dictionary.drop_null(), n_records[is_there], n_missing))


def number_classes(labels: Iterable[object]) -> dict[object, int]:
    """Number the classes by their spelling, so that every sum over them has one order."""
    ordered = sorted(labels, key=lambda label: (label is None, text_of(label)))
    return {label: i for i, label in enumerate(ordered)}


def count_by_class(name: str, groups: pa.Table, classes: dict[object, int]) -> ColumnCounts:
    """Put the counts of a column into a table of its cells by class.

    Args:
        name: The column.
        groups: Columns k, beside (the class, if there is one) and n, as `ValueCounts` gives them.
        classes: The number of each class.
    """
    n = as_numpy(groups.column("n")).astype(np.int64)
    encoded = groups.column(0).combine_chunks().dictionary_encode(null_encoding="encode")
    table_of = np.zeros((len(encoded.dictionary), len(classes)), np.int64)
    np.add.at(table_of, (as_numpy(encoded.indices), class_numbers(groups, 1, classes)), n)
    is_value = as_numpy(encoded.dictionary.is_valid())
    return ColumnCounts(name, encoded.dictionary.drop_null(), table_of[is_value], table_of[~is_value].sum(axis=0))


def class_numbers(groups: pa.Table, at: int, classes: dict[object, int]) -> Ints:
    """The number of each row's class, which stands in a column just before the counts, if there is one."""
    if groups.num_columns == at + 1:
        return np.zeros(groups.num_rows, np.int64)
    coded = groups.column(at).combine_chunks().dictionary_encode(null_encoding="encode")
    numbers = np.array([classes[label] for label in coded.dictionary.to_pylist()], np.int64)
    of_class: Ints = numbers[as_numpy(coded.indices)]
    return of_class
