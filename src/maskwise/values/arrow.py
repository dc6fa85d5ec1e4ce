"""From Arrow to NumPy and back, without the pandas import that Arrow's own way costs.

Wherever Arrow converts a Python value or a NumPy array it imports pandas, if
that is installed, to ask whether the value is one of its own: a fifth of a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray


def as_numpy(values: pa.Array | pa.ChunkedArray) -> NDArray[Any]:
    """View numbers or truth values without missing ones as a NumPy array.

    >>> import pyarrow as pa
    >>> as_numpy(pa.chunked_array([[True], [False]])).tolist()
    [True, False]
    """
    whole = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if pa.types.is_boolean(whole.type):
        return as_numpy(whole.cast(pa.uint8())).astype(np.bool_)
    if whole.null_count:
        msg = f"{whole.null_count} values are missing where none may be."
        raise ValueError(msg)
    return np.frombuffer(whole.buffers()[1] or b"", whole.type.to_pandas_dtype())[
        whole.offset : whole.offset + len(whole)
    ]


def from_numpy(values: NDArray[Any]) -> pa.Array:
    """View numbers or truth values as an Arrow array.

    >>> from_numpy(np.array([1, 2], np.uint8)).type
    DataType(uint8)
    """
    if values.dtype == np.bool_:
        return from_numpy(values.astype(np.uint8)).cast(pa.bool_())
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(np.ascontiguousarray(values))])


def narrowest(n_codes: int) -> type[np.unsignedinteger[Any]]:
    """The smallest type of numbers that holds so many codes, from 0 on.

    >>> narrowest(256).__name__, narrowest(257).__name__
    ('uint8', 'uint16')
    """
    for dtype in (np.uint8, np.uint16, np.uint32):
        if n_codes <= np.iinfo(dtype).max + 1:
            return dtype
    return np.uint64
