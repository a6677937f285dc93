"""Generations of snapshots of all processes."""

from __future__ import annotations

import contextlib
import os
import warnings
from pathlib import Path
from time import perf_counter
from typing import Any

from autodiff.chainer.serializers import load_npz, save_npz
from autodiff.chainer.training.extension import Extension
from autodiff.saving.atomic import replacing


def create_multi_node_checkpointer(
    name: str, comm: Any, cp_interval: int = 5, gc_interval: int = 5, path: str | None = None
) -> Any:
    """An extension that saves what each process has, and loads the latest that all of them have.

    Deprecated in favour of ``multi_node_snapshot``. Files are called ``<name>.<rank>.<iteration>``, and are removed
    when training has ended without an error.

    Args:
        name: of the run, without a dot.
        comm: the communicator.
        cp_interval: how many generations are kept at least.
        gc_interval: how many more there are before old ones are removed.
        path: the folder; that of the trainer if None.
    """
    warnings.warn(
        "Checkpointer is deprecated. Use chainermn.extensions.multi_node_snapshot instead.",
        DeprecationWarning,
        stacklevel=2,
    )
    return _MultiNodeCheckpointer(name, comm, cp_interval, gc_interval, path)


class _MultiNodeCheckpointer(Extension):
    """What :func:`create_multi_node_checkpointer` makes."""

    def __init__(self, name: str, comm: Any, cp_interval: int, gc_interval: int, path: str | None) -> None:
        self.name, self.comm, self.path = name, comm, path
        self.cp_interval, self.gc_interval = cp_interval, gc_interval
        self.iterations: list[int] = []
        self.seconds: list[float] = []

    def __call__(self, trainer: Any) -> None:
        self.path = trainer.out if self.path is None else self.path
        self.save(trainer, trainer.updater.iteration)

    def file(self, iteration: int) -> Path:
        """The file of this process after so many iterations."""
        assert self.path is not None
        return Path(self.path) / f"{self.name}.{self.comm.rank}.{iteration}"

    def save(self, target: Any, iteration: int) -> None:
        """Save an object, in all processes after the same iteration."""
        begun = perf_counter()
        self.file(iteration).parent.mkdir(parents=True, exist_ok=True)
        with replacing(self.file(iteration)) as file:
            save_npz(file, target)
        self.seconds.append(perf_counter() - begun)
        self.iterations.append(iteration)
        if len(self.iterations) >= self.cp_interval + self.gc_interval:
            kept = self.in_all()[-self.cp_interval :]
            self.remove([own for own in self.iterations if own not in kept])
            self.iterations = kept

    def in_all(self) -> list[int]:
        """The iterations that all processes have saved, the latest last."""
        found = self.comm.allgather_obj(self.iterations)
        return sorted(set(found[0]).intersection(*found[1:]))

    def remove(self, iterations: list[int]) -> None:
        """Remove files of this process."""
        for iteration in iterations:
            with contextlib.suppress(FileNotFoundError):
                os.remove(self.file(iteration))

    def finalize(self) -> None:
        """Remove all files."""
        self.remove(self.iterations if self.path is not None else [])
        self.iterations = []

    def on_error(self, trainer: Any, exc: Exception, tb: Any) -> None:
        """Keep the files, to go on from them."""
        self.iterations = []

    def get_stats(self) -> str:
        """How long saving took, as a text."""
        if not self.seconds:
            return "No stats available"
        mean = sum(self.seconds) / len(self.seconds)
        return f"Snapshot duration stats (sec): avg={mean:f}, min={min(self.seconds):f}, max={max(self.seconds):f}"

    def maybe_load(self, trainer: Any, optimizer: Any = None, path: str | None = None) -> None:
        """Load the latest that all processes have saved, if there is one.

        Args:
            trainer: what was saved.
            optimizer: a multi-node optimizer, which then does not give the parameters of process 0 to all.
            path: the folder, where none was given before.
        """
        if self.path is None:
            self.path = trainer.out if path is None else path
        begin = f"{self.name}.{self.comm.rank}."
        names = os.listdir(self.path) if os.path.isdir(self.path) else []
        own = [name.removeprefix(begin) for name in names if name.startswith(begin)]
        self.iterations = sorted(int(text) for text in own if text.isdigit())
        self.iterations = self.in_all()
        if self.iterations:
            load_npz(str(self.file(self.iterations[-1])), trainer)
            if optimizer is not None and hasattr(optimizer, "is_changed"):
                optimizer.is_changed(optimizer.target)  # from now on it is as it was
