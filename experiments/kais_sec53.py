"""KAIS 2007, 5.3: privacy templates on German Credit, C4.5, SE beside BE and RE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments import templates
from experiments.common import Options, german, start

if TYPE_CHECKING:
    from experiments.common import Row

DRAWS = 10


def run(options: Options, draws: int = DRAWS) -> list[Row]:
    return templates.run(options, "kais_sec53", german(options), draws)


if __name__ == "__main__":
    start(run, __doc__)
