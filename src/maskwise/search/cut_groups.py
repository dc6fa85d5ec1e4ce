"""The groups of a quasi-identifier at a cut, whichever search found it, and those after one more refinement.

Searches keep their groups while they move a cut. This counts them once more at
the cut that was found, from the same compressed tables: `explain` asks what one
more refinement would do, `single_changes` what another policy would allow.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

import numpy as np

from maskwise.policy.attributes import Kind
from maskwise.search import rule_kernels
from maskwise.solution.cut import MissingShown
from maskwise.values.row_numbers import number_keys, number_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from maskwise.compress.compressed_table import Compact
    from maskwise.compress.request import Coding
    from maskwise.profile.columns import Column
    from maskwise.solution.cut import Cut

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


def places_of(column: Column, cut: Cut, coding: Coding) -> Ints:
    """For each code of an attribute the shown value that it falls under, as a number.

    Args:
        column: The attribute's values.
        cut: What it shows.
        coding: The code of each of its values.
    """
    n_values = len(column.counts)
    of_value = np.zeros(n_values + 1, np.int64)
    match cut.kind:
        case Kind.INTERVAL:
            inner = list(cut.breaks[1:-1])
            of_value[:-1] = [bisect_right(inner, number) for number in column.numbers.tolist()]
        case _:
            number_of = {label: at for at, label in enumerate(cut.labels)}
            of_value[:-1] = [number_of[label] for label in column.labels_by(cut)]
    is_root = cut.missing is not MissingShown.ITSELF
    hidden = cut.labels.index(cut.root) if is_root and cut.root in cut.labels else 0
    of_value[-1] = hidden if is_root else len(cut.labels)
    # Values too rare ever to be shown share the code 0 with what `*` hides.
    places = np.full(coding.n_codes, hidden, np.int64)
    if column.missing.any():
        places[coding.code_of_value[-1]] = of_value[-1]
    places[coding.code_of_value[:-1]] = of_value[:-1]
    return places


def count_groups(group: Ints, counts: Ints, persons: Ints | None) -> Ints:
    """The counters of each group; a person with several rows in a group counts there once.

    Args:
        group: The group of each row, numbered from 0 without gaps.
        counts: (n_rows, n_counts) the counters of each row.
        persons: The person of each row, where some have several; None adds rows up.
    """
    n_groups = int(group.max(initial=-1)) + 1
    if persons is not None:
        n_persons = int(persons.max(initial=0)) + 1
        each, row = number_keys(group * n_persons + persons, n_groups * n_persons)
        of_person = np.zeros((len(each), counts.shape[1]), np.int64)
        np.maximum.at(of_person, row, counts)
        group, counts = each // n_persons, of_person
    columns = [np.bincount(group, counts[:, c], n_groups) for c in range(counts.shape[1])]
    # Sums of whole numbers are exact as floats up to 2**53, far more than records.
    return np.ascontiguousarray(np.stack(columns, axis=1)).astype(np.int64)


def weigh_groups(rules: rule_kernels.Rules, counts: Ints) -> tuple[Floats, Bools]:
    """For each rule and group how bad it is, and whether it breaks the rule."""
    badness = np.empty((len(rules.kind), len(counts)))
    is_broken = np.empty(badness.shape, np.bool_)
    rule_kernels.weigh_groups(rules, counts, badness, is_broken)
    return badness, is_broken


class CutGroups:
    """The groups of one QID at a cut.

    Claim: `after` gives the worst badness of each rule after one more refinement,
    counted anew in the groups that it would split.
    """

    def __init__(self, table: Compact, places: Sequence[Ints], rules: rule_kernels.Rules) -> None:
        """Count the groups.

        Args:
            table: The QID's rows.
            places: For each attribute of the policy, what `places_of` says.
            rules: What the groups must satisfy.
        """
        self.table, self.rules = table, rules
        moved = {a: places[a] for a in table.attributes if places[a].any()}
        columns = (moved[a][table.codes[:, j]] for j, a in enumerate(table.attributes) if a in moved)
        self.group = number_rows(columns, len(table.codes))
        self.counts = count_groups(self.group, table.counts, table.persons)
        self.badness, self.is_broken = weigh_groups(rules, self.counts)
        some_row = np.zeros(len(self.counts), np.int64)
        some_row[self.group] = np.arange(len(self.group))
        self.shown = {a: places[a][table.codes[some_row, j]] for j, a in enumerate(table.attributes)}
        self._sorted: dict[int, tuple[Ints, Ints]] = {}

    def _rows_of(self, j: int, codes: Ints) -> Ints:
        """The rows with one of some codes on the QID's attribute number j."""
        if j not in self._sorted:
            column = self.table.codes[:, j]
            order = np.argsort(column, kind="stable")
            n_codes = int(column.max(initial=0)) + 1
            self._sorted[j] = order, np.searchsorted(column[order], np.arange(n_codes + 1))
        order, starts = self._sorted[j]
        pieces = [order[starts[code] : starts[code + 1]] for code in codes.tolist() if code + 1 < len(starts)]
        return np.concatenate(pieces) if pieces else np.zeros(0, np.int64)

    def after(self, attribute: int, part_of_code: Ints, *, rest: bool) -> tuple[Floats, Bools]:
        """How bad the worst group is by each rule after a refinement, and whether it breaks the rule.

        Args:
            attribute: The refined attribute's number in the policy.
            part_of_code: For each of its codes the part that it goes to; -1 stays as it is.
            rest: Whether part 1 is all that `*` goes on hiding when part 0 is disclosed.
        """
        table, j = self.table, self.table.attributes.index(attribute)
        touched = np.zeros(len(self.counts), np.bool_)
        if not rest:
            group, part, counts, persons = self.parts_of(attribute, part_of_code)
        else:
            rows = self._rows_of(j, np.flatnonzero(part_of_code == 0))
            if table.persons is not None:
                touched[self.group[rows]] = True
                rows = np.flatnonzero(touched[self.group])
                rows = rows[part_of_code[table.codes[rows, j]] >= 0]
            group, part, counts = self.group[rows], part_of_code[table.codes[rows, j]], table.counts[rows]
            persons = None if table.persons is None else table.persons[rows]
        touched[group] = True
        n_parts = int(part_of_code.max(initial=0)) + 1
        keys, number = number_keys(group * n_parts + part, len(self.counts) * n_parts)
        counts = count_groups(number, counts, persons)
        if rest and table.persons is None:
            left = self.counts[keys // n_parts] - counts
            counts = np.concatenate([counts, left[left[:, 0] > 0]])
        badness, is_broken = weigh_groups(self.rules, counts)
        badness = np.concatenate([badness, self.badness[:, ~touched]], axis=1)
        is_broken = np.concatenate([is_broken, self.is_broken[:, ~touched]], axis=1)
        return badness.max(axis=1, initial=-np.inf), np.asarray(is_broken.any(axis=1))

    def parts_of(self, attribute: int, part_of_code: Ints) -> tuple[Ints, Ints, Ints, Ints | None]:
        """Of all rows that a refinement moves their group, part, counters and person.

        Args:
            attribute: As in `after`.
            part_of_code: As in `after`.
        """
        table = self.table
        part = part_of_code[table.codes[:, table.attributes.index(attribute)]]
        if (part_of_code >= 0).all():
            return self.group, part, table.counts, table.persons
        rows = np.flatnonzero(part >= 0)
        persons = None if table.persons is None else table.persons[rows]
        return self.group[rows], part[rows], table.counts[rows], persons
