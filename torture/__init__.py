"""A campaign that tries to break maskwise: hostile tables, failing disks, kills, damaged files, planted secrets.

`make torture` runs it for as long as it is told; `tests/torture` runs a seeded
part of it. `campaign` keeps the figures. Each part is a module: `differential`
(random policies against a checker in plain Python), `faults` (system calls that
fail), `kills`, `corruption` (damaged tables and documents), `hostile` (names and
cells) and `studio_bodies` (requests of a page). `checker` shares no code with
maskwise and reads releases with other libraries; `planted` has the secrets.
"""
