"""Kernels whose instructions are printed directly, against the same texts as Numba compiles them."""

import ctypes

import numpy as np
import pytest

pytest.importorskip("numba")

from autodiff.backends.compiling import compile_object
from autodiff.backends.language.errors import Unsuited
from autodiff.backends.language.mathematics import FUNCTIONS
from autodiff.backends.language.types import STORED
from autodiff.backends.llvm import statements
from autodiff.backends.llvm.statements.function import WRITTEN_OUT
from autodiff.backends.llvm.statements.target import printed
from autodiff.backends.native.loading import load_object
from autodiff.backends.numba.compiling import compile_by_numba
from tests.backends.kernels.test_golden import FOLDER
from tests.backends.llvm.test_vectors import NAMES, Writer, elements, same, values


def run(code, arrays, count):
    """Copies of arrays after a call of some object code."""
    arrays = [each.copy() for each in arrays]
    block = np.array([each.ctypes.data for each in arrays], np.int64)
    loaded = load_object(code)
    ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3)(loaded.address)(block.ctypes.data, 0, count)
    return arrays


def agree(text, arrays, count):
    """Assert that a text does what Numba makes of it, to the bit."""
    same(run(statements.compiled(text), arrays, count), run(compile_by_numba(text), arrays, count))


@pytest.mark.parametrize("seed", range(6))
def test_every_operation_on_every_type(seed):
    text = Writer(seed).text(80, "range(lo, hi)")
    alone = text.replace("for i in range(lo, hi):", "i = lo - 1\n    while i + 1 < hi:\n        i += 1")
    assert alone != text
    arrays = elements(40, seed)
    arrays[3] = np.clip(arrays[3], -40, 40)  # where whole numbers overflow Numba's results are not NumPy's
    for each in (text, alone):
        agree(each, arrays, 40)


def test_whole_numbers_that_overflow():
    text = """
def kernel(block, lo, hi):
    x, out = pointer(block, 0), pointer(block, 1)
    v = i8(load_int64(x, 0) + i8(-43))
    store_int64(out, 0, maximum(v, i8(30)))
"""
    least = np.iinfo(np.int64).min
    assert run(compile_object(text), [np.array([least + 3]), np.zeros(1, np.int64)], 1)[1] == 2**63 - 40


@pytest.mark.parametrize("type_", ["f4", "f8"])
def test_mathematics(type_):
    name = NAMES[type_]
    calls = [f"{each}({', '.join('xy'[:arity])})" for each, arity in FUNCTIONS.items()]
    lines = [f"        store_{name}(c, i * {len(calls)} + {k}, {each})" for k, each in enumerate(calls)]
    text = f"""
def kernel(block, lo, hi):
    a, b, c = pointer(block, 0), pointer(block, 1), pointer(block, 2)
    i = lo
    while i < hi:
        x, y = load_{name}(a, i), load_{name}(b, i)
""" + "\n".join([*lines, "        i += 1"])
    agree(text, [values(type_, 60, 1), values(type_, 60, 2), np.zeros(60 * len(calls), name)], 60)


BODIES = {
    "names that change in loops and branches": """
    a, b = 1, 2
    for i in range(lo, hi):
        a, b = b, a + b
        if load_int64(x, i) > 0:
            sign = 1
        elif load_int64(x, i) == 0:
            sign = 0
        else:
            sign = -1
            a -= 1
        store_int64(out, i, a * 10 + sign)
    store_int64(out, hi, a - b)
    """,
    "a loop's variable after the loop, and while it is assigned": """
    last = -1
    for i in range(3, 9):
        store_int64(out, i, i)
        last = i
        i = i * 2
        store_int64(out, i, -i)
    store_int64(out, 20, last)
    """,
    "steps": """
    for i in range(30, lo, -3):
        store_int64(out, i, i)
    for i in range(lo + 1, 30, 7):
        store_int64(out, i, -i)
    for i in range(5, 5):
        store_int64(out, 0, 77)
    """,
    "break, continue and return": """
    for i in range(hi):
        if i == 3:
            continue
        j = 0
        while True:
            j += 1
            if j > i or load_int64(x, j) == 5:
                break
            if j % 2 == 0:
                continue
            store_int64(out, i, j)
        if i > 12:
            return
    store_int64(out, 0, 99)
    """,
    "conditions": """
    for i in range(lo, hi):
        v = load_int64(x, i)
        ok = v > 1 and v < 9 or not v > -5 and v != -7 and i > 0
        found = load_int64(x, v) if v >= 0 and v < hi else i4(3) * 4
        if ok or v == 0:
            found += 1000
        store_int64(out, i, found)
    """,
    "quotients": """
    for i in range(lo, hi):
        v = load_int64(x, i)
        store_int64(out, i, (v // 3) * 100 + v % 3 + (i // (v + 1)) * 10000 + 7 % v + -9 // (v - 2))
    """,
    "numbers of several kinds": """
    total, many, any_ = f4(0.0), i4(0), False
    k = 0
    while k < hi:
        v = load_int64(x, k)
        total = total + f4(v) * f4(0.1)
        many = i4(many + i4(v))
        any_ = any_ | (v == 3)
        k += 1
    store_int64(out, 0, i8(total * f4(1000.0)))
    store_int64(out, 1, i8(many))
    store_int64(out, 2, i8(any_))
    store_int64(out, 3, min(hi, 7) * 100 + max(lo, -7))
    store_int64(out, 4, i8(u1(300)) + i8(f4(16777217.0)))
    """,
    "addresses that change": """
    p = shifted(x, 8)
    for i in range(3):
        p = shifted(p, i * 8)
        store_int64(out, i, load_int64(p, 0))
    store_int64(block, 5, load_int64(word(block, 0), 1))
    """,
}


@pytest.mark.parametrize("body", BODIES)
def test_control_flow(body):
    text = f"def kernel(block, lo, hi):\n    x = pointer(block, 0)\n    out = pointer(block, 1)\n{BODIES[body]}\n"
    x = np.random.default_rng(0).integers(-9, 12, 40)
    agree(text, [x, np.full(60, 5), *np.zeros((4, 8), np.int64)], 20)


@pytest.mark.parametrize("golden", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_kernels_are_printed_without_numba(golden):
    texts = golden.read_text().split("\ndef kernel(")[1:]
    assert texts
    for text in texts:
        lines = text.split("\n")
        end = next((k for k, line in enumerate(lines[1:], 1) if line and not line.startswith("    ")), len(lines))
        assert statements.compiled("def kernel(" + "\n".join(lines[:end]) + "\n")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("x = [1.0]", "it has '[1.0]'"),
        ("store_int64(block, 0, unheard_of(lo))", "it has 'unheard_of(lo)'"),
        ("store_int64(block, 0, lo / hi)", "the type of 'lo / hi' is not known"),
        ("store_int64(block, 0, lo ** hi)", "it has 'lo ** hi'"),
        ("assert lo == 0", "it has 'assert lo == 0'"),
        ("multiply_matrices_float32(block, lo, 1, block, 1, 1, block, 1, 1, 1, 1, 0)", "'lo' is no number in the text"),
        ("for i in (1, 2):\n        store_int64(block, 0, i)", "it goes over '(1, 2)'"),
        ("a = 1\n    a = f4(2.0)\n    store_float32(block, 0, a)", "the type of a is not known"),
        ("store_int64(block, 0, undefined)", "nothing is known of undefined"),
    ],
)
def test_what_is_not_known_is_left_to_numba(line, reason):
    with pytest.raises(Unsuited) as caught:
        statements.compiled(f"def kernel(block, lo, hi):\n    {line}\n")
    assert str(caught.value) == reason


def test_numba_compiles_what_is_not_known():
    text = """
@callee
def twice(x):
    return x + x

def kernel(block, lo, hi):
    store_float64(pointer(block, 0), 0, twice(f8(hi)))
"""
    with pytest.raises(Unsuited):
        statements.compiled(text)
    assert run(compile_object(text), [np.zeros(1)], 21)[0] == 42.0


def test_functions_that_are_called_often_are_written_once():
    def text(count):
        lines = ["def kernel(block, lo, hi):", "    x = pointer(block, 0)", "    v0 = load_float64(x, 0)"]
        names = ["sin", "exp", "tanh"]
        lines += [f"    v{k + 1} = {names[k % 3]}(v{k} * f8(0.5))" for k in range(count)]
        lines += [f"    store_float64(x, {k}, v{k})" for k in range(count + 1)]
        return "\n".join(lines) + "\n"

    few, many = (printed(text(count)) for count in (WRITTEN_OUT, WRITTEN_OUT + 1))
    assert "define internal" not in few
    assert many.count("define internal double @sin_f8") == 1
    assert many.count("call double @sin_f8") == 33
    start = [np.full(WRITTEN_OUT + 2, 1.5)]
    (one,), (other,) = (run(compile_object(text(count)), start, 1) for count in (WRITTEN_OUT, WRITTEN_OUT + 1))
    np.testing.assert_array_equal(one[: WRITTEN_OUT + 1], other[: WRITTEN_OUT + 1])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sine_and_cosine_of_one_number_are_one_call(dtype):
    short = STORED[dtype]

    def text(count):
        lines = ["def kernel(block, lo, hi):", "    x = pointer(block, 0)", f"    v0 = load_{dtype}(x, 0)"]
        for k in range(count):
            lines += [f"    s{k} = sin(v{k})", f"    c{k} = cos(v{k})", f"    v{k + 1} = s{k} * c{k} + {short}(2.0)"]
        lines += [f"    if v{count} > {short}(0.0):", f"        v{count} = cos(v0)"]  # in another block
        lines += [f"    store_{dtype}(x, {3 * k}, s{k})" for k in range(count)]
        lines += [f"    store_{dtype}(x, {3 * k + 1}, c{k})" for k in range(count)]
        return "\n".join((*lines, f"    store_{dtype}(x, {3 * count}, v{count})\n"))

    counts = 1, WRITTEN_OUT // 2
    few, many = (printed(text(count)) for count in counts)
    for written, count in zip((few, many), counts, strict=True):
        assert written.count(f"@sin_cos_{short}(") == 1 + count + 1
    start = [np.full(3 * counts[1] + 1, 1.5, dtype)]
    (one,), (other,) = (run(compile_object(text(count)), start, 1) for count in counts)
    np.testing.assert_array_equal(one[: 3 * counts[0]], other[: 3 * counts[0]])
    apart = text(1).replace("cos(v0)", "cos(-v0)")
    assert "define internal" not in printed(apart)
    np.testing.assert_array_equal(run(compile_object(apart), start, 1)[0], one)
    assert other[-1] == run(compile_object(text(1)), start, 1)[0][3]
