"""Rules: trees that follow from how a value is written, also for values nobody has seen yet.

A rule names, for any value, the ever coarser labels above it. `base` has the
protocol and builds the tree of the values at hand; each kind of rule is a module.
"""
