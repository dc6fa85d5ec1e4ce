"""ClickHouse: tables of a folder, by the database that chdb runs inside this process."""
