"""Classifiers of our own: C4.5 and Naive Bayes, one of each in the whole project."""
