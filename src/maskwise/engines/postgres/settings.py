"""How much memory and how many workers a run asks PostgreSQL for, for its own transaction alone."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import psycopg

from maskwise.values.memory import for_engine

_LEAST = 64 << 10
"""PostgreSQL takes no smaller work_mem."""
_MOST = (1 << 31) - 1
"""So many kilobytes are the largest work_mem that it knows."""
_OF_WORKER = 256 << 20
"""A further worker has to have so many bytes."""
_HASHES = 2
"""A hash table may have so many times work_mem, which is what servers from version 15 on take by themselves."""


@dataclass(frozen=True, slots=True)
class QueryMemory:
    """The settings of one transaction."""

    work_mem: int
    """The kilobytes of one sort; a hash table may have twice as many."""
    n_workers: int
    """How many workers help with one query (`max_parallel_workers_per_gather`)."""
    hash_mem_multiplier: int = _HASHES
    """How many times `work_mem` a hash table may have."""


def share_memory(memory: int, n_workers: int, most_workers: int) -> QueryMemory:
    """Share a run's memory among a query and its workers.

    Where the server's owner allows no workers there are none; otherwise there
    are at least as many as the server gives every query, and more only up to
    half of all that it has, because others want some, too.

    Args:
        memory: How many bytes the run may use, in all.
        n_workers: How many workers the server gives a query.
        most_workers: How many it has in all.

    >>> share_memory(4 << 30, 2, 8)
    QueryMemory(work_mem=314572, n_workers=4, hash_mem_multiplier=2)
    """
    share = for_engine(memory)
    if n_workers:
        n_workers = min(max(n_workers, min(most_workers // 2, share // _OF_WORKER)), most_workers)
    work_mem = share // (_HASHES * (n_workers + 1))
    return QueryMemory(min(max(work_mem, _LEAST) >> 10, _MOST), n_workers)


def ask_for_memory(connection: Any, memory: int) -> None:
    """Set what the queries of a transaction may use; what the server's owner does not allow is left as it is.

    Args:
        connection: A connection of our own, in its transaction.
        memory: How many bytes the run may use, in all.
    """
    names = ("max_parallel_workers_per_gather", "max_parallel_workers")
    allowed = [int(connection.execute("SELECT current_setting(%s)", [name]).fetchone()[0]) for name in names]
    given = share_memory(memory, *allowed)
    settings = {
        "work_mem": f"{given.work_mem}kB",
        "hash_mem_multiplier": str(given.hash_mem_multiplier),
        "max_parallel_workers_per_gather": str(given.n_workers),
    }
    for name, value in settings.items():
        # Servers before 13 know no multiplier, and a setting may be reserved for others.
        with suppress(psycopg.Error), connection.transaction():
            connection.execute("SELECT set_config(%s, %s, true)", [name, value])
