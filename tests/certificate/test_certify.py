"""What a certificate holds, and when it is written."""

from __future__ import annotations

import hashlib
import hmac
import json
import shutil
import stat
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import maskwise
from maskwise import read_policy
from maskwise.certificate.public_policy import public_policy, read_public_policy
from maskwise.formats.certificate_file import canonical
from tests.certificate.releases import POLICY, certified, copy_of_certified, make_key, needs_ssh, people, write_csv


def load(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text())


def test_it_is_an_in_toto_statement_about_the_bytes_of_the_release(tmp_path: Path) -> None:
    certificate, release = copy_of_certified(tmp_path)
    statement = load(certificate)
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == "https://github.com/maskwise/maskwise/certificate/v1"
    digest = hashlib.sha256(release.read_bytes()).hexdigest()
    assert statement["subject"] == [{"name": "release.csv", "digest": {"sha256": digest}}]
    assert list(statement) == ["_type", "subject", "predicateType", "predicate"]


def test_the_predicate_begins_like_the_repository(tmp_path: Path) -> None:
    import tomllib

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    certificate, _ = copy_of_certified(tmp_path)
    assert load(certificate)["predicateType"].startswith(project["project"]["urls"]["Homepage"] + "/")


def test_figures_are_those_of_the_released_records(tmp_path: Path) -> None:
    """Counted again in plain Python."""
    import csv
    from collections import Counter

    certificate, release = copy_of_certified(tmp_path)
    recounted = load(certificate)["predicate"]["recounted"]
    with release.open(newline="") as file:
        rows = list(csv.DictReader(file))
    sizes = sorted(Counter((row["Age"], row["Sex"]) for row in rows).values())
    first = recounted["requirements"][0]
    assert recounted["rows"] == len(rows) == 120
    assert (first["reached"], first["groups"]) == (sizes[0], len(sizes))
    assert (first["group_sizes"]["smallest"], first["group_sizes"]["largest"]) == (sizes[0], sizes[-1])
    assert recounted["columns"] == {
        "released": list(rows[0]),
        "masked": ["Age", "Sex"],
        "passed": ["Ill", "Class"],
        "pseudonyms": [],
        "dropped": ["Name"],
    }


def test_what_a_template_reaches_and_protects_is_not_told(tmp_path: Path) -> None:
    certificate, _ = copy_of_certified(tmp_path)
    recounted = load(certificate)["predicate"]["recounted"]
    template, lkc = recounted["requirements"][1], recounted["requirements"][4]
    assert (template["counted_by"], lkc["counted_by"]) == ("owner", "owner")
    assert "reached" not in template
    assert lkc["reached"] == lkc["group_sizes"]["smallest"]
    assert "hiv" not in certificate.read_text()


@pytest.mark.slow
def test_it_names_no_path_no_source_and_no_seed(tmp_path: Path) -> None:
    certificate, _ = certified(tmp_path, key=tmp_path / "owner.key")
    text = certificate.read_text()
    for secret in ("private-source", str(tmp_path), tmp_path.name, "seed", "owner.key", "120]"):
        assert secret not in text, secret


@pytest.mark.slow
def test_trees_ranges_and_spellings_of_missing_cells_stay_with_the_owner(tmp_path: Path) -> None:
    policy = {
        **POLICY,
        "attributes": {
            "Age": {"interval": [7, 117], "clamp": [20, 70], "weight": 2},
            "Sex": {"taxonomy": {"Any": ["F", "M", "unseen"]}},
        },
        "na_values": ["n/a"],
    }
    certificate, _ = certified(tmp_path, policy=policy)
    said = load(certificate)["predicate"]["policy"]
    assert said["public"]["attributes"] == {
        "Age": {"masked_by": "interval", "weight": 2.0},
        "Sex": {"masked_by": "taxonomy"},
    }
    assert all(f'"{text}"' not in certificate.read_text() for text in ("117", "unseen", "n/a"))
    assert said["sha256"] == hashlib.sha256(canonical(said["public"])).hexdigest()


@pytest.mark.slow
def test_claims_say_what_made_it_and_when(tmp_path: Path) -> None:
    import datetime as dt
    import platform
    from importlib.metadata import version

    before = dt.datetime.now(dt.UTC).replace(microsecond=0)
    certificate, _ = certified(tmp_path, statement="Approved by the board.", options={"max_steps": 3})
    claimed = load(certificate)["predicate"]["claimed"]
    assert before <= dt.datetime.fromisoformat(claimed["time"]) <= dt.datetime.now(dt.UTC)
    assert claimed["made_by"] == {
        "maskwise": version("maskwise"),
        "python": platform.python_version(),
        "engine": {"name": "DuckDB", "version": version("duckdb")},
    }
    assert claimed["options"] == {
        "method": "tdr",
        "criterion": "conditional",
        "max_steps": 3,
        "keep_order": False,
        "escape_formulas": False,
    }
    assert claimed["statement"] == "Approved by the board."
    assert {one["attack"] for one in claimed["attacks"]} == {"homogeneity", "skew"}
    assert claimed["earlier_releases"] == []
    assert claimed["not_covered"]


def test_the_input_is_named_by_an_hmac_under_the_owners_key(tmp_path: Path) -> None:
    certificate, _ = copy_of_certified(tmp_path)
    key = tmp_path / "cert.json.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    expected = hmac.new(bytes.fromhex(key.read_text()), (tmp_path / "private-source.csv").read_bytes(), "sha256")
    assert load(certificate)["predicate"]["claimed"]["input"] == {"hmac_sha256": [expected.hexdigest()]}


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_openssl_gives_the_same_hmac(tmp_path: Path) -> None:
    """The command of docs/certificate.md."""
    certificate, _ = copy_of_certified(tmp_path)
    command = "openssl dgst -sha256 -mac HMAC -macopt hexkey:$(cat cert.json.key) private-source.csv"
    done = subprocess.run(["/bin/sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert load(certificate)["predicate"]["claimed"]["input"]["hmac_sha256"] == [done.stdout.split()[-1]]
    assert (
        "openssl dgst -sha256 -mac HMAC -macopt hexkey:"
        in (Path(__file__).parents[2] / "docs" / "certificate.md").read_text()
    )


@pytest.mark.slow
def test_a_key_is_used_again_and_never_replaced(tmp_path: Path) -> None:
    key = tmp_path / "owner.key"
    certificate, _ = certified(tmp_path, key=key)
    one, text = load(certificate)["predicate"]["claimed"], key.read_text()
    certified(tmp_path, key=key)
    two = load(certificate)["predicate"]["claimed"]
    assert key.read_text() == text
    assert (one["input"], one["policy_hmac_sha256"]) == (two["input"], two["policy_hmac_sha256"])


@pytest.mark.slow
def test_another_key_gives_other_hmacs(tmp_path: Path) -> None:
    certificate, _ = certified(tmp_path, key=tmp_path / "one.key")
    one = load(certificate)["predicate"]["claimed"]
    certified(tmp_path, key=tmp_path / "two.key")
    two = load(certificate)["predicate"]["claimed"]
    assert one["input"] != two["input"]
    assert one["policy_hmac_sha256"] != two["policy_hmac_sha256"]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "mode"), [("no key\n", 0o600), ("ab" * 31, 0o600), ("ab" * 32, 0o644)])
def test_a_file_that_is_no_secret_key_is_refused_and_kept(tmp_path: Path, text: str, mode: int) -> None:
    key = tmp_path / "owner.key"
    key.write_text(text)
    key.chmod(mode)
    with pytest.raises(maskwise.InputError, match="owner"):
        certified(tmp_path, key=key)
    assert key.read_text() == text
    assert not (tmp_path / "release.csv").exists()


@pytest.mark.slow
def test_a_key_that_another_run_makes_in_between_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from maskwise.certificate import certify

    key, theirs = tmp_path / "cert.json.key", "ab" * 32
    make = certify.new_key

    def race() -> bytes:
        key.write_text(theirs)
        key.chmod(0o600)
        return make()

    monkeypatch.setattr(certify, "new_key", race)
    certificate, _ = certified(tmp_path)
    assert key.read_text() == theirs
    expected = hmac.new(bytes.fromhex(theirs), (tmp_path / "private-source.csv").read_bytes(), "sha256").hexdigest()
    assert load(certificate)["predicate"]["claimed"]["input"]["hmac_sha256"] == [expected]


@pytest.mark.slow
def test_several_input_files_have_an_hmac_each_in_an_order_that_tells_no_name(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv"):
        write_csv(tmp_path / name, people(60, seed=ord(name[0])))
    certification = maskwise.Certification(tmp_path / "cert.json")
    maskwise.anonymize(f"{tmp_path}/?.csv", POLICY, tmp_path / "release.parquet", beside=certification)
    key = bytes.fromhex((tmp_path / "cert.json.key").read_text())
    expected = sorted(hmac.new(key, path.read_bytes(), "sha256").hexdigest() for path in tmp_path.glob("?.csv"))
    assert load(tmp_path / "cert.json")["predicate"]["claimed"]["input"]["hmac_sha256"] == expected


@pytest.mark.slow
def test_a_data_frame_has_no_bytes_so_its_hmac_is_left_out(tmp_path: Path) -> None:
    frame = pa.Table.from_pylist(people())
    certification = maskwise.Certification(tmp_path / "cert.json")
    maskwise.anonymize(frame, POLICY, tmp_path / "release.csv", beside=certification)
    (said,) = load(tmp_path / "cert.json")["predicate"]["claimed"]["input"].items()
    assert said[0] == "left_out"
    assert maskwise.check_certificate(tmp_path / "cert.json", tmp_path / "release.csv").is_confirmed


def test_a_table_of_a_database_cannot_be_certified(tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect(str(tmp_path / "people.db")) as database:
        frame = pa.Table.from_pylist(people())
        database.execute("CREATE TABLE people AS SELECT * FROM frame")
        assert frame.num_rows
    with pytest.raises(maskwise.InputError, match="table of a database"):
        maskwise.anonymize(
            "people",
            POLICY,
            "released",
            engine=f"duckdb:///{tmp_path}/people.db",
            beside=maskwise.Certification(tmp_path / "cert.json"),
        )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.db"]


@pytest.mark.slow
@pytest.mark.parametrize("statement", ["two\nlines", "\x1b[2J", "half a pair \ud800"])
def test_a_statement_is_a_line_of_text(tmp_path: Path, statement: str) -> None:
    with pytest.raises(maskwise.InputError, match="statement"):
        certified(tmp_path, statement=statement)
    assert not (tmp_path / "cert.json").exists()


def test_an_old_signature_must_not_stay_beside_a_new_certificate(tmp_path: Path) -> None:
    (tmp_path / "cert.json.sig").write_text("of another one")
    with pytest.raises(maskwise.InputError, match=r"cert\.json\.sig"):
        certified(tmp_path)
    assert not (tmp_path / "release.csv").exists()


@needs_ssh
class TestSigning:
    """What is signed appears with its signature, or nothing appears."""

    def left(self, folder: Path) -> set[str]:
        return {path.name for path in folder.iterdir()} - {"private-source.csv", "id", "id.pub"}

    @pytest.mark.slow
    def test_ssh_keygen_confirms_the_signature(self, tmp_path: Path) -> None:
        key = make_key(tmp_path / "id")
        certificate, _ = certified(tmp_path, sign=key)
        command = ["ssh-keygen", "-Y", "check-novalidate", "-n", "maskwise", "-s", f"{certificate}.sig"]
        subprocess.run(command, input=certificate.read_bytes(), check=True, capture_output=True)
        assert self.left(tmp_path) == {"cert.json", "cert.json.sig", "cert.json.key", "release.csv"}

    @pytest.mark.slow
    @pytest.mark.parametrize("key", ["id.pub", "nowhere", "private-source.csv"])
    def test_a_key_that_cannot_sign_leaves_nothing(self, tmp_path: Path, key: str) -> None:
        make_key(tmp_path / "id")
        (tmp_path / "id").unlink()
        with pytest.raises(maskwise.InputError, match=key):
            certified(tmp_path, sign=tmp_path / key)
        assert self.left(tmp_path) == set()

    @pytest.mark.slow
    def test_a_passphrase_without_a_terminal_leaves_nothing(self, tmp_path: Path) -> None:
        key = make_key(tmp_path / "id", "secret word")
        with pytest.raises(maskwise.InputError, match="passphrase"):
            certified(tmp_path, sign=key)
        assert self.left(tmp_path) == set()

    @pytest.mark.slow
    def test_signing_that_fails_at_the_end_leaves_nothing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from maskwise.certificate import certify

        key = make_key(tmp_path / "id")

        def fail(*_: Any) -> bytes:
            raise maskwise.InputError("The agent went away.")

        monkeypatch.setattr(certify, "sign", fail)
        with pytest.raises(maskwise.InputError, match="agent"):
            certified(tmp_path, sign=key)
        assert self.left(tmp_path) == set()

    @pytest.mark.slow
    def test_without_ssh_keygen_it_says_what_is_missing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        key = make_key(tmp_path / "id")
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(maskwise.InputError, match="OpenSSH"):
            certified(tmp_path, sign=key)
        assert self.left(tmp_path) == set()

    def test_the_key_to_sign_with_is_not_written_over(self, tmp_path: Path) -> None:
        key = make_key(tmp_path / "id")
        text = key.read_text()
        with pytest.raises(maskwise.InputError, match="different files"):
            maskwise.Certification(key, sign=key).check()
        assert key.read_text() == text


def test_a_refused_release_leaves_no_certificate_and_no_key(tmp_path: Path) -> None:
    policy = {**POLICY, "requirements": [{"qid": ["Age", "Sex"], "k": 5_000}]}
    with pytest.raises(maskwise.InfeasibleError):
        certified(tmp_path, policy=policy)
    assert [path.name for path in tmp_path.iterdir()] == ["private-source.csv"]


@pytest.mark.slow
def test_the_same_run_gives_the_same_bytes_but_for_the_time(tmp_path: Path) -> None:
    certificate, _ = certified(tmp_path, key=tmp_path / "owner.key")
    one = certificate.read_text().splitlines()
    certified(tmp_path, key=tmp_path / "owner.key")
    two = certificate.read_text().splitlines()
    assert [line for line in one if '"time"' not in line] == [line for line in two if '"time"' not in line]
    assert certificate.read_bytes().endswith(b"}\n")


def test_a_certificate_is_readable_for_all_and_its_key_is_not(tmp_path: Path) -> None:
    certificate, release = copy_of_certified(tmp_path)
    assert stat.S_IMODE(certificate.stat().st_mode) == stat.S_IMODE(release.stat().st_mode)


@pytest.mark.slow
def test_earlier_releases_are_named_under_the_owners_key(tmp_path: Path) -> None:
    """A plain hash of a solution would let others try guessed hidden values until one fits."""
    import maskwise

    table = pa.table({"Age": [20 + i % 40 for i in range(200)], "Sex": ["F", "M"] * 100})
    policy = {"requirements": [{"qid": ["Age", "Sex"], "k": 5}]}
    first = maskwise.anonymize(table, policy, max_steps=1)
    beside = maskwise.Certification(tmp_path / "cert.json")
    second = maskwise.anonymize(table, policy, tmp_path / "r.csv", against=first.solution, beside=beside)
    (digest,) = second.solution.against
    key = bytes.fromhex((tmp_path / "cert.json.key").read_text())
    expected = hmac.new(key, digest.encode(), "sha256").hexdigest()
    assert load(tmp_path / "cert.json")["predicate"]["claimed"]["earlier_releases"] == [
        {"solution_hmac_sha256": expected}
    ]
    assert digest not in (tmp_path / "cert.json").read_text()


def test_a_class_that_is_a_number_is_told_and_read_again() -> None:
    policy = read_policy({"class": {"charges": "number"}, "requirements": [{"qid": ["age"], "k": 3}]})
    told = public_policy(policy)
    assert told["class"] == {"charges": "number"}
    read = read_public_policy(told).policy
    assert (read.class_name, read.class_is_number) == ("charges", True)
    for wrong in ({}, {"charges": "text"}, ["charges"]):
        with pytest.raises(maskwise.InputError, match="The policy in the certificate is none"):
            read_public_policy({**told, "class": wrong})


def test_masked_columns_of_a_certificate_have_no_form_of_numbers() -> None:
    asked = {"numbers": {"age": "1234,5", "cost": "1234,5"}, "requirements": [{"qid": ["age"], "k": 3}]}
    told = public_policy(read_policy({**asked, "attributes": {"cost": {"rounded": [10], "release": 1}}}))
    assert "numbers" not in told
    assert not read_public_policy(told).policy.reading.numbers
    # Cells such as 1,5 and 1,50 would be counted as one group.
    for name in ("age", "cost"):
        with pytest.raises(maskwise.InputError, match=f"reads `{name}` as numbers of a form"):
            read_public_policy({**told, "numbers": {name: "1234,5"}})
