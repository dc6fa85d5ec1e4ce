"""Compress: from records to distinct coded rows, one small table per quasi-identifier.

`compress` is the entrance and returns compressed tables (`compressed_table`);
`recode` asks the engine for them; `packing` puts several counters into one
word, and `spill` keeps what does not fit into memory in temporary files.
"""
