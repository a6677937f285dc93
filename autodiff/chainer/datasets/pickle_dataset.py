"""Pickled objects one after the other in a file."""

from __future__ import annotations

import os
import pickle
from typing import Any, Self

from autodiff.chainer.dataset.dataset_mixin import DatasetMixin
from autodiff.trace.forking import lock_of


class PickleDatasetWriter:
    """Writes a file for :class:`PickleDataset`.

    Args:
        writer: a file that is open for writing bytes.
        protocol: the pickle protocol.
    """

    def __init__(self, writer: Any, protocol: int = pickle.HIGHEST_PROTOCOL) -> None:
        self._positions: list[int] = []
        self._writer = writer
        self._protocol = protocol

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._writer.close()

    def flush(self) -> None:
        """Write what is in the buffer of the file."""
        self._writer.flush()

    def write(self, x: Any) -> None:
        """Append an object."""
        pickle.dump(x, self._writer, protocol=self._protocol)


class Reopened:
    """A file that a process opens for itself.

    Args:
        path: the path.
    """

    def __init__(self, path: Any) -> None:
        self.path = path
        self.open()

    def open(self) -> None:
        """Open it for this process."""
        self.file = open(self.path, "rb")  # noqa: SIM115 - it stays open as long as the dataset
        self.pid = os.getpid()

    def current(self) -> Any:
        """The file, opened again in a process that was forked."""
        if self.pid != os.getpid():
            self.open()
        return self.file

    def __reduce__(self) -> tuple[Any, tuple[Any]]:
        return Reopened, (self.path,)

    def close(self) -> None:
        """Close it."""
        self.file.close()


class PickleDataset(DatasetMixin):
    """The pickled objects in a file, each loaded when it is asked for.

    Args:
        reader: a file that is open for reading bytes. Loading a pickle can run any code: read only files you trust.
    """

    def __init__(self, reader: Any) -> None:
        self._reader = reader
        self._lock = lock_of(self, "_lock")
        self._positions = positions_in(self._file())

    def _file(self) -> Any:
        return self._reader.current() if isinstance(self._reader, Reopened) else self._reader

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=lock_of(self, "_lock"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._reader.close()

    def __len__(self) -> int:
        return len(self._positions)

    def get_example(self, index: int) -> Any:
        with self._lock:
            file = self._file()
            file.seek(self._positions[index])
            return pickle.load(file)


def positions_in(file: Any) -> list[int]:
    """Where the objects begin."""
    size = file.seek(0, os.SEEK_END)
    position, positions = file.seek(0), []
    while position < size:
        positions.append(position)
        pickle.load(file)
        position = file.tell()
    return positions


def open_pickle_dataset(path: Any) -> PickleDataset:
    """The dataset in a file; close it, or use it in ``with``.

    Args:
        path: the path. Loading a pickle can run any code: read only files you trust.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "objects.pkl")
    >>> with open_pickle_dataset_writer(path) as writer:
    ...     writer.write("first")
    ...     writer.write([2])
    >>> with open_pickle_dataset(path) as dataset:
    ...     len(dataset), dataset[1]
    (2, [2])
    """
    return PickleDataset(Reopened(path))


def open_pickle_dataset_writer(path: Any, protocol: int = pickle.HIGHEST_PROTOCOL) -> PickleDatasetWriter:
    """A writer of a new file; close it, or use it in ``with``.

    Args:
        path: the path.
        protocol: the pickle protocol.
    """
    return PickleDatasetWriter(open(path, "wb"), protocol)
