"""Values that everything else knows: ordered scales, spellings, locations, amounts of memory, Arrow arrays.

Nothing here knows a policy, a table or an engine.
"""
