"""A process that waits looks after the others."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from autodiff.distributed import DistributedError, LostProcessError
from autodiff.distributed.calls import Call
from autodiff.distributed.group import Peer
from autodiff.distributed.overlap import UNDER_WAY, Pipeline
from autodiff.distributed.waiting import ABANDONED, wait

CALL = Call("all_reduce", (3,), "float64", line="train.py:3")


class Never:
    """A message that does not come."""

    def Test(self):
        return False


def group(pid, host="here", crowded=False):
    """Two processes, of which this is the first."""
    return SimpleNamespace(
        rank=0, size=2, crowded=crowded, name="world", peers=(Peer(0, "here", os.getpid()), Peer(1, host, pid)),
        meeting=SimpleNamespace(who_left=lambda: None), left=False,
    )  # fmt: skip


@pytest.mark.parametrize("reaped", [True, False])
def test_a_process_that_is_gone(reaped):
    process = subprocess.Popen([sys.executable, "-S", "-c", "pass"])
    if reaped:
        process.wait()
    with pytest.raises(LostProcessError) as caught:  # one that nobody has waited for is a zombie
        wait(group(process.pid), [Never()], CALL)
    assert str(caught.value) == (
        f"process 1 of world is gone (pid {process.pid} on here): process 0 waits for it at all_reduce of float64[3] "
        "(train.py:3)"
    )
    assert isinstance(ABANDONED.pop()[0], Never)
    process.wait()


def test_processes_of_other_machines_are_left_to_the_launcher(monkeypatch):
    monkeypatch.setenv("AUTODIFF_DISTRIBUTED_TIMEOUT", "0.2")
    with pytest.raises(DistributedError) as caught:
        wait(group(2**22 + 1, host="there", crowded=True), [Never()], CALL)
    assert str(caught.value) == (
        "process 0 of world has waited 0.2 s for the others at all_reduce of float64[3] (train.py:3)"
    )
    ABANDONED.pop()


def test_messages_under_way_keep_their_memory_when_nobody_knows_them_any_more():
    arrived = []
    message = SimpleNamespace(Test=lambda: bool(arrived))

    def steps():
        yield [message]
        return "sum"

    found, before = [], set(UNDER_WAY)
    Pipeline(group(os.getpid()), CALL).put(steps(), found.append)  # an error ends what has begun it
    (kept,) = UNDER_WAY - before
    kept.poll()
    assert not found
    arrived.append(True)
    kept.poll()
    assert found == ["sum"]
    assert before == UNDER_WAY


@pytest.mark.parametrize("crowded", [False, True])
def test_a_message_is_kept_whatever_ends_waiting_for_it(crowded):
    def interrupted():
        raise KeyboardInterrupt

    message = SimpleNamespace(Test=interrupted)
    with pytest.raises(KeyboardInterrupt):
        wait(group(os.getpid(), crowded=crowded), [message], CALL)
    assert ABANDONED.pop() == [message]
