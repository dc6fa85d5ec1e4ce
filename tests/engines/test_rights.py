"""What a user of a database may not do is told with the right that is missing, and no message shows a password."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import maskwise
from maskwise.errors import WriteError
from tests.conftest import Run
from tests.engines.conftest import Place, load_postgres
from tests.engines.postgres_server import Server
from tests.engines.test_failures import POLICY, At, table, untouched

PASSWORD = "s3cr/t%"  # noqa: S105 - of a user who lives as long as a test
SPELLED = "s3cr%2Ft%25"  # in an address


@pytest.fixture
def guest(server: Server, postgres: Place) -> Iterator[str]:
    """The address of a user who may read the people and make temporary tables, and nothing else."""
    del postgres
    load_postgres(server, table(), "people")
    server.run(f"CREATE ROLE guest LOGIN PASSWORD '{PASSWORD}'; GRANT SELECT ON people TO guest")
    yield server.url.replace("owner@", f"guest:{SPELLED}@")
    server.run("REVOKE ALL ON SCHEMA public FROM guest; DROP OWNED BY guest; DROP ROLE guest")


def test_a_missing_right_to_read_is_named(server: Server, guest: str) -> None:
    server.run("REVOKE SELECT ON people FROM guest")
    with pytest.raises(maskwise.InputError, match=r"GRANT SELECT ON people TO guest"):
        maskwise.audit("people", POLICY, engine=guest)


def test_a_missing_right_to_make_the_target_is_named(server: Server, guest: str) -> None:
    never = At("profile", lambda: pytest.fail("began to work"))
    with pytest.raises(WriteError, match=r"GRANT CREATE ON SCHEMA public TO guest"):
        maskwise.anonymize("people", POLICY, "masked", engine=guest, on_event=never)
    untouched(server)


def test_a_missing_right_to_make_temporary_tables_is_named(server: Server, guest: str, folder: Path) -> None:
    server.run("REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC")
    try:
        with pytest.raises(maskwise.InputError, match="GRANT TEMPORARY ON DATABASE postgres TO guest"):
            maskwise.anonymize("people", POLICY, str(folder / "out.csv"), engine=guest)
    finally:
        server.run("GRANT TEMPORARY ON DATABASE postgres TO PUBLIC")
    assert not list(folder.iterdir())
    assert maskwise.anonymize("people", POLICY, str(folder / "out.csv"), engine=guest).verdict.is_met


def test_another_users_table_is_not_replaced(server: Server, guest: str) -> None:
    server.run("GRANT CREATE ON SCHEMA public TO guest; CREATE TABLE masked AS SELECT 1 AS old")
    with pytest.raises(WriteError, match="may not replace `masked`: it is another user's"):
        maskwise.anonymize("people", POLICY, "masked", engine=guest)
    assert server.run("SELECT * FROM masked") == [(1,)]
    untouched(server)


def test_a_database_that_is_read_only_is_told(server: Server, guest: str, folder: Path) -> None:
    server.run("ALTER ROLE guest SET default_transaction_read_only = on")
    with pytest.raises(maskwise.InputError, match="read-only, as a replica is"):
        maskwise.anonymize("people", POLICY, str(folder / "out.csv"), engine=guest)
    assert not list(folder.iterdir())


def test_a_query_that_took_too_long_is_no_lost_connection(server: Server, guest: str) -> None:
    server.run(
        "ALTER ROLE guest SET statement_timeout = '100ms'; CREATE VIEW slow AS SELECT p.* FROM people p, pg_sleep(9)"
    )
    try:
        server.run("GRANT SELECT ON slow TO guest")
        with pytest.raises(maskwise.InputError, match="statement_timeout"):
            maskwise.audit("slow", POLICY, engine=guest)
    finally:
        server.run("DROP VIEW slow")


def test_a_source_cannot_be_dropped_between_two_stages(server: Server, guest: str, folder: Path) -> None:
    """The transaction holds it, so who drops it waits until the run has ended."""

    def drop() -> None:
        with pytest.raises(Exception, match="lock timeout"):
            server.run("SET lock_timeout = '50ms'; DROP TABLE people")

    outcome = maskwise.anonymize("people", POLICY, str(folder / "out.csv"), engine=guest, on_event=At("compress", drop))
    assert outcome.verdict.is_met


def test_no_message_and_no_file_shows_a_password(
    guest: str, run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "policy.yaml").write_text(json.dumps(POLICY))
    files = {"--solution": "s.json", "--trace": "t.jsonl", "--report": "r.json", "--curve": "c.csv"}
    given = [part for flag, name in files.items() for part in (flag, folder / name)]
    asked = ("-p", folder / "policy.yaml", "-o")
    nobody = guest.replace("guest:", "stranger:")
    said = [
        run("mask", "people", *asked, folder / "out.csv", "--engine", guest, *given),
        run("mask", f"{guest}#people", *asked, folder / "again.csv", "--json"),
        run("audit", f"{guest}#people", "-p", folder / "policy.yaml"),
        run("audit", f"{guest}#peple", "-p", folder / "policy.yaml"),
        run("mask", guest, *asked, folder / "out.csv"),
        run("mask", "people", *asked, "masked", "--engine", guest),
        run("mask", "people", *asked, f"{guest}.csv", "--engine", guest),
        run("mask", "people", "-p", guest, "-o", "masked", "--engine", guest),
        run("mask", "people", *asked, "masked", "--engine", nobody),
        run("mask", "people", *asked, "masked", "--engine", guest.replace(":/", "")),
        run("mask", f"{guest}#people", *asked, "masked", "--engine", guest),
        run("apply", f"{guest}#people", "-s", folder / "s.json", "-o", folder / "later.csv"),
    ]
    monkeypatch.setenv("MASKWISE_DEBUG", "1")
    said.append(run("mask", "people", *asked, "masked", "--engine", guest.replace("%25", "%")))
    codes = [one.code for one in said]
    assert codes == [0, 0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 0, 2]
    texts = [one.out + one.err for one in said] + [path.read_text() for path in folder.iterdir()]
    assert not [text for text in texts if "s3cr" in text]
    assert "%25 for a percent sign" in said[-1].err
