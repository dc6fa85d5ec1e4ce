"""Read: from a file, a data frame or a table of a database to records that an engine can scan.

`read` is the entrance and returns a `Table` (`table`); `files` opens one or
many files; `endpoints` opens both ends of a run, what is read and where the
release goes; `random_part` draws some records of a large table. What the cells
of a column mean is the concern of `profile`.
"""
