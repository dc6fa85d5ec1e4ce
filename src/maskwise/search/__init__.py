"""Search: move a cut through the value trees until it is as good as the requirements allow.

Nothing here sees a record or an engine. `interface` says what a search is,
`registry` lists those that there are, `options` how to search. `topdown` and
`bottomup` are the papers' moves (`score_search` and `bottomup_search` make
Solutions of them), `conditional/` goes beyond them, `groups/` has the compiled
loops. `explain` says of any result why it shows no more.
"""
