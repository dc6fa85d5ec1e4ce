"""Gradient boosting over histograms, as LightGBM and scikit-learn do it, with the same result on every machine.

`binning` turns columns into at most 255 bins, `tree` grows one tree from gradients,
`kernels` holds the compiled loops, and `model` adds trees up and predicts.

Gradients are rounded to whole numbers of 2**-29. Sums of them are exact, so the order of
the records changes nothing, two splits into the same groups have equal gains, and ties
are broken by rule: the first column, then the first split in order of its bins.
"""
