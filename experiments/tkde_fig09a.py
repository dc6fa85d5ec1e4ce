"""TKDE 2007, Figure 9(a): CRX, suppression and discretization, C4.5, Top5, Top7 and Top9."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.common import Options, crx, plot_top_n, start

if TYPE_CHECKING:
    from experiments.common import Row

KS = (20, 60, 100, 140, 180, 200, 300, 400, 500, 600)


def run(options: Options) -> list[Row]:
    title = "CRX, suppress and discretize, C4.5"
    return plot_top_n(options, "tkde_fig09a", crx(options), KS, title)


if __name__ == "__main__":
    start(run, __doc__)
