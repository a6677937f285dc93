"""The small compiler: text of integers against Python's own run of it."""

import ctypes
import itertools

import numpy as np
import pytest

from autodiff.backends.native.errors import KernelError
from autodiff.backends.native.kernels import words_address
from autodiff.backends.native.words import compile_words

# fmt: off
PROGRAMS = {
    "arithmetic":      "return (a + b) * 3 - a * b + (a << 2) + (b >> 1) + -a",
    "bits":            "return a & 12 | b & 3",
    "division":        "return (a + 100) // (b + 101)",
    "comparisons":     "return (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (a == b) + 32 * (a != b)",
    "named numbers":   "return a * TWO + MINUS",
    "and, or":         "return (a > 0 and b > 0 or a < -1) + 2 * (a > 0 and (b > 0 or a < 2))",
    "smaller":         "return min(a, b) + min(a, 1)",
    "assignments":     "x, y = a, b\nx, y = y, x + y\nx += y\nx -= 2\nreturn x * 7 + y",
    "branches":        "if a > b:\n    x = 1\nelif a == b:\n    x = 2\nelse:\n    x = 3\nreturn x",
    "early return":    "if a > 0:\n    return a\nif b > 0:\n    return b\nreturn 0",
    "return in loops": "for k in range(5):\n    while 1:\n        if k + a > 3:\n            return k\n        a += 1\nreturn 9",
    "while":           "x = 0\nwhile x * x < a * a:\n    x += 1\nreturn x",
    "range":           "x = 0\nfor i in range(a):\n    for j in range(i + b):\n        x += i * j\nreturn x",
    "functions":       "return twice(a) + twice(twice(b))",
    "nothing":         "a = b",
}
# fmt: on
BEFORE = 'TWO = 2\nMINUS = -1\n\ndef twice(x):\n    """Two times."""\n    return x + x\n\n'


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_of_integers_does_what_python_does(name):
    lines = "".join(f"    {line}\n" for line in PROGRAMS[name].splitlines())
    text = f"{BEFORE}def kernel(a, b, c):\n{lines}"
    scope = {}
    exec(text, scope)
    native = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 4)(words_address(text))
    for a, b in itertools.product(range(-3, 5), repeat=2):
        assert native(a, b, 0) == int(scope["kernel"](a, b, 0) or 0)


def test_memory_and_words_that_threads_share():
    text = """
def kernel(x, y, out):
    room = stack(3)
    store_int64(room, 2, load_int64(x, 1))
    store_int64(out, 0, load_int64(room, 2))
    store_int64(out, 1, load_int32(y, 0))
    store_int64(out, 2, load_uint8(y, 3))
    atomic_store(out + 24, atomic_load(x) + 1)
    store_int64(out, 4, atomic_add(out + 24, 10))
    store_int64(out, 5, exchange(out + 24, 77))
    store_int64(out, 6, compare_exchange(out + 24, 1, 2))
    store_int64(out, 7, compare_exchange(out + 24, 77, 78))
    pause()
"""
    x, y, out = np.array([5, -6]), np.array([-7, 0], np.int32), np.zeros(8, np.int64)
    native = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3)(words_address(text))
    native(*(each.ctypes.data for each in (x, y, out)))
    assert out.tolist() == [-6, -7, 255, 78, 6, 16, 0, 1]


def test_calls_by_address():
    @ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
    def add(x, y):
        return x + 10 * y

    seen = []

    @ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
    def kernel(block, low, high):
        seen.append((block, low, high))

    text = """
def kernel(add, other, number):
    run(other, number, 3, 4)
    return call(add, number, 2)
"""
    native = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 4)(words_address(text))
    add_at, kernel_at = (ctypes.cast(each, ctypes.c_void_p).value for each in (add, kernel))
    assert native(add_at, kernel_at, 5) == 25
    assert seen == [(5, 3, 4)]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("x = y", "y"),
        ("x = 1.5", "1.5"),
        ("x = a / b", "a / b"),
        ("x = a < b < 1", "a < b < 1"),
        ("x = not a", "not a"),
        ("x = print(a)", "print(a)"),
        ("x.y = 1", "x.y = 1"),
        ("x = [a]", "[a]"),
        ("for k in [a]:\n        pass", "for k in [a]:\n    pass"),
        ("assert a", "assert a"),
    ],
)
def test_what_is_no_part_of_the_language(text, part):
    with pytest.raises(KernelError) as caught:
        compile_words(f"def kernel(a, b, c):\n    {text}\n")
    assert str(caught.value) == f"native code knows integers only, not `{part}`"


def test_what_may_not_stand_outside_of_functions():
    with pytest.raises(KernelError, match=r"^native code knows integers only, not `import os`$"):
        compile_words("import os")
