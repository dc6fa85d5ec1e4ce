"""The result of a search as plain values: cuts, the steps that led to them, what they reach.

`solution` has the whole, `cut` what one attribute shows, `steps` the
refinements or generalizations, `curve` what each of them kept. Masking, files
and reports need these, and no search code.
"""
