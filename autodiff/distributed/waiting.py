"""Waiting for messages, with a look at the others from time to time.

Nobody waits inside of MPI: a process that asks whether a message is there can notice that its sender is gone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Sequence
from typing import Any

from autodiff.distributed.calls import Call
from autodiff.distributed.errors import DistributedError, LostProcessError
from autodiff.distributed.group import Group

Requests = Sequence[Any]
"""Messages under way, as mpi4py knows them."""

Steps = Generator[Requests, None, Any]
"""An exchange: it gives out the messages that have to arrive before it goes on, and returns its result."""

AWAKE, NAP, BURST, LOOK = 0.05, 1e-4, 20, 0.0125
"""A process that waits goes on asking for so many seconds; where processes outnumber cores it lets others have its core
each time. Then it sleeps, so many seconds each time, and asks so often in between: large messages move a piece each
time. After so many seconds for each of the others, and at least after 0.1, it looks whether they are there.

Sleeping for no time at all is no way to let others have the core: it takes as long as the shortest sleep of the system.
"""

ABANDONED: list[Sequence[Any]] = []
"""Messages that nobody waits for any more, and what has them. MPI may still write to their memory, so it stays."""


def waited_for(comm: Group, steps: Steps, call: Call) -> Any:
    """What an exchange returns, each of whose messages is waited for."""
    while True:
        try:
            requests = next(steps)
        except StopIteration as end:
            return end.value
        wait(comm, requests, call)


def wait(comm: Group, requests: Requests, call: Call, together: bool = True) -> None:
    """Wait for messages, and look from time to time whether the others are still there.

    Args:
        comm: the processes.
        requests: the messages.
        call: what they are for.
        together: whether all processes take part in that.

    Raises:
        LostProcessError: if a process on this machine is gone.
        DistributedError: if a process has left what all take part in, as by Ctrl-C, or if it takes longer than
            ``AUTODIFF_DISTRIBUTED_TIMEOUT`` seconds.
    """
    try:
        for request in requests:
            if not (request.Test() or wait_awake(comm, request)):
                wait_and_look(comm, request, call, together)
    except BaseException:  # the user's Ctrl-C, too
        ABANDONED.append(requests)
        raise


def arrived(requests: Requests) -> bool:
    """Whether messages are there."""
    return all(request.Test() for request in requests)


def wait_awake(comm: Group, request: Any) -> bool:
    """Wait for a message for a while, and say whether it is there."""
    test, often, begun = request.Test, 1 if comm.crowded else BURST, time.monotonic()
    while time.monotonic() - begun < AWAKE:
        for _ in range(often):
            if test():
                return True
        if comm.crowded:
            os.sched_yield()
    return False


def wait_and_look(comm: Group, request: Any, call: Call, together: bool) -> None:
    """Wait for a message that takes longer, with a look at the others from time to time."""
    begun = looked = time.monotonic()
    limit = float(os.environ.get("AUTODIFF_DISTRIBUTED_TIMEOUT", "inf"))
    while not any(request.Test() for _ in range(BURST)):
        time.sleep(NAP)
        now = time.monotonic()
        if now - looked > max(0.1, LOOK * comm.size):
            looked = now
            look_after(comm, call)
            leaver = comm.meeting.who_left() if together else None
            if leaver is not None:
                raise DistributedError(
                    f"process {leaver} of {comm.name} has left what process {comm.rank} waits for, by an exception: "
                    f"{call.at_line()}. Catch it in all processes, or in none."
                )
            if now - begun > limit:
                raise DistributedError(
                    f"process {comm.rank} of {comm.name} has waited {limit:g} s for the others at {call.at_line()}"
                )


def look_after(comm: Group, call: Call) -> None:
    """Raise an error if a process on this machine is gone."""
    host = comm.peers[comm.rank].host
    for rank, peer in enumerate(comm.peers):
        if peer.host == host and not alive(peer.pid):
            raise LostProcessError(
                f"process {rank} of {comm.name} is gone (pid {peer.pid} on {host}): process {comm.rank} waits for it "
                f"at {call.at_line()}"
            )


def alive(pid: int) -> bool:
    """Whether a process of this machine is there, and no zombie."""
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except ProcessLookupError:
        return False
    except OSError:  # it is there, and there is no /proc, or it is somebody else's
        return not os.path.isdir("/proc/self") or os.path.isdir(f"/proc/{pid}")
