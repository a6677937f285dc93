"""``np.r_`` and ``np.c_`` with traced values between the brackets, and grids that traced values can be written to."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.numpy.buffers import fresh, settled
from autodiff.numpy.dispatch import FUNCTIONS, as_operand, contains_traced
from autodiff.numpy.items.indexing import index
from autodiff.numpy.namespace import OWN, enter
from autodiff.trace.spec import spec_of


class Concatenator:
    """What stands for one of NumPy's: it arranges numbers of elements, and the elements are picked by them.

    Attributes:
        original: NumPy's own.
    """

    def __init__(self, original: Any) -> None:
        self.original = original

    def __getitem__(self, key: Any) -> Any:
        key = settled(key)
        parts = key if isinstance(key, tuple) else (key,)
        if not contains_traced(parts):
            return fresh(self.original[key])
        values = [part if isinstance(part, str) else as_operand(self.evaluated(part)) for part in parts]
        places: list[Any] = []
        flat: list[Any] = []
        count = 0
        for value in values:
            if isinstance(value, str):
                places.append(value)
                continue
            shape = spec_of(value).shape
            size = int(np.prod(shape, dtype=int))
            places.append(np.arange(count, count + size).reshape(shape) if shape else count)
            flat.append(FUNCTIONS[np.ravel](value))
            count += size
        arrangement = np.asarray(self.original[tuple(places)])
        return index(FUNCTIONS[np.concatenate](flat), arrangement.astype(np.intp))

    def evaluated(self, part: Any) -> Any:
        """A slice as the numbers that it stands for."""
        return np.r_[part] if isinstance(part, slice) else part

    def __len__(self) -> int:
        return 0


class Grid:
    """What stands for ``np.mgrid`` or ``np.ogrid``.

    Attributes:
        original: NumPy's own.
    """

    def __init__(self, original: Any) -> None:
        self.original = original

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["original"], name)

    def __getitem__(self, key: Any) -> Any:
        found = self.original[key]
        return type(found)(map(fresh, found)) if isinstance(found, (list, tuple)) else fresh(found)


for _name in ("mgrid", "ogrid"):
    OWN[_name] = enter(getattr(np, _name), Grid(getattr(np, _name)))
for _name in ("r_", "c_"):
    OWN[_name] = enter(getattr(np, _name), Concatenator(getattr(np, _name)))
