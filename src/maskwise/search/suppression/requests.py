"""What a search with a budget wants counted: the rows of all attributes together, to know who goes with whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.compress.request import TableRequest
from maskwise.errors import InputError
from maskwise.search import rule_kernels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maskwise.compress.compressed_table import Compact
    from maskwise.search.bounds import Bound


def union_request(requests: Sequence[TableRequest]) -> TableRequest:
    """The rows of the attributes of all QIDs, with every set of sensitive values that one of them counts."""
    attributes = sorted({a for one in requests for a in one.attributes})
    counted = tuple(dict.fromkeys(block for one in requests for block in [one.sensitive] if block))
    kept = [block for block in counted if not any(block != other and _holds(other, block) for other in counted)]
    return TableRequest(tuple(attributes), tuple(pair for block in kept for pair in block))


def _holds(pairs: tuple[object, ...], block: tuple[object, ...]) -> bool:
    """Whether a run of sets of sensitive values stands in a longer one."""
    return any(pairs[start : start + len(block)] == block for start in range(len(pairs) - len(block) + 1))


def with_union(requests: Sequence[TableRequest]) -> tuple[TableRequest, ...]:
    """What is counted on each QID, and last what is counted on all of them together, if there are several."""
    return (*requests, union_request(requests)) if len(requests) > 1 else tuple(requests)


def own_requests(requests: Sequence[TableRequest]) -> list[TableRequest]:
    """The QIDs with the counters of the rows of all attributes together, for the rules on them."""
    sensitive = union_request(requests).sensitive
    return [TableRequest(one.attributes, sensitive) for one in requests]


def union_table(tables: Sequence[Compact]) -> Compact:
    """The rows of all attributes together, among the answers to `with_union`."""
    return tables[-1]


def refuse_order_of_values(bounds: Sequence[Bound], *, shows_root: bool) -> None:
    """Refuse closeness by the order of values where records are removed.

    Args:
        bounds: The rules of all requirements.
        shows_root: Whether suppressed records are shown as roots.
    """
    if not shows_root and any(bound.rule.arithmetic == rule_kernels.ORDERED for bound in bounds):
        raise InputError(
            "`suppress` with `as: removed` does not go with closeness by the order of values yet: distances would "
            "be measured on other values than those that are left. Write `as: root`, or delete one of them."
        )
