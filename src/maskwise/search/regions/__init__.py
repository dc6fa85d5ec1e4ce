"""Top-down search region by region: every region of the table has a cut of its own.

`domains` has the values that a region may show, `teacher` what a good classifier
knows of each row (`targets`: of a class, or a number), `gain_kernels` and
`split_kernels` the compiled search for the best split of a region, `growth` the
regions while they are split and `qid_groups` their groups. `shared_splits` splits
several regions at one place (`places`). `variants` chooses how to search, `search`
is the whole, and `build_regions` makes a Solution of it.
"""
