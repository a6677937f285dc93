"""Results lie in memory as NumPy's do, however the arguments lie: later reshapes share memory or not by that."""

from __future__ import annotations

import warnings
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff.trace.live import Differentiation
from autodiff.trace.tracer import Tracer, concrete
from autodiff.trace.values import layout
from autodiff.transforms.forward import Forward
from tests.numpy.layouts import LAYOUTS, REPEATED
from tests.numpy.programs import PROGRAMS
from tests.numpy.view_cases import COPIES, IF_MEMORY_ALLOWS, VIEWS

X = np.random.default_rng(3).normal(size=(4, 4, 4))


def lies_alike(ours, theirs):
    return not isinstance(theirs, np.ndarray) or layout.steps(np.asarray(concrete(ours))) == layout.steps(theirs)


def leaves(result):
    return result if isinstance(result, (tuple, list)) else [result]


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_of_programs_lie_as_numpys(name):
    function, args = PROGRAMS[name]
    for lay_out in (np.array, *LAYOUTS, *REPEATED):
        values = [lay_out(arg) if isinstance(arg, np.ndarray) and arg.ndim else arg for arg in args]
        with closing(Differentiation()) as recording, warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            traced = [
                recording.input(value) if isinstance(value, np.ndarray) and value.dtype.kind == "f" else value
                for value in values
            ]
            try:
                theirs = function(*values)
            except np.linalg.LinAlgError:  # of a matrix with equal rows
                continue
            ours = function(*traced)
        for mine, its in zip(leaves(ours), leaves(theirs), strict=True):
            assert lies_alike(mine, its), lay_out.__name__


@pytest.mark.parametrize("name", VIEWS | IF_MEMORY_ALLOWS | COPIES)
def test_results_lie_as_numpys(name):
    function = (VIEWS | IF_MEMORY_ALLOWS | COPIES)[name]
    for lay_out in (np.array, *LAYOUTS, *REPEATED):
        if name in ("inv", "nan_to_num in place") and lay_out in REPEATED:  # singular; written to
            continue
        x = lay_out(X)
        theirs = function(layout.copied(x))
        for kind in (Differentiation, Forward):
            with closing(kind()) as recording:
                ours = function(Tracer(x, recording, np.ones_like(x)) if kind is Forward else recording.input(x))
            np.testing.assert_allclose(concrete(ours), theirs, err_msg=lay_out.__name__)
            if name != "sliding_window_view":  # elements that share memory keep no gaps
                assert lies_alike(ours, theirs), lay_out.__name__


KINDS = ("transpose", "step", "part", "repeat", "pick", "diagonal")


def change(draw, x, kinds=KINDS):
    """A function that gives another view of an array like ``x``."""
    kind = draw(st.sampled_from(kinds))
    if kind == "transpose":
        axes = draw(st.permutations(range(x.ndim)))
        return lambda x: x.transpose(axes)
    if kind in ("step", "part"):
        key = tuple(slice(*draw(steps if kind == "step" else parts(n))) for n in x.shape)
        return lambda x: x[key]
    if kind == "repeat" and x.ndim < 4:
        times = draw(st.integers(1, 3))
        return lambda x: np.broadcast_to(x, (times, *x.shape))
    if x.ndim < 2 or 0 in x.shape:
        return lambda x: x
    return np.diagonal if kind == "diagonal" else lambda x: x[:, 0]


steps = st.sampled_from([-3, -2, -1, 1, 2, 3]).map(lambda step: (None, None, step))


def parts(length):
    return st.tuples(st.integers(0, length // 2), st.integers(length // 2, length))


@st.composite
def arrays(draw):
    """Arrays of any layout: parts of larger ones, transposed, backwards, broadcast, diagonals."""
    shape = draw(st.lists(st.integers(1, 12), min_size=1, max_size=3))
    x = np.arange(np.prod(shape), dtype=float).reshape(shape)
    for _ in range(draw(st.integers(0, 4))):
        x = change(draw, x)(x)
    return x


@given(st.data())
def test_copies_are_reshaped_and_read_as_the_originals(data):
    x = data.draw(arrays())
    copy = layout.copied(x)
    np.testing.assert_array_equal(copy, x)
    assert not np.may_share_memory(copy, x)
    for _ in range(data.draw(st.integers(0, 3))):
        function = change(data.draw, x, KINDS[:3])
        x, copy = function(x), function(copy)
    for shape in ((-1,), (-1, *x.shape[-1:]), (*x.shape[:1], -1)):
        for order in "CF":
            if x.size:
                ours, theirs = copy.reshape(shape, order=order), x.reshape(shape, order=order)
                assert np.may_share_memory(ours, copy) == np.may_share_memory(theirs, x)
    for order in "CFAK":
        ours, theirs = copy.ravel(order), x.ravel(order)
        assert np.may_share_memory(ours, copy) == np.may_share_memory(theirs, x)
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(np.negative(copy).ravel("K"), np.negative(x).ravel("K"))


@given(arrays())
def test_copies_take_little_more_memory_than_their_elements(x):
    copy = layout.copied(x)
    different = np.prod([n for n, step in zip(x.shape, x.strides) if step])
    base = copy if copy.base is None else copy.base
    assert base.size <= 10 * different + 1
