"""SQLite: tables of a file, copied once into a DuckDB of this process, which counts them, and written back.

To count the 14 columns of a million records one by one takes SQLite 9 s and to
read all of their cells once 3 s, so the records are read once, and everything
else is DuckDB's work. `dialect` has what is asked of every engine,
`connection` opens the file, `rows` copies records, `column_types` says what
their cells are read as, `written_tables` writes them, `error_messages` are
errors without a cell.
"""
