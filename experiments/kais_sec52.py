"""KAIS 2007, 5.2: privacy templates on Adult, C4.5, SE beside BE and RE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments import templates
from experiments.common import Options, adult, start

if TYPE_CHECKING:
    from experiments.common import Row

DRAWS = 5


def run(options: Options, draws: int = DRAWS) -> list[Row]:
    return templates.run(options, "kais_sec52", adult(options), draws)


if __name__ == "__main__":
    start(run, __doc__)
