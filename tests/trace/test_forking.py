"""Processes that are forked while other threads are in the middle of something."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autodiff
from autodiff import grad, jit
from autodiff.backends import straight
from autodiff.backends.choice import Backend
from autodiff.backends.native import kernels
from autodiff.trace import forking
from autodiff.trace.caching import cached_property
from autodiff.trace.forking import importing, lock_of

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning"),
]
X = np.linspace(0.1, 1, 40)
PATIENCE = 60


def ends_well(run: Callable[[], bool]) -> bool:
    """Whether a function is true in a child process, which must not hang."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if run() else 2
        finally:
            os._exit(code)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.01)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return False


def function(number: float) -> Callable[[Any], Any]:
    """A function that was never compiled."""
    return lambda x: np.sum(np.tanh(x * number) * np.exp(-x))


def first_call(number: float, backend: str = "auto") -> bool:
    """Whether a first call gives what NumPy gives."""
    gradient = jit(grad(function(number)), backend=backend)(X)
    return np.allclose(gradient, grad(function(number))(X))


class Holder:
    """Whoever has a lock."""

    def __init__(self) -> None:
        self.lock = lock_of(self, "lock")


class Within:
    """A thread that is inside of something, for as long as the context is."""

    def __init__(self, context: Any) -> None:
        self.context, self.begun, self.over = context, threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self) -> None:
        with self.context:
            self.begun.set()
            self.over.wait(PATIENCE)

    def __enter__(self) -> None:
        self.thread.start()
        self.begun.wait(PATIENCE)

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()


def test_a_child_finds_locks_of_other_threads_open() -> None:
    holder = Holder()
    with Within(holder.lock):
        assert not holder.lock.acquire(timeout=0.01)
        assert ends_well(lambda: holder.lock.acquire(timeout=1))
        assert not holder.lock.acquire(timeout=0.01)


def test_a_child_still_holds_what_its_thread_holds() -> None:
    holder = Holder()

    def let_go() -> bool:
        holder.lock.release()  # which raises where it is not held
        return holder.lock.acquire(timeout=1)

    with holder.lock:
        assert ends_well(let_go)


def test_locks_of_what_is_gone_are_forgotten() -> None:
    before = len(forking._locks)
    holder = Holder()
    assert len(forking._locks) == before + 1
    del holder
    assert len(forking._locks) == before


def test_a_fork_waits_for_imports() -> None:
    importer = Within(importing)
    with importer:
        threading.Timer(0.2, importer.over.set).start()
        assert ends_well(lambda: importer.over.is_set() and importing.acquire(timeout=1))


def test_computing_one_attribute_does_not_wait_for_another_object() -> None:
    begun, over = threading.Event(), threading.Event()

    class Slow:
        def __init__(self, number: int) -> None:
            self.number = number

        @cached_property
        def value(self) -> list[int]:
            if self.number == 1:
                begun.set()
                over.wait(PATIENCE)
            return [self.number]

    first = Slow(1)
    thread = threading.Thread(target=lambda: first.value)
    thread.start()
    begun.wait(PATIENCE)
    second = Slow(2)
    assert second.value == [2]
    assert second.value is second.value
    assert ends_well(lambda: Slow(3).value == [3])
    over.set()
    thread.join()
    assert first.value == [1]


@pytest.mark.parametrize("place", [(Backend, "schedule"), (straight, "Straight")])
@pytest.mark.parametrize("backend", ["auto", "numpy"])
def test_a_first_call_while_another_thread_is_in_one(monkeypatch: Any, place: tuple[Any, str], backend: str) -> None:
    begun, over = threading.Event(), threading.Event()
    real = getattr(*place)
    main = threading.current_thread()

    def slow(*args: Any, **options: Any) -> Any:
        if threading.current_thread() is not main:
            begun.set()
            over.wait(PATIENCE)
        return real(*args, **options)

    monkeypatch.setattr(*place, slow)
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(first_call(0.3, backend)))
    thread.start()
    assert begun.wait(PATIENCE)
    try:
        assert ends_well(lambda: first_call(0.7, backend))
        assert first_call(0.9, backend)  # nor does this thread wait
    finally:
        over.set()
        thread.join()
    assert found == [True]


def test_a_first_call_while_another_thread_compiles(monkeypatch: Any) -> None:
    """A fork waits until the compiler is done: what it was doing is of no use to the child."""
    pytest.importorskip("numba")
    begun = threading.Event()
    real = kernels.found_or_made

    def slow(*args: Any) -> Any:
        begun.set()
        time.sleep(0.2)
        return real(*args)

    monkeypatch.setattr(kernels, "found_or_made", slow)
    monkeypatch.setattr(kernels.cache, "read", lambda key, kind=None: None)
    thread = threading.Thread(target=lambda: jit(function(1.3), backend="numba")(X))
    thread.start()
    assert begun.wait(PATIENCE)
    assert ends_well(lambda: first_call(1.7))
    thread.join()


def test_many_first_calls_in_threads() -> None:
    over = threading.Event()

    def work(number: float) -> None:
        while not over.is_set():
            number += 1e-3
            first_call(number, "numpy")

    threads = [threading.Thread(target=work, args=(k,)) for k in (2.0, 3.0, 4.0)]
    for thread in threads:
        thread.start()
    try:
        assert [ends_well(lambda: first_call(5.5, "numpy")) for _ in range(4)] == [True] * 4
    finally:
        over.set()
        for thread in threads:
            thread.join()


def test_threads_that_ask_for_a_late_library_at_once() -> None:
    program = """
        import threading, warnings
        import numpy as np, scipy.special, autodiff
        found = []
        def ask():
            found.append(float(autodiff.grad(scipy.special.gammaln)(2.0)))
        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert len(found) == 8, found
    """
    import subprocess
    import sys
    import textwrap

    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True, timeout=120)


LOCKS = re.compile(r"functools.*cached_property|\b(R?Lock|Condition|Semaphore)\(\)")
ALLOWED = {
    "trace/forking.py",
    "backends/native/kernels.py",  # held at every fork
    "testing/gpu/journal.py",  # of a command, which does not fork
    "programs/switch.py",  # looks for those of users' classes, and has none
    "backends/native/threads.py",  # renewed with the pool
    "backends/cupy/runtime/modules.py", "backends/cupy/program.py", "backends/cupy/runtime/graphs.py",  # GPUs do not survive a fork
}  # fmt: skip


def test_no_lock_is_left_closed() -> None:
    package = Path(autodiff.__file__).parent
    found = {
        path.relative_to(package).as_posix() for path in package.rglob("*.py") if LOCKS.search(path.read_text("utf-8"))
    }
    assert sorted(found - ALLOWED) == []
