"""Kernels are freed once nothing uses them, and never while something does."""

import gc
import sys
import threading

import numpy as np
import pytest

import autodiff
from autodiff.backends.compiling import compile_object, kernel_address
from autodiff.backends.native import kernels, loading
from autodiff.backends.recent import Recent

TEXT = "def kernel(block, lo, hi):\n    x = pointer(block, 0)\n    store_float64(x, 0, f8({}.0))\n"


def scaled(size):
    return autodiff.jit(lambda x: np.tanh(x * size) + np.arange(size))


@pytest.fixture
def few(fresh, monkeypatch):
    """Two kernels stay loaded although nothing uses them."""
    found = Recent(2)
    monkeypatch.setattr(kernels, "_codes", found)
    return found


def test_those_asked_for_last_stay_and_those_in_use():
    class Thing:
        pass

    recent, mine = Recent(2), Thing()
    recent.put("mine", mine)
    for key in "abc":
        thing = Thing()
        assert recent.put(key, thing) is thing
    del thing
    assert recent.get("mine") is mine
    assert recent.get("a") is None
    assert recent.get("c") is not None
    assert recent.put("c", Thing()) is recent.get("c")
    assert list(recent.last) == ["mine", "c"]
    recent.clear()
    assert recent.get("mine") is None


def test_what_a_function_uses_stays(few):
    f = scaled(5)
    expected = f(np.ones(5))
    for size in range(6, 12):
        scaled(size)(np.ones(size))
    gc.collect()
    loading.free_unused()
    assert len(few.last) == 2
    np.testing.assert_array_equal(f(np.ones(5)), expected)


def test_what_nothing_uses_is_freed(few):
    engines = []
    for size in range(20, 24):
        code = loading.load_object(compile_object(TEXT.format(size)))
        engines.append(few.put(size, code).engine)
        del code
    gc.collect()
    loading.free_unused()
    assert [engine.closed for engine in engines] == [True, True, False, False]


def test_an_address_keeps_its_code(few):
    address = kernel_address(TEXT.format(1))
    for size in range(2, 6):
        kernel_address(TEXT.format(size))
    gc.collect()
    loading.free_unused()
    assert not address.code.engine.closed
    assert kernel_address(TEXT.format(1)) == address


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
def test_memory_does_not_grow_with_shapes(python):
    program = """
        import gc, os
        import numpy as np, autodiff
        from autodiff.backends.native import kernels
        kernels._codes.limit = 8

        def resident():
            gc.collect()
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        def used(sizes):
            for size in sizes:
                f = autodiff.jit(lambda x: np.sum(np.tanh(x) * np.arange(x.shape[0])))
                f(np.ones(size))
            return resident()

        first = used(range(3, 75))
        print((used(range(75, 115)) - first) / 40 < 60_000)
    """
    assert python(program) == "True\n"


def test_threads_that_run_kernels_keep_them(few):
    functions = [scaled(size) for size in range(30, 34)]
    expected = [f(np.ones(size)) for size, f in zip(range(30, 34), functions, strict=True)]
    wrong = []

    def work(place):
        for _ in range(300):
            found = functions[place](np.ones(30 + place))
            if not np.array_equal(found, expected[place]):
                wrong.append(place)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for size in range(40, 60):
        scaled(size)(np.ones(size))
    for thread in threads:
        thread.join()
    assert wrong == []
