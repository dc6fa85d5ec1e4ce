"""C4.5, the decision tree that the papers measure with.

`classifier` is what scikit-learn sees, `checked` and `columns` take a table
apart (for Naive Bayes too), `tree` grows and prunes, `splits` and `kernels`
hold the loops over records. Below both `tasting`, which judges searches with
it, and `evaluate`, which measures with it and exports it.
"""
