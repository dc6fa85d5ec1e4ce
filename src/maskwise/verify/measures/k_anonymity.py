"""The measure of k-anonymity: the records of a group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.verify.measures.spectrum import Measured

if TYPE_CHECKING:
    from maskwise.policy.requirements.k_anonymity import KAnonymity
    from maskwise.verify.counted_values import Values
    from maskwise.verify.measures.spectrum import Spectrum


def measure_size(part: KAnonymity, groups: Spectrum, values: tuple[Values, ...]) -> Measured:
    """Compare the records of every group with k.

    Args:
        part: What is asked.
        groups: The groups of its QID.
        values: No sensitive value.
    """
    del values
    return Measured(groups.n_records, groups.n_records < part.k, is_low_bad=True)
