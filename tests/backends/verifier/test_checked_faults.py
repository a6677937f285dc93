"""Kernels that leave their memory, one fault each, stop before they do while they run; without the fault they pass.

The proof is switched off here: what it finds never runs.
"""

import ctypes
import re

import numpy as np
import pytest

from autodiff import jit
from autodiff.backends import cache, checked
from autodiff.backends.kernels import call
from autodiff.backends.kernels.checked import KernelMemoryError
from autodiff.backends.kernels.launching import ArrayArgument, KernelLaunch
from autodiff.backends.kernels.programs.emitter import Emitter
from autodiff.backends.verifier.launch import Array, UnprovedKernelError
from tests.backends.kernels.running import needs_numba
from tests.backends.verifier.test_planted_faults import FAULTS, PICKED
from tests.backends.verifier.test_proofs import doubled, running_products, unguarded

pytestmark = needs_numba
assert unguarded is not None  # a fixture
DTYPES = {"b1": np.bool_, "i4": np.int32, "i8": np.int64, "f4": np.float32, "f8": np.float64, None: np.uint8}


@pytest.fixture
def unproved(monkeypatch):
    monkeypatch.setattr(KernelLaunch, "refuse_unproved", lambda self: None)


@pytest.fixture
def checking(monkeypatch):
    monkeypatch.setattr(checked, "CHECKED", True)


def launched(text, values, written, rows=1, words=(), name="a kernel of tests", **options):
    """A kernel run on arrays, which are its first words; what it has written."""
    values = [np.array(value) for value in values]
    arguments = [ArrayArgument(k, v.dtype, k in written, size=v.size) for k, v in enumerate(values)]
    launch = KernelLaunch(text, [*[0] * len(values), *words], arguments, rows, name=name, **options)
    assert launch.bound()(*values) is None
    return [values[k] for k in written]


def unchecked(monkeypatch, *given, **options):
    """The same by a kernel that checks nothing."""
    with monkeypatch.context() as patched:
        patched.setattr(checked, "CHECKED", False)
        return launched(*given, **options)


def same_bits(found, wanted):
    assert [each.tobytes() for each in found] == [each.tobytes() for each in wanted]


def run_as_proved(text, how, index):
    """A kernel of `test_planted_faults` on arrays of the sizes that are said there."""
    arrays = [own for _, own in sorted(how.words.items()) if isinstance(own, Array)]
    values = []
    for own in arrays:
        dtype = np.dtype(DTYPES[own.type])
        values.append(np.arange(own.bytes // dtype.itemsize)[::-1].astype(dtype))
    if text.startswith(PICKED.split("out =")[0]):
        values[1][...] = index
    written = tuple(k for k, own in enumerate(arrays) if own.writeable)
    words = [word for _, word in sorted(how.words.items()) if not isinstance(word, Array)]
    return launched(text, values, written, how.rows, words, chunk=how.chunk, parallel=how.parallel)


# fmt: off
BOUNDS = {
    # fault: the array that would have been left
    "an extent too large":          "x",
    "axes swapped":                 "b",
    "strides of another matrix":    "a",
    "scratch too small":            "memory",
    "scratch by the whole row":     "memory",
    "another dtype":                "x",
    "a block beyond the end":       "x",
    "an index that nobody checks":  "x",
    "an index checked too late":    "x",
    "one place before the first":   "memory",
    "a row too many":               "x",
}
# fmt: on


@pytest.mark.parametrize("fault", BOUNDS)
def test_a_fault_stops_its_kernel(fault, unproved, checking, monkeypatch):
    (text, how), right, wrong, _ = FAULTS[fault]
    index = 10 if "index" in fault else 3
    found = run_as_proved(text, how, index)
    with monkeypatch.context() as patched:
        patched.setattr(checked, "CHECKED", False)
        same_bits(found, run_as_proved(text, how, index))
    with pytest.raises(KernelMemoryError, match=f" bytes at byte -?[0-9]+ of {BOUNDS[fault]}, ") as error:
        run_as_proved(text.replace(right, wrong), how, index)
    number = int(re.search(r"in line (\d+) of its text", str(error.value))[1])
    line = text.replace(right, wrong).splitlines()[number - 1].strip()
    assert f"of its text: {line}\n" in str(error.value)
    assert re.search(r"load_|store_|multiply_", line)


LOOP = """
def kernel(block, lo, hi):
    x = pointer(block, 0)
    i = pointer(block, 1)
    out = pointer(block, 2)
    {head}
    for k in range({length}):
        {body}
"""
# fmt: off
VECTORS = {
    # what goes wrong in a loop of vectors: the line, the dtype of x, elements of x, i and out, and what is told
    "a load in the tail":      ("store_float64(out, k, exp(load_float64(x, k)))", "f8", 45, 0, 45, "read .* of x"),
    "a store in the tail":     ("store_float64(out, k, exp(load_float64(x, k)))", "f8", 45, 0, 45, "written .* of out"),
    "booleans in the tail":    ("store_bool(out, k, load_float64(x, k) > 1.0)", "f8", 45, 0, 45, "written .* of out"),
    "small elements":          ("store_float32(out, k, load_float32(x, k) * f4(2.0))", "f4", 45, 0, 45, "read .* of x"),
    "every other element":     ("store_float64(out, k, load_float64(x, 2 * k))", "f8", 89, 0, 45, "read .* of x"),
    "stores that are woven":   ("store_float64(out, 2 * k, load_float64(x, k)); store_float64(out, 2 * k + 1, 1.0)", "f8", 45, 0, 90, "written .* of out"),
    "stores that lie apart":   ("store_float64(out, 7 * k, load_float64(x, k))", "f8", 45, 0, 309, "written .* of out"),
    "a gather":                ("store_float64(out, k, load_float64(x, load_int64(i, k)))", "f8", 45, 45, 45, "read .* of x"),
    "the indices of a gather": ("store_float64(out, k, load_float64(x, load_int64(i, k)))", "f8", 45, 45, 45, "read .* of i"),
    "a sum":                   ("total = reduce_add(total, load_float64(x, k))", "f8", 45, 0, 1, "read .* of x"),
    "what all rounds read":    ("store_float64(out, k, load_float64(x, 44) * load_float64(i, 0))", "f8", 45, 45, 45, "read .* of x"),
}
# fmt: on


def vector_kernel(body, length):
    """A loop of a length that is known, and one of a length that is not."""
    text = LOOP.format(head="total = f8(0.0)" if "total" in body else "", length=length, body=body)
    text += "    store_float64(out, 0, total)\n" if "total" in body else ""
    return text


@pytest.mark.parametrize("length", ["45", "hi"])
@pytest.mark.parametrize("fault", VECTORS)
def test_a_fault_in_a_loop_of_vectors_stops_its_kernel(fault, length, unproved, checking, monkeypatch):
    body, dtype, x, i, out, message = VECTORS[fault]
    text = vector_kernel(body, length)
    stored = np.bool_ if "store_bool" in body else np.float32 if "store_float32" in body else np.float64
    indices = np.arange(i)[::-1] if "load_int64" in body else np.ones(i)
    given = [np.linspace(0, 2, x).astype(dtype), indices, np.zeros(out, stored)]
    same_bits(launched(text, given, (2,), 45), unchecked(monkeypatch, text, given, (2,), 45))
    if fault == "a gather":
        given[1][20] = 45
    else:
        name = message.rpartition(" ")[2]
        short = {"x": 0, "i": 1, "out": 2}[name]
        given[short] = given[short][:-1].copy()
    with pytest.raises(KernelMemoryError, match=message) as error:
        launched(text, given, (2,), 45)
    assert f"of its text: {text.splitlines()[7].strip()}\n" in str(error.value)


def test_a_gather_may_be_wrong_where_the_mask_is_off(unproved, checking):
    text = vector_kernel("store_float64(out, k, load_float64(x, load_int64(i, k)))", "hi")
    indices = np.arange(64) * (np.arange(64) < 45) + 10**6 * (np.arange(64) >= 45)
    (found,) = launched(text, [np.arange(45.0), indices, np.zeros(64)], (2,), 45)
    np.testing.assert_array_equal(found, np.arange(64) * (np.arange(64) < 45))


def test_nothing_is_touched_outside_and_the_next_call_runs(unproved, checking):
    text = "def kernel(block, lo, hi):\n    x = pointer(block, 0)\n    n = word(block, 1)\n    store_float64(x, n, load_float64(x, n) + 1.0)\n"
    memory = np.zeros(12)
    arguments = [ArrayArgument(0, np.float64, True, size=10)]
    for number, whole in ((-1, False), (0, True), (9, True), (10, False), (1 << 60, False), (-(1 << 60), False)):
        run = KernelLaunch(text, [0, number], arguments, 1, name="a kernel of tests").bound()
        if whole:
            assert run(memory[1:11]) is None
            continue
        with pytest.raises(KernelMemoryError, match=r"read 8 bytes at byte .* of x, float64 of shape"):
            run(memory[1:11])
        if number == 10:
            assert run(memory) is None
    assert memory.tolist() == [0, 1, *[0] * 8, 2, 0]


def test_the_error_says_all_that_a_report_needs(unproved, checking):
    text = "def kernel(block, lo, hi):\n    x = pointer(block, 0)\n    store_float64(x, hi, load_float64(x, lo))\n"
    with pytest.raises(KernelMemoryError) as error:
        launched(text, [np.zeros((2, 5))], (0,), 10)
    assert str(error.value) == (
        "a kernel of tests would have written 8 bytes at byte 80 of x, float64 of shape (2, 5), 80 bytes, in line 3 of "
        "its text: store_float64(x, hi, load_float64(x, lo))\nNothing beyond that memory was touched, and what the "
        "kernel has computed is lost. This is a fault of autodiff: please report it, with the program and what follows."
        f"\n\n{text}"
    )


def test_one_part_of_the_rows_stops_the_others_and_is_told(unproved, checking):
    text = "def kernel(block, lo, hi):\n    x = pointer(block, 0)\n    for r in range(lo, hi):\n        store_int64(x, r, r + 1)\n"
    for _ in range(20):
        with pytest.raises(
            KernelMemoryError, match="of x, int64 of shape \\(1000,\\), 8000 bytes, in line 4 of its text"
        ):
            launched(text, [np.zeros(1000, np.int64)], (0,), 1003, chunk=7, parallel=True)


@pytest.mark.parametrize(("index", "place"), [(0, None), (39, None), (-1, 320), (40, -8)])
def test_the_extent_of_an_array_is_that_of_its_elements(index, place, unproved, checking):
    """Which run backwards here: the word of the block holds the address of the last one in memory."""
    text = f"""def kernel(block, lo, hi):
    x = pointer(block, 0)
    step = word(block, 1) // 8
    store_float64(x, {index} * step, 1.0)
"""
    memory = np.zeros(40)
    run = KernelLaunch(text, [0, 0], [ArrayArgument(0, np.float64, True, shape=(40,), strides=1)], 1).bound()
    if place is None:
        assert run(memory[::-1]) is None
        assert memory[39 - index] == 1.0
        return
    with pytest.raises(KernelMemoryError, match=f"at byte {place} of x, .* strides \\(-8,\\)"):
        run(memory[::-1])


@pytest.mark.parametrize(
    "lines",
    [
        ("p = shifted(x, 8) if lo == 0 else x", "store_float64(p, hi - 2, 1.0)"),
        ("p = where(lo == 0, shifted(x, 8), x)", "store_float64(p, hi - 2, 1.0)"),
        ("p = x", "for k in range(lo, hi - 1):", "    p = shifted(p, 8)", "store_float64(p, 0, 1.0)"),
        ("p = x", "k = lo", "while k < hi - 1:", "    p = shifted(p, 8)", "    k = k + 1", "store_float64(p, 0, 1.0)"),
        ("p = shifted(shifted(x, hi * 8), 0 - 8)", "store_float64(p, 0, 1.0)"),
        ("p = word(block, 0) + 8 * hi - 8", "store_float64(p, 0, 1.0)"),
    ],
)
def test_addresses_are_followed(lines, unproved, checking):
    text = (
        "\n".join(["def kernel(block, lo, hi):", "    x = pointer(block, 0)", *(f"    {line}" for line in lines)])
        + "\n"
    )
    (found,) = launched(text, [np.zeros(5)], (0,), 5)
    assert found.tolist() == [0, 0, 0, 0, 1]
    with pytest.raises(KernelMemoryError, match=r"written 8 bytes at byte 40 of x, .* store_float64\(p"):
        launched(text, [np.zeros(5)], (0,), 6)


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("store_float64(y, 0, 1.0)", "nothing is known of the memory"),
        ("store_int64(x, word(block, 9), 1)", "it reads word 9 of a block of 2"),
        ("y = word(block, 0)", "one of its names leads to several buffers"),
    ],
)
def test_what_cannot_be_checked_is_not_run(statement, reason, unproved, checking):
    text = f"def kernel(block, lo, hi):\n    x = pointer(block, 0)\n    y = word(block, 1)\n    {statement}\n"
    with pytest.raises(UnprovedKernelError, match=f"a kernel cannot be checked while it runs, for {reason}"):
        KernelLaunch(text, [0, 0], [ArrayArgument(0, np.float64, True, size=1)], 1).bound()


@pytest.mark.parametrize(
    ("fun", "arguments"),
    [
        (running_products, (np.linspace(0, 1, 100_000),)),
        (doubled, (np.ones(2048), np.ones(2048), np.linspace(0, 1, 4096))),
    ],
)
def test_programs_that_wrote_beyond_their_memory_are_stopped(fun, arguments, unguarded, unproved, checking):
    with pytest.raises(KernelMemoryError, match="a kernel of a whole program would have"):
        jit(fun)(*arguments)


def test_scratch_is_as_large_as_it_was_made(checking, monkeypatch):
    """The proof takes the word of the call for it."""

    def program(x):
        return np.cumsum(np.cumsum(x)[::-1])[::-1] * x

    room, x = call.room, np.linspace(0, 1, 333)
    np.testing.assert_allclose(jit(program)(x[1:]), program(x[1:]))
    monkeypatch.setattr(call, "room", lambda size: room(size - 64))
    with pytest.raises(KernelMemoryError, match="of memory, uint8 of shape"):
        jit(program)(x)


ROOMS = """
def kernel(block, lo, hi):
    x = pointer(block, 0)
    memory = pointer(block, 1)
    memory = shifted(memory, lo // 10 * 192)
    a = shifted(memory, 0 - lo * 8)
    b = shifted(memory, 128)
    for k in range(8):
        store_float64(b, k, 1.0)
    for k in range(lo, hi):
        store_float64(a, k, load_float64(x, k))
    for k in range(lo, hi):
        store_float64(x, k, load_float64(a, k) + load_float64(b, 7))
"""


@pytest.mark.parametrize(("room", "least"), [("a", 80), ("b", 64)])
def test_parts_of_the_memory_to_work_in_do_not_meet(room, least, unproved, checking):
    """They lie in one array, of which a store beyond the first part would meet the second one."""

    def run(size):
        rooms = {"a": (0, 80), "b": (128, 64)} | {room: (0 if room == "a" else 128, size)}
        memory = ArrayArgument(1, np.uint8, True, size=384, scratch=True)
        arguments = [ArrayArgument(0, np.float64, True, size=20), memory]
        x = np.zeros(20)
        launch = KernelLaunch(ROOMS, [0, 0], arguments, 20, chunk=10, parallel=True, rooms=rooms)
        launch.bound()(x, np.zeros(384, np.uint8))
        return x

    assert run(least).tolist() == [1.0] * 20
    message = f"at byte [0-9]+ of {room}, {least - 1} bytes of the memory that it works in"
    with pytest.raises(KernelMemoryError, match=message):
        run(least - 1)


def test_a_room_lies_in_the_memory(unproved, checking):
    text = """def kernel(block, lo, hi):
    memory = pointer(block, 0)
    a = shifted(memory, 8)
    store_int64(a, 0, 1)
"""
    launch = KernelLaunch(text, [0], [ArrayArgument(0, np.uint8, True, size=16, scratch=True)], 1, rooms={"a": (8, 16)})
    with pytest.raises(KernelMemoryError, match="written 16 bytes at byte 8 of memory, uint8 of shape"):
        launch.bound()(np.zeros(16, np.uint8))


def test_rooms_of_programs_are_as_large_as_their_values(checking, monkeypatch):
    allocate = Emitter.allocate

    def less(self, shape, dtype):
        found = allocate(self, shape, dtype)
        place, size = self.rooms[found.base]
        self.rooms[found.base] = place, size - 1
        return found

    monkeypatch.setattr(Emitter, "allocate", less)
    with pytest.raises(KernelMemoryError, match=r"of m[0-9]+, 1183 bytes of the memory that it works in"):
        jit(lambda x: np.cumsum(np.cumsum(x)[::-1])[::-1] * x)(np.linspace(0, 1, 148))


@pytest.mark.parametrize(("begin", "size", "inside"), [(8, 56, True), (8, 57, False), (-8, 8, False)])
def test_what_is_called_out_for_stays_in_its_memory(begin, size, inside, unproved, checking):
    called = []
    hook = ctypes.PYFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)(lambda memory, number: called.append(number))
    text = f"""def kernel(block, lo, hi):
    memory = pointer(block, 0)
    hook = word(block, 1)
    call_out(hook, memory, {begin}, {size}, 7)
"""
    memory = ArrayArgument(0, np.uint8, True, size=64, scratch=True)
    launch = KernelLaunch(text, [0, ctypes.cast(hook, ctypes.c_void_p).value], [memory], 1, release=False)
    if inside:
        launch.bound()(np.zeros(64, np.uint8))
    else:
        with pytest.raises(KernelMemoryError, match=f"written {size} bytes at byte {begin} of memory, uint8"):
            launch.bound()(np.zeros(64, np.uint8))
    assert called == [7] * inside


def test_checked_and_other_code_have_their_own_keys(unproved, monkeypatch, tmp_path):
    monkeypatch.setenv("AUTODIFF_CACHE_DIR", str(tmp_path))
    text = "def kernel(block, lo, hi):\n    x = pointer(block, 0)\n    store_float64(x, hi - 4077, 4077.0)\n"
    for number, state in enumerate((False, True, False, True)):
        monkeypatch.setattr(checked, "CHECKED", state)
        launched(text, [np.zeros(3)], (0,), 4077)
        assert len(list(tmp_path.glob(f"*{cache.KERNEL}"))) == min(number + 1, 2)
    with pytest.raises(KernelMemoryError):
        launched(text, [np.zeros(3)], (0,), 4080)
