"""PostgreSQL: the connection, its types, its error messages."""
