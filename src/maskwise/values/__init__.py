"""Values that everything else knows: ordered scales, spellings, locations, amounts of memory, Arrow arrays.

`scales` has the ordered types and `parsing` reads cells as one of them;
`spelling` says when two texts are one value, `location` where a table is,
`memory` how much a run may use, `arrow` goes from Arrow to NumPy and back,
`cells` reads single cells, `input_kind` says what kind of data was given,
`message` is a note or a warning, `kernel` compiles loops.
`processors` shares work among threads. Nothing here knows a policy, a table or an engine.
"""
