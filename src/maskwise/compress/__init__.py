"""Compress: from records to distinct coded rows, one small table per quasi-identifier."""
