"""Lines of text files that are too large to keep in memory."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from typing import Any

from autodiff.chainer.dataset.dataset_mixin import DatasetMixin
from autodiff.trace.forking import lock_of
from autodiff.trace.source import at_user_line


class TextDataset(DatasetMixin):
    """The lines of text files, read when they are asked for: strings, or tuples of the lines of several files.

    Args:
        paths: a path, or several paths whose lines belong together.
        encoding: as for ``open``; one for all files, or a list with one for each.
        errors: as for ``open``, likewise.
        newline: as for ``open``, likewise.
        filter_func: a function of the lines of all files that says whether the example is taken.

    Raises:
        ValueError: if there is no file, if the files have different numbers of lines, or if a list of options does not
            have one for each file.
    """

    def __init__(
        self,
        paths: Any,
        encoding: Any = None,
        errors: Any = None,
        newline: Any = None,
        filter_func: Callable[..., Any] | None = None,
    ) -> None:
        self._paths = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
        if not self._paths:
            raise ValueError(f"at least one text file must be specified{at_user_line()}")
        options = [self.for_each_file(option) for option in (encoding, errors, newline)]
        self._options = [dict(zip(("encoding", "errors", "newline"), one)) for one in zip(*options)]
        self._lock = lock_of(self, "_lock")
        self._open()
        self._positions = [positions for positions, lines in self._scan() if filter_func is None or filter_func(*lines)]

    def for_each_file(self, option: Any) -> list[Any]:
        """The option as a list with one for each file."""
        if option is None or isinstance(option, str):
            return [option] * len(self._paths)
        if len(option) != len(self._paths):
            raise ValueError(f"{option!r} has {len(option)} options for {len(self._paths)} files{at_user_line()}")
        return list(option)

    def _open(self) -> None:
        pairs = zip(self._paths, self._options)
        self._files = [open(path, **options) for path, options in pairs]  # noqa: SIM115 - close() closes them
        self._pid = os.getpid()

    def _scan(self) -> Iterator[tuple[tuple[int, ...], tuple[str, ...]]]:
        """Where the lines of each example begin, and the lines.

        Raises:
            ValueError: if a file ends before another one.
        """
        for count in itertools.count():
            positions = tuple(file.tell() for file in self._files)
            lines = tuple(file.readline() for file in self._files)
            if not any(lines):
                return
            if not all(lines):
                ended = next(path for path, line in zip(self._paths, lines) if not line)
                raise ValueError(
                    f"number of lines in files does not match: {ended} has {count} and others have more{at_user_line()}"
                )
            yield positions, lines

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_files": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=lock_of(self, "_lock"))
        self._open()

    def __len__(self) -> int:
        return len(self._positions)

    def close(self) -> None:
        """Close the files."""
        for file in self._files:
            file.close()

    def __del__(self) -> None:
        if self.__dict__.get("_files"):
            self.close()

    def get_example(self, idx: int) -> Any:
        """The line number ``idx``, or the tuple of the lines of all files, with their line ends.

        Raises:
            IndexError: if there is none of that number.
        """
        if not 0 <= idx < len(self._positions):
            raise IndexError(f"there is no line {idx} among {len(self)}{at_user_line()}")
        with self._lock:
            if self._pid != os.getpid():  # a forked process shares the position in the file with its parent
                self._open()
            lines = tuple(self._line(file, position) for file, position in zip(self._files, self._positions[idx]))
        return lines[0] if len(lines) == 1 else lines

    @staticmethod
    def _line(file: Any, position: int) -> str:
        file.seek(position)
        return str(file.readline())
