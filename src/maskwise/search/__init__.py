"""Search: move a cut through the value trees until it is as good as the requirements allow.

Nothing here sees a record or an engine: `options` say how to search, `search`
is the entrance, `topdown` and `bottomup` are the papers' moves, `conditional/`
goes beyond them, `groups/` has the compiled loops.
"""
