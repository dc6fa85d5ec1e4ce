"""Top-down search by what is not shown yet: conditional gain, several variants, the best of them kept.

`inputs` counts what all variants start from, `unmasked_columns` what a
recipient knows anyway, `class_groups` keeps the class inside the groups;
`criterion` chooses refinements by the gains of `gain_kernels`, `growing_tree`
splits intervals on the way, `variants` runs several searches and
`cross_validation` judges them.
"""
