"""Trees for categories that have neither an order nor a tree, grown from their counts.

`units` says which values are told apart and what their groups are called;
`by_classes`, `by_frequency` and `by_similarity` each split a set of values in
two; `grow` puts a tree together.
"""
