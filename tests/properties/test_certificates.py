"""Certificates: no change goes unseen, and equal releases have equal certificates."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import maskwise
from maskwise.certificate.certify import make_certificate
from maskwise.certificate.checks import CheckMark
from maskwise.formats.certificate_file import dumps
from maskwise.release.escape import original_name, safe_name
from tests.certificate.releases import POLICY, certified, copy_of_certified, list_signers, make_key, needs_ssh
from tests.properties.tables import problems
from tests.properties.test_public_files import PAIRS, Rows, changed, mask, released

KEY = bytes(32)


def exit_code(*arguments: Any, **named: Any) -> int:
    """How `maskwise verify` would end."""
    try:
        return 0 if maskwise.check_certificate(*arguments, **named).is_confirmed else 1
    except maskwise.MaskwiseError as error:
        return error.exit_code


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A release that everybody may tamper with a copy of."""
    return certified(tmp_path_factory.mktemp("release"), statement="Approved.")


@pytest.mark.slow
@pytest.mark.parametrize("output", ["release.csv", "release.parquet", "release.csv.gz", "out/"])
@settings(max_examples=8)
@given(data=st.data())
def test_any_flipped_byte_of_a_release_is_found(
    output: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    made = _MADE.get(output)
    if made is None:
        made = _MADE[output] = copy_of_certified(tmp_path_factory.mktemp("flipped"), output)
    certificate, path = made
    file = next(path.iterdir()) if path.is_dir() else path
    content = file.read_bytes()
    at, bit = data.draw(st.integers(0, len(content) - 1)), data.draw(st.integers(0, 7))
    file.write_bytes(content[:at] + bytes([content[at] ^ (1 << bit)]) + content[at + 1 :])
    try:
        assert exit_code(certificate, path) in {1, 2}
    finally:
        file.write_bytes(content)
    assert exit_code(certificate, path) == 0


_MADE: dict[str, tuple[Path, Path]] = {}


def leaves(data: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The place of every value that holds no others."""
    if isinstance(data, dict | list) and data:
        inside = data.items() if isinstance(data, dict) else enumerate(data)
        return [leaf for key, value in inside for leaf in leaves(value, (*place, key))]
    return [place]


def another(value: Any, data: st.DataObject) -> Any:
    """A value that is not this one, most often of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + data.draw(st.sampled_from([1, -1, 1000]))
    if isinstance(value, str) and len(value) == 64:
        return value.translate(str.maketrans("0123456789abcdef", "123456789abcdef0"))
    if isinstance(value, str):
        return value + data.draw(st.sampled_from(["x", " "]))
    return data.draw(st.sampled_from([["x"], {"x": 1}, 1]))


def is_claim(place: tuple[Any, ...]) -> bool:
    """Whether the owner alone can know what stands there."""
    return place[:2] == ("predicate", "claimed") or (place[0] == "subject" and place[-1] == "name")


@pytest.mark.slow
@given(data=st.data())
def test_any_edited_value_of_a_certificate_is_found_or_listed_as_a_claim(
    release: tuple[Path, Path], data: st.DataObject
) -> None:
    certificate, path = release
    whole = json.loads(certificate.read_text())
    place = data.draw(st.sampled_from(leaves(whole)))
    edited = copy.deepcopy(whole)
    holder = edited
    for step in place[:-1]:
        holder = holder[step]
    if data.draw(st.booleans()) or isinstance(holder, list):
        holder[place[-1]] = another(holder[place[-1]], data)
    else:
        del holder[place[-1]]
    forged = certificate.with_name("forged.json")
    forged.write_text(json.dumps(edited))
    code = exit_code(forged, path)
    if not is_claim(place):
        assert code in {1, 2}, place
    elif code == 0:
        checked = maskwise.check_certificate(forged, path)
        name = "name of the file" if place[0] == "subject" else place[2]
        listed = {one.name: one.stated for one in checked.checks if one.mark is CheckMark.CLAIMED}
        said = edited["subject"][0]["name"] if place[0] == "subject" else edited["predicate"]["claimed"].get(place[2])
        assert listed.get(name) == said


@pytest.mark.slow
@needs_ssh
@settings(max_examples=12)
@given(data=st.data())
def test_any_edit_of_a_signed_certificate_is_found(data: st.DataObject, tmp_path_factory: Any) -> None:
    if "signed" not in _MADE:
        folder = tmp_path_factory.mktemp("signed")
        _MADE["signed"] = certified(folder, sign=make_key(folder / "id"))
        list_signers(folder / "signers", owner=folder / "id")
    certificate, path = _MADE["signed"]
    content = certificate.read_bytes()
    at = data.draw(st.integers(0, len(content) - 1))
    flipped = content[:at] + bytes([content[at] ^ (1 << data.draw(st.integers(0, 7)))]) + content[at + 1 :]
    certificate.write_bytes(flipped)
    try:
        assert exit_code(certificate, path) in {1, 2}
        assert exit_code(certificate, path, signers=certificate.with_name("signers")) in {1, 2}
    finally:
        certificate.write_bytes(content)
    assert exit_code(certificate, path, signers=certificate.with_name("signers")) == 0


def certificate_of(outcome: maskwise.Outcome, folder: Path) -> dict[str, Any]:
    """The certificate of a release in memory, as if it had been written; without what time and key alone decide."""
    from dataclasses import replace

    file = folder / "release.csv"
    file.write_text("\n".join(released(outcome)))
    data = json.loads(dumps(make_certificate(replace(outcome, data=file), file, KEY)))
    del data["predicate"]["claimed"]["time"]
    return data


@pytest.mark.slow
@pytest.mark.parametrize("how", [{}, {"method": "bug"}, {"boundaries": "exact"}])
@settings(max_examples=12)
@given(data=st.data())
def test_equal_releases_have_equal_certificates(
    how: dict[str, Any], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    problem = data.draw(problems(["all", "k", "templates", "mixed"]))
    policy = {**problem["policy"], "missing": data.draw(st.sampled_from(["keep", "drop"]))}
    outcome = mask(problem["records"], policy, **how)
    assume(outcome is not None)
    assert outcome is not None
    other = mask(data.draw(changed(problem["records"], outcome, policy)), policy, **how)
    assume(other is not None)
    assert other is not None
    if released(outcome) == released(other):
        folder = tmp_path_factory.getbasetemp()
        assert certificate_of(outcome, folder) == certificate_of(other, folder)


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "others", "policy"), PAIRS.values(), ids=PAIRS)
def test_these_tables_have_one_release_and_equal_certificates(
    rows: Rows, others: Rows, policy: dict[str, Any], tmp_path: Path
) -> None:
    one, two = (maskwise.anonymize(pa.Table.from_pylist(table), policy) for table in (rows, others))
    assert released(one) == released(two)
    assert certificate_of(one, tmp_path) == certificate_of(two, tmp_path)


def test_protected_values_show_in_the_hmac_alone(tmp_path: Path) -> None:
    """Two policies that protect different values, and one release."""
    rows = [{"Job": job, "Ill": ill} for job, ill in zip("aabb" * 3, ["flu", "hiv", "ok"] * 4, strict=True)]
    found = []
    for value in ("flu", "hiv"):
        policy = {
            "attributes": {"Job": "suppress"},
            "requirements": [{"qid": ["Job"], "sensitive": {"Ill": [value]}, "confidence": 0.9}],
        }
        data = certificate_of(maskwise.anonymize(pa.Table.from_pylist(rows), policy), tmp_path)
        found.append((data["predicate"]["claimed"].pop("policy_hmac_sha256"), data))
    assert found[0][1] == found[1][1]
    assert found[0][0] != found[1][0]


@given(st.text(alphabet="'=+-@a1\t", max_size=5))
def test_escaped_column_names_are_read_back(name: str) -> None:
    assert original_name(safe_name(name)) == name


def test_the_policy_of_these_tests_has_every_kind_of_requirement() -> None:
    """So that tampering is tried on figures of all of them."""
    kinds = {key for requirement in POLICY["requirements"] for key in requirement}
    assert kinds >= {"k", "confidence", "diversity", "closeness", "lkc"}
