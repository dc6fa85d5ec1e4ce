"""The privacy models, one file each: k-anonymity, confidence, LKC, diversity, closeness.

A model's file has its bound, what it counts, its wording and its file form.
`base` has the protocols through which everything else speaks of a model, and
`models` lists them. How the verifier measures a model is in `verify.measures`.
"""
