"""The pool: chunks shared by threads, whose number changes no bit of a result."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import autodiff
from autodiff.backends.compiling import kernel_address
from autodiff.backends.native import threads
from autodiff.backends.native.arguments import ArrayArgument
from autodiff.backends.native.kernels import words_address
from autodiff.backends.native.launching import bind

PARTS = """
def kernel(block, lo, hi):
    x, out, size = pointer(block, 0), pointer(block, 1), word(block, 2)
    total = f4(0)
    for i in range(lo, hi):
        total += load_float32(x, i)
    store_float32(out, lo // size, total)
"""
# Every chunk waits until all have begun, as they can only if as many threads are at work.
MEETING = """
def kernel(block, lo, hi):
    begun, patience = load_int64(block, 0), load_int64(block, 2)
    atomic_add(begun, 1)
    while atomic_load(begun) < load_int64(block, 1) and patience > 0:
        pause()
        patience -= 1
    if patience == 0:
        atomic_store(begun, -1000)
"""
X = np.random.default_rng(0).standard_normal(100_003).astype(np.float32)
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


@pytest.fixture(autouse=True, params=["native", "python"])
def kind(request, monkeypatch):
    """Both pools: the native one, and the one where native threads have nothing to sleep on."""
    if request.param == "python":
        monkeypatch.setattr(threads, "native", lambda: False)
    elif not threads.native():
        pytest.skip("this system has no semaphore that is known")
    return request.param


@pytest.fixture(autouse=True)
def count():
    """The number of threads is put back."""
    before = autodiff.get_num_threads()
    yield
    autodiff.set_num_threads(before)


def sums(size=1000, release=True):
    rows, parts = len(X), -(-len(X) // size)
    arguments = [ArrayArgument(0, "f4"), ArrayArgument(1, "f4", writeable=True)]
    call = bind(kernel_address(PARTS), [0, 0, size], arguments, rows=rows, chunk=size, parallel=True, release=release)

    def run():
        out = np.full(parts, np.nan, np.float32)
        assert call(X, out) is None
        return out

    return run


def expected(size=1000):
    autodiff.set_num_threads(1)
    return sums(size)()


@pytest.mark.parametrize("size", [7, 1000, 60_000])
@pytest.mark.parametrize("release", [False, True])
def test_the_number_of_threads_changes_no_bit(size, release):
    alone = expected(size)
    assert np.allclose(alone, [X[k : k + size].sum(dtype="f8") for k in range(0, len(X), size)], atol=0.05)
    for count in (2, 3, 5):
        autodiff.set_num_threads(count)
        run = sums(size, release)
        for _ in range(5):
            assert np.array_equal(run(), alone)


@pytest.mark.parametrize("count", [2, 4])
def test_threads_work_at_the_same_time(count):
    autodiff.set_num_threads(count)
    begun = np.zeros(1, np.int64)
    argument = ArrayArgument(0, "i8", writeable=True)
    call = bind(words_address(MEETING), [0, count, 2**34], [argument], rows=count, chunk=1, parallel=True)
    for _ in range(3):
        begun[0] = 0
        assert call(begun) is None
        assert begun[0] == count


def test_threads_that_have_gone_to_sleep_wake_up():
    autodiff.set_num_threads(3)
    begun = np.zeros(1, np.int64)
    argument = ArrayArgument(0, "i8", writeable=True)
    call = bind(words_address(MEETING), [0, 3, 2**34], [argument], rows=3, chunk=1, parallel=True)
    for _ in range(20):
        begun[0] = 0
        assert call(begun) is None
        assert begun[0] == 3
        time.sleep(0.002)  # far longer than they look for work


def test_many_python_threads_launch_at_once():
    alone = expected()
    autodiff.set_num_threads(3)
    run = sums()
    wrong = []

    def work():
        wrong.extend(1 for _ in range(50) if not np.array_equal(run(), alone))

    launching = [threading.Thread(target=work) for _ in range(8)]
    for each in launching:
        each.start()
    for each in launching:
        each.join()
    assert wrong == []


def test_the_number_of_threads_changes_while_kernels_run():
    alone = expected()
    run = sums()
    wrong, end = [], threading.Event()

    def work():
        while not end.is_set():
            if not np.array_equal(run(), alone):
                wrong.append(1)

    launching = [threading.Thread(target=work) for _ in range(2)]
    for each in launching:
        each.start()
    for k in range(30):
        autodiff.set_num_threads(1 + k % 4)
        run()
    end.set()
    for each in launching:
        each.join()
    assert wrong == []


def test_threads_that_are_not_needed_end(kind):
    def own():
        return [each for each in threading.enumerate() if each.name.startswith("autodiff-")]

    if kind == "python":
        return
    for count in (4, 2, 3, 1):
        autodiff.set_num_threads(count)
        sums()()
        end = time.monotonic() + 60
        while len(own()) != count - 1 and time.monotonic() < end:
            time.sleep(0.001)
        assert len(own()) == count - 1


def child_says(check):
    """Whether a check holds in a forked process."""
    process = os.fork()
    if process == 0:
        code = 1
        try:
            signal.alarm(60)
            code = 0 if check() else 2
        finally:
            os._exit(code)
    return os.waitpid(process, 0)[1] == 0


@needs_fork
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own():
    alone = expected()
    autodiff.set_num_threads(3)
    run = sums()
    run()
    assert child_says(lambda: all(np.array_equal(run(), alone) for _ in range(20)))
    assert child_says(lambda: child_says(lambda: np.array_equal(run(), alone)) and np.array_equal(run(), alone))
    assert np.array_equal(run(), alone)


@needs_fork
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_fork_while_other_threads_are_in_the_middle_of_a_run():
    alone = expected()
    autodiff.set_num_threads(3)
    run = sums(size=10)
    fine = expected(10)
    autodiff.set_num_threads(3)
    end = threading.Event()

    def work():
        while not end.is_set():
            run()

    launching = [threading.Thread(target=work) for _ in range(2)]
    for each in launching:
        each.start()
    usual = sums()
    try:
        for _ in range(10):
            assert child_says(lambda: np.array_equal(run(), fine) and np.array_equal(usual(), alone))
    finally:
        end.set()
        for each in launching:
            each.join()


def test_a_process_ends_well_while_threads_sleep_or_run(python, kind):
    program = """
        import sys, threading, time
        import numpy as np
        import autodiff
        from autodiff.backends.native import threads
        from autodiff.backends.native.arguments import ArrayArgument
        from autodiff.backends.compiling import kernel_address
        from autodiff.backends.native.launching import bind

        kind, state, text = sys.argv[1:]
        if kind == "python":
            threads.native = lambda: False
        autodiff.set_num_threads(3)
        x, out = np.ones(100_000, np.float32), np.zeros(10_000, np.float32)
        arguments = [ArrayArgument(0, "f4"), ArrayArgument(1, "f4", writeable=True)]
        call = bind(kernel_address(text), [0, 0, 10], arguments, rows=100_000, chunk=10, parallel=True, release=True)
        call(x, out)
        if state == "sleep":
            time.sleep(0.05)
        if state == "run":
            begun = threading.Event()

            def work():
                while True:
                    call(x, out)
                    begun.set()

            threading.Thread(target=work, daemon=True).start()
            begun.wait()
        print(out.sum())
    """
    for state in ("sleep", "run"):
        assert python(program, kind, state, PARTS) == "100000.0\n"


@pytest.mark.parametrize(
    ("n", "error", "text"),
    [
        (0, ValueError, "set_num_threads takes a whole number of at least 1, not 0; 1 means no further threads"),
        (-2, ValueError, "set_num_threads takes a whole number of at least 1, not -2; 1 means no further threads"),
        (2.0, TypeError, "set_num_threads takes a whole number of at least 1, not 2.0 of type float"),
        (True, TypeError, "set_num_threads takes a whole number of at least 1, not True of type bool"),
        ("2", TypeError, "set_num_threads takes a whole number of at least 1, not '2' of type str"),
        (None, TypeError, "set_num_threads takes a whole number of at least 1, not None of type NoneType"),
    ],
)
def test_a_wrong_number_of_threads(n, error, text):
    before = autodiff.get_num_threads()
    with pytest.raises(error) as caught:
        autodiff.set_num_threads(n)
    assert str(caught.value) == text
    assert autodiff.get_num_threads() == before


@pytest.mark.parametrize(
    ("own", "common", "expected"),
    [
        (None, None, None),
        ("3", None, 3),
        ("3", "5", 3),
        (None, "5", 5),
        (None, "4,2", 4),
        (" 6 ", None, 6),
        ("", "", None),
        (None, "many", None),
        (None, "0", None),
    ],
)
def test_the_environment_says_how_many(monkeypatch, own, common, expected):
    for name, value in (("AUTODIFF_NUM_THREADS", own), ("OMP_NUM_THREADS", common)):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    assert threads.number_from_environment() == (expected or threads.cores())


@pytest.mark.parametrize("value", ["many", "0", "-1", "2.5"])
def test_a_wrong_number_in_the_environment(monkeypatch, value):
    monkeypatch.setenv("AUTODIFF_NUM_THREADS", value)
    with pytest.raises(ValueError, match="AUTODIFF_NUM_THREADS") as caught:
        threads.number_from_environment()
    assert str(caught.value) == (
        f"AUTODIFF_NUM_THREADS={value!r} is not a number of threads; set it to a whole number of at least 1, or leave it out"
    )


def test_where_no_thread_can_be_started_the_caller_works_alone(monkeypatch, kind):
    alone = expected()

    def start(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    autodiff.set_num_threads(7)
    assert np.array_equal(sums()(), alone)
