"""Memory of large results: used again when nothing shows it, and never before."""

import gc
import pickle
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

from autodiff import grad, jit
from autodiff.trace.memory import recycling
from autodiff.trace.memory.guarding import GUARDED
from autodiff.trace.memory.recycling import LARGE, Block, Pool, block_size, counts_references, maker, owns_memory
from autodiff.trace.spec import spec

pytestmark = [
    pytest.mark.skipif(not counts_references(), reason="there is no pool where references are not counted"),
    pytest.mark.skipif(GUARDED, reason="memory between guards is used once"),
]

ROWS = spec((256, 128), np.float64)  # 256 KB
BYTES = 256 * 1024


@pytest.fixture
def pool():
    return Pool(16 * BYTES)


@pytest.fixture
def make(pool):
    return lambda: pool.array(ROWS.shape, ROWS.dtype, block_size(BYTES))


def place(array):
    return array.__array_interface__["data"][0]


def test_arrays_are_like_others(make):
    array = make()
    assert type(array) is np.ndarray
    assert (array.shape, array.dtype) == (ROWS.shape, ROWS.dtype)
    assert array.flags.c_contiguous
    assert array.flags.writeable
    assert array.flags.aligned
    assert place(array) % 64 == 0
    assert owns_memory(array)
    assert not owns_memory(array[1:])
    array[:] = 3
    assert np.array_equal(pickle.loads(pickle.dumps(array)), array)
    assert np.array_equal(array.copy(), array)


SHOWN = {
    "itself": lambda array: array,
    "a view": lambda array: array[1:],
    "a view of a view": lambda array: array.T[3:][::2],
    "another dtype": lambda array: array.view(np.uint8),
    "a subclass": lambda array: array.view(np.matrix),
    "strides": lambda array: np.lib.stride_tricks.as_strided(array, (2,), (8,)),
    "a broadcast": lambda array: np.broadcast_to(array, (2, *array.shape)),
    "memoryview": memoryview,
    "a memoryview of a memoryview": lambda array: memoryview(array).cast("B")[8:16],
    "a buffer": lambda array: np.frombuffer(array, np.float64),
    "ctypes": np.ctypeslib.as_ctypes,
    "the address's object": lambda array: array.ctypes,
    "its base": lambda array: array.base,
    "a view of its base": lambda array: array.base[5:],
    "an array of its base": lambda array: np.asarray(array.base),
    "a memoryview of its base": lambda array: memoryview(array.base),
    "a weak reference to its base": lambda array: weakref.ref(array.base),
    "an iterator": lambda array: array.flat,
    "a record": lambda array: array.view([("x", float, (128,))]),
    "DLPack": lambda array: np.from_dlpack(array),
}


@pytest.mark.parametrize("name", SHOWN)
def test_memory_that_something_shows_is_not_used_again(make, name):
    array = make()
    where = place(array)
    shown = SHOWN[name](array)
    del array
    gc.collect()
    others = [make() for _ in range(4)]
    assert where not in map(place, others)
    assert shown is not None
    del shown
    gc.collect()
    assert where in map(place, [make() for _ in range(len(others) + 1)])


def test_memory_that_nothing_shows_is_used_again(make):
    array = make()
    where = place(array)
    del array
    for _ in range(3):
        assert place(make()) == where


def test_two_results_in_turn_need_two_blocks(pool, make):
    result = make()
    for _ in range(20):
        result = make()
    assert result is not None
    assert pool.bytes == 2 * block_size(BYTES)


def test_the_pool_knows_no_more_than_its_limit(pool, make):
    held = [make() for _ in range(40)]
    assert pool.bytes <= pool.limit
    assert len(set(map(place, held))) == 40
    del held
    again = [make() for _ in range(40)]
    assert len(set(map(place, again))) == 40
    assert pool.bytes <= pool.limit


def test_other_sizes_make_room(pool, make):
    del make
    small, large = block_size(BYTES), block_size(6 * BYTES)
    for _ in range(3):
        kept = [pool.array((k,), np.dtype(np.uint8), k) for k in (small, small, small, large, large)]
        assert pool.bytes <= pool.limit
        assert len(set(map(place, kept))) == 5
    huge = pool.array((pool.limit + 1,), np.dtype(np.uint8), pool.limit + 1)
    assert huge.base is None


def test_a_limit_of_nothing_is_no_pool():
    assert Pool(0).array(ROWS.shape, ROWS.dtype, block_size(BYTES)).base is None


def test_sizes_of_blocks():
    for bytes in (1, 64, 65, 131072, 131073, 10**6, 10**9 + 7):
        assert bytes <= block_size(bytes) <= max(bytes * 1.125, bytes + 64)
        assert block_size(bytes) == block_size(block_size(bytes))


def test_small_arrays_are_numpys_own():
    assert maker(spec((LARGE // 8 - 1,), np.float64))().base is None
    assert type(maker(spec((LARGE // 8,), np.float64))().base) is Block


def test_many_threads_never_get_the_same_memory(make):
    wrong, start = [], threading.Barrier(8)

    def work(number):
        start.wait()
        for step in range(200):
            array, other = make(), make()
            array[0, :8] = number
            other[-1, -8:] = -number
            if step % 3:
                del other
            if not (array[0, :8] == number).all():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_finalizers_that_make_arrays_in_between(make):
    class Node:
        def __init__(self):
            self.itself = self
            self.array = make()

        def __del__(self):
            self.array = make()
            self.array[:] = -1

    kept = []
    for step in range(60):
        Node()
        array = make()
        array[:] = step
        kept.append(array)
        del kept[:-3]
        if step % 7 == 0:
            gc.collect()
        assert [row[0, 0] for row in kept] == list(range(max(0, step - 2), step + 1))


def test_the_limit_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("AUTODIFF_POOL_SIZE", "4096")
    assert recycling.pool_limit() == 4096
    monkeypatch.delenv("AUTODIFF_POOL_SIZE")
    assert recycling.pool_limit() == recycling.memory_of_the_machine() // 8 > 0
    for wrong in ("a lot", "-1"):
        monkeypatch.setenv("AUTODIFF_POOL_SIZE", wrong)
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the whole text is compared
            recycling.pool_limit()
        assert str(caught.value) == (
            f"AUTODIFF_POOL_SIZE={wrong!r} in the environment is no number of bytes; set 0 for no pool, or 268435456"
        )


def test_gradients_on_blocks_are_not_copied():
    """What gives the caller an array of its own takes such an array for one."""
    x = np.linspace(0, 1, 40_000)
    function = jit(lambda x: np.sin(x) * x, backend="numpy")
    found = grad(lambda x: np.sum(function(x)))(x)
    np.testing.assert_allclose(found, np.sin(x) + x * np.cos(x))
    assert type(found.base) is Block


FAULTS = """
import resource, sys
import numpy as np
from autodiff import jit

function = jit(lambda x: (np.exp(x) + 1, np.sin(x), np.cos(x)), backend="numpy")
x = np.linspace(0, 1, 1_000_000)
for _ in range(5):
    results = function(x)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    results = function(x)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="pages are counted on Linux")
def test_large_results_touch_no_fresh_pages():
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", FAULTS], capture_output=True, text=True, check=False, cwd=root)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 100
