"""A seeded part of the campaign against maskwise; `make torture` runs the rest of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from torture.campaign import Figures, Tally, run_part
from torture.parts import PARTS

N_SEEDS = {"differential": 5, "faults": 1, "kills": 2, "corruption": 4, "hostile": 4, "studio": 1}
"""How many seeds of each part are tried here, a second or two of each; a campaign goes on from them."""


@pytest.mark.slow
@pytest.mark.parametrize("name", list(N_SEEDS))
def test_a_seeded_part_of_the_campaign_finds_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "faults" and shutil.which("cc") is None:
        pytest.skip("notyet: the shim needs a C compiler")
    if name == "studio":
        pytest.importorskip("starlette", reason="notyet: needs the studio extra")
    monkeypatch.chdir(tmp_path)
    figures = Figures(None)
    with PARTS[name]() as part:
        run_part(name, part, figures, seconds=600, first=1, most=N_SEEDS[name])
    assert figures.tallies[name].problems == []
    assert figures.tallies[name].cases >= N_SEEDS[name]


def test_figures_are_kept_and_gone_on_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tried: list[int] = []

    class Part:
        def run(self, seed: int, folder: Path) -> Tally:
            tried.append(seed)
            (folder / "evidence").write_text("x")
            return Tally(3, faults=2, crashes=["it fell"] if seed == 6 else [])

    for _ in range(2):
        figures = Figures.load(tmp_path / "figures.json")
        run_part("some", Part(), figures, seconds=60, first=5, most=2)
    assert tried == [5, 6, 7, 8]
    kept = Figures.load(tmp_path / "figures.json").tallies["some"]
    assert (kept.cases, kept.faults, kept.problems) == (12, 8, ["it fell"])
    assert [path.name for path in (tmp_path / "torture-found").iterdir()] == ["some-6"]
    assert (tmp_path / "torture-found" / "some-6" / "evidence").exists()
    assert "| some | 12 | 8 | 0 | 1 | 0 |" in figures.table()
