"""Arrow arrays as NumPy arrays, without the pandas import that Arrow's own way costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


def as_numpy(values: pa.Array | pa.ChunkedArray) -> NDArray[Any]:
    """View numbers or truth values without missing ones as a NumPy array.

    >>> import pyarrow as pa
    >>> as_numpy(pa.chunked_array([[True], [False]])).tolist()
    [True, False]
    """
    import pyarrow as pa  # noqa: PLC0415 - heavy

    whole = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if pa.types.is_boolean(whole.type):
        return np.from_dlpack(whole.cast(pa.uint8())).astype(np.bool_)
    return np.from_dlpack(whole)
