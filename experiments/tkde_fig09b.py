"""TKDE 2007, Figure 9(b): German Credit, suppression and discretization, C4.5, Top5, Top7 and Top9."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.common import Options, draw, german, start, top_n, write

if TYPE_CHECKING:
    from experiments.common import Row

KS = (20, 40, 60, 80, 100, 140, 180, 200, 300, 400, 500, 600, 800)


def run(asked: Options) -> list[Row]:
    rows = top_n(german(asked), asked.ks or KS)
    write(asked, "tkde_fig09b", rows)
    draw(asked, "tkde_fig09b", rows, "German Credit, suppress and discretize, C4.5")
    return rows


if __name__ == "__main__":
    start(run, __doc__)
