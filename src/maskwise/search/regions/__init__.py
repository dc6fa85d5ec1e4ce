"""Top-down search region by region: every region of the table has a cut of its own.

`domains` has the values that a region may show, `teacher` what a good classifier
knows of each row, `split_kernels` the compiled search for the best split of a
region, `growth` the regions while they are split, `search` the whole.
"""
