"""The studio: a page in the browser, served to this machine alone, on which a table is masked without writing YAML.

Two processes. The server is light: `serving` starts it and opens the browser,
`access` decides who is answered, `routes` and `bodies` have the requests,
`studio` what is open and running, `table_process` talks to the other process,
`drafts`, `uploads` and `private_folder` keep files, `page/` is the page itself.
The other process has the table, and can be killed: `process_loop` receives
`commands`, which work on a `maskwise.Session`; `run_views`, `tree_views` and
`exporting` say what the page shows of it.
"""
