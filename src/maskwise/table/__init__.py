"""Read: from a file, a data frame or a table of a database to records that an engine can scan."""
