"""How long does the same run take where the data is: in a file, in PostgreSQL, on Spark with one core and two?

`python -m bench.engines [rows] [postgres://...]`: without an address a server is started as the tests do it.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import time

import psycopg
import pyarrow.parquet as pq
from tests.engines.postgres_server import Server

from bench.blowup import FOLDER, blow_up, policy

RUN = """
import sys, time, maskwise
data, policy, target, engine = sys.argv[1:]
begin = time.perf_counter()
seen = []
def note(event):
    stage = getattr(event, "stage", None)
    if stage is not None and str(stage) not in seen:
        seen.append(str(stage))
        print(f"    {stage:9} {time.perf_counter() - begin:6.1f} s", flush=True)
maskwise.anonymize(data, policy, target, engine=engine, on_event=note)
print(f"    done      {time.perf_counter() - begin:6.1f} s")
"""


def load(url: str, rows: int) -> None:
    csv, parquet = blow_up(rows)
    columns = ", ".join(
        f'"{field.name}" {"bigint" if str(field.type) == "int64" else "text"}' for field in pq.read_schema(parquet)
    )
    with psycopg.connect(url) as database, database.cursor() as cursor, csv.open("rb") as file:
        cursor.execute("DROP TABLE IF EXISTS adult")
        cursor.execute(f"CREATE TABLE adult ({columns})")
        with cursor.copy("COPY adult FROM STDIN (FORMAT csv, HEADER)") as copied:
            while block := file.read(1 << 20):
                copied.write(block)


def run(title: str, data: str, target: str, engine: str, rules: str) -> None:
    print(title, flush=True)
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", RUN, data, rules, target, engine], check=True, stderr=subprocess.DEVNULL)
    print(f"  {time.perf_counter() - begin:.1f} s with start-up", flush=True)


def digest(name: str) -> str:
    """The records of a released csv, whatever their order."""
    return hashlib.sha256(b"".join(sorted((FOLDER / name).read_bytes().splitlines()))).hexdigest()[:12]


def main(rows: int, url: str | None) -> None:
    _, parquet = blow_up(rows)
    rules = str(policy())
    server = None
    if url is None:
        server = Server()
        url = server.url
    load(url, rows)
    run("DuckDB, parquet to csv", str(parquet), str(FOLDER / "engines-duckdb.csv"), "duckdb", rules)
    run("PostgreSQL, table to table", "adult", "adult_masked", url, rules)
    run("PostgreSQL, table to csv", "adult", str(FOLDER / "engines-postgres.csv"), url, rules)
    for cores in (1, 2):
        target = str(FOLDER / f"engines-spark-{cores}.csv")
        run(f"Spark, {cores} core(s), parquet to csv", str(parquet), target, f"local[{cores}]", rules)
    for name in ("duckdb", "postgres", "spark-1", "spark-2"):
        print(name, digest(f"engines-{name}.csv"))
    if server is not None:
        server.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000, sys.argv[2] if len(sys.argv) > 2 else None)
