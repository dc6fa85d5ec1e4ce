"""Files beside the table: policies, taxonomies, solutions, traces, curves, certificates.

`policy_file` with `requirement_file` and `taxonomies` reads what the owner
asks, `yaml_lines` knows the line of every key; `solution_file`, `trace_file`
and `curve_file` write what a run found, `certificate_file` what its owner
certifies; `text_file` reads small files whole.
Pydantic is used here and nowhere else.
"""
