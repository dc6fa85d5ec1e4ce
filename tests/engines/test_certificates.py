"""Whatever engine a release was written by, its certificate has the same figures, and recipients confirm it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from tests.certificate.releases import POLICY, people
from tests.engines.conftest import Place


@pytest.mark.parametrize("output", ["release.csv", "released/"])
def test_figures_are_the_same_on_every_engine_and_are_confirmed(other_place: Place, folder: Path, output: str) -> None:
    table = pa.Table.from_pylist(people())
    found: list[dict[str, Any]] = []
    for i, (data, engine) in enumerate([other_place.load(table), (table, None)]):
        (folder / str(i)).mkdir()
        certificate, release = folder / str(i) / "cert.json", f"{folder}/{i}/{output}"
        beside = maskwise.Certification(certificate)
        maskwise.anonymize(data, POLICY, release, engine=engine, beside=beside)
        said = json.loads(certificate.read_text())["predicate"]
        if i == 0:
            assert said["claimed"]["made_by"]["engine"]["name"].lower().startswith(other_place.name)
            assert said["claimed"]["made_by"]["engine"]["version"][0].isdigit()
        found.append({key: said[key] for key in ("policy", "recounted")})
        checked = maskwise.check_certificate(certificate, release, policy=POLICY)
        assert checked.is_confirmed, [one for one in checked.checks if one.mark == "differs"]
    assert found[0] == found[1]


def test_spark_writes_nothing_but_parts_and_every_part_is_certified(session: Any, folder: Path) -> None:
    data = session.createDataFrame(pa.Table.from_pylist(people()))
    beside = maskwise.Certification(folder / "cert.json")
    maskwise.anonymize(data, POLICY, f"{folder}/released/", beside=beside)
    named = [one["name"] for one in json.loads((folder / "cert.json").read_text())["subject"]]
    assert named == sorted(path.name for path in (folder / "released").iterdir())
    assert named == sorted(path.name for path in (folder / "released").glob("part-*.parquet"))
    assert maskwise.check_certificate(folder / "cert.json", folder / "released").is_confirmed
