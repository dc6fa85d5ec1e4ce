"""How well does `maskwise suggest` judge columns whose roles are known, and what does it cost beside one scan?"""

from __future__ import annotations

import os
import sys
import warnings

import duckdb
import pyarrow as pa
from tests.suggestion.faker_tables import faker_tables
from tests.suggestion.made_tables import IDENTIFIER, QUASI, SENSITIVE, all_tables

import maskwise
from bench.blowup import FOLDER
from bench.measure import side_by_side, table
from maskwise.datasets import ADULT_QIDS, CRX_QIDS, GERMAN_QIDS, load_adult, load_crx, load_german
from maskwise.errors import MaskwiseError

RUN = "import sys; from maskwise.cli.app import main; sys.exit(main(sys.argv[1:]))"
SCAN = """
import duckdb, sys
source = f"read_csv('{sys.argv[1]}', all_varchar=true)" if sys.argv[1].endswith("csv") else f"'{sys.argv[1]}'"
duckdb.connect().execute(f"SELECT bit_xor(hash(COLUMNS(*))) FROM {source}").fetchall()
"""
LOAD = SCAN.replace("SELECT bit_xor(hash(COLUMNS(*)))", "CREATE TABLE loaded AS SELECT *")
PEOPLE = """
SELECT i AS record_id, 'P' || (i // 3) AS patient_id, md5(i::VARCHAR) AS token, 'user' || i || '@example.org' AS email,
    '+44 20 ' || (1000 + hash(i) % 9000) || ' ' || (1000 + hash(i + 1) % 9000) AS phone, 18 + hash(i, 1) % 80 AS age,
    CASE WHEN hash(i, 2) % 2 = 0 THEN 'F' ELSE 'M' END AS sex, lpad((hash(i, 3) % 99000)::VARCHAR, 5, '0') AS zip,
    DATE '1935-01-01' + (hash(i, 4) % 25000)::INTEGER AS birth_date,
    CASE hash(i, 5) % 3 WHEN 0 THEN 'single' WHEN 1 THEN 'married' ELSE 'divorced' END AS marital_status,
    'city' || hash(i, 6) % 800 AS city, (hash(i, 7) % 100000) / 10.0 AS amount,
    chr((65 + hash(i, 8) % 10)::INTEGER) || (10 + hash(i, 9) % 80) || '.' || hash(i, 10) % 9 AS diagnosis,
    20000 + hash(i, 11) % 60000 AS salary,
    TIMESTAMP '2024-01-01' + to_minutes((hash(i, 12) % 400000)::INTEGER) AS visit_time
FROM range({n}) t(i)
"""
"""People with identifiers of many kinds: the columns that cost most are those that differ in every record."""


def judge() -> None:
    """Print how each table is judged, and whether its draft masks it."""
    rows: list[tuple[object, ...]] = [
        ("table", "identifiers found", "quasi-identifiers kept", "sensitive found", "draft", "labels shown")
    ]
    totals = [0, 0, 0, 0]
    for name, data, roles in _tables():
        suggestion = maskwise.suggest(data, class_name=_class_of(name))
        found = {column.name: str(column.role) for column in suggestion.columns}
        identifiers = [column for column, role in roles.items() if role == IDENTIFIER]
        known = [column for column, role in roles.items() if role == QUASI]
        secret = [column for column, role in roles.items() if role == SENSITIVE]
        left_out = {column.name for column in suggestion.columns if column.role.is_left_out}
        n_found = sum(found[column] in {"identifier", "person"} for column in identifiers)
        n_kept = sum(column not in left_out or found[column] == "repeated" for column in known)
        n_secret = sum(found[column] in {"sensitive", "quasi-identifier"} for column in secret)
        totals = [a + b for a, b in zip(totals, (n_found, len(identifiers), n_kept, len(known)), strict=True)]
        try:
            outcome = maskwise.anonymize(data, suggestion.policy)
            shown = sum(len(cut.labels) for cut in outcome.solution.cuts)
            ended = "masked"
        except MaskwiseError as error:
            shown, ended = 0, str(error)
        counted = (f"{n_found} of {len(identifiers)}", f"{n_kept} of {len(known)}", f"{n_secret} of {len(secret)}")
        rows.append((name, *counted, ended, shown))
    rows.append(("all", f"{totals[0]} of {totals[1]}", f"{totals[2]} of {totals[3]}", "", "", ""))
    table(rows)


def _tables() -> list[tuple[str, pa.Table, dict[str, str]]]:
    made = [(one.name, pa.table(one.cells), one.roles) for one in all_tables()]
    real = [("adult", load_adult(), dict.fromkeys({*ADULT_QIDS["Top9"], *ADULT_QIDS["GA"]}, QUASI))]
    if "MASKWISE_DATA" in os.environ:
        real += [("crx", load_crx(), dict.fromkeys(CRX_QIDS["Top9"], QUASI))]
        real += [("german", load_german(), dict.fromkeys(GERMAN_QIDS["Top9"], QUASI))]
    # Of another maker, under names that were written without the vocabulary.
    other = [(f"faker-{one.name}", pa.table(one.cells), one.roles) for one in faker_tables()]
    return real + made + other


def _class_of(name: str) -> str | None:
    return {"adult": "income", "crx": "A16"}.get(name)


def measure(n_rows: int, rounds: int) -> None:
    """Print what a draft costs beside one scan of the file that hashes every cell, and beside loading it."""
    rows: list[tuple[object, ...]] = [(f"{n_rows:,} rows, 15 columns", "seconds", "ratio", "peak GiB")]
    FOLDER.mkdir(exist_ok=True)
    for source in (FOLDER / f"people-{n_rows}.csv", FOLDER / f"people-{n_rows}.parquet"):
        if not source.exists():
            duckdb.connect().execute(f"COPY ({PEOPLE.format(n=n_rows)}) TO '{source}'")
        commands = {
            "DuckDB: one scan": [sys.executable, "-c", SCAN, str(source)],
            "DuckDB: loading it": [sys.executable, "-c", LOAD, str(source)],
            "maskwise suggest": [sys.executable, "-c", RUN, "suggest", str(source), "--json"],
        }
        by_command = side_by_side(commands, rounds)
        base = by_command["DuckDB: one scan"].seconds
        for name, measured in by_command.items():
            rows.append((f"{source.suffix}, {name}", measured.seconds, measured.seconds / base, measured.gibibytes))
    table(rows)


def main(n_rows: int = 1_000_000, rounds: int = 3) -> None:
    warnings.simplefilter("ignore", maskwise.MaskwiseWarning)
    judge()
    measure(n_rows, rounds)


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
