"""How the recount measures each privacy model, one file each: plain arithmetic on the counts of groups.

Written apart from the search's own arithmetic (`search.rule_kernels`), so that
one checks the other. `registry` lists which measure a part has.
"""
