"""Moments with an offset from UTC are masked as those without are: by the instant, in UTC."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Run, csv_text

OFFSETS = {"Z": 0, "+02:00": 120, "-0530": -330, "+01": 60}
POLICY = (
    "class: result\nattributes: {when: {interval: [2024-01-01, 2025-01-01]}}\nrequirements: [{qid: [when], k: 25}]\n"
)


def instants(n: int = 300) -> list[dt.datetime]:
    start = dt.datetime.fromisoformat("2024-01-02")
    return [start + dt.timedelta(minutes=1_709 * i * i % 500_000) for i in range(n)]


def with_offset(moment: dt.datetime, i: int) -> str:
    """The same instant by the clock of another place."""
    text, minutes = list(OFFSETS.items())[i % 4]
    local = moment + dt.timedelta(minutes=minutes)
    return local.strftime("%Y-%m-%d %H:%M:%S.5" if i % 3 else "%Y-%m-%dT%H:%M") + text


FORMS: dict[str, Callable[[dt.datetime, int], str]] = {
    "z": lambda moment, _: moment.isoformat() + "Z",
    "offsets": with_offset,
    "basic": lambda moment, _: moment.strftime("%Y%m%dT%H%M%S,25Z"),
    "mixed": lambda moment, i: with_offset(moment, i) if i % 2 else moment.isoformat(" "),
}


def write(path: Path, form: Callable[[dt.datetime, int], str]) -> Path:
    rows = [[form(moment, i), "late" if moment.month > 6 else "early"] for i, moment in enumerate(instants())]
    path.write_text(csv_text(["when", "result"], rows))
    return path


def shown(run: Run, folder: Path, source: Path) -> tuple[list[str], str]:
    (folder / "policy.yaml").write_text(POLICY)
    result = run("mask", source, "-p", folder / "policy.yaml", "-o", folder / "out.csv", "--keep-order")
    assert result.code == 0, result.err
    return (folder / "out.csv").read_text().splitlines(), result.err


@pytest.mark.parametrize("form", FORMS)
def test_an_offset_is_kept_in_mind(form: str, tmp_path: Path, run: Run) -> None:
    plain, said = shown(run, tmp_path, write(tmp_path / "plain.csv", lambda moment, _: moment.isoformat()))
    assert "UTC" not in said
    masked, said = shown(run, tmp_path, write(tmp_path / "form.csv", FORMS[form]))
    assert masked == plain
    assert len({line.rpartition(",")[0] for line in masked}) > 3
    assert "Times of `when` have an offset, so its intervals are in UTC." in said
    assert ("150 times of `when` without an offset counted as UTC" in said) == (form == "mixed")


@pytest.mark.parametrize("n_rows", [300, 3_000])
def test_a_draft_gives_them_intervals(n_rows: int, tmp_path: Path, run: Run) -> None:
    rows = [[with_offset(moment, i), str(i % 60), "fm"[i % 2]] for i, moment in enumerate(instants(n_rows))]
    (tmp_path / "people.csv").write_text(csv_text(["admitted", "age", "sex"], rows))
    assert run("suggest", tmp_path / "people.csv", "-o", tmp_path / "policy.yaml").code == 0
    assert "admitted: {interval: [202" in (tmp_path / "policy.yaml").read_text()
    assert run("mask", tmp_path / "people.csv", "-p", tmp_path / "policy.yaml", "-o", tmp_path / "out.csv").code == 0


def test_later_rows_are_read_in_the_same_way(tmp_path: Path, run: Run) -> None:
    plain, _ = shown(run, tmp_path, write(tmp_path / "plain.csv", lambda moment, _: moment.isoformat()))
    solution = tmp_path / "solution.json"
    run(
        "mask", tmp_path / "plain.csv", "-p", tmp_path / "policy.yaml", "-o", tmp_path / "o.csv", "--solution", solution
    )
    write(tmp_path / "later.csv", with_offset)
    assert run("apply", tmp_path / "later.csv", "-s", solution, "-o", tmp_path / "later-out.csv").code == 0
    assert sorted((tmp_path / "later-out.csv").read_text().splitlines()) == sorted(plain)
