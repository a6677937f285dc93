"""The formats of files of arrays: NumPy's ``.npz`` and ``.safetensors``."""

from __future__ import annotations

import importlib
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from autodiff.saving.archive import DAMAGE, Archive, Check, write_archive
from autodiff.trace.errors import described
from autodiff.trace.source import at_user_line

SAFE = {
    "BOOL": "bool", "U8": "uint8", "I8": "int8", "U16": "uint16", "I16": "int16", "U32": "uint32", "I32": "int32",
    "U64": "uint64", "I64": "int64", "F16": "float16", "F32": "float32", "F64": "float64", "BF16": "bfloat16",
    "C64": "complex64",
}  # fmt: skip
"""The dtypes of safetensors that there are here."""


class Reader(NamedTuple):
    """An open file.

    Attributes:
        names: of its arrays.
        read: ``read(name, check)`` gives an array, whose shape and dtype ``check`` has not refused.
    """

    names: list[str]
    read: Callable[[str, Check | None], Any]


class Format(NamedTuple):
    """A format of files.

    Attributes:
        write: writes arrays by their names to an open file.
        open: opens a file for reading.
    """

    write: Callable[[Any, Mapping[str, Any]], None]
    open: Callable[[Path], AbstractContextManager[Reader]]


def write_npz(file: Any, arrays: Mapping[str, Any]) -> None:
    """Arrays as an ``.npz`` archive, which is compressed."""
    for name, array in arrays.items():
        if array.dtype.kind not in "biufc":
            raise TypeError(
                f"{name} is {array.dtype}{at_user_line()}, which .npz files have no code for; {elsewhere(array)}"
            )
    write_archive(file, arrays, compression=True)


def elsewhere(array: Any) -> str:
    """What to do with an array that one of the formats does not have."""
    if array.dtype.kind in "biufc":
        return "use .npz"
    if array.dtype.name in SAFE.values():
        return "use .safetensors"
    return "make numbers of it, or leave it out, by autodiff.tree.partition"


@contextmanager
def open_npz(path: Path) -> Iterator[Reader]:
    """An ``.npz`` archive, from which nothing but numbers and texts is read."""
    with open(path, "rb") as file:
        try:
            archive = Archive(zipfile.ZipFile(file))
        except (*DAMAGE, ValueError) as error:
            raise ValueError(f"{path} is no .npz archive{at_user_line()}: {error}") from error
        yield Reader(list(archive), archive.read_checked)


def safetensors() -> Any:
    """The library of safetensors, with its part for NumPy.

    Raises:
        ModuleNotFoundError: if it is not installed.
    """
    try:
        return importlib.import_module("safetensors"), importlib.import_module("safetensors.numpy")
    except ImportError as error:
        raise ModuleNotFoundError(
            "files of safetensors need the library; install it with: pip install 'autodiff[safetensors]'"
        ) from error


def write_safetensors(file: Any, arrays: Mapping[str, Any]) -> None:
    """Arrays as a file of safetensors."""
    for name, array in arrays.items():
        if array.dtype.name not in SAFE.values():
            raise TypeError(
                f"{name} is {array.dtype}{at_user_line()}, which .safetensors files do not have; {elsewhere(array)}"
            )
    _, of_numpy = safetensors()
    file.write(
        of_numpy.save({name: np.ascontiguousarray(array).reshape(array.shape) for name, array in arrays.items()})
    )


@contextmanager
def open_safetensors(path: Path) -> Iterator[Reader]:
    """A file of safetensors."""
    library, _ = safetensors()
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}{at_user_line()}")
    try:
        opened = library.safe_open(path, framework="numpy")
    except library.SafetensorError as error:
        raise ValueError(f"{path} is no file of safetensors{at_user_line()}: {error}") from error
    with opened as file:

        def read(name: str, check: Check | None) -> Any:
            part = file.get_slice(name)
            code = part.get_dtype()
            if code not in SAFE:
                raise TypeError(f"{name} is {code} in the file{at_user_line()}, a dtype that NumPy does not have")
            if check is not None:
                check(tuple(part.get_shape()), named_dtype(SAFE[code]))
            return file.get_tensor(name)

        yield Reader(list(file.keys()), read)


def named_dtype(name: str) -> np.dtype[Any]:
    """A dtype by its name; bfloat16 is that of ``ml_dtypes``."""
    if name == "bfloat16":
        brief: np.dtype[Any] = np.dtype(importlib.import_module("ml_dtypes").bfloat16)
        return brief
    return np.dtype(name)


FORMATS = {".npz": Format(write_npz, open_npz), ".safetensors": Format(write_safetensors, open_safetensors)}


def path_of(given: Any, caller: str) -> Path:
    """The path of a file that is to be written.

    Raises:
        TypeError: if it is none, such as the tree, which comes after it.
        ValueError: if its name is that of no format.
        FileNotFoundError: if there is no folder for it.
    """
    if not isinstance(given, str | PathLike):
        raise TypeError(f"{caller}: the file is {described(given)}{at_user_line()}; give its path, such as 'model.npz'")
    path = Path(given)
    format_of(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{caller}: there is no folder {path.parent}{at_user_line()}; make it first")
    return path


def format_of(path: Path) -> Format:
    """The format that a file has by the end of its name.

    Raises:
        ValueError: if it is none of them.
    """
    if path.suffix not in FORMATS:
        raise ValueError(
            f"{path.name} ends neither in .npz nor in .safetensors{at_user_line()}; the end of a name says in which "
            "format a tree is saved"
        )
    return FORMATS[path.suffix]
