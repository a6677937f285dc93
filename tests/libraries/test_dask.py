"""Arrays of Dask beside traced values: what is lazy stays lazy, and values and derivatives are those of NumPy."""

import operator
import pickle
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import scipy.optimize

import autodiff
from autodiff.scipy.special import logsumexp
from autodiff.trace.errors import ConcretizationError, LeafError
from autodiff.trace.trees.tree import flatten
from tests.numpy.programs import PROGRAMS
from tests.ops.test_every_primitive import total

da = pytest.importorskip("dask.array", reason="dask is not installed: pip install 'autodiff[dask]'")
import dask  # noqa: E402

HERE = re.escape("(test_dask.py:")
RNG = np.random.default_rng(3)
X, Y, W = RNG.normal(size=(60, 4)), RNG.normal(size=60), RNG.normal(size=4)
ROWS = da.from_array(X, chunks=(25, 4))
TARGETS = da.from_array(Y, chunks=25)
LABELS = (np.arange(60) % 4)[:, None]


def squares(w, x, y):
    return np.mean((x @ w - y) ** 2)


def likelihood(w, x, y):
    return np.mean(np.log1p(np.exp(-np.sign(y) * np.dot(x, w))))


def classes(w, x, y):
    scores = np.tanh(x) * w
    picked = np.where(np.arange(4) == LABELS, scores - logsumexp(scores, axis=1, keepdims=True), 0)
    return -np.mean(picked.sum(axis=1) * y) / np.max(np.abs(x))


def running(scheduler):
    return dask.config.set(scheduler=scheduler)


def refuse(*_, **__):
    raise AssertionError("something was computed")


@pytest.fixture(autouse=True)
def one_thread():
    with running("sync"):
        yield


def in_chunks(value):
    """An array of floating-point numbers in two chunks along its first axis; others as they are."""
    if not (isinstance(value, np.ndarray) and value.size and value.ndim and value.dtype.kind in "fc"):
        return value
    return da.from_array(value, chunks=(-(-len(value) // 2), *value.shape[1:]))


def assert_same(found, wanted):
    found, wanted = flatten(dask.compute(found)[0])[0], flatten(wanted)[0]
    for one, other in zip(found, wanted, strict=True):
        assert (np.shape(one), np.asarray(one).dtype) == (np.shape(other), np.asarray(other).dtype)
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("loss", [squares, likelihood, classes])
def test_derivatives_are_graphs_that_give_those_of_numpy(loss):
    with running(refuse):
        value, gradient = autodiff.value_and_grad(loss)(W, ROWS, TARGETS)
        of_rows = autodiff.grad(loss, argnums=1)(W, ROWS, TARGETS)
        along = autodiff.jvp(lambda w: loss(w, ROWS, TARGETS), (W,), (np.ones(4),))
        curvature = autodiff.hessian(loss)(W, ROWS, TARGETS)
        _, pullback = autodiff.vjp(lambda w: loss(w, ROWS, TARGETS), W)
        (pulled,) = pullback(0.5)
    assert isinstance(gradient, da.Array)
    assert of_rows.chunks == ROWS.chunks
    assert_same((value, gradient), autodiff.value_and_grad(loss)(W, X, Y))
    assert_same(of_rows, autodiff.grad(loss, argnums=1)(W, X, Y))
    assert_same(along, autodiff.jvp(lambda w: loss(w, X, Y), (W,), (np.ones(4),)))
    assert_same(curvature, autodiff.hessian(loss)(W, X, Y))
    assert_same(pulled, 0.5 * autodiff.grad(loss)(W, X, Y))


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "pow", "mod", "matmul"])
@pytest.mark.parametrize("left", [True, False])
def test_operators_on_either_side(name, left):
    operation, square = getattr(operator, name), np.abs(X[:4]) + 1

    def fun(w, x):
        return np.sum(operation(x, w) if left else operation(w, x))

    assert_same(autodiff.grad(fun)(square, in_chunks(square)), autodiff.grad(fun)(square, square))


UNLIKE = {"unique", "union1d", "piecewise"}
"""What asks Dask for something that Dask refuses itself."""


def tried(fun, args):
    """What a function returns, and nothing; or nothing, and how it was refused."""
    try:
        return fun(*args), ""
    except NotImplementedError as error:
        return None, str(error)


def test_programs_of_numpy_agree_or_are_refused():
    agreed = 0
    for name, (program, args) in PROGRAMS.items():
        places = tuple(k for k, arg in enumerate(args) if getattr(arg, "dtype", np.dtype(bool)).kind in "fc")
        chunked = tuple(map(in_chunks, args))
        if name in UNLIKE or not places or all(map(operator.is_, args, chunked)):
            continue
        derivative = autodiff.value_and_grad(total(program), argnums=places)
        found, refusal = tried(derivative, chunked)
        if refusal:
            assert "chunk" in refusal or "Dask" in refusal, name
        else:
            assert_same(found, derivative(*args))
            agreed += 1
    assert agreed >= 190


def test_what_is_repeated_is_never_written_out():
    many = 10**10
    rows = da.ones(many, chunks=10**9)
    gradient = autodiff.grad(lambda w: np.sum(-(w * rows)) + np.sum(np.broadcast_to(w, (many,)) * rows))(2.0)
    assert max(map(max, gradient.chunks), default=1) == 1
    assert len(autodiff.grad(lambda x: np.sum(-x))(rows).chunks[0]) == 10


def test_assignment_by_the_user_after_the_call_changes_nothing():
    rows = ROWS.copy()

    def loss(w):
        out = np.sum((rows @ w) ** 2)
        rows[0] = 7.0
        return out

    assert_same(autodiff.grad(loss)(W), autodiff.grad(lambda w: np.sum((X @ w) ** 2))(W))


def test_scipy_fits_data_in_chunks():
    fun = autodiff.value_and_grad(likelihood)
    found = scipy.optimize.minimize(lambda w: dask.compute(*fun(w, ROWS, TARGETS)), np.zeros(4), jac=True)
    wanted = scipy.optimize.minimize(lambda w: fun(w, X, Y), np.zeros(4), jac=True)
    np.testing.assert_allclose(found.x, wanted.x, atol=1e-6)


def smooth(w, x):
    return np.tanh(x @ w)


COMPILED = autodiff.jit(smooth)


def test_compiled_functions_run_on_each_chunk():
    found = ROWS.map_blocks(partial(COMPILED, W), drop_axis=1, dtype=float)
    np.testing.assert_allclose(found.compute(), smooth(W, X), rtol=1e-12)


def test_graphs_and_compiled_functions_travel():
    gradient = autodiff.grad(likelihood)(W, ROWS, TARGETS)
    chunkwise = ROWS.map_blocks(partial(autodiff.jit(smooth), W), drop_axis=1, dtype=float)
    cloudpickle = pytest.importorskip("cloudpickle")
    sent = cloudpickle.dumps((gradient, chunkwise))
    program = (
        "import sys, pickle, dask; dask.config.set(scheduler='sync');"
        "sys.stdout.buffer.write(pickle.dumps(dask.compute(*pickle.load(sys.stdin.buffer))))"
    )
    root = str(Path(__file__).parents[2])
    done = subprocess.run([sys.executable, "-c", program], input=sent, capture_output=True, cwd=root, check=False)
    assert done.returncode == 0, done.stderr
    assert_same(pickle.loads(done.stdout), (autodiff.grad(likelihood)(W, X, Y), smooth(W, X)))


CHUNKWISE = "is not done chunk by chunk"
REFUSED = {
    "cut": (
        lambda w: np.sum(np.sort(ROWS * w, axis=0)),
        NotImplementedError,
        f"argsort along an axis that is cut into chunks of an array of Dask {HERE}\\d+\\) {CHUNKWISE}; bring it into "
        "one, x.rechunk\\({-2: -1}\\), if it fits into memory",
    ),
    "unknown": (
        lambda w: np.sum(np.linalg.qr(ROWS * w)[1]),
        NotImplementedError,
        f"qr of an array of Dask {HERE}\\d+\\) {CHUNKWISE}; compute its operands, x.compute\\(\\), or call it on each "
        "chunk, x.map_blocks\\(f\\)",
    ),
    "jit": (
        autodiff.jit(lambda w: np.sum(ROWS * w)),
        NotImplementedError,
        f"jit: the program of .* of an array of Dask {HERE}\\d+\\) {CHUNKWISE}; call it on each chunk, "
        "x.map_blocks\\(f\\), or leave jit away",
    ),
    "Dask's functions": (
        lambda w: da.sum(w),
        ConcretizationError,
        f"a traced float64\\[4\\] would become part of a graph of Dask {HERE}\\d+\\) and its derivative would be lost. "
        "Call NumPy's functions in place of Dask's, np.sum\\(x\\) and not da.sum\\(x\\); inside of a function for "
        "map_blocks take derivatives of what is there",
    ),
    "lengths": (
        lambda w: np.sum(ROWS[ROWS[:, 0] > 0] @ w),
        LeafError,
        f"an array of Dask whose lengths are not known, \\(nan, 4\\), came in where arrays and numbers are traced {HERE}"
        "\\d+\\); find them first, x.compute_chunk_sizes\\(\\)",
    ),
    "an index": (
        lambda w: np.sum((w * ROWS)[ROWS > 0]),
        NotImplementedError,
        f"an index of an array of Dask {HERE}\\d+\\) {CHUNKWISE}; compute it, i.compute\\(\\), or select with "
        "np.where\\(mask, x, 0\\)",
    ),
    "objects": (
        lambda w: np.sum(ROWS.astype(object) @ w),
        LeafError,
        f"an array of dtype object holds Python objects {HERE}\\d+\\), where arrays of numbers are traced; make numbers "
        "of them, x.astype\\(float\\)",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_dask_cannot_do_is_refused_by_name(name):
    fun, kind, text = REFUSED[name]
    with pytest.raises(kind, match=f"^{text}$"):
        autodiff.grad(fun)(W)


def test_jit_of_an_argument_in_chunks_is_refused():
    with pytest.raises(NotImplementedError, match=r"^jit: the program of smooth"):
        COMPILED(W, ROWS)
