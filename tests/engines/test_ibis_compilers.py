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
