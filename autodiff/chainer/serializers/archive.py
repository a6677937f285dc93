"""The arrays of ``.npz`` files. Loading one never runs code that the file contains."""

from __future__ import annotations

import pickle
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.lib import format as npy

from autodiff.trace.source import at_user_line

HARMLESS = {("numpy", "ndarray"), ("numpy", "dtype"), ("_codecs", "encode")}
"""What an array of None, numbers, texts, lists and dicts needs; besides it only NumPy's ``_reconstruct``."""


class SafeUnpickler(pickle.Unpickler):
    """An unpickler of arrays of plain Python objects, such as the None of an uninitialised parameter."""

    def find_class(self, module: str, name: str) -> Any:
        """NumPy's own names for arrays; nothing else."""
        if name == "_reconstruct" and module in ("numpy.core.multiarray", "numpy._core.multiarray"):
            return np.ndarray.__reduce__(np.array(None))[0]
        if (module, name) in HARMLESS:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(
            f"the file wants to load {module}.{name}{at_user_line()}, which could run any code; if you trust the "
            "file, use load_npz(file, obj, allow_pickle=True)"
        )


class Archive(Mapping[str, Any]):
    """An open ``.npz`` file whose object arrays may hold plain Python objects.

    Args:
        npz: what ``np.load`` gives.
    """

    def __init__(self, npz: Any) -> None:
        self.npz = npz

    def __getitem__(self, key: str) -> Any:
        if not self.npz.allow_pickle:
            with self.npz.zip.open(self.member(key)) as file:
                if dtype_in(file).hasobject:
                    return SafeUnpickler(file).load()
        return self.npz[key]

    def member(self, key: str) -> str:
        """The name of the file inside of the archive."""
        return key + ".npy" if key + ".npy" in self.npz.zip.namelist() else key

    def __contains__(self, key: object) -> bool:
        return key in self.npz

    def __iter__(self) -> Iterator[str]:
        return iter(self.npz.files)

    def __len__(self) -> int:
        return len(self.npz.files)


def dtype_in(file: Any) -> np.dtype[Any]:
    """The dtype that the header of an ``.npy`` file announces; the file is read up to its data."""
    version = npy.read_magic(file)
    if version == (1, 0):
        return npy.read_array_header_1_0(file)[2]
    if version == (2, 0):
        return npy.read_array_header_2_0(file)[2]
    return np.dtype(np.uint8)  # version 3 is for field names, and np.load refuses what may not be loaded


def write_archive(file: Any, arrays: dict[str, Any], compression: bool) -> None:
    """Write arrays to an open file, such that Chainer can load it.

    Args:
        file: a file that is open for writing.
        arrays: the arrays by name.
        compression: whether to compress.
    """
    method = zipfile.ZIP_DEFLATED if compression else zipfile.ZIP_STORED
    with zipfile.ZipFile(file, "w", method) as archive:
        for key, value in arrays.items():
            with archive.open(key + ".npy", "w", force_zip64=True) as member:
                write_array(member, np.asanyarray(value))


def write_array(file: Any, array: np.ndarray[Any, Any]) -> None:
    """Write an array in NumPy's format; objects under the name that NumPy 1, which Chainer needs, has for arrays."""
    if not array.dtype.hasobject:
        npy.write_array(file, array, allow_pickle=False)
        return
    npy.write_array_header_1_0(file, npy.header_data_from_array_1_0(array))
    file.write(pickle.dumps(array, 3).replace(b"cnumpy._core.multiarray\n", b"cnumpy.core.multiarray\n", 1))
