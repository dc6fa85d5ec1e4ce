"""A table that is looked at, searched and released step by step, as notebooks and the studio do.

`session` opens a table and keeps what it has counted, `search_run` is one search
with all its steps, `remarks` checks a policy, `column_views` describes columns.
"""
