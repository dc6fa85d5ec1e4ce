"""The groups of a quasi-identifier while a cut moves: split on the way down, merged on the way up.

`splitting` with `split_kernels` is for top-down searches, `merging` with
`merge_kernels` and `merge_store` for bottom-up ones.
"""
