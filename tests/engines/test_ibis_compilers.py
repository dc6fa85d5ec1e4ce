"""Ibis's compilers are imported one by one, and behave as if all were there."""

from __future__ import annotations

import json
import subprocess
import sys

SCRIPT = """
import json, sys
from maskwise.engines.ibis_compilers import import_compilers_when_asked
import_compilers_when_asked()
import ibis
ibis.duckdb.connect()
n_for_duckdb = sum(name.startswith("ibis.backends.sql.compilers.") for name in sys.modules)
import ibis.backends.sql.compilers as compilers
from ibis.backends.sql.compilers import risingwave
classes = [getattr(compilers, name).__name__ == name for name in compilers.__all__]
sql = ibis.to_sql(ibis.table({"a": "int"}, name="t").a.sum(), dialect="mysql")
print(json.dumps([n_for_duckdb, all(classes), len(classes), hasattr(compilers, "nothing"), "SUM" in sql]))
"""


def test_only_the_compiler_of_duckdb_is_imported_and_others_when_they_are_asked_for() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    n_for_duckdb, have_all, n_classes, has_nothing, compiles = json.loads(done.stdout)
    assert n_for_duckdb < 6
    assert have_all
    assert n_classes > 15
    assert not has_nothing
    assert compiles


BESIDE = '''
import sys, threading, time
from maskwise.engines.ibis_compilers import import_compilers_when_asked

def pause(event, arguments):
    """Before the first line of Ibis is run, which is among the modules already."""
    if event == "exec" and getattr(arguments[0], "co_filename", "").endswith("ibis/__init__.py") and not other.ident:
        other.start()
        time.sleep(0.3)

other = threading.Thread(target=import_compilers_when_asked)
sys.addaudithook(pause)
import ibis
other.join()
print(ibis.to_sql(ibis.table({"a": "int"}, name="t").a.sum(), dialect="duckdb"))
'''


def test_another_thread_may_be_importing_ibis() -> None:
    done = subprocess.run([sys.executable, "-c", BESIDE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "SUM" in done.stdout
