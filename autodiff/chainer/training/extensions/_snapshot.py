"""Snapshots: the whole state of training in files, so that it can go on from there."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

from autodiff.chainer.serializers.npz import DictionarySerializer, load_npz
from autodiff.chainer.training.extension import Extension
from autodiff.chainer.training.extensions.snapshot_writers import SimpleWriter, Writer

FILENAME = "snapshot_iter_{.updater.iteration}"


def snapshot(
    savefun: Callable[..., Any] | None = None,
    filename: str | Callable[[Any], str] = FILENAME,
    *,
    target: Any = None,
    condition: Callable[[], bool] | None = None,
    writer: Writer | None = None,
    snapshot_on_error: bool = False,
    n_retains: int = -1,
    autoload: bool = False,
    num_retain: int | None = None,
) -> _Snapshot:
    """An extension that saves the trainer, after each epoch by default.

    ``load_npz(file, trainer)`` before ``trainer.run()`` goes on from a snapshot.

    Args:
        savefun: writes a file: ``savefun(path, arrays)``; ``save_npz`` by default.
        filename: the file's name in the trainer's folder; what stands in braces is formatted with the trainer. Or a
            function that makes it of the trainer.
        target: what to save, if not the trainer.
        condition: asked each time whether to save.
        writer: how to write: see ``snapshot_writers``.
        snapshot_on_error: whether to save when training raises.
        n_retains: how many files to keep; all if it is not positive.
        autoload: whether to load the latest file in the trainer's folder before training.
        num_retain: the former name of ``n_retains``.

    Raises:
        TypeError: if both ``savefun`` and ``writer`` are given, or files shall be found whose names a function makes.
    """
    if num_retain is not None:
        warnings.warn("num_retain is deprecated; use n_retains", DeprecationWarning, stacklevel=2)
        n_retains = num_retain
    if savefun is not None and writer is not None:
        raise TypeError("savefun and writer cannot be specified together; pass savefun to the writer")
    if writer is None:
        writer = SimpleWriter() if savefun is None else SimpleWriter(savefun)
    return _Snapshot(target, condition, writer, filename, snapshot_on_error, n_retains, autoload)


def snapshot_object(
    target: Any,
    filename: str | Callable[[Any], str],
    savefun: Callable[..., Any] | None = None,
    *,
    condition: Callable[[], bool] | None = None,
    writer: Writer | None = None,
    snapshot_on_error: bool = False,
    n_retains: int = -1,
    autoload: bool = False,
    num_retain: int | None = None,
) -> _Snapshot:
    """An extension that saves an object, such as the model, after each epoch by default.

    Args:
        target: what to save.
        filename: the file's name, as for :func:`snapshot`.
        savefun: writes a file; ``save_npz`` by default.
        condition: asked each time whether to save.
        writer: how to write: see ``snapshot_writers``.
        snapshot_on_error: whether to save when training raises.
        n_retains: how many files to keep; all if it is not positive.
        autoload: whether to load the latest file before training.
        num_retain: the former name of ``n_retains``.
    """
    return snapshot(
        savefun,
        filename,
        target=target,
        condition=condition,
        writer=writer,
        snapshot_on_error=snapshot_on_error,
        n_retains=n_retains,
        autoload=autoload,
        num_retain=num_retain,
    )


def _always_true() -> bool:
    return True


class _Snapshot(Extension):
    """What :func:`snapshot` makes."""

    trigger = (1, "epoch")
    priority = -100

    def __init__(
        self,
        target: Any = None,
        condition: Callable[[], bool] | None = None,
        writer: Writer | None = None,
        filename: str | Callable[[Any], str] = FILENAME,
        snapshot_on_error: bool = False,
        n_retains: int = -1,
        autoload: bool = False,
    ) -> None:
        if callable(filename) and (autoload or n_retains > 0):
            raise TypeError(
                "autoload and n_retains look for files by their name; give filename as a format, such as "
                f"{FILENAME!r}, not as a function"
            )
        self._target = target
        self.filename = filename
        self.condition = _always_true if condition is None else condition
        self.writer = SimpleWriter() if writer is None else writer
        self._snapshot_on_error = snapshot_on_error
        self.n_retains = n_retains
        self.autoload = autoload

    def initialize(self, trainer: Any) -> None:
        """Load the latest file if that is wanted, and see to it that old ones are removed."""
        name = self.filename
        if self.autoload and isinstance(name, str):
            found = _find_latest_snapshot(name, trainer.out)
            if found is not None:
                load_npz(os.path.join(trainer.out, found), trainer if self._target is None else self._target)
        if self.n_retains > 0 and isinstance(name, str):
            self.writer._add_cleanup_hook(partial(_remove_stale_snapshots, name, trainer.out, self.n_retains))

    def __call__(self, trainer: Any) -> None:
        if self.condition():
            self._make_snapshot(trainer)

    def on_error(self, trainer: Any, exc: Exception, tb: Any) -> None:
        """Save once more if that is wanted."""
        if self._snapshot_on_error:
            self._make_snapshot(trainer)

    def _make_snapshot(self, trainer: Any) -> None:
        name = self.filename(trainer) if callable(self.filename) else self.filename.format(trainer)
        serializer = DictionarySerializer()
        serializer.save(trainer if self._target is None else self._target)
        self.writer(name, trainer.out, serializer.target)

    def finalize(self) -> None:
        """Wait until everything is written."""
        self.writer.finalize()


def _find_snapshot_files(fmt: str, path: str) -> list[tuple[float, str]]:
    """Times and names of the files in a folder that a format may have named, the oldest first."""
    pattern = re.compile(".*".join(map(re.escape, re.split(r"{.*?}", fmt))))
    names = [name for name in os.listdir(path) if pattern.fullmatch(name)]
    return sorted((os.path.getmtime(os.path.join(path, name)), name) for name in names)


def _find_latest_snapshot(fmt: str, path: str) -> str | None:
    """The newest of those files."""
    files = _find_snapshot_files(fmt, path)
    return files[-1][1] if files else None


def _find_stale_snapshots(fmt: str, path: str, n_retains: int) -> list[str]:
    """All but the newest of those files."""
    return [name for _, name in _find_snapshot_files(fmt, path)[:-n_retains]]


def _remove_stale_snapshots(fmt: str, path: str, n_retains: int) -> None:
    for name in _find_stale_snapshots(fmt, path, n_retains):
        os.remove(os.path.join(path, name))
