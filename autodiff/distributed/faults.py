"""When a process fails the others end, too, and somebody says which one it was."""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any

from autodiff.distributed.calls import END
from autodiff.distributed.errors import LostProcessError
from autodiff.distributed.group import Group, Peer
from autodiff.distributed.waiting import wait

GUARD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guard.py")

pipes: list[int] = []
"""The pipe through which this process says goodbye, if there is one."""


LAST_WORDS = 0.5
"""Seconds between the last words of a process and the end of all."""


def watch(own: Peer, peers: Sequence[Peer], mpi: Any) -> None:
    """Let an exception that nobody catches end all processes, and somebody say it if one is killed.

    Args:
        own: this process.
        peers: all of them.
        mpi: mpi4py's communicator of all processes.
    """
    if pipes or not hasattr(select, "epoll"):
        return
    here = [peer for peer in peers if peer.host == own.host]
    texts = [f"autodiff.distributed: process {p.rank} of {len(peers)} (pid {p.pid} on {p.host})" for p in here]
    made = guarded(texts) if own == here[0] else ""
    folder = mpi.allgather(made)[here[0].rank]
    pipes.append(os.open(os.path.join(folder, str(here.index(own))), os.O_WRONLY | os.O_CLOEXEC))
    mpi.Barrier()
    if made:
        shutil.rmtree(made)
    atexit.register(dismiss)
    before = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        lines = "".join(traceback.format_exception(kind, error, trace))
        sys.stderr.write(f"autodiff.distributed: process {own.rank} of {mpi.Get_size()} ends all, by\n{lines}")
        sys.stderr.flush()
        sys.stdout.flush()
        dismiss("failed")
        if before is not sys.__excepthook__:
            before(kind, error, trace)
        abort(mpi)

    sys.excepthook = hook


def abort(mpi: Any) -> None:
    """End all processes, once the launcher has had time to pass on what was said: what it still holds is lost."""
    sys.stderr.flush()
    time.sleep(LAST_WORDS)
    mpi.Abort(1)


def guarded(texts: list[str]) -> str:
    """Start the guard of this machine, and return the folder where it reads pipes."""
    folder = tempfile.mkdtemp(prefix="autodiff-")
    for number in range(len(texts)):
        os.mkfifo(os.path.join(folder, str(number)))
    command = [sys.executable, "-S", "-E", GUARD, folder, *texts]
    guard = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True)
    assert guard.stdout is not None
    with guard.stdout as ready:
        ready.read()
    guards.append(guard)
    return folder


guards: list[subprocess.Popen[bytes]] = []
"""The guard, where this process has started it."""


def dismiss(word: str = "goodbye") -> None:
    """Tell the guard that this process ends by itself."""
    while pipes:
        with contextlib.suppress(BrokenPipeError):
            os.write(pipes[-1], word.encode())
        os.close(pipes.pop())


ending: list[tuple[int, Iterable[Group]]] = []
"""This process, and the communicators that it leaves together with the others."""


def end_together(communicators: Iterable[Group]) -> None:
    """Let all processes wait for each other at the end, so that one that ends early is found.

    Args:
        communicators: those that there are then.
    """
    if not ending:
        ending.append((os.getpid(), communicators))
        atexit.register(end)


def end() -> None:
    """Tell the others that this process has come to its end."""
    process, communicators = ending.pop()
    if process != os.getpid():
        return  # a fork of it
    ordered = sorted(communicators, key=lambda comm: comm.name)
    try:
        turns = [comm.meeting.turn(*END) for comm in ordered]
        waiting = [comm.meeting.begin(turn) for comm, turn in zip(ordered, turns, strict=True)]
        for comm, turn, requests in zip(ordered, turns, waiting, strict=True):
            wait(comm, requests, END)
            comm.meeting.end(turn)
            comm.close()
    except LostProcessError as error:
        sys.stderr.write(f"autodiff.distributed: {error}\n")
        dismiss("failed")
        abort(ordered[0].mpi)
