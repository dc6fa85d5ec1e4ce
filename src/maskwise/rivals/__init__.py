"""Other ways of masking, to measure maskwise against.

`Mondrian` splits regions as a decision tree does, `FullDomain` picks one level
for each attribute; both look for the best classification metric.
`read_masked` opens a table that any other tool has masked.

`mondrian` with `mondrian_axes` is the one, `full_domain` with `levels` and
`lattice` the other; `coded_table` is the table as both see it, `other_tools`
has `read_masked`, and `registry` finds a rival by its name.

Nothing heavy is imported until it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from maskwise.values.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from maskwise.rivals.full_domain import FullDomain
    from maskwise.rivals.mondrian import Mondrian
    from maskwise.rivals.other_tools import read_masked

_HOME = {
    "FullDomain": "maskwise.rivals.full_domain",
    "Mondrian": "maskwise.rivals.mondrian",
    "read_masked": "maskwise.rivals.other_tools",
}

__all__ = ["FullDomain", "Mondrian", "read_masked"]

__getattr__, __dir__ = lazy_exports(__name__, _HOME)
