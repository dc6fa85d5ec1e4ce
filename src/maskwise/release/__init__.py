"""Mask a table by a solution, and publish it only after the recount has confirmed it.

`released_columns` looks at the columns before they are released: `leaks` finds
those that tell a masked one, `leak_messages` says so.
`mask` rewrites cells, `shuffle` and `escape` change order and spelling,
`frames` gives a data frame of the kind that came in. `publish` is the gate:
`file_set` and `target` say where a draft is and how it gets its name,
`locks` waits for another run.
`interrupt` lets Ctrl-C end a search early.
"""
