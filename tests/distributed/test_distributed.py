"""Several processes: what they compute, and what happens when one of them fails."""

import re

import pytest

from tests.distributed.launching import launch


@pytest.mark.parametrize(("count", "programs"), [(2, 40), (3, 24)])
def test_everything(count, programs):
    done = launch(count, "everything", str(programs))
    assert done.returncode == 0, done.stderr[-3000:]
    assert f"{count} processes, batches of 120" in done.stdout


@pytest.mark.parametrize("direct", [1, 8])
def test_collective_operations_of_processes_that_meet_by_messages(direct):
    done = launch(3, "by_messages", "2", str(direct))
    assert done.returncode == 0, done.stderr[-3000:]


def test_machines_add_up_before_they_send():
    done = launch(4, "machines")
    assert (done.returncode, done.stdout) == (0, "equal\n"), done.stderr[-3000:]


@pytest.mark.parametrize("when", ["kill", "kill while adding"])
def test_a_process_that_is_killed_is_named_and_training_goes_on_from_the_checkpoint(tmp_path, when):
    done = launch(2, "failing", when, str(tmp_path))
    assert done.returncode != 0
    assert re.search(r"^autodiff.distributed: process 1 of 2 \(pid \d+ on .+\) was killed$", done.stderr, re.M)
    assert done.stderr.count("was killed") == 1
    assert done.seconds < 30
    done = launch(2, "failing", "resume", str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "from 3, the same bits\n"), done.stderr


def test_an_exception_ends_all_processes(tmp_path):
    done = launch(2, "failing", "raise", str(tmp_path))
    assert done.returncode != 0
    assert "autodiff.distributed: process 1 of 2 ends all, by\nTraceback (most recent call last):" in done.stderr
    assert "OverflowError: this one" in done.stderr


def test_a_process_that_ends_early_is_found(tmp_path):
    done = launch(2, "failing", "leave", str(tmp_path))
    assert done.returncode != 0
    assert (
        "MismatchError: the processes of world do not agree on what comes next:\n"
        "  process 0: all_reduce of float64[500] (failing.py:20)\n  process 1: the end of the program\n"
    ) in done.stderr
