"""Compress: from records to distinct coded rows, one small table per quasi-identifier.

`compress` is the entrance: it answers the `request` of a search and returns
compressed tables (`compressed_table`); `recode` asks the engine for them,
`class_tables` for the class by all masked attributes together;
`spill` keeps what does not fit into memory in temporary files.
"""
