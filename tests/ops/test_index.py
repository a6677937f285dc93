"""Indexing: every kind of key, by all laws."""

from __future__ import annotations

import numpy as np
import pytest

import autodiff
from autodiff.testing import Case, check_case

PICK = np.array([0, 2, 2, 1])
MASK = np.array([True, False, True, False, True])
BLOCK = np.arange(60).reshape(3, 4, 5) % 3 == 0
SHAPE = [(3, 4, 5)]


def at(key):
    return lambda x: x[key]


def where_put(key, shape):
    def put(x, v):
        y = x + 0 * np.sum(v)  # traced also where only v is
        y[key] = v
        return y

    return put, [((3, 4, 5), shape)]


KEYS = {
    "int": (0,),
    "negative int": (-1,),
    "ints": (0, -2, 3),
    "slice": (slice(1, None),),
    "reversed": (slice(None, None, -2), slice(None)),
    "empty slice": (slice(2, 2),),
    "ellipsis": (Ellipsis, 2),
    "0-d by ellipsis": (0, 1, 2, Ellipsis),
    "new axes": (None, slice(None), None, 1),
    "array": (np.array([0, 2, 2, 1]),),
    "array on the second axis": (slice(None), PICK),
    "array on the last axis": (Ellipsis, np.array([[4, 0], [-1, 1]])),
    "two arrays": (np.array([0, 2, -1]), np.array([[1], [3]])),
    "separated arrays": (np.array([0, 2]), slice(None), np.array([1, 1])),
    "array and int": (1, slice(1, 3), PICK),
    "slices beside an array": (slice(0, 2), np.array([[0, 0], [3, 1]]), slice(None, None, -1)),
    "new axis beside an array": (None, PICK % 3, None),
    "list": ([0, 2],),
    "no index": (np.array([], dtype=int),),
    "mask of one axis": (slice(None), slice(None), MASK),
    "mask of all axes": (BLOCK,),
    "mask of two axes": (BLOCK[..., 0], slice(1, 3)),
}


@pytest.mark.parametrize("name", KEYS)
def test_reading(name):
    check_case(Case(f"x[{name}]", at(KEYS[name]), shapes=SHAPE))


@pytest.mark.parametrize("name", KEYS)
def test_writing(name):
    target = np.zeros((3, 4, 5))[KEYS[name]].shape
    put, shapes = where_put(KEYS[name], target)
    check_case(Case(f"x[{name}] = v", put, arity=2, shapes=shapes, scalars=False))


@pytest.mark.parametrize(
    "case",
    [
        Case("take", lambda x: np.take(x, [[0, 2], [1, 1]], axis=1), shapes=SHAPE),
        Case("take from all", lambda x: np.take(x, [0, 59, -1]), shapes=SHAPE),
        Case("take clip", lambda x: np.take(x, [0, 99], axis=1, mode="clip"), shapes=SHAPE),
        Case("take_along_axis", lambda x: np.take_along_axis(x, BLOCK.astype(int), axis=1), shapes=SHAPE),
        Case("last of equal writes", lambda x: writes_twice(x), shapes=[(4,)]),
    ],
    ids=str,
)
def test_functions(case):
    check_case(case)


def writes_twice(x):
    y = x * 1
    y[np.array([0, 0, 1])] = x[:3] * np.array([2, 3, 4], x.dtype)
    return y


def test_keys_differ_per_example_under_vmap():
    x = np.random.default_rng(0).normal(size=(6, 4))
    i = np.array([0, 3, 1, 1, 2, 0])
    pick = autodiff.vmap(lambda row, k: row[k] ** 2)
    np.testing.assert_array_equal(pick(x, i), x[np.arange(6), i] ** 2)
    gradient = autodiff.grad(lambda x: np.sum(pick(x, i)))(x)
    expected = np.zeros_like(x)
    expected[np.arange(6), i] = 2 * x[np.arange(6), i]
    np.testing.assert_array_equal(gradient, expected)
    nested = autodiff.vmap(autodiff.vmap(lambda row, k: row[k], in_axes=(None, 0)), in_axes=(0, None))(x, i)
    np.testing.assert_array_equal(nested, x[:, i])
    np.testing.assert_array_equal(autodiff.vmap(lambda k: autodiff.numpy.take(x, k, axis=0))(i), x[i])


def test_out_of_bounds_names_the_axis_and_the_line():
    with pytest.raises(IndexError, match=r"index 9 is out of bounds for axis 1 with size 4 \(test_index.py:\d+\)"):
        autodiff.grad(lambda x: x[0, 9])(np.ones((3, 4)))
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3"):
        autodiff.grad(lambda x: x[np.array([0, 7])])(np.ones((3, 4)))
    with pytest.raises(IndexError, match="too many indices for array: array is 1-dimensional, but 2 were indexed"):
        autodiff.grad(lambda x: x[0, 0])(np.ones(3))


def test_a_traced_mask_under_vmap_is_refused_with_the_remedy():
    with pytest.raises(autodiff.trace.errors.ConcretizationError, match=r"use np.where\(mask, x, 0\)"):
        autodiff.vmap(lambda x: np.sort(x[x > 0]))(np.ones((3, 4)))


def test_numbers_can_be_assigned_by_a_traced_mask_under_vmap():
    def positive(x):
        y = x * 1
        y[y < 0] = 0
        return y

    x = np.array([[-1.0, 2.0], [3.0, -4.0]])
    np.testing.assert_array_equal(autodiff.vmap(positive)(x), np.maximum(x, 0))


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_indices_of_few_bits_reach_every_row(dtype):
    index = np.arange(60, dtype=dtype)[::-1] % 12  # rows of 30 elements: 11 * 30 is no number of 8 bits
    cotangent = np.arange(1800.0).reshape(60, 30)
    found = autodiff.vjp(lambda x: x[index], np.zeros((12, 30)))[1](cotangent)[0]
    wanted = np.zeros((12, 30))
    np.add.at(wanted, index, cotangent)
    np.testing.assert_array_equal(found, wanted)
