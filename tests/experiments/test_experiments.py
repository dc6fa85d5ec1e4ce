"""The experiments run, write what they say, and cover what docs/reproduction.md reports."""

from __future__ import annotations

import csv
import re
from importlib import import_module
from pathlib import Path

import pytest
from experiments import kais_table3, templates, tkde_fig05, tkde_fig07
from experiments.__main__ import SCRIPTS
from experiments.common import KEYS, AbsentError, Options, adult, crx, random_qids

from maskwise.datasets import load_adult

ROOT = Path(__file__).parents[2]
FIGURE = re.compile(r"(TKDE|ICDM|KAIS)[ ,]+(Figures?|Table|Section) (\d[\d.]*)(?:\(([ab])\))?")


def script(paper: str, kind: str, number: str, part: str) -> str:
    if kind == "Section":
        return f"{paper.lower()}_sec{number.replace('.', '')}"
    if kind == "Table":
        return f"{paper.lower()}_table{number}"
    return f"{paper.lower()}_fig{int(number):02}{part}"


@pytest.fixture
def small(tmp_path: Path) -> Options:
    return Options(ks=(20,), sample=600, output=tmp_path)


@pytest.mark.slow
def test_a_figure_of_errors_writes_its_csv_and_plot(small: Options) -> None:
    rows = tkde_fig05.run(small)
    with (small.output / "tkde_fig05.csv").open(newline="") as file:
        written = list(csv.DictReader(file))
    assert tuple(written[0]) == KEYS
    assert len(written) == len(rows)
    assert {row["requirement"] for row in written} == {"Top5", "Top7", "Top9"}
    assert {row["protocol"] for row in written} == {"held-out", "combined"}
    # BE, UE and an AE, under each protocol and QID.
    assert len(written) == 3 * 2 * 3
    for row in written:
        assert 0 <= float(row["low"]) <= float(row["error"]) <= float(row["high"]) <= 100
    assert (small.output / "tkde_fig05.svg").read_text().startswith("<?xml")


@pytest.mark.slow
def test_the_trees_of_figure_7_are_grown_from_the_root(small: Options) -> None:
    rows = tkde_fig07.run(small)
    for name in {row["attribute"] for row in rows}:
        shown = {next(row["interval"] for row in rows if row["attribute"] == name)}
        for row in (row for row in rows if row["attribute"] == name):
            assert row["interval"] in shown
            shown |= {row["left"], row["right"]}


def test_inferences_are_counted_as_by_hand(small: Options) -> None:
    data = adult(small)
    found = {(row["requirement"], row["h"]): row["inferences"] for row in kais_table3.count(data)}
    sensitive = templates.top(data)[:1]
    rare = set(templates.protected(data, sensitive[0]))
    groups: dict[tuple[str, ...], list[str]] = {}
    for part in (data.train, data.test):
        for record in part.select(data.categorical).to_pylist():
            value = record.pop(sensitive[0])
            groups.setdefault(tuple(record.values()), []).append(value)
    by_hand = sum(values.count(one) / len(values) > 0.5 for values in groups.values() for one in rare)
    assert found["Top1", 0.5] == by_hand > 0


def test_random_qids_are_of_one_length_and_differ() -> None:
    import numpy as np

    names = load_adult().column_names[:-1]
    for seed in range(20):
        qids = random_qids(np.random.default_rng(seed), names, (3, 7), (2, 9))
        assert len({len(qid) for qid in qids}) == 1
        assert len({tuple(qid) for qid in qids}) == len(qids) <= 7


def test_a_data_set_that_is_not_there_is_said_to_be_absent(
    small: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MASKWISE_DATA", str(tmp_path))
    with pytest.raises(AbsentError, match=r"crx\.data"):
        crx(small)


def test_every_figure_of_the_reproduction_has_a_script() -> None:
    named = FIGURE.findall((ROOT / "docs" / "reproduction.md").read_text())
    assert {script(*one) for one in named} == set(SCRIPTS)


def test_every_script_runs_alone_and_is_in_the_readme() -> None:
    readme = (ROOT / "experiments" / "README.md").read_text()
    for name in SCRIPTS:
        assert callable(import_module(f"experiments.{name}").run)
        assert f"python -m experiments.{name}`" in readme
