"""KAIS 2007, 5.1: privacy templates on CRX, C4.5, SE beside BE and RE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments import templates
from experiments.common import Options, crx, start

if TYPE_CHECKING:
    from experiments.common import Row

DRAWS = 10


def run(options: Options, draws: int = DRAWS) -> list[Row]:
    return templates.run(options, "kais_sec51", crx(options), draws)


if __name__ == "__main__":
    start(run, __doc__)
