"""Classifiers of our own: C4.5 and Naive Bayes, as scikit-learn classifiers.

`c45/` is the decision tree that the papers measure with, `naive_bayes` takes
numbers and categories together; `sklearn_input` and `columns` check a table
and code it for both.
"""
