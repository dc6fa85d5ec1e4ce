"""The measure of a privacy template: the share of the protected value in a group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.verify.measures.spectrum import Measured

if TYPE_CHECKING:
    from maskwise.policy.requirements.confidence import Template
    from maskwise.verify.counted_values import Values
    from maskwise.verify.measures.spectrum import Spectrum


def measure_share(part: Template, groups: Spectrum, values: tuple[Values, ...]) -> Measured:
    """Compare the share of the protected value in every group with its bound, as whole numbers.

    Args:
        part: What is asked.
        groups: The groups of its QID.
        values: The protected value.
    """
    n_protected = groups.counts_of(part.sensitive, values)[:, 0]
    numerator, denominator = part.bound.as_integer_ratio()
    is_broken = n_protected * denominator > groups.n_records * numerator
    return Measured(n_protected / groups.n_records, is_broken, is_low_bad=False)
