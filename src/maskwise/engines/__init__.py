"""Where the records are: DuckDB, PostgreSQL or Spark.

Only a few verbs cross this border: scan, group, recode, relabel, write. Each of them is
a pass over records inside the engine. `sql` has the verbs, written once for all
databases; `base` has the protocol of a dialect, which says how one kind of
database is talked to; `choose` lists the databases and
finds the one that is meant. `defaults` are what dialects share, `value_counts`
the counts of single columns, `pair_counts` those of pairs, `labels` how a cell becomes its label,
`write_files` writes files, `error_messages` are errors without a cell.
"""
