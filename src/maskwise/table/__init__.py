"""Read: from a file, a data frame or a table of a database to records that an engine can scan.

`read` is the entrance and returns a `Table` (`table`); `files` opens one or
many files, `data_frames` those of other libraries; `column_names` gives every
column a name of its own, `missing_values` empties cells that stand for no value;
`endpoints` opens both ends of a run, what is read and where the release goes;
`held_files` reads files into this process, and `csv_records` counts what a csv holds in another way;
`random_part` draws some records of a large table. What the cells of a column
mean is the concern of `profile`.
"""
