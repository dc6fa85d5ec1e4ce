"""Which measure each type of part has.

A new model is a file beside this one and a line in `_MEASURES`. A model of
another package is added with `register_measure`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from maskwise.policy.requirements.closeness import Closeness
from maskwise.policy.requirements.confidence import Template
from maskwise.policy.requirements.diversity import Diversity
from maskwise.policy.requirements.k_anonymity import KAnonymity
from maskwise.verify.counted_values import Values
from maskwise.verify.measures.closeness import measure_distance
from maskwise.verify.measures.confidence import measure_share
from maskwise.verify.measures.diversity import measure_diversity
from maskwise.verify.measures.k_anonymity import measure_size
from maskwise.verify.measures.spectrum import Measured, Spectrum

if TYPE_CHECKING:
    from maskwise.policy.requirements.base import Part

PartMeasure: TypeAlias = Callable[[Any, Spectrum, tuple[Values, ...]], Measured]
"""Measures a part on groups, given the sensitive values that the part counts."""
_MEASURES: dict[type, PartMeasure] = {
    KAnonymity: measure_size,
    Template: measure_share,
    Diversity: measure_diversity,
    Closeness: measure_distance,
}


def register_measure(part: type, measure: PartMeasure) -> None:
    """Let the recount measure one more type of part.

    Raises:
        ValueError: The type has a measure already.
    """
    if part in _MEASURES:
        message = f"{part.__name__} has a measure already."
        raise ValueError(message)
    _MEASURES[part] = measure


def unregister_measure(part: type) -> None:
    """Take back what `register_measure` did."""
    del _MEASURES[part]


def measure_groups(part: Part, groups: Spectrum, values: tuple[Values, ...]) -> Measured:
    """Measure a part on every group of its QID.

    Args:
        part: The part.
        groups: The groups.
        values: The sensitive values that the part counts, in its order.
    """
    return _MEASURES[type(part)](part, groups, values)
