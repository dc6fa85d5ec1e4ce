"""Where the records are: DuckDB, PostgreSQL or Spark.

Only a few verbs cross this border: scan, group, relabel, write, each of them a
pass over records inside the engine. `base` has the protocol, `sql` the verbs,
written once, and `choose` finds the engine that is meant.
"""
