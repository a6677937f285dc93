import itertools
import multiprocessing
import os
import signal
import time

import numpy as np
import pytest

from autodiff.chainer.iterators import MultiprocessIterator

# ruff: noqa: SIM117 - what is checked stands inside of the iterator
pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")

methods = [method for method in ("fork", "forkserver", "spawn") if method in multiprocessing.get_all_start_methods()]


@pytest.fixture(params=methods)
def start_method(request):
    before = multiprocessing.get_start_method(allow_none=True)
    multiprocessing.set_start_method(request.param, force=True)
    yield request.param
    multiprocessing.set_start_method(before, force=True)


@pytest.fixture
def fork():
    if "fork" not in methods:
        pytest.skip("processes cannot be forked here")
    before = multiprocessing.get_start_method(allow_none=True)
    multiprocessing.set_start_method("fork", force=True)
    yield
    multiprocessing.set_start_method(before, force=True)


@pytest.fixture(autouse=True)
def no_process_is_left():
    yield
    assert multiprocessing.active_children() == []


class Arrays:
    """Pairs of an array and a number, and dicts in between."""

    def __len__(self):
        return 10

    def __getitem__(self, index):
        array = np.full((2, 3), index, np.float32)
        return (array, index) if index % 2 == 0 else {"array": array.T, "empty": np.zeros(0), "text": "abc"}


class Special:
    """A dataset with one special example, which is a function of no arguments."""

    def __init__(self, function):
        self.function = function

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self.function() if index == 3 else index


def check(example, index):
    expected = Arrays()[index]
    assert type(example) is type(expected)
    if isinstance(example, tuple):
        np.testing.assert_array_equal(example[0], expected[0])
        assert example[1] == index
        example[0][...] = -1  # it is the program's own
    else:
        np.testing.assert_array_equal(example["array"], expected["array"])
        assert (example["empty"].shape, example["text"]) == ((0,), "abc")


@pytest.mark.parametrize("shared_mem", [None, 24, 23])
def test_start_methods_and_shared_memory(start_method, shared_mem):
    with MultiprocessIterator(
        Arrays(), 4, shuffle=False, n_processes=2, n_prefetch=2, shared_mem=shared_mem
    ) as iterator:
        batches = [iterator.next() for _ in range(8)]
    for place, example in enumerate(itertools.chain(*batches)):
        check(example, place % 10)


def test_processes_are_used_and_end(fork):
    iterator = MultiprocessIterator(Special(os.getpid), 6, shuffle=False, n_processes=2)
    assert iterator.next()[3] != os.getpid()
    assert len(multiprocessing.active_children()) == 2
    iterator.finalize()
    iterator.finalize()


def test_a_forgotten_iterator_ends_its_processes(fork):
    iterator = MultiprocessIterator(range(6), 2, n_processes=2)
    iterator.next()
    del iterator


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_dies_is_an_error(fork):
    with MultiprocessIterator(Special(die), 2, shuffle=False, n_processes=1) as iterator:
        assert iterator.next() == [0, 1]
        with pytest.raises(RuntimeError, match=r"a process of MultiprocessIterator died with exit code -9 \(test_"):
            iterator.next()
        assert iterator.next() == [4, 5]  # another process has taken over


def test_a_process_that_is_killed_while_it_waits_is_an_error(fork):
    with MultiprocessIterator(range(100), 2, shuffle=False, n_processes=2) as iterator:
        iterator.next()
        for process in multiprocessing.active_children():
            process.kill()
            process.join()
        with pytest.raises(RuntimeError, match="died with exit code -9"):
            list(itertools.islice(iterator, 3))  # the next batch may have been on its way


def made_again():
    raise TypeError("OwnError needs two arguments")


class OwnError(Exception):
    """One that other processes cannot make again, whatever libraries do to errors that are pickled."""

    def __init__(self, first, second):
        super().__init__(f"{first} and {second}")

    def __reduce__(self):
        return made_again, ()


def fail():
    raise KeyError("the reason")


def fail_in_its_own_way():
    raise OwnError("one", "other")


def test_errors_of_the_dataset_come_with_the_traceback(fork):
    with MultiprocessIterator(Special(fail), 2, shuffle=False, n_processes=2) as iterator:
        iterator.next()
        with pytest.raises(KeyError, match="the reason") as caught:
            iterator.next()
        assert "in fail" in str(caught.value.__cause__)


def test_errors_that_cannot_travel_are_told(fork):
    with MultiprocessIterator(Special(fail_in_its_own_way), 6, shuffle=False, n_processes=1) as iterator:
        with pytest.raises(RuntimeError, match="OwnError: one and other"):
            iterator.next()


def function_in_a_function():
    return lambda: None


def test_examples_that_cannot_travel_are_an_error(fork):
    with MultiprocessIterator(Special(function_in_a_function), 6, shuffle=False, n_processes=1) as iterator:
        with pytest.raises(Exception, match="function_in_a_function"):
            iterator.next()


def test_a_dataset_that_cannot_be_sent_is_an_error():
    before = multiprocessing.get_start_method(allow_none=True)
    multiprocessing.set_start_method("spawn", force=True)
    try:
        with MultiprocessIterator(Special(lambda: None), 6, n_processes=2) as iterator:
            with pytest.raises(TypeError, match="the dataset cannot be sent to a process"):
                iterator.next()
    finally:
        multiprocessing.set_start_method(before, force=True)


def sleep():
    time.sleep(0.4)
    return "late"


def test_a_slow_dataset_is_warned_of(fork):
    with MultiprocessIterator(Special(sleep), 6, False, False, n_processes=1, dataset_timeout=0.05) as iterator:
        with pytest.warns(MultiprocessIterator.TimeoutWarning, match=r"no batch came for 0\.05 seconds") as warned:
            assert iterator.next() == [0, 1, 2, "late", 4, 5]
    assert warned  # once more for each further timeout on a busy machine


def sleep_long():
    time.sleep(1000)


def test_finalize_does_not_wait_for_the_dataset(fork):
    begin = time.monotonic()
    with MultiprocessIterator(Special(sleep_long), 3, shuffle=False, n_processes=1) as iterator:
        assert iterator.next() == [0, 1, 2]
    assert time.monotonic() - begin < 10


class Process:
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return os.getpid()


def test_processes_are_replaced(fork):
    with MultiprocessIterator(Process(), 1, n_processes=1, maxtasksperchild=2) as iterator:
        used = [iterator.next()[0] for _ in range(6)]
    assert len(set(used)) > 1
    with MultiprocessIterator(Process(), 1, n_processes=1) as iterator:
        assert len({iterator.next()[0] for _ in range(6)}) == 1


class Random:
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return np.random.rand()  # noqa: NPY002 - as datasets do


def test_processes_have_random_numbers_of_their_own_that_a_seed_fixes(fork):
    runs = []
    for _ in range(2):
        np.random.seed(0)  # noqa: NPY002 - as programs do
        with MultiprocessIterator(Random(), 4, shuffle=False, n_processes=2) as iterator:
            runs.append(iterator.next())
    assert len(set(runs[0])) == 4
    assert runs[0] == runs[1]


def test_large_tasks_and_examples_do_not_block(fork):
    with MultiprocessIterator(range(200000), 200000, shuffle=False, n_processes=1, n_prefetch=3) as iterator:
        for _ in range(2):
            assert iterator.next() == list(range(200000))
