"""The arrays of snapshots in ``.npz`` files, among which there are plain Python objects: Chainer writes None so."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any

import numpy as np
from numpy.lib import format as numpy_format

from autodiff.chainer.serializers.loading import check_stored, is_array
from autodiff.chainer.serializers.pickles import load_plain
from autodiff.saving import archive
from autodiff.saving.npy import Header
from autodiff.trace.source import at_user_line

PICKLES = 2**26
"""The most bytes of an array of objects."""


class Archive(archive.Archive):
    """An open ``.npz`` file whose object arrays may hold plain Python objects."""

    def read(self, key: str, value: Any) -> np.ndarray[Any, Any]:
        """The array that is stored under a key.

        Args:
            key: its name.
            value: what the object has in its place (see :func:`check_stored`).

        Raises:
            ValueError: if it has another shape, is damaged, or takes more memory than it may.
            TypeError: if its dtype does not fit.
            pickle.UnpicklingError: if it holds other objects than arrays, numbers, texts and None.
        """

        def check(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
            check_stored(key, shape, dtype, value)
            if not is_array(value):
                self.take(key, Header(shape, dtype, False).size)

        stored = self.read_checked(key, check)
        if stored.dtype.hasobject and (stored.shape or stored[()] is not None):
            check_stored(key, stored.shape, stored.dtype, value)
        return stored

    def read_objects(self, key: str, file: Any, header: Header) -> np.ndarray[Any, Any]:
        """An array of objects, if it is what its header announces."""
        stored = load_plain(file, PICKLES)
        if type(stored) is not np.ndarray or (stored.shape, stored.dtype) != (header.shape, header.dtype):
            raise pickle.UnpicklingError(f"{key} holds something else than the array that it announces")
        return stored

    def no_room(self, key: str, size: int) -> str:
        return (
            f"{key} takes {size} bytes, and {self.room} are left for values of unknown size{at_user_line()}: "
            "initialize the object before it is loaded, or, if you trust the file, use load_npz(file, obj, "
            "allow_pickle=True)"
        )


def write_array(file: Any, array: np.ndarray[Any, Any]) -> None:
    """Write an array in NumPy's format; objects under the name that NumPy 1, which Chainer needs, has for arrays."""
    if not array.dtype.hasobject:
        archive.write_plain(file, array)
        return
    numpy_format.write_array_header_1_0(file, numpy_format.header_data_from_array_1_0(array))
    file.write(pickle.dumps(array, 3).replace(b"cnumpy._core.multiarray\n", b"cnumpy.core.multiarray\n", 1))


write_archive = partial(archive.write_archive, write=write_array)
