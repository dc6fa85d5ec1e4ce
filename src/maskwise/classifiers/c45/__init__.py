"""C4.5, the decision tree that the papers measure with.

`classifier` is what scikit-learn sees, `tree` grows and prunes,
`split_kernels` and `record_kernels` hold the loops over records. The
conditional search compares its variants with it, `evaluate` measures with it.
"""
