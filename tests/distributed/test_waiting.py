"""A process that waits looks after the others."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from autodiff.distributed import DistributedError, LostProcessError
from autodiff.distributed.group import Peer
from autodiff.distributed.messages import ABANDONED, Call, wait

CALL = Call("all_reduce", (3,), "float64", line="train.py:3")


class Never:
    """A message that does not come."""

    def Test(self):
        return False


def group(pid, host="here"):
    """Two processes, of which this is the first."""
    return SimpleNamespace(rank=0, size=2, name="world", peers=(Peer(0, "here", os.getpid()), Peer(1, host, pid)))


@pytest.mark.parametrize("reaped", [True, False])
def test_a_process_that_is_gone(reaped):
    process = subprocess.Popen([sys.executable, "-S", "-c", "pass"])
    if reaped:
        process.wait()
    with pytest.raises(LostProcessError) as caught:  # one that nobody has waited for is a zombie
        wait(group(process.pid), Never(), CALL)
    assert str(caught.value) == (
        f"process 1 of world is gone (pid {process.pid} on here): process 0 waits for it at all_reduce of float64[3] "
        "(train.py:3)"
    )
    assert isinstance(ABANDONED.pop(), Never)
    process.wait()


def test_processes_of_other_machines_are_left_to_the_launcher(monkeypatch):
    monkeypatch.setenv("AUTODIFF_DISTRIBUTED_TIMEOUT", "0.2")
    with pytest.raises(DistributedError) as caught:
        wait(group(2**22 + 1, host="there"), Never(), CALL)
    assert str(caught.value) == (
        "process 0 of world has waited 0.2 s for the others at all_reduce of float64[3] (train.py:3)"
    )
    ABANDONED.pop()
