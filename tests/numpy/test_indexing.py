"""``x[key]`` and ``x[key] = v`` for every key that NumPy takes, and its refusals."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import autodiff
from autodiff.trace.live import Differentiation
from autodiff.trace.tracer import concrete
from autodiff.trace.values import layout

TRUTH = (True, False, np.True_, np.False_, np.array(True), np.array(False))


def bounds(length):
    return st.none() | st.integers(-length - 1, length + 1)


def slices(length):
    steps = st.sampled_from([None, 1, 2, -1, -2])
    return st.just(slice(None)) | st.builds(slice, bounds(length), bounds(length), steps)


def integers(length):
    number = st.integers(-length, length - 1)
    unsigned = st.integers(0, length - 1).map(np.uint8)
    return number | number.map(np.int64) | unsigned | number.map(np.array)


def integer_arrays(length):
    """Index arrays that mostly broadcast with each other, as arrays, lists, tuples and ranges."""
    numbers = st.lists(st.integers(-length, length - 1), min_size=4, max_size=4)
    shapes = st.sampled_from([(2,), (2,), (1,), (2, 1), (1, 2), (2, 2)])
    arrays = st.builds(lambda numbers, shape: np.resize(numbers, shape), numbers, shapes)
    pairs = numbers.map(lambda numbers: numbers[:2])
    return st.one_of(arrays, pairs, pairs.map(tuple), st.just(range(min(2, length))), pairs.map(lambda two: [two, two]))


def masks(lengths):
    """Truth for the first axes, mostly of two elements, so that masks fit to index arrays."""
    size = int(np.prod(lengths))

    def mask(places):
        found = np.zeros(size, bool)
        found[places] = True
        return found.reshape(lengths)

    places = st.lists(st.integers(0, size - 1), min_size=min(2, size), max_size=min(2, size), unique=True)
    return places.map(mask) if len(lengths) > 1 else places.map(mask) | places.map(lambda p: mask(p).tolist())


@st.composite
def keys(draw, shape):
    """A key of an array: entries of every kind, and an Ellipsis for any number of axes."""
    left, key, dotted = list(shape), [], False
    for _ in range(draw(st.integers(0, 5))):
        kind = draw(st.sampled_from(["integer", "slice", "array", "array", "mask", "none", "dots", "truth"]))
        if kind == "none":
            key.append(None)
        elif kind == "truth":
            key.append(draw(st.sampled_from(TRUTH)))
        elif kind == "dots" and not dotted:
            dotted = True
            key.append(Ellipsis)
            left = left[draw(st.integers(0, len(left))) :]
        elif kind == "mask" and left:
            rank = draw(st.integers(1, min(len(left), 2)))
            key.append(draw(masks(tuple(left[:rank]))))
            left = left[rank:]
        elif left and kind in ("integer", "slice", "array"):
            entries = {"integer": integers, "slice": slices, "array": integer_arrays}[kind]
            key.append(draw(entries(left.pop(0))))
    return key[0] if len(key) == 1 and draw(st.booleans()) else tuple(key)


shapes = st.lists(st.sampled_from([2, 3, 3, 3]), min_size=1, max_size=4).map(tuple)
"""Equal lengths on unrelated axes: what is put in the wrong place fits there, too."""

cases = shapes.flatmap(lambda shape: st.tuples(st.just(shape), keys(shape)))


def outcome(function, *args):
    try:
        return function(*args)
    except (IndexError, ValueError) as error:
        return error


def numbers(shape):
    return np.arange(1.0, 1 + np.prod(shape)).reshape(shape)


def assert_alike(ours, theirs):
    """One value, of one kind; or an error of one kind."""
    if isinstance(theirs, Exception):
        assert isinstance(ours, type(theirs)), (ours, theirs)
        return
    assert not isinstance(ours, Exception), ours
    assert type(ours) is type(theirs)
    np.testing.assert_array_equal(ours, theirs)


NOTHING_BETWEEN = ((3, 3, 3), (slice(None), [0, 2, 2], Ellipsis, 1))


@given(cases)
@example(NOTHING_BETWEEN)
@example(((3, 3, 3), (0, Ellipsis, [1, 2], slice(None))))
@example(((3, 3), (None, True, Ellipsis, [0, 1])))
def test_reading_is_numpys(case):
    shape, key = case
    x = numbers(shape)
    theirs = outcome(lambda x: x[key], x)
    for transform in (
        lambda f: lambda x: autodiff.vjp(f, x)[0],
        lambda f: lambda x: autodiff.jvp(f, (x,), (x,))[0],
        lambda f: lambda x: autodiff.eval_tape(autodiff.make_tape(f)(x), x),
    ):
        assert_alike(outcome(transform(lambda x: x[key]), x), theirs)
    if isinstance(theirs, np.ndarray):
        with closing(Differentiation()) as recording:
            assert layout.steps(concrete(recording.input(x)[key])) == layout.steps(theirs)
        together = autodiff.vmap(lambda x: x[key])(np.stack([x, -x]))
        np.testing.assert_array_equal(together, np.stack([theirs, -theirs]))


@given(cases)
@example(NOTHING_BETWEEN)
def test_gradients_go_back_where_elements_came_from(case):
    shape, key = case
    x = numbers(shape)
    theirs = outcome(lambda x: x[key], x)
    if isinstance(theirs, Exception):
        return
    weights = np.cos(np.arange(np.size(theirs))).reshape(np.shape(theirs))
    expected = np.zeros(shape)
    np.add.at(expected, key, weights)
    gradient = autodiff.grad(lambda x: np.sum(x[key] * weights))(x)
    np.testing.assert_allclose(gradient, expected, atol=1e-15)
    variable = autodiff.Variable(x)
    np.sum(variable[key] * weights).backward()
    np.testing.assert_allclose(variable.grad, expected, atol=1e-15)


@given(cases)
@example(NOTHING_BETWEEN)
def test_writing_is_numpys(case):
    shape, key = case
    x = numbers(shape)
    old = outcome(lambda x: x[key], x)
    value = 100.0 + np.arange(np.size(old)).reshape(np.shape(old)) if isinstance(old, np.ndarray) else 100.0

    def assigned(x):
        y = x * 1
        y[key] = value
        return y

    def scaled(x):
        y = x * 1
        y[key] *= 2.0
        return y

    for transform in (
        lambda f: lambda x: autodiff.vjp(f, x)[0],
        lambda f: lambda x: autodiff.eval_tape(autodiff.make_tape(f)(x), x),
    ):
        for write in (assigned, scaled):
            assert_alike(outcome(transform(write), x), outcome(write, x))


@settings(max_examples=30)
@given(cases)
@example(NOTHING_BETWEEN)
def test_recorded_indices_are_numpys(case):
    shape, key = case
    parts = key if isinstance(key, tuple) else (key,)
    places = [k for k, part in enumerate(parts) if isinstance(part, np.ndarray) and part.dtype.kind == "i"]

    def f(x, *arrays):
        full = list(parts)
        for place, array in zip(places, arrays, strict=True):
            full[place] = array
        return x[tuple(full)]

    args = (numbers(shape), *(parts[place] for place in places))
    theirs = outcome(f, *args)
    assert_alike(outcome(autodiff.jit(f, backend="numpy"), *args), theirs)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (1.5, "only integers, slices .* valid indices, got 1.5"),
        ("a", "only integers, slices .* valid indices, got 'a'"),
        ({}, "only integers, slices .* valid indices, got {}"),
        ([1.5], r"arrays used as indices must be of integer \(or boolean\) type, got float64\[1\]"),
        (np.array(1.5), r"arrays used as indices must be of integer \(or boolean\) type, got float64\[\]"),
        ((0, 0, 0), "too many indices for array: array is 2-dimensional, but 3 were indexed"),
        ((Ellipsis, Ellipsis), "an index can only have a single ellipsis"),
        (3, "index 3 is out of bounds for axis 0 with size 3"),
        ((0, [4]), "index 4 is out of bounds for axis 1 with size 4"),
        (
            (slice(None), [True]),
            r"along axis 1; size of axes is \(4,\) but size of corresponding boolean axes is \(1,\)",
        ),
        (([0, 1], [0, 1, 2]), r"indexing arrays could not be broadcast together with shapes \(2,\) \(3,\)"),
    ],
)
def test_what_is_no_index(key, text):
    x = numbers((3, 4))
    with pytest.raises(IndexError):
        x[key]
    with pytest.raises(IndexError, match=rf"{text}.*\(test_indexing.py:\d+\)"):
        autodiff.grad(lambda x: np.sum(x[key]))(x)


def test_methods_that_pick():
    x = numbers((3, 4))
    for pick in (
        lambda x: x.compress([True, False, True], axis=0),
        lambda x: x.compress([True, False]),
        lambda x: x.take([True, False], 1),  # the numbers 1 and 0
        lambda x: np.take(x, True, axis=1),
    ):
        np.testing.assert_array_equal(autodiff.vjp(pick, x)[0], pick(x))


N = 6
ROUND = {
    "the next": lambda x: x[(np.arange(N) + 1) % N],
    "the one before": lambda x: x[np.arange(-1, N - 1)],
    "by unsigned numbers": lambda x: x[((np.arange(N) + 2) % N).astype(np.uint8)],
    "itself": lambda x: x[np.arange(N)],
    "another axis": lambda x: x[:, (np.arange(4) + 3) % 4],
    "both axes": lambda x: x[(np.arange(N) + 1) % N][:, (np.arange(4) + 1) % 4],
    "a slice beside": lambda x: x[1:4, (np.arange(4) - 1) % 4],
}
OTHER = {
    "backwards": lambda x: x[np.arange(N)[::-1]],
    "twice the same": lambda x: x[np.array([0, 1, 2, 3, 4, 4])],
    "a part": lambda x: x[np.arange(1, N)],
    "two arrays": lambda x: x[np.arange(4), np.arange(4)],
}


@pytest.mark.parametrize("name", [*ROUND, *OTHER])
def test_neighbours_in_a_ring_are_moved_in_pieces(name):
    fun, x = {**ROUND, **OTHER}[name], np.arange(24.0).reshape(N, 4)
    tape = autodiff.make_tape(fun)(x)
    assert ("gather" in {e.primitive.name for e in tape.equations}) == (name in OTHER)
    found = autodiff.jit(fun)(x)
    np.testing.assert_array_equal(found, fun(x))
    np.testing.assert_array_equal(
        autodiff.jit(autodiff.grad(lambda x: np.sum(fun(x) ** 3)))(x), autodiff.grad(lambda x: np.sum(fun(x) ** 3))(x)
    )
    np.testing.assert_array_equal(autodiff.vmap(fun)(np.stack([x, 2 * x]))[1], fun(2 * x))
