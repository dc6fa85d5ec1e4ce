"""Where the records are: DuckDB, PostgreSQL or Spark.

Only a few verbs cross this border: scan, group, recode, relabel, write. Each of them is
a pass over records inside the engine. `sql` has the verbs, written once for all
databases; `dialect` has the abstract class that says what a kind of database must provide, `base` the values that go in
and out; `choose` lists the databases and finds the one that is meant. `value_counts` are
the counts of single columns, `pair_counts` those of pairs, `labels` how a cell becomes its label,
`write_files` writes files, `error_messages` are errors without a cell.
"""
