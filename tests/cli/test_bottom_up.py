"""Bottom-up on the command line, and the curve that any search leaves."""

from __future__ import annotations

import csv
import json
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import maskwise
from maskwise.cli.app import main
from maskwise.datasets import adult_folder, load_adult

QID = ("education", "sex", "race", "relationship", "hours-per-week")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A sample of Adult, a policy, and a folder to write to."""
    import pyarrow.csv as arrow_csv

    data, policy = tmp_path / "people.csv", tmp_path / "policy.yaml"
    arrow_csv.write_csv(load_adult().drop_null().slice(0, 2_000).select([*QID, "income"]), data)
    trees = "".join(f"  {n}: {{taxonomy: '{adult_folder() / n}.yaml'}}\n" for n in ("education", "sex", "race"))
    policy.write_text(f"class: income\nattributes:\n{trees}requirements:\n  - {{qid: [{', '.join(QID)}], k: 20}}\n")
    return data, policy, tmp_path


def run(files: tuple[Path, Path, Path], *options: str) -> int:
    data, policy, folder = files
    return main(["mask", str(data), "-p", str(policy), "-o", str(folder / "out.csv"), "--quiet", *options])


def test_a_bottom_up_run_leaves_a_release_a_trace_and_a_curve(files: tuple[Path, Path, Path]) -> None:
    folder = files[2]
    options = ["--method", "bug", "--trace", str(folder / "t.jsonl"), "--curve", str(folder / "curve.csv")]
    assert run(files, *options, "--solution", str(folder / "s.json")) == 0
    assert maskwise.audit(folder / "out.csv", files[1]).is_met
    lines = [json.loads(line) for line in (folder / "t.jsonl").read_text().splitlines()]
    keys = ["step", "attribute", "from", "to", "info_loss", "anonymity_gain", "ip", "requirements"]
    assert lines
    assert all(list(line) == keys for line in lines)
    assert lines[-1]["requirements"][0] >= 20 > lines[-2]["requirements"][0]
    for line in lines:
        expected = line["info_loss"] / line["anonymity_gain"] if line["anonymity_gain"] else None
        assert line["ip"] == expected
    with (folder / "curve.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["step"]) for row in rows] == list(range(len(lines) + 1))
    assert [row["attribute"] for row in rows[1:]] == [line["attribute"] for line in lines]
    kept = [float(row["information_kept"]) for row in rows]
    left = [float(row["class_entropy"]) for row in rows]
    assert all(b <= a + 1e-12 for a, b in pairwise(kept))
    assert all(b >= a - 1e-12 for a, b in pairwise(left))
    assert json.loads((folder / "s.json").read_text())["method"] == "bug"


@pytest.mark.slow
def test_the_curve_is_what_the_masked_table_shows(files: tuple[Path, Path, Path]) -> None:
    """Both columns of its last point, recounted from the release with plain Python."""
    from collections import Counter
    from math import log2

    for method in ("tdr", "bug"):
        outcome = maskwise.anonymize(files[0], files[1], files[2] / "out.csv", method=method)
        with (files[2] / "out.csv").open() as file:
            rows = list(csv.DictReader(file))
        entropies = []
        for name in QID:
            total = 0.0
            for shown, n in Counter(row[name] for row in rows).items():
                for m in Counter(row["income"] for row in rows if row[name] == shown).values():
                    total -= m * log2(m / n)
            entropies.append(total / len(rows))
        last = outcome.curve[-1]
        assert last.class_entropy == pytest.approx(sum(entropies) / len(QID))
        assert last.requirements == outcome.steps[-1].requirements
        assert len(outcome.curve) == len(outcome.steps) + 1
        relationship = Counter(row["relationship"] for row in rows)
        assert 0 < last.information_kept < 1
        assert relationship["*"] / len(rows) / len(QID) <= 1 - last.information_kept


@pytest.mark.slow
def test_information_kept_is_one_at_the_raw_values_and_zero_at_the_roots(files: tuple[Path, Path, Path]) -> None:
    policy = {
        "class": "income",
        "attributes": {"sex": {"taxonomy": {"Any": ["Female", "Male"]}}},
        "requirements": [{"qid": ["sex", "relationship"], "k": 2_000}],
    }
    up = maskwise.anonymize(files[0], policy, files[2] / "out.csv", method="bug").curve
    assert (up[0].information_kept, up[-1].information_kept) == (1.0, 0.0)
    down = maskwise.anonymize(files[0], policy, files[2] / "out.csv").curve
    assert [point.information_kept for point in down] == [0.0]
    assert down[0].class_entropy == pytest.approx(up[-1].class_entropy)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["tdr", "bug"])
def test_a_plot_names_its_axes_and_marks_k(files: tuple[Path, Path, Path], method: str) -> None:
    picture = files[2] / "curve.svg"
    assert run(files, "--method", method, "--curve", str(picture)) == 0
    first = picture.read_bytes()
    ET.fromstring(first)  # noqa: S314 - our own file
    text = first.decode()
    for words in ("smallest group", "information kept", "class entropy", "asked: 20"):
        assert f"<!-- {words}" in text, words
    assert run(files, "--method", method, "--curve", str(picture)) == 0
    assert picture.read_bytes() == first


@pytest.mark.slow
def test_a_plot_as_png(files: tuple[Path, Path, Path]) -> None:
    assert run(files, "--method", "bug", "--curve", str(files[2] / "curve.png")) == 0
    assert (files[2] / "curve.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (["--method", "bug", "--max-steps", "3"], 3, "the step limit was reached after 3 generalizations"),
        (["--method", "bug", "--time-limit", "0"], 3, "the time limit was reached after 0 generalizations"),
        (["--method", "bug", "--criterion", "infogain"], 2, "`bug` has its own measure"),
        (["--method", "bug", "--restarts", "2"], 2, "The method `bug` searches once. Leave out `restarts`"),
        (["--method", "bug", "--keep-order", "--seed", "1"], 2, "Leave out the seed"),
        (["--method", "bug", "--curve", "curve.pdf"], 2, ".csv, .svg or .png"),
        (["--method", "sideways"], 2, "sideways"),
    ],
)
def test_what_cannot_be_is_told_and_nothing_is_written(
    files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str], options: list[str], code: int, says: str
) -> None:
    before = sorted(files[2].iterdir())
    assert run(files, *options) == code
    assert says in capsys.readouterr().err
    assert sorted(files[2].iterdir()) == before


@pytest.mark.slow
def test_a_step_limit_that_is_just_enough_is_no_stop(files: tuple[Path, Path, Path]) -> None:
    whole = maskwise.anonymize(files[0], files[1], files[2] / "out.csv", method="bug")
    limited = maskwise.anonymize(files[0], files[1], files[2] / "out.csv", method="bug", max_steps=len(whole.steps))
    assert limited.steps == whole.steps


def test_a_missing_plot_extra_is_told_before_any_work(
    files: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert run(files, "--curve", str(files[2] / "curve.svg")) == 2
    assert 'pip install "maskwise[plot]"' in capsys.readouterr().err
    assert not (files[2] / "out.csv").exists()
