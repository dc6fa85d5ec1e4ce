"""A first draft of a policy from a raw table: `suggest` returns a `Suggestion`.

`names` and `shapes` say what a column seems to be, by its name and by its
cells (`check_digits` and `code_lists` know the numbers and codes). `evidence`
counts inside the engine, `column_sets` finds the sets of columns that single
out records. `roles` decides, `masking` and `demands` choose entries and
requirements, `trials` tries them on the table, and `draft` writes them as YAML
with the reasons as comments.
`private_draft` drafts a private release instead: domains to be confirmed.
"""
