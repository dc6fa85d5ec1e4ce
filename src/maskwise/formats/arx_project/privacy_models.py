"""ARX's privacy models as requirements of a policy, where the two mean the same."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from maskwise.formats.arx_project.definition import ArxAttribute

_NUMBER = r"(\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"
_OF = r" for attribute '(.*)'"


def requirement_of_model(
    model: str, qid: Sequence[str], attributes: Mapping[str, ArxAttribute]
) -> dict[str, Any] | str:
    """The entry of a policy that asks the same as a model of ARX, or why there is none.

    Args:
        model: The model as ARX writes it into `config.xml`.
        qid: All quasi-identifying columns.
        attributes: The columns, by name.

    Example:
        >>> requirement_of_model("5-anonymity", ["age", "sex"], {})
        {'qid': ['age', 'sex'], 'k': '5'}
        >>> requirement_of_model("distinct-3-diversity for attribute 'illness'", ["age"], {})
        {'qid': ['age'], 'sensitive': 'illness', 'diversity': {'distinct': '3'}}
    """
    for pattern, entry in _MODELS.items():
        found = re.fullmatch(pattern, model)
        if found is not None:
            asked = entry(*found.groups())
            return {"qid": list(qid), **asked}
    ordered = re.fullmatch(_NUMBER + "-closeness with ordered distance" + _OF, model)
    if ordered is not None:
        column = attributes.get(ordered[2])
        if column is None or not column.has_order:
            return "the order of its values is kept in the project alone; write it as `order: [low, high]`"
        return {"qid": list(qid), "sensitive": ordered[2], "closeness": _plain(ordered[1]), "distance": "ordered"}
    return "there is no requirement that means the same"


def _plain(number: str) -> str:
    """A number as a policy spells it: Java writes 3.0 and 1.0E-3.

    >>> _plain("3.0"), _plain("1.0E-3")
    ('3', '0.001')
    """
    try:
        text = f"{Decimal(number):f}"
    except InvalidOperation:
        return number
    return text.rstrip("0").rstrip(".") if "." in text else text


def _diversity(measure: str) -> Callable[..., dict[str, Any]]:
    return lambda level, column: {"sensitive": column, "diversity": {measure: _plain(level)}}


def _recursive(factor: str, level: str, column: str) -> dict[str, Any]:
    return {"sensitive": column, "diversity": {"recursive": {"c": _plain(factor), "l": _plain(level)}}}


_MODELS: dict[str, Callable[..., dict[str, Any]]] = {
    _NUMBER + "-anonymity": lambda k: {"k": _plain(k)},
    "distinct-" + _NUMBER + "-diversity" + _OF: _diversity("distinct"),
    "(?:shannon-)?entropy-" + _NUMBER + "-diversity" + _OF: _diversity("entropy"),
    r"recursive-\(" + _NUMBER + "," + _NUMBER + r"\)-diversity" + _OF: _recursive,
    _NUMBER + "-closeness with equal[ -][a-z-]+" + _OF: lambda t, column: {"sensitive": column, "closeness": _plain(t)},
}
