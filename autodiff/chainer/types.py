"""Names for what arguments may be, for annotations in programs that use them."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Number
from typing import Any, Protocol

import numpy as np

Shape = tuple[int, ...]
ShapeSpec = int | Sequence[int]
ScalarValue = np.generic | bytes | str | memoryview | Number
DTypeSpec = Any
NdArray = Any
Xp = Any
DeviceSpec = Any
CudaDeviceSpec = Any


class AbstractInitializer(Protocol):
    """What fills arrays in place.

    Attributes:
        dtype: the dtype of the arrays to be made for it, or None.
    """

    dtype: DTypeSpec = None

    def __call__(self, array: NdArray) -> None:
        """Fill the array."""


InitializerSpec = AbstractInitializer | ScalarValue | np.ndarray[Any, Any]
