"""Traced indices of every dtype of integers: places are computed in the longest, whatever an index is made of."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import autodiff

DTYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
SMALL = np.arange(400.0).reshape(20, 20)
LARGE = np.arange(90_000.0).reshape(300, 300)


def put(x, i, j):
    x = x.copy()
    x[i, j] = -1.0
    return x


def added(x, i, j):
    x = x.copy()
    x[i, j] += 3.0
    np.add.at(x, (j, i), 2.0)
    return x


def along(x, i, j):
    x = x.copy()
    np.put_along_axis(x, i.reshape(-1, 1), 5.0, axis=0)
    return x, np.take_along_axis(x, j.reshape(-1, 1), axis=0)


PROGRAMS = {
    "two axes": lambda x, i, j: (x[i, j], x[i[:, None], j], x[i[0], j], x[i[0], j[0]]),
    "one axis": lambda x, i, j: (x[i], x[:, j], x[i, 0], x[-1, j], x[2:, i], x[i][..., j], x[i[0]]),
    "take": lambda x, i, j: (np.take(x, i), np.take(x, j, axis=1), np.take(x, i + 100, mode="wrap")),
    "clip": lambda x, i, j: (np.take(x, i, axis=0, mode="clip"), np.take(x, j * 2, axis=1, mode="wrap")),
    "put": put,
    "added": added,
    "along": along,
}


def pairs():
    """Two indices of an array, of all pairs of dtypes: small ones, ones from the end, and the largest that there are."""
    both = [(dtype, dtype) for dtype in DTYPES] + [("uint8", dtype) for dtype in DTYPES] + [("int16", "uint64")]
    for x, values in ((SMALL, [19, 3, 0]), (SMALL, [-1, -20, 5]), (LARGE, [299, 100, 7]), (LARGE, [-300, 255, 127])):
        for first, second in both:
            i, j = (np.clip(v, *limits(dtype)).astype(dtype) for v, dtype in ((values, first), (values[::-1], second)))
            yield x, i, j


def limits(dtype):
    info = np.iinfo(dtype)
    return max(info.min, -300), min(info.max, 299)


@pytest.mark.parametrize("name", PROGRAMS)
def test_compiled_and_batched_programs_find_numpys_places(name):
    program = PROGRAMS[name]
    batched = autodiff.jit(autodiff.vmap(program, (None, 0, 0)), backend="numpy")
    for x, i, j in pairs():
        backend = "auto" if x is SMALL and i.dtype == j.dtype and i.dtype.itemsize < 4 else "numpy"
        compiled = autodiff.jit(program, backend=backend)
        expected = program(x, i, j)
        for found in (compiled(x, i, j), [part[0] for part in of_one(batched(x, i[None], j[None]), expected)]):
            for one, other in zip(of_one(found, expected), of_one(expected, expected), strict=True):
                np.testing.assert_array_equal(one, other, err_msg=f"{i.dtype} {j.dtype} {i} {j}")


def of_one(found, expected):
    """Several results, or one as several."""
    return (found,) if isinstance(expected, np.ndarray) and not isinstance(found, (list, tuple)) else found


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_go_to_the_same_places(name):
    def total(x, i, j):
        found = PROGRAMS[name](x, i, j)
        return sum(np.sum(part * part) for part in (found if isinstance(found, tuple) else (found,)))

    compiled = autodiff.jit(autodiff.grad(total), backend="numpy")
    for x, i, j in itertools.islice(pairs(), 0, None, 7):
        np.testing.assert_array_equal(compiled(x, i, j), autodiff.grad(total)(x, i, j))


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_out_of_range_is_no_other_element(dtype):
    for i in ([20, 0], [26, 1], [127, 0], [-21, 0]):
        if np.iinfo(dtype).min <= min(i):
            index = np.array(i, dtype)
            with pytest.raises(IndexError):
                autodiff.jit(lambda x, i: x[i, i])(SMALL, index)
            with pytest.raises(IndexError):
                autodiff.jit(lambda x, i: x[i, 0])(SMALL, index)
