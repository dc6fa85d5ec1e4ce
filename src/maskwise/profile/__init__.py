"""Profile: one-dimensional counts of every masked column, and whether the table fits its policy.

`profile` is the entrance and returns a `Profile` (`columns`); `column_counts`
asks the engine for the distinct cells of each column, `sensitive` looks at the
columns that requirements protect, `identifier_warning` at those that pass
through, `person_keys` at keys of persons with several records, `record_order`
at what the order of records tells. `round_numbers` chooses safe boundaries,
`spelling_advice` is for cells that are spelled in another way. All gains and interval trees of a search
follow from these counts.
"""
