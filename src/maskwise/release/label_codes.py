"""Labels as small numbers while records are put in random order.

A label takes sixteen bytes and more of each record that is sorted, its number two.
At a million records of sixty columns sorting numbers took half of the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import ibis
from ibis.expr import operations as ops

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import ibis.expr.types as ir

_MOST_LABELS = 64
"""Of more labels it takes longer to find one by its number."""


class _LabelNumbers(NamedTuple):
    """A column of labels."""

    numbers: ir.Value
    """The number of each cell's label."""
    labels: tuple[Any, ...]
    """The labels; the last is that of all other numbers."""


def sort_by_numbers(records: ir.Table, sort: Callable[[ir.Table], ir.Table]) -> ir.Table:
    """Sort records whose labels are numbers meanwhile, where expressions say which labels there are.

    Args:
        records: The records.
        sort: Puts records in another order.

    Claim: every cell gets the label that its expression gives it. The expression of the number has the same
    conditions in the same order, and each label has the number of the first condition that leads to it.
    """
    relation, below = _expressions(records.op(), records.columns)
    if relation is None:
        return sort(records)
    numbered: dict[str, _LabelNumbers] = {}
    inner: dict[str, ir.Value] = {}
    for name, value in below.items():
        found = _number(value) if isinstance(value, ops.SearchedCase) else None
        if found is not None:
            numbered[name] = found
        inner[name] = value.to_expr() if found is None else found.numbers
    if not numbered:
        return sort(records)
    ordered = sort(relation.to_expr().select(**inner))
    return ordered.mutate(**{name: _label(ordered[name], one.labels) for name, one in numbered.items()})


def _expressions(relation: Any, names: tuple[str, ...]) -> tuple[Any, Mapping[str, Any]]:
    """The relation below the expressions of columns, and these; None where filters or sorting stand between."""
    found = {name: ops.Field(relation, name) for name in names}
    while all(isinstance(value, ops.Field | ops.Literal) for value in found.values()):
        if isinstance(relation, ops.DropColumns):
            lower: Mapping[str, Any] = {name: ops.Field(relation.parent, name) for name in relation.schema}
        elif isinstance(relation, ops.Project):
            lower = relation.values
        else:
            return None, {}
        found = {name: lower[value.name] if isinstance(value, ops.Field) else value for name, value in found.items()}
        relation = relation.parent
    return relation, found


def _number(case: Any) -> _LabelNumbers | None:
    """The number of a label; None where a cell may show something else than one of a few labels."""
    branches: list[tuple[Any, Any]] = []
    for condition, result in zip(case.cases, case.results, strict=True):
        if isinstance(result, ops.Literal):
            branches.append((condition.to_expr(), result.value))
        elif isinstance(condition, ops.InValues) and condition.value == result and result.dtype.is_string():
            # Each of these is shown as itself.
            if not all(isinstance(option, ops.Literal) for option in condition.options):
                return None
            cell = result.to_expr()
            branches += [(cell == option.value, option.value) for option in condition.options]
        else:
            return None
    if not isinstance(case.default, ops.Literal) or not case.dtype.is_string() or len(branches) >= _MOST_LABELS:
        return None
    labels = tuple(
        dict.fromkeys([*(label for _, label in branches if label != case.default.value), case.default.value])
    )
    number_of = {label: number for number, label in enumerate(labels)}
    numbers = ibis.cases(*((condition, number_of[label]) for condition, label in branches), else_=number_of[labels[-1]])
    # Otherwise they are sorted as numbers of four bytes.
    return _LabelNumbers(numbers.cast("int16"), labels)


def _label(number: ir.Value, labels: tuple[Any, ...]) -> ir.Value:
    """The label that has a number."""
    *others, rest = (ibis.literal(label, "string") for label in labels)
    branches = [(number == at, label) for at, label in enumerate(others)]
    return ibis.cases(*branches, else_=rest) if branches else rest
