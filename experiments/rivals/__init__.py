"""Other ways of masking, to measure maskwise against.

`Mondrian` splits regions as a decision tree does, `FullDomain` picks one level
for each attribute; both look for the best classification metric.
`read_masked` opens a table that any other tool has masked.

`mondrian` with `mondrian_axes` is the one, `full_domain` with `levels` and
`lattice` the other; `coded_table` is the table as both see it, `other_tools`
has `read_masked`. `maskwise.evaluate(..., against={"mondrian": Mondrian()})`
measures one.
"""

from __future__ import annotations

from experiments.rivals.full_domain import FullDomain
from experiments.rivals.mondrian import Mondrian
from experiments.rivals.other_tools import read_masked

__all__ = ["FullDomain", "Mondrian", "read_masked"]
