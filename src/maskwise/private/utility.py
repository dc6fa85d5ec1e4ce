"""How much a refinement is worth, and how much one record can change that.

The Gini impurity of the class falls by so much, in all cells of the cut
together. Claims about sensitivity are argued in docs/claims.md and checked by
brute force over all neighbours of random tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from maskwise.private.gain_kernels import UNIT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

PRIOR = 8
"""So many records of each class every cell is taken to have besides its own, so that small cells tell little."""
SENSITIVITY = 2 * UNIT
"""How much one record changes the score of a candidate at most, all scores in the same direction.

Claim: the Gini impurity of all cells rises by 0 to 2 with a record more, and scores are impurities of all cells, less
the same one for every candidate.
"""


def prior_of(n_classes: int) -> Ints:
    """The records of each class that every cell is taken to have besides."""
    return np.full(n_classes, PRIOR, np.int64)
