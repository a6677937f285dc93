"""Bound kernels: what they take and refuse, and how their range is run; by both launchers."""

import ctypes
import gc
import pickle
import sys
import threading
import types

import numpy as np
import pytest

from autodiff.backends.compiling import kernel_address
from autodiff.backends.native import launching, layout
from autodiff.backends.native.arguments import ArrayArgument, NumberArgument
from autodiff.backends.native.kernels import words_address
from autodiff.backends.native.launcher import LARGEST_BLOCK
from autodiff.backends.native.launching import bind, bits, fitted

SCALE = """
def kernel(block, lo, hi):
    x, out, factor = pointer(block, 0), pointer(block, 1), real64(block, 2)
    for i in range(lo, hi):
        store_float64(out, i, load_float64(x, i) * factor)
"""


class Witness:
    """A kernel that tells what it was called with."""

    def __init__(self, words):
        self.calls, self.block = [], None

        @ctypes.PYFUNCTYPE(None, *[ctypes.c_int64] * 3)
        def kernel(block, low, high):
            self.calls.append((low, high))
            self.block = list((ctypes.c_int64 * words).from_address(block))

        self.kernel = kernel
        self.address = ctypes.cast(kernel, ctypes.c_void_p).value


def swapped(x):
    return x.astype(x.dtype.newbyteorder())


def frozen(x):
    x = x.copy()
    x.flags.writeable = False
    return x


def unaligned(x):
    return np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(x.dtype).reshape(x.shape)


class Subclass(np.ndarray):
    pass


X = np.arange(6.0).reshape(2, 3)
F32, ANY, WRITE = ArrayArgument(0, "f4"), ArrayArgument(0, "f8"), ArrayArgument(0, np.float64, writeable=True)
SHAPE, RANK = ArrayArgument(0, "f8", shape=(2, 3)), ArrayArgument(0, "f8", ndim=2)
STRIDED = ArrayArgument(0, "f8", ndim=2, strides=1)
FLOAT, SINGLE, INT = NumberArgument(0, "float"), NumberArgument(0, "float32"), NumberArgument(0, "int")

# fmt: off
ARGUMENTS = [
    # argument, value, whether it fits
    (ANY,     X,                              True),
    (ANY,     X[0],                           True),
    (ANY,     np.array(1.5),                  True),
    (ANY,     np.zeros((0, 3)),               True),
    (ANY,     frozen(X),                      True),
    (ANY,     pickle.loads(pickle.dumps(X)),  True),
    (ANY,     X.T,                            False),
    (ANY,     X[:, ::2],                      False),
    (ANY,     X.astype("f4"),                 False),
    (ANY,     swapped(X),                     False),
    (ANY,     unaligned(X),                   False),
    (ANY,     X.view(Subclass),               False),
    (ANY,     np.float64(1),                  False),
    (ANY,     [1.0],                          False),
    (ANY,     None,                           False),
    (F32,     X.astype("f4"),                 True),
    (F32,     X.astype("i4"),                 False),
    (WRITE,   X,                              True),
    (WRITE,   frozen(X),                      False),
    (SHAPE,   X,                              True),
    (SHAPE,   np.zeros((3, 2)),               False),
    (SHAPE,   np.zeros((2, 4)),               False),
    (SHAPE,   np.zeros(6),                    False),
    (SHAPE,   np.zeros((2, 3, 1)),            False),
    (RANK,    np.zeros((7, 1)),               True),
    (RANK,    np.zeros(7),                    False),
    (STRIDED, X,                              True),
    (STRIDED, X.T,                            True),
    (STRIDED, X[::-1, ::2],                   True),
    (STRIDED, np.broadcast_to(X[0], (4, 3)),  True),
    (STRIDED, X[0],                           False),
    (STRIDED, unaligned(X),                   False),
    (FLOAT,   1.5,                            True),
    (FLOAT,   float("nan"),                   True),
    (FLOAT,   np.float64(-0.0),               True),
    (FLOAT,   1,                              False),
    (FLOAT,   True,                           False),
    (FLOAT,   np.float32(1),                  False),
    (FLOAT,   np.array(1.0),                  False),
    (SINGLE,  np.float32(-0.1),               True),
    (SINGLE,  1.5,                            False),
    (INT,     0,                              True),
    (INT,     -(2**63),                       True),
    (INT,     2**63 - 1,                      True),
    (INT,     2**63,                          False),
    (INT,     -(2**200),                      False),
    (INT,     True,                           False),
    (INT,     np.int64(1),                    False),
    (INT,     1.0,                            False),
]
# fmt: on


@pytest.mark.parametrize(("argument", "value", "fit"), ARGUMENTS)
def test_what_an_argument_fills_or_refuses(launcher, argument, value, fit):
    witness = Witness(3)
    call = bind(witness.address, [7, 8, 9], [argument])
    answer = call(value)
    if not fit:
        assert answer is NotImplemented
        assert witness.calls == []
        return
    assert answer is None
    assert witness.calls == [(0, 1)]
    if isinstance(argument, NumberArgument):
        expected = [bits(value), 8, 9]
    elif argument.strides is None:
        expected = [value.ctypes.data, 8, 9]
    else:
        expected = [value.ctypes.data, *value.strides]
    assert witness.block == expected


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        (ANY, X.T),
        (ANY, X[:, ::2]),
        (ANY, X.astype("f4")),
        (ANY, swapped(X)),
        (ANY, unaligned(X)),
        (ANY, X.view(Subclass)),
        (ANY, [1.0]),
        (ANY, np.float64(1)),
        (ArrayArgument(0, np.int64), np.arange(3, dtype=np.longlong)),
        (STRIDED, unaligned(X)),
        (STRIDED, swapped(X.T)),
        (FLOAT, 1),
        (FLOAT, np.float32(1)),
        (FLOAT, np.array(1.0)),
        (SINGLE, 1.5),
        (INT, True),
        (INT, np.int64(1)),
    ],
)
def test_what_was_refused_fits_once_converted(launcher, argument, value):
    witness = Witness(3)
    call = bind(witness.address, [0] * 3, [argument])
    assert call(value) is NotImplemented
    assert np.array_equal(fitted(value, argument), value)
    assert call(fitted(value, argument)) is None


def test_an_array_that_is_written_to_is_not_converted():
    with pytest.raises(ValueError, match=r"^an array that a kernel writes to cannot be converted$"):
        fitted(X.T, WRITE)


@pytest.mark.parametrize("values", [(), (X,), (X, X, X)])
def test_another_number_of_arguments_is_refused(launcher, values):
    witness = Witness(2)
    call = bind(witness.address, [0, 0], [ANY, ArrayArgument(1, "f8")])
    assert call(*values) is NotImplemented
    assert witness.calls == []


def test_keywords_are_an_error(launcher):
    with pytest.raises(TypeError):
        bind(Witness(1).address, [0], [ANY])(x=X)


# fmt: off
CHUNKS = [
    # rows, chunk, calls
    (0,  None, []),
    (0,  4,    []),
    (1,  None, [(0, 1)]),
    (10, None, [(0, 10)]),
    (10, 20,   [(0, 10)]),
    (10, 10,   [(0, 10)]),
    (10, 4,    [(0, 4), (4, 8), (8, 10)]),
    (8,  4,    [(0, 4), (4, 8)]),
    (3,  1,    [(0, 1), (1, 2), (2, 3)]),
]
# fmt: on


@pytest.mark.parametrize(("rows", "chunk", "expected"), CHUNKS)
@pytest.mark.parametrize("where", ["fixed", "constant", "argument"])
def test_the_range_is_run_in_chunks(launcher, rows, chunk, expected, where):
    witness = Witness(1)
    if where == "fixed":
        assert bind(witness.address, [0], [], rows=rows, chunk=chunk)() is None
    elif where == "constant":
        assert bind(witness.address, [rows], [], rows_word=0, chunk=chunk)() is None
    else:
        assert bind(witness.address, [-1], [INT], rows_word=0, chunk=chunk)(rows) is None
    assert witness.calls == expected


def test_a_block_larger_than_the_stack_has_room_for(launcher):
    count = LARGEST_BLOCK + 1
    witness = Witness(count)
    assert bind(witness.address, range(count), [ArrayArgument(count - 1, "f8")])(X) is None
    assert witness.block == [*range(count - 1), X.ctypes.data]


@pytest.mark.parametrize("release", [False, True])
@pytest.mark.parametrize("chunk", [None, 7])
@pytest.mark.parametrize("parallel", [False, True])
def test_a_compiled_kernel(launcher, release, chunk, parallel):
    x, out = np.linspace(-1, 1, 100), np.zeros(100)
    arguments = [ArrayArgument(0, "f8"), ArrayArgument(1, "f8", writeable=True), NumberArgument(2, "float")]
    call = bind(kernel_address(SCALE), [0, 0, 0], arguments, rows=100, chunk=chunk, release=release, parallel=parallel)
    assert call(x, out, 3.0) is None
    assert np.array_equal(out, 3 * x)
    assert call(x, out, np.float64(-2)) is None
    assert np.array_equal(out, -2 * x)


def test_other_threads_run_while_a_kernel_does(launcher):
    text = """
def kernel(block, lo, hi):
    said, patience = load_int64(block, 0), load_int64(block, 1)
    while atomic_load(said) == 0 and patience > 0:
        patience -= 1
        pause()
    store_int64(load_int64(block, 2), 0, patience)
"""
    said, left = np.zeros(1, np.int64), np.zeros(1, np.int64)
    waiting = threading.Event()

    def say():
        waiting.wait()
        said[0] = 1

    thread = threading.Thread(target=say)
    thread.start()
    arguments = [ArrayArgument(0, "i8"), ArrayArgument(2, "i8", writeable=True)]
    call = bind(words_address(text), [0, 2**33, 0], arguments, release=True)
    waiting.set()
    assert call(said, left) is None
    thread.join()
    assert left[0] > 0


def test_no_reference_is_lost_or_kept(launcher):
    witness = Witness(2)
    call = bind(witness.address, [0, 0], [ANY, NumberArgument(1, "float")])
    x, number = np.ones(3), 1.5

    def counts():
        return [sys.getrefcount(each) for each in (None, NotImplemented, x, number, np.dtype("f8"))]

    call(x, number)
    before = counts()
    for _ in range(1000):
        call(x, number)
        call(x, 1)
        witness.calls.clear()
    assert np.abs(np.subtract(counts(), before)).max() < 100  # a few that others hold come and go


def test_a_bound_kernel_can_be_freed(launcher):
    gc.collect()
    shape = (123457,)
    address = Witness(1).address
    before = len(gc.get_objects())
    for _ in range(100):
        bind(address, [0], [ArrayArgument(0, "f8", shape=shape)])
    gc.collect()
    assert len(gc.get_objects()) < before + 100


def test_what_cannot_be_bound():
    with pytest.raises(ValueError, match=r"^arguments fill the words \[0, 2\] of a block of 2$"):
        bind(0, [0, 0], [ANY, ArrayArgument(2, "f8")])
    with pytest.raises(ValueError, match=r"^arguments fill the words \[0, 1, 2\] of a block of 2$"):
        bind(0, [0, 0], [ArrayArgument(0, "f8", ndim=2, strides=1)])
    with pytest.raises(ValueError, match=r"^arguments fill the words \[5\] of a block of 1$"):
        bind(0, [0], [], rows_word=5)
    with pytest.raises(
        ValueError,
        match=r"^an array whose strides are wanted needs a shape or ndim, so that their number is known$",
    ):
        ArrayArgument(0, "f8", strides=1)
    with pytest.raises(ValueError, match=r"^a number is of one of the kinds float, float32, int, not 'complex'$"):
        NumberArgument(0, "complex")


def test_words_of_numbers():
    assert bits(3) == bits(np.int64(3)) == bits(np.uint8(3)) == 3
    assert bits(-1) == -1
    assert bits(1.0) == 0x3FF0000000000000
    assert bits(np.float32(1)) == 0x3F800000
    assert bits(np.float32(-0.0)) == -(2**31)


@pytest.mark.parametrize("place", sorted(set(layout.PLACES) - {"TYPE"}))
def test_another_layout_is_noticed_and_the_launcher_in_python_takes_over(monkeypatch, place):
    assert layout.unfit() == ""
    layout.unfit.cache_clear()
    launching.launcher_kind.cache_clear()
    wrong = {"SHAPE": "STRIDES", "STRIDES": "SHAPE"}.get(place)  # what lies at any other place is no address
    monkeypatch.setitem(layout.PLACES, place, layout.PLACES[wrong] if wrong else layout.PLACES[place] - 8)
    try:
        assert layout.unfit() != ""
        assert launching.launcher_kind() == "python"
        witness = Witness(1)
        assert bind(witness.address, [0], [ANY])(X) is None
        assert witness.block == [X.ctypes.data]
    finally:
        layout.unfit.cache_clear()
        launching.launcher_kind.cache_clear()


def test_a_native_launcher_that_reads_something_else_is_not_used(monkeypatch):
    def bind_wrongly(launch):
        def call(value):
            return NotImplemented

        return call

    monkeypatch.setattr(launching, "bind_natively", bind_wrongly)
    launching.launcher_kind.cache_clear()
    try:
        assert launching.launcher_kind() == "python"
    finally:
        launching.launcher_kind.cache_clear()


def test_which_launcher_runs_a_kernel(launcher):
    """The native one where it works, and where the block has room on its stack."""
    witness = Witness(3)
    native = launching.launcher_kind() == "native"
    assert (type(bind(witness.address, [7, 8, 9], [])) is types.BuiltinFunctionType) == native
    assert type(bind(witness.address, [7] * (LARGEST_BLOCK + 1), [])) is types.FunctionType
