"""A differentially private release: refinements chosen by mechanisms, and noisy counts of the groups.

Read in this order: `domain` (what is declared), `utility` (what a refinement is
worth, and its sensitivity), `mechanisms` (OpenDP), `growth` (choosing),
`counting` and `empty_cells` (noise), `mechanism` (all of it, on coded rows),
`coded_records` (from a table to these rows, inside the engine), `ledger` and
`run` (reading, releasing, the account). What a run gives back holds only what
the mechanism released.
"""
