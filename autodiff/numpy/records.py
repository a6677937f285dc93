"""Structured arrays that traced values may be written to: ``p["position"] = x`` of ``p = np.zeros(n, dtype=[...])``.

The fields of a structured array do not overlap. So each of them is a buffer of its own, over its part of the memory,
until something traced is written to it (:mod:`autodiff.numpy.buffers`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from autodiff.numpy.buffers import Buffer, settled
from autodiff.numpy.dispatch import contains_traced
from autodiff.trace.errors import ConcretizationError
from autodiff.trace.source import at_user_line


class Records:
    """A structured array, or a part of one.

    Attributes:
        plain: NumPy's array, which holds the fields to which nothing traced was written.
        fields: the fields that the program has asked for.
        whole: the array of which it is a part, and the key of that; None of a whole one.
    """

    def __init__(self, plain: Any, whole: tuple[Records, Any] | None = None) -> None:
        self.plain = plain
        self.fields: dict[str, Any] = {}
        self.whole = whole

    def field(self, name: str) -> Any:
        """A field: of a part of an array, the part of its field."""
        if self.whole is not None:
            records, key = self.whole
            return records.field(name)[key]
        if name not in self.fields:
            found = self.plain[name]  # which says so if there is none of that name
            self.fields[name] = Records(found) if found.dtype.names else Buffer(found)
        return self.fields[name]

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self.field(key)
        key = settled(key)
        return Records(self.plain[key], (self, key))

    def __setitem__(self, key: Any, value: Any) -> None:
        names = self.plain.dtype.names
        if isinstance(key, str):
            self.write(key, ..., value)
        elif isinstance(value, Records):
            for name, own in zip(names, value.plain.dtype.names, strict=True):
                self.write(name, key, value.field(own))
        elif isinstance(value, tuple) and contains_traced(value):
            for name, part in zip(names, value, strict=True):
                self.write(name, key, part)
        else:
            self.now[key] = settled(value)

    def write(self, name: str, key: Any, value: Any) -> None:
        """Write to some elements of a field."""
        if self.whole is None:
            self.field(name)[key] = value
        else:
            records, place = self.whole
            if key is ...:
                records.write(name, place, value)
            else:
                part = records.field(name)[place]
                part[key] = value

    @property
    def now(self) -> Any:
        """The plain array.

        Raises:
            ConcretizationError: if a field is traced by now.
        """
        root: Records = self
        while root.whole is not None:
            root = root.whole[0]
        for name, field in root.fields.items():
            if isinstance(field, Records):
                field.now  # noqa: B018 - raises
            elif type(field.now) is not np.ndarray:
                raise ConcretizationError(
                    f"the field {name!r} of a structured array is traced, and the whole would become plain"
                    f"{at_user_line()}; take the fields one by one, p[{name!r}]"
                )
        return self.plain

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"'numpy.ndarray' object has no attribute {name!r}")
        if name in ("shape", "dtype", "ndim", "size", "itemsize", "nbytes"):
            return getattr(self.plain, name)
        return getattr(self.now, name)

    def __len__(self) -> int:
        return len(self.plain)

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self.plain)))

    def __array__(self, *args: Any, **options: Any) -> Any:
        return np.asarray(self.now, *args, **options)

    def __eq__(self, other: Any) -> Any:
        return self.now == (other.now if isinstance(other, Records) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.plain)
