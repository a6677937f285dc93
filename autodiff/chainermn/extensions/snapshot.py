"""Snapshots where some processes have the same trainer."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

from autodiff.chainer.serializers import load_npz, save_npz
from autodiff.chainer.training.extension import Extension
from autodiff.chainer.training.extensions._snapshot import _find_latest_snapshot
from autodiff.trace.source import at_user_line


def multi_node_snapshot(comm: Any, snapshot: Any, replica_sets: Iterable[Any]) -> Any:
    """A snapshot extension for several processes: of those that have the same trainer one saves it.

    Args:
        comm: the communicator.
        snapshot: what ``extensions.snapshot`` makes; the rank is added to its file names. With ``autoload`` what the
            saving process loads is given to those that have the same.
        replica_sets: which processes have the same: sets of ranks, or single ranks. Those that are not named are one
            more set.

    Raises:
        ValueError: if a rank is in two sets, or does not exist.
    """
    return _MultiNodeSnapshot(comm, snapshot, replica_sets)


def sets_of_ranks(replica_sets: Iterable[Any], size: int) -> list[set[int]]:
    """Sets of ranks, in which each rank is once.

    >>> sets_of_ranks([0, [1, 2]], 5)
    [{0}, {1, 2}, {3, 4}]
    """
    found = [{own} if isinstance(own, int) else set(own) for own in replica_sets]
    named = [rank for own in found for rank in own]
    if len(set(named)) != len(named) or not set(named) <= set(range(size)):
        raise ValueError(f"replica_sets must name ranks from 0 to {size - 1}, each once{at_user_line()}, got {found}")
    rest = set(range(size)) - set(named)
    return [*found, rest] if rest else found


class _MultiNodeSnapshot(Extension):
    """What :func:`multi_node_snapshot` makes."""

    def __init__(self, comm: Any, snapshot: Any, replica_sets: Iterable[Any]) -> None:
        self.comm, self.snapshot = comm, snapshot
        self.replica_set = next(own for own in sets_of_ranks(replica_sets, comm.size) if comm.rank in own)
        self.master = min(self.replica_set)
        name = snapshot.filename
        snapshot.filename = (
            (lambda trainer: f"{name(trainer)}.{comm.rank}") if callable(name) else f"{name}.{comm.rank}"
        )
        self.trigger, self.priority = snapshot.trigger, snapshot.priority

    @property
    def is_master(self) -> bool:
        """Whether this process saves."""
        return bool(self.master == self.comm.rank)

    def initialize(self, trainer: Any) -> None:
        """Load the latest file, if that is wanted, in all processes of a set."""
        found = None
        if self.is_master:
            if self.snapshot.autoload:
                found = _find_latest_snapshot(self.snapshot.filename, trainer.out)
            self.snapshot.initialize(trainer)
        if not self.snapshot.autoload:
            return
        target = trainer if self.snapshot._target is None else self.snapshot._target
        if not self.is_master:
            data = self.comm.recv_obj(self.master)
            if data is not None:
                load_npz(io.BytesIO(data), target)
            return
        data = None
        if found is not None:
            file = io.BytesIO()
            save_npz(file, target)
            data = file.getvalue()
        for rank in sorted(self.replica_set - {self.comm.rank}):
            self.comm.send_obj(data, rank)

    def __call__(self, trainer: Any) -> None:
        if self.is_master:
            self.snapshot(trainer)

    def on_error(self, trainer: Any, exc: Exception, tb: Any) -> None:
        """Save once more if that is wanted."""
        if self.is_master:
            self.snapshot.on_error(trainer, exc, tb)

    def finalize(self) -> None:
        """Wait until everything is written."""
        if self.is_master:
            self.snapshot.finalize()
