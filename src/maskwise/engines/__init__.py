"""Where the records are: DuckDB, PostgreSQL or Spark.

Only a few verbs cross this border: scan, group, relabel, write. Each of them is
a pass over records inside the engine. `sql` has the verbs, written once for all
databases; `base` has the protocol of a dialect, which says how one kind of
database is talked to; `choose` finds the engine that is meant.
"""
