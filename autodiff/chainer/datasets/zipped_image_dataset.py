"""Images in zip files, as arrays of shape (channel, height, width)."""

from __future__ import annotations

import io
import os
import zipfile
from typing import Any

import numpy as np

from autodiff.chainer.dataset.dataset_mixin import DatasetMixin
from autodiff.chainer.datasets.concatenated_dataset import ConcatenatedDataset
from autodiff.chainer.datasets.image_files import labeled, read_image
from autodiff.facade.settings.configuration import get_dtype
from autodiff.trace.forking import lock_of


class ZippedImageDataset(DatasetMixin):
    """The image files in a zip file. Threads and processes may share it.

    Args:
        zipfilename: the path of the zip file.
        dtype: the dtype of the arrays; ``config.dtype`` if None.
    """

    def __init__(self, zipfilename: Any, dtype: Any = None) -> None:
        self._zipfilename = zipfilename
        self._dtype = get_dtype(dtype)
        self._zf: zipfile.ZipFile | None = None
        self._zf_pid: int | None = None
        self._lock = lock_of(self, "_lock")
        with zipfile.ZipFile(zipfilename) as file:
            self._paths = [name for name in file.namelist() if not name.endswith("/")]

    def __len__(self) -> int:
        return len(self._paths)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_zf": None, "_zf_pid": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=lock_of(self, "_lock"))

    def get_example(self, i_or_filename: int | str) -> np.ndarray[Any, Any]:
        """The image by its number, or by its name in the zip file."""
        name = i_or_filename if isinstance(i_or_filename, str) else self._paths[i_or_filename]
        return read_image(io.BytesIO(self.content(name)), self._dtype)

    def content(self, name: str) -> bytes:
        """The bytes of a file."""
        with self._lock:
            if self._zf is None or self._zf_pid != os.getpid():  # a forked process must open the file again
                self._zf, self._zf_pid = zipfile.ZipFile(self._zipfilename), os.getpid()
            return self._zf.read(name)

    def close(self) -> None:
        """Close the zip file; it is opened again when it is needed."""
        if self._zf is not None:
            self._zf.close()
            self._zf = None

    def __del__(self) -> None:
        if "_zf" in self.__dict__:
            self.close()


class MultiZippedImageDataset(DatasetMixin):
    """The image files in several zip files, one after the other.

    Args:
        zipfilenames: the paths of the zip files.
        dtype: the dtype of the arrays; ``config.dtype`` if None.
    """

    def __init__(self, zipfilenames: Any, dtype: Any = None) -> None:
        self._zfs = ConcatenatedDataset(*(ZippedImageDataset(name, dtype) for name in zipfilenames))

    def __len__(self) -> int:
        return len(self._zfs)

    def get_example(self, i: int) -> np.ndarray[Any, Any]:
        return self._zfs[i]  # type: ignore[no-any-return]


class LabeledZippedImageDataset(DatasetMixin):
    """Pairs of an image in a zip file and its label.

    Args:
        zipfilename: the path of the zip file.
        labelfilename: the path of a text file with the name of an image and an integer in each line.
        dtype: the dtype of the arrays; ``config.dtype`` if None.
        label_dtype: the dtype of the labels, which are arrays without axes.
    """

    def __init__(self, zipfilename: Any, labelfilename: Any, dtype: Any = None, label_dtype: Any = np.int32) -> None:
        self._zipfile = ZippedImageDataset(zipfilename, dtype)
        self._pairs = labeled(labelfilename)
        self._label_dtype = label_dtype

    def __len__(self) -> int:
        return len(self._pairs)

    def get_example(self, i: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        name, label = self._pairs[i]
        return self._zipfile.get_example(name), np.array(label, dtype=self._label_dtype)
