"""Kernels that leave their memory, one fault each, are found out; without the fault they pass."""

import pytest

from autodiff.backends.verifier.launch import Array, Launch
from autodiff.backends.verifier.proof import faults_of

IN, OUT, WORK = Array("x", 4 * 640, "f4", False), Array("out", 4 * 640, "f4", True, made=True), 4 * 256 * 4

SCALED = """
def kernel(block, lo, hi):
    x = pointer(block, 0)
    out = pointer(block, 1)
    memory = pointer(block, 2)
    columns = word(block, 3)
    part = lo // 20
    own = shifted(memory, part * 1024)
    for first in range(lo, hi, 8):
        for r in range(first, min(first + 8, hi)):
            at = r * columns
            for j in range(columns):
                store_float32(own, (r - first) * columns + j, load_float32(x, at + j))
        for r in range(first, min(first + 8, hi)):
            at = r * columns
            for j in range(columns):
                store_float32(out, at + j, load_float32(own, (r - first) * columns + j))
"""
"""Rows of 32 columns, copied by way of memory of each part: 64 rows in 4 parts, were it not for the fourth's end."""


def launch(rows=20, columns=32, x=IN, out=OUT, memory=WORK, chunk=5):
    words = {0: x, 1: out, 2: Array("memory", memory, None, True, made=True), 3: columns}
    return Launch(words, rows, chunk, True)


# fmt: off
PICKED = """
def kernel(block, lo, hi):
    x = pointer(block, 0)
    i = pointer(block, 1)
    out = pointer(block, 2)
    for r in range(lo, hi):
        k = load_int64(i, r)
        n = where(k < 0, k + 10, k)
        if n < 0 or n >= 10:
            n = 0
        store_float64(out, r, load_float64(x, n))
"""
PICK = Launch(
    {0: Array("x", 80, "f8", False), 1: Array("i", 56, "i8", False), 2: Array("out", 56, "f8", True, made=True)},
    7, None, False,
)
SORTED = """
def kernel(block, lo, hi):
    x = pointer(block, 0)
    memory = pointer(block, 1)
    for k in range(6):
        p = k - 1
        v = load_float64(x, k)
        while p >= 0:
            j = load_int64(memory, p)
            if v < load_float64(x, j):
                store_int64(memory, p + 1, j)
                p = p - 1
            else:
                break
        store_int64(memory, p + 1, k)
"""
SORT = Launch({0: Array("x", 48, "f8", False), 1: Array("memory", 48, None, True, made=True)}, 1, None, False)
PRODUCT = """
def kernel(block, lo, hi):
    a = pointer(block, 0)
    b = pointer(block, 1)
    c = pointer(block, 2)
    multiply_matrices_float64(a, 4, 1, b, 5, 1, c, 5, 3, 5, 4, 0)
"""
MULTIPLY = Launch(
    {0: Array("a", 96, "f8", False), 1: Array("b", 160, "f8", False), 2: Array("c", 120, "f8", True, made=True)},
    1, None, False,
)
BLOCKS = SCALED.replace("lo // 20", "lo // 5"), launch()

FAULTS = {
    # what is wrong: the kernel, what becomes what, the array that is left
    "an extent too large":           (BLOCKS, "at = r * columns", "at = r * columns + 1", "x"),
    "axes swapped":                  ((PRODUCT, MULTIPLY), "b, 5, 1,", "b, 1, 5,", ""),
    "strides of another matrix":     ((PRODUCT, MULTIPLY), "a, 4, 1,", "a, 5, 1,", "a"),
    "scratch too small":             (BLOCKS, "part * 1024", "part * 1280", "memory"),
    "scratch by the whole row":      (BLOCKS, "(r - first) * columns", "r * columns", "memory"),
    "scratch that parts share":      (BLOCKS, "part * 1024", "0", "memory"),
    "rows that parts share":         (BLOCKS, "store_float32(out, at + j", "store_float32(out, at - lo * columns + j", "out"),
    "another dtype":                 (BLOCKS, "load_float32(x, at + j)", "f4(load_float64(x, at + j))", "x"),
    "bytes for elements":            (BLOCKS, "shifted(memory, part * 1024)", "shifted(memory, part * 1024 + 2)", "memory"),
    "a store to what is read":       (BLOCKS, "store_float32(out", "store_float32(x", "x"),
    "a block beyond the end":        (BLOCKS, "min(first + 8, hi)", "first + 8", "x"),
    "an index that nobody checks":   ((PICKED, PICK), "if n < 0 or n >= 10:", "if n < 0:", "x"),
    "an index checked too late":     ((PICKED, PICK), "n >= 10", "n > 10", "x"),
    "negative indices as they are":  ((PICKED, PICK), "where(k < 0, k + 10, k)", "where(k < 0, k, k)", ""),
    "one place before the first":    ((SORTED, SORT), "while p >= 0", "while p >= -1", "memory"),
    "numbers that are no places":    ((SORTED, SORT), "store_int64(memory, p + 1, k)", "store_int64(memory, p + 1, k + 1)", "x"),
    "a row too many":                (BLOCKS, "min(first + 8, hi)", "min(first + 8, hi + 1)", "x"),
}
# fmt: on

HARMLESS = {"negative indices as they are"}  # the check behind it takes them for wrong


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(name):
    (text, how), right, wrong, array = FAULTS[name]
    assert right in text
    assert faults_of(text, how) == []
    found = faults_of(text.replace(right, wrong), how)
    assert bool(found) == (name not in HARMLESS)
    if array:
        assert any(array in fault.reason for fault in found), found


def test_what_nothing_is_known_of_is_a_fault():
    text = PICKED.replace("load_float64(x, n)", "load_float64(n, n)")
    assert faults_of(text, PICK)[0].reason == "nothing is known of where this is"
    text = PICKED.replace("for r in range(lo, hi):", "for r in rows:")
    assert [fault.reason for fault in faults_of(text, PICK)] == ["it goes over 'rows'"]
