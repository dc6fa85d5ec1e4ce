"""Taxonomies in files: one module a format, listed in `registry`.

A reader turns the text of a file into a `forest.Forest`: which value stands
below which, and on what line. The forest makes one tree of it or says what is
wrong, so every format has the same checks and the same messages. `source` reads
the file, `delimited` its rows where it is a table, `frames` does the same for
indexes and data frames of pandas.
"""
