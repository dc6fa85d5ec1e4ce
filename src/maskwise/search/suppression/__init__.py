"""Searching with a budget of records that may be suppressed.

`row_groups` keeps the groups of every QID over the rows of all attributes
together, so that a row can be taken away from all of them at once; its loops are
in `settle_kernels` and `candidate_kernels`. `chooser` weighs refinements that have
to pay, `stopping` says when a bottom-up search may stop.
"""
