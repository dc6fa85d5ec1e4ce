"""What recipients find: the release as certified, or every value that differs."""

from __future__ import annotations

import csv
import gzip
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import maskwise
from maskwise.certificate.checks import CheckMark, differences
from maskwise.policy.requirements.unit import Unit
from maskwise.risks.risk import Disclosure, GroupRisk, OneMore, Risk
from tests.certificate.releases import POLICY, certified, copy_of_certified, list_signers, make_key, needs_ssh, people


def edit(certificate: Path, *place: str | int, to: Any) -> Any:
    """Change a value in a certificate; what stood there."""
    data = json.loads(certificate.read_text())
    at = data
    for step in place[:-1]:
        at = at[step]
    old, at[place[-1]] = at.get(place[-1]) if isinstance(at, dict) else at[place[-1]], to
    certificate.write_text(json.dumps(data))
    return old


def wrong(checked: maskwise.CertificateCheck) -> dict[str, tuple[Any, Any]]:
    """What differs: stated and found."""
    return {one.name: (one.stated, one.found) for one in checked.checks if one.mark is CheckMark.DIFFERS}


def claims(checked: maskwise.CertificateCheck) -> set[str]:
    return {one.name for one in checked.checks if one.mark is CheckMark.CLAIMED}


@pytest.mark.slow
def test_a_release_by_regions_is_confirmed_and_tells_no_split(tmp_path: Path) -> None:
    policy = {**POLICY, "requirements": POLICY["requirements"][:2]}
    certificate, release = certified(tmp_path, policy=policy, options={"method": "regions"})
    assert maskwise.check_certificate(certificate, release).is_confirmed
    stated = json.loads(certificate.read_text())["predicate"]
    assert "regions" not in stated["recounted"]
    assert not {"regions", "splits", "breaks"} & set(stated)


@pytest.mark.slow
@pytest.mark.parametrize(
    "output",
    ["release.csv", "release.tsv", "release.parquet", "release.arrow", "release.csv.gz", "release.arrow.gz", "out/"],
)
def test_every_format_is_confirmed(tmp_path: Path, output: str) -> None:
    certificate, release = certified(tmp_path, output)
    checked = maskwise.check_certificate(certificate, release)
    assert not wrong(checked)
    assert checked.is_confirmed


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["=cmd().csv", "it's; [1] *.csv", "naïve \u202e.csv", "-rf.csv", "two\nlines.csv", '"quoted".csv', ".hidden.csv"],
)
def test_hostile_file_names_are_confirmed(tmp_path: Path, name: str) -> None:
    certificate, release = certified(tmp_path, name)
    assert json.loads(certificate.read_text())["subject"][0]["name"] == name
    assert maskwise.check_certificate(certificate, release).is_confirmed


@pytest.mark.slow
def test_a_name_that_is_no_text_is_spelled_out(tmp_path: Path) -> None:
    certificate, folder = copy_of_certified(tmp_path, "out/")
    try:
        (folder / os.fsdecode(b"caf\xe9")).write_text("x")
    except OSError:
        pytest.skip("this file system has no such names")
    checked = maskwise.check_certificate(certificate, folder)
    assert list(wrong(checked)) == ["sha256 of caf\\xe9"]
    assert json.dumps(checked.to_data(), ensure_ascii=False).encode()


@pytest.mark.slow
def test_a_file_may_be_renamed_and_linked(tmp_path: Path) -> None:
    certificate, release = copy_of_certified(tmp_path)
    copy = release.rename(tmp_path / "as received.csv")
    (tmp_path / "link.csv").symlink_to(copy)
    checked = maskwise.check_certificate(certificate, tmp_path / "link.csv")
    assert checked.is_confirmed
    assert "name of the file" in claims(checked)


def test_another_file_differs_with_both_hashes_and_is_not_opened(tmp_path: Path) -> None:
    import hashlib

    certificate, release = copy_of_certified(tmp_path)
    old = hashlib.sha256(release.read_bytes()).hexdigest()
    release.write_bytes(b"\x00 no table")
    checked = maskwise.check_certificate(certificate, release)
    new = hashlib.sha256(release.read_bytes()).hexdigest()
    assert wrong(checked) == {"sha256 of release.csv": (old, new)}
    assert "not done" in next(one.found for one in checked.checks if one.name == "recount")


@pytest.mark.slow
def test_a_certificate_of_another_release_differs(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    certificate, _ = copy_of_certified(tmp_path / "one")
    _, release = certified(tmp_path / "two", rows=people(seed=9))
    assert list(wrong(maskwise.check_certificate(certificate, release))) == ["sha256 of release.csv"]


def test_a_large_file_is_hashed_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import hashlib

    from maskwise.certificate import digests

    monkeypatch.setattr(digests, "_BLOCK", 7)
    content = os.urandom(1_000)
    (tmp_path / "release.csv").write_bytes(content)
    found = digests.release_digests(tmp_path / "release.csv", "x")
    assert found == {"x": hashlib.sha256(content).hexdigest()}


class TestFolders:
    """Every file of a folder counts."""

    @pytest.fixture
    def made(self, tmp_path: Path) -> tuple[Path, Path]:
        return copy_of_certified(tmp_path, "out/")

    @pytest.mark.slow
    def test_a_file_more_a_file_less_and_another_name_differ(self, made: tuple[Path, Path]) -> None:
        certificate, folder = made
        (part,) = folder.iterdir()
        shutil.copy(part, folder / "part-1.parquet")
        checked = maskwise.check_certificate(certificate, folder)
        assert [one[0] for one in wrong(checked).values()] == [None]
        part.unlink()
        (folder / "part-1.parquet").rename(part)
        assert maskwise.check_certificate(certificate, folder).is_confirmed

    def test_a_file_of_another_kind_or_in_a_folder_below_differs(self, made: tuple[Path, Path]) -> None:
        certificate, folder = made
        (folder / "note.txt").write_text("x")
        (folder / "below").mkdir()
        (folder / "below" / "more.parquet").write_text("x")
        found = wrong(maskwise.check_certificate(certificate, folder))
        assert list(found) == ["sha256 of below/more.parquet", "sha256 of note.txt"]

    @pytest.mark.parametrize("name", ["_x.parquet", ".x.parquet", ".DS_Store", "_below/x.parquet"])
    def test_a_file_that_only_some_readers_skip_differs(self, made: tuple[Path, Path], name: str) -> None:
        certificate, folder = made
        (part,) = folder.iterdir()
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(part, folder / name)
        assert list(wrong(maskwise.check_certificate(certificate, folder))) == [f"sha256 of {name}"]

    def test_an_empty_folder_differs(self, made: tuple[Path, Path]) -> None:
        certificate, folder = made
        (part,) = folder.iterdir()
        part.unlink()
        assert list(wrong(maskwise.check_certificate(certificate, folder))) == ["sha256 of part-0.parquet"]

    def test_a_link_that_leads_nowhere_or_to_a_folder_is_refused(self, made: tuple[Path, Path]) -> None:
        certificate, folder = made
        for target in ("nowhere", "."):
            (folder / "link").symlink_to(target)
            with pytest.raises(maskwise.InputError, match="is no file"):
                maskwise.check_certificate(certificate, folder)
            (folder / "link").unlink()

    def test_a_file_that_is_a_link_counts_by_its_content(self, made: tuple[Path, Path], tmp_path: Path) -> None:
        certificate, folder = made
        (part,) = folder.iterdir()
        part.rename(tmp_path / "elsewhere")
        part.symlink_to(tmp_path / "elsewhere")
        assert maskwise.check_certificate(certificate, folder).is_confirmed


RECOUNTED = ("predicate", "recounted")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "to", "name"),
    [
        (("rows",), 121, "rows"),
        (("requirements", 0, "reached"), 9_999, "requirement 1.reached"),
        (("requirements", 0, "holds"), False, "requirement 1.holds"),
        (("requirements", 0, "counted_by"), "owner", "requirement 1.counted_by"),
        (("requirements", 1, "counted_by"), "recipients", "requirement 2.counted_by"),
        (("requirements", 1, "reached"), 0.1, "requirement 2.reached"),
        (("requirements", 2, "reached"), 2.5, "requirement 3.reached"),
        (("requirements", 4, "group_sizes", "median"), 1, "requirement 5.group_sizes.median"),
        (("requirements", 0, "asked", "k"), 9, "requirement 1.asked.k"),
        (
            ("criteria", "singling_out", "smallest_groups", 0, "smallest"),
            1,
            "criteria.singling_out.smallest_groups.0.smallest",
        ),
        (("columns", "passed"), ["Ill"], "columns"),
        (("columns", "dropped"), [], "columns"),
        (("risk", "qids", 0, "unique"), 0.5, "risk.qids.0.unique"),
    ],
)
def test_an_edited_figure_differs_with_both_values(tmp_path: Path, place: tuple[Any, ...], to: Any, name: str) -> None:
    certificate, release = copy_of_certified(tmp_path)
    old = edit(certificate, *RECOUNTED, *place, to=to)
    found = wrong(maskwise.check_certificate(certificate, release))
    assert list(found) == [name]
    if name != "columns":
        assert found[name] == (to, old)


def test_an_edited_policy_differs_from_its_hash(tmp_path: Path) -> None:
    certificate, release = copy_of_certified(tmp_path)
    edit(certificate, "predicate", "policy", "public", "requirements", 0, "k", to=3)
    assert set(wrong(maskwise.check_certificate(certificate, release))) >= {"policy (sha256)", "requirement 1.asked.k"}


def test_a_release_that_breaks_its_requirement_is_not_confirmed_whatever_is_stated(tmp_path: Path) -> None:
    """Somebody wrote a whole certificate of their own around a raw table."""
    import hashlib

    from maskwise.formats.certificate_file import fingerprint

    certificate, release = copy_of_certified(tmp_path)
    data = json.loads(certificate.read_text())
    predicate = data["predicate"]
    for requirement in (
        predicate["policy"]["public"]["requirements"][0],
        predicate["recounted"]["requirements"][0]["asked"],
    ):
        requirement["k"] = 100
    predicate["recounted"]["requirements"][0]["holds"] = False
    predicate["policy"]["sha256"] = fingerprint(predicate["policy"]["public"])
    data["subject"][0]["digest"]["sha256"] = hashlib.sha256(release.read_bytes()).hexdigest()
    certificate.write_text(json.dumps(data))
    assert "requirement 1 on {Age, Sex}" in wrong(maskwise.check_certificate(certificate, release))


def test_a_claim_that_a_requirement_does_not_hold_is_not_confirmed(tmp_path: Path) -> None:
    certificate, release = copy_of_certified(tmp_path)
    edit(certificate, *RECOUNTED, "requirements", 1, "holds", to=False)
    assert list(wrong(maskwise.check_certificate(certificate, release))) == ["requirement 2 on {Age}"]


@pytest.mark.parametrize(
    ("place", "to"),
    [
        (("requirements", 4, "k"), None),
        (("requirements", 1, "sensitive"), 3),
        (("requirements", 0, "qid"), []),
        (("requirements", 0), "k"),
        (("requirements",), []),
        (("attributes",), None),
        (("person",), {"column": "Age", "release": "drop"}),
        (("drop",), 3),
        (("keep",), ["Ill"]),
    ],
)
def test_a_policy_that_is_none_never_confirms_and_never_fails_otherwise(
    tmp_path: Path, place: tuple[Any, ...], to: Any
) -> None:
    certificate, release = copy_of_certified(tmp_path)
    edit(certificate, "predicate", "policy", "public", *place, to=to)
    try:
        is_confirmed = maskwise.check_certificate(certificate, release).is_confirmed
    except maskwise.InputError:
        is_confirmed = False
    assert not is_confirmed


@pytest.mark.slow
def test_claims_are_listed(tmp_path: Path) -> None:
    certificate, release = certified(tmp_path, statement="Approved.")
    checked = maskwise.check_certificate(certificate, release)
    assert claims(checked) == {
        *json.loads(certificate.read_text())["predicate"]["claimed"],
        "requirement 2 on {Age} holds",
        "requirement 5 on {Age, Sex} holds",
        "the rest of the policy",
    }


def test_an_edited_claim_is_listed_as_a_claim(tmp_path: Path) -> None:
    certificate, release = copy_of_certified(tmp_path)
    edit(certificate, "predicate", "claimed", "statement", to="Approved by nobody.")
    checked = maskwise.check_certificate(certificate, release)
    assert checked.is_confirmed
    (found,) = [one for one in checked.checks if one.name == "statement"]
    assert (found.stated, found.mark) == ("Approved by nobody.", CheckMark.CLAIMED)


class TestOwnersPolicy:
    """With the owner's whole policy, protected values are counted too."""

    def test_requirements_with_protected_values_are_recounted(self, tmp_path: Path) -> None:
        certificate, release = copy_of_certified(tmp_path)
        checked = maskwise.check_certificate(certificate, release, policy=POLICY, key=tmp_path / "cert.json.key")
        assert checked.is_confirmed
        assert not [name for name in claims(checked) if "holds" in name]
        assert "policy_hmac_sha256" not in claims(checked)

    def test_another_policy_differs_with_both_hashes(self, tmp_path: Path) -> None:
        certificate, release = copy_of_certified(tmp_path)
        other = {**POLICY, "requirements": [{"qid": ["Age", "Sex"], "k": 4}, *POLICY["requirements"][1:]]}
        found = wrong(maskwise.check_certificate(certificate, release, policy=other))
        assert list(found) == ["policy given (sha256)"]
        assert all(len(one) == 64 for one in found["policy given (sha256)"])

    @pytest.mark.slow
    def test_other_protected_values_differ_under_the_owners_key_only(self, tmp_path: Path) -> None:
        certificate, release = copy_of_certified(tmp_path)
        other = json.loads(json.dumps(POLICY).replace("hiv", "flu"))
        checked = maskwise.check_certificate(certificate, release, policy=other)
        assert "whole policy given (hmac)" in {one.name for one in checked.checks if one.mark is CheckMark.NOT_CHECKED}
        found = wrong(maskwise.check_certificate(certificate, release, policy=other, key=tmp_path / "cert.json.key"))
        assert "whole policy given (hmac)" in found

    @pytest.mark.slow
    def test_protected_values_that_the_release_does_not_protect_are_found(self, tmp_path: Path) -> None:
        policy = {
            **POLICY,
            "requirements": [POLICY["requirements"][0], {**POLICY["requirements"][1], "confidence": 0.5}],
        }
        certificate, release = certified(tmp_path, policy=policy)
        other = json.loads(json.dumps(policy).replace("hiv", "none"))
        found = wrong(maskwise.check_certificate(certificate, release, policy=other))
        assert found == {"requirement 2.holds": (True, False)}

    def test_a_policy_with_fewer_requirements_differs(self, tmp_path: Path) -> None:
        certificate, release = copy_of_certified(tmp_path)
        other = {**POLICY, "requirements": POLICY["requirements"][:1]}
        assert "policy given (sha256)" in wrong(maskwise.check_certificate(certificate, release, policy=other))

    def test_a_key_needs_the_policy_and_must_be_there(self, tmp_path: Path) -> None:
        certificate, release = copy_of_certified(tmp_path)
        with pytest.raises(maskwise.InputError, match="policy"):
            maskwise.check_certificate(certificate, release, key=tmp_path / "cert.json.key")
        with pytest.raises(maskwise.InputError, match="no key"):
            maskwise.check_certificate(certificate, release, policy=POLICY, key=tmp_path / "nowhere")


class TestPersons:
    """Counts of persons are the owner's unless recipients can tell persons apart."""

    POLICY = {  # noqa: RUF012
        "attributes": {"Age": {"interval": [0, 120]}, "Sex": "suppress"},
        "requirements": [
            {"qid": ["Age", "Sex"], "k": 5},
            {"qid": ["Sex"], "sensitive": "Ill", "diversity": {"distinct": 2}},
        ],
        "drop": ["Name"],
    }

    @pytest.fixture
    def visits(self) -> list[dict[str, Any]]:
        return [{"Id": f"p{i % 60}", **row} for i, row in enumerate(people(60) * 3)]

    @pytest.mark.slow
    def test_persons_who_are_not_released_are_the_owners_claim(self, tmp_path: Path, visits: Any) -> None:
        certificate, release = certified(tmp_path, policy={**self.POLICY, "person": "Id"}, rows=visits)
        recounted = json.loads(certificate.read_text())["predicate"]["recounted"]
        assert [set(one) for one in recounted["requirements"]] == [{"asked", "holds", "counted_by"}] * 2
        assert "persons" not in recounted
        assert (recounted["risk"], recounted["columns"]["dropped"]) == (None, ["Name", "Id"])
        checked = maskwise.check_certificate(certificate, release)
        assert checked.is_confirmed
        assert {"requirement 1 on {Age, Sex} holds", "requirement 2 on {Sex} holds"} <= claims(checked)

    @pytest.mark.slow
    def test_a_k_of_persons_that_records_contradict_is_found(self, tmp_path: Path, visits: Any) -> None:
        from maskwise.formats.certificate_file import fingerprint

        certificate, release = certified(tmp_path, policy={**self.POLICY, "person": "Id"}, rows=visits)
        data = json.loads(certificate.read_text())["predicate"]
        data["policy"]["public"]["requirements"][0]["k"] = 1_000
        for place, to in (
            (("policy", "public"), data["policy"]["public"]),
            (("policy", "sha256"), fingerprint(data["policy"]["public"])),
            (("recounted", "requirements", 0, "asked", "k"), 1_000),
        ):
            edit(certificate, "predicate", *place, to=to)
        assert wrong(maskwise.check_certificate(certificate, release)) == {"requirement 1.holds": (True, False)}

    @pytest.mark.slow
    def test_pseudonyms_can_be_recounted(self, tmp_path: Path, visits: Any) -> None:
        person = {"column": "Id", "release": "pseudonym"}
        certificate, release = certified(tmp_path, policy={**self.POLICY, "person": person}, rows=visits)
        recounted = json.loads(certificate.read_text())["predicate"]["recounted"]
        assert recounted["persons"] == 60
        assert recounted["columns"]["pseudonyms"] == recounted["criteria"]["linkability"]["pseudonyms"] == ["Id"]
        assert recounted["requirements"][0]["counted_by"] == "recipients"
        checked = maskwise.check_certificate(certificate, release)
        assert checked.is_confirmed
        assert not [name for name in claims(checked) if "holds" in name]
        edit(certificate, *RECOUNTED, "persons", to=61)
        assert wrong(maskwise.check_certificate(certificate, release)) == {"persons": (61, 60)}


@pytest.mark.slow
def test_a_sensitive_column_that_is_dropped_is_the_owners_claim(tmp_path: Path) -> None:
    policy = {**POLICY, "requirements": [POLICY["requirements"][i] for i in (0, 2)], "drop": ["Name", "Ill"]}
    certificate, release = certified(tmp_path, policy=policy)
    second = json.loads(certificate.read_text())["predicate"]["recounted"]["requirements"][1]
    assert second["counted_by"] == "owner"
    assert "reached" not in second
    with release.open(newline="") as file:
        assert second["groups"] == len({row["Sex"] for row in csv.DictReader(file)})
    for given in (None, policy):
        checked = maskwise.check_certificate(certificate, release, policy=given)
        assert checked.is_confirmed
        assert "requirement 2 on {Sex} holds" in claims(checked)


@pytest.mark.slow
def test_a_sensitive_column_released_at_a_depth_is_the_owners_claim(tmp_path: Path) -> None:
    tree = {"Any": {"ill": ["flu", "hiv"], "well": ["none"]}}
    policy = {
        **POLICY,
        "attributes": {**POLICY["attributes"], "Ill": {"taxonomy": tree, "release": 1}},
        "requirements": [POLICY["requirements"][0], {"qid": ["Sex"], "sensitive": "Ill", "diversity": {"distinct": 3}}],
    }
    certificate, release = certified(tmp_path, policy=policy)
    recounted = json.loads(certificate.read_text())["predicate"]["recounted"]
    assert recounted["columns"]["masked"] == ["Age", "Sex", "Ill"]
    checked = maskwise.check_certificate(certificate, release)
    assert checked.is_confirmed
    assert "requirement 2 on {Sex} holds" in claims(checked)


@pytest.mark.slow
@pytest.mark.parametrize(
    "requirement",
    [
        {"qid": ["Sex"], "sensitive": "Ill", "diversity": {"distinct": 2}, "by": "level 1"},
        {"qid": ["Sex"], "sensitive": "Ill", "closeness": 0.4, "distance": "ordered", "order": ["none", "flu", "hiv"]},
    ],
)
def test_what_needs_a_tree_or_an_order_of_values_needs_the_owners_policy(tmp_path: Path, requirement: Any) -> None:
    tree = {"Any": {"infection": ["flu", "hiv"], "well": ["none"]}}
    policy = {
        **POLICY,
        "attributes": {**POLICY["attributes"], "Ill": {"taxonomy": tree}},
        "requirements": [POLICY["requirements"][0], requirement],
    }
    certificate, release = certified(tmp_path, policy=policy)
    assert all(text not in certificate.read_text() for text in ("hiv", "infection"))
    assert "requirement 2 on {Sex} holds" in claims(maskwise.check_certificate(certificate, release))
    checked = maskwise.check_certificate(certificate, release, policy=policy)
    assert checked.is_confirmed
    assert "requirement 2 on {Sex} holds" not in claims(checked)


def test_a_bound_that_is_no_binary_number_is_kept_exactly(tmp_path: Path) -> None:
    """Of two groups, one third and two thirds: a distance of exactly 1/3, which 0.333333333 would not allow."""
    rows = [{"Sex": sex, "Ill": ill} for sex, ills in (("F", "aab"), ("M", "bbb")) for ill in ills]
    policy = {
        "attributes": {"Sex": {"taxonomy": {"Any": ["F", "M"]}, "at_least": 1}},
        "requirements": [{"qid": ["Sex"], "sensitive": "Ill", "closeness": "1/3"}],
    }
    certificate, release = certified(tmp_path, policy=policy, rows=rows)
    checked = maskwise.check_certificate(certificate, release)
    assert checked.is_confirmed
    reached = json.loads(certificate.read_text())["predicate"]["recounted"]["requirements"][0]["reached"]
    assert reached == pytest.approx(1 / 3)


@pytest.mark.slow
def test_escaped_cells_and_names_are_read_back(tmp_path: Path) -> None:
    rows = [{"=Age": row["Age"], "+Sex": row["Sex"], "-Ill": f"={row['Ill']}"} for row in people()]
    policy = {
        "attributes": {"=Age": {"interval": [0, 120]}, "+Sex": "suppress"},
        "requirements": [
            {"qid": ["=Age", "+Sex"], "k": 8},
            {"qid": ["+Sex"], "sensitive": {"-Ill": ["=hiv"]}, "confidence": 0.9},
        ],
    }
    certificate, release = certified(tmp_path, policy=policy, rows=rows, options={"escape_formulas": True})
    assert release.read_text().startswith("'=Age,'+Sex,'-Ill")
    recounted = json.loads(certificate.read_text())["predicate"]["recounted"]
    assert recounted["columns"]["released"] == ["=Age", "+Sex", "-Ill"]
    for given in (None, policy):
        assert maskwise.check_certificate(certificate, release, policy=given).is_confirmed
    edit(certificate, "predicate", "claimed", "options", "escape_formulas", to=False)
    assert "columns.released" in wrong(maskwise.check_certificate(certificate, release))


def test_a_lone_column_with_a_semicolon_in_its_name_is_read_as_written(tmp_path: Path) -> None:
    rows = [{"a;b": text} for text in ["x;y"] * 5 + ["z;w"] * 5]
    policy = {"attributes": {"a;b": "suppress"}, "requirements": [{"qid": ["a;b"], "k": 2}]}
    source = tmp_path / "in.parquet"
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist(rows), source)
    certification = maskwise.Certification(tmp_path / "cert.json")
    maskwise.anonymize(source, policy, tmp_path / "release.csv", beside=certification)
    assert maskwise.check_certificate(tmp_path / "cert.json", tmp_path / "release.csv").is_confirmed


def test_a_column_that_was_to_be_dropped_is_found(tmp_path: Path) -> None:
    from maskwise.formats.certificate_file import fingerprint

    certificate, release = copy_of_certified(tmp_path)
    public = json.loads(certificate.read_text())["predicate"]["policy"]["public"]
    public["drop"] = ["Class"]
    public["class"] = None
    edit(certificate, "predicate", "policy", to={"sha256": fingerprint(public), "public": public})
    edit(certificate, *RECOUNTED, "columns", "dropped", to=["Class"])
    assert "columns.dropped.Class" in wrong(maskwise.check_certificate(certificate, release))


@needs_ssh
class TestSignatures:
    """Whose certificate it is."""

    def signature(self, checked: maskwise.CertificateCheck) -> maskwise.Check:
        return checked.checks[0]

    @pytest.fixture
    def made(self, tmp_path: Path) -> tuple[Path, Path]:
        return certified(tmp_path, sign=make_key(tmp_path / "id"))

    @pytest.mark.slow
    def test_a_trusted_signer_is_named(self, made: tuple[Path, Path], tmp_path: Path) -> None:
        signers = list_signers(tmp_path / "signers", alice=tmp_path / "id")
        checked = maskwise.check_certificate(*made, signers=signers)
        assert checked.is_confirmed
        assert self.signature(checked).found.startswith("signed by alice@example.org with fingerprint SHA256:")

    @pytest.mark.slow
    def test_without_signers_the_key_is_unknown(self, made: tuple[Path, Path]) -> None:
        checked = maskwise.check_certificate(*made)
        assert checked.is_confirmed
        assert "unknown key with fingerprint SHA256:" in self.signature(checked).found
        assert self.signature(checked).mark is CheckMark.NOT_CHECKED

    @pytest.mark.slow
    def test_an_unsigned_certificate_says_so_and_fails_where_a_signer_is_asked(self, tmp_path: Path) -> None:
        signers = list_signers(tmp_path / "signers", alice=make_key(tmp_path / "id"))
        made = copy_of_certified(tmp_path)
        checked = maskwise.check_certificate(*made)
        assert checked.is_confirmed
        assert "unsigned" in self.signature(checked).found
        assert list(wrong(maskwise.check_certificate(*made, signers=signers))) == ["signature"]

    @pytest.mark.slow
    def test_a_signer_who_is_not_listed_fails(self, made: tuple[Path, Path], tmp_path: Path) -> None:
        signers = list_signers(tmp_path / "signers", bob=make_key(tmp_path / "other"))
        checked = maskwise.check_certificate(*made, signers=signers)
        assert list(wrong(checked)) == ["signature"]
        assert "not among the signers" in self.signature(checked).found

    @pytest.mark.slow
    def test_an_edited_claim_is_found_with_and_without_signers(self, made: tuple[Path, Path], tmp_path: Path) -> None:
        edit(made[0], "predicate", "claimed", "statement", to="Approved by nobody.")
        signers = list_signers(tmp_path / "signers", alice=tmp_path / "id")
        for trusted in (None, signers):
            assert list(wrong(maskwise.check_certificate(*made, signers=trusted))) == ["signature"]

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "text", ["", "garbage", "-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n"]
    )
    def test_a_damaged_signature_is_found(self, made: tuple[Path, Path], text: str) -> None:
        made[0].with_name("cert.json.sig").write_text(text)
        assert list(wrong(maskwise.check_certificate(*made))) == ["signature"]

    @pytest.mark.slow
    def test_a_signature_for_another_purpose_does_not_count(self, made: tuple[Path, Path], tmp_path: Path) -> None:
        import subprocess

        command = ["ssh-keygen", "-Y", "sign", "-n", "git", "-f", str(tmp_path / "id")]
        done = subprocess.run(command, input=made[0].read_bytes(), check=True, capture_output=True)
        made[0].with_name("cert.json.sig").write_bytes(done.stdout)
        signers = list_signers(tmp_path / "signers", alice=tmp_path / "id")
        for trusted in (None, signers):
            assert list(wrong(maskwise.check_certificate(*made, signers=trusted))) == ["signature"]

    def test_signers_that_are_not_there_are_refused(self, made: tuple[Path, Path], tmp_path: Path) -> None:
        with pytest.raises(maskwise.InputError, match="nowhere"):
            maskwise.check_certificate(*made, signers=tmp_path / "nowhere")


def risk_of(rows: int) -> Risk:
    """A made-up risk."""
    group = GroupRisk(("Age", "Sex"), rows, 6, 8, 0.125, 0.05, 0.0, {0.09: 0.4}, 8, 0.0)
    return Risk(
        Unit.RECORD,
        {"ema-0070": 0.09},
        (group,),
        group,
        (OneMore(("Age", "Sex"), "Ill", 2, 0.25),),
        (Disclosure(("Age", "Sex"), "Ill", 2, 1.9, 0.7, 0.6, 0.5),),
    )


@pytest.mark.slow
def test_a_risk_is_certified_counted_again_and_compared(tmp_path: Path) -> None:
    """Every figure of it, and those of the three criteria that rest on it."""
    certificate, release = certified(tmp_path)
    said = json.loads(certificate.read_text())["predicate"]["recounted"]
    found = json.loads(json.dumps(maskwise.risk(release, POLICY).to_data()))
    assert said["risk"] == {key: value for key, value in found.items() if key not in {"populations", "estimates"}}
    assert said["criteria"]["singling_out"]["unique_over_all_columns"] == found["everything"]["unique"]
    assert said["criteria"]["inference"]["guesses"][0]["guess_rate"] == found["disclosures"][0]["guess_rate"]
    assert maskwise.check_certificate(certificate, release).is_confirmed
    unique = found["everything"]["unique"]
    edit(certificate, *RECOUNTED, "risk", "everything", "unique", to=unique + 0.25)
    differing = wrong(maskwise.check_certificate(certificate, release))
    assert differing == {"risk.everything.unique": (unique + 0.25, unique)}


@pytest.mark.slow
def test_packed_bytes_count_not_what_they_hold(tmp_path: Path) -> None:
    """The same records, packed anew, are another file."""
    certificate, release = certified(tmp_path, "release.csv.gz")
    content = gzip.decompress(release.read_bytes())
    release.write_bytes(gzip.compress(content, mtime=12))
    assert list(wrong(maskwise.check_certificate(certificate, release))) == ["sha256 of release.csv.gz"]


@pytest.mark.parametrize(
    ("stated", "found", "places"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": True}, ["a"]),
        ({"a": None}, {}, ["a"]),
        ({"a": 1.0}, {"a": 1}, []),
        ({"a": 10**400}, {"a": 0.5}, ["a"]),
        ({"a": 0.1 + 0.2}, {"a": 0.3}, []),
        ({"a": [1]}, {"a": {"0": 1}}, ["a"]),
        ({"a": "1"}, {"a": 1}, ["a"]),
        ([1, 2], [1], ["1"]),
    ],
)
def test_differences(stated: Any, found: Any, places: list[str]) -> None:
    assert [one.name for one in differences(stated, found)] == places


@pytest.mark.parametrize(
    ("key", "to", "differs"),
    [("keep", [], "policy.keep"), ("class", "Nope", "policy.class"), ("epsilon", 0.1, None)],
)
def test_what_a_policy_says_of_columns_is_checked_too(tmp_path: Path, key: str, to: Any, differs: str | None) -> None:
    from maskwise.formats.certificate_file import fingerprint

    certificate, release = copy_of_certified(tmp_path)
    data = json.loads(certificate.read_text())
    data["predicate"]["policy"]["public"][key] = to
    if key == "keep":
        del data["predicate"]["policy"]["public"]["drop"]
    data["predicate"]["policy"]["sha256"] = fingerprint(data["predicate"]["policy"]["public"])
    certificate.write_text(json.dumps(data))
    if differs is None:
        with pytest.raises(maskwise.InputError, match="does not know"):
            maskwise.check_certificate(certificate, release)
    else:
        assert differs in wrong(maskwise.check_certificate(certificate, release))


def test_a_deep_policy_is_refused(tmp_path: Path) -> None:
    certificate, release = copy_of_certified(tmp_path)
    deep: Any = []
    for _ in range(900):
        deep = {"a": deep}
    edit(certificate, "predicate", "policy", "public", "requirements", to=[deep])
    with pytest.raises(maskwise.InputError):
        maskwise.check_certificate(certificate, release)
