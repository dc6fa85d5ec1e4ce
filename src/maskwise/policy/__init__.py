"""What the owner asks: the policy, its attributes and taxonomies, and the requirements.

`policy` puts the parts together, `requirements/` has one file per privacy model,
`grids` says where intervals may be split.
"""
