"""Doctests of modules that need an extra which is not installed are left out."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("pyspark") else ["src/maskwise/engines/spark/*"]
collect_ignore_glob += [] if find_spec("starlette") else ["src/maskwise/studio/*", "tests/studio/*"]
