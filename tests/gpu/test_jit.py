"""Programs on arrays of a GPU: kernels as they are printed, compiled and launched in production, on the stand-in."""

import itertools
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import autodiff
from autodiff import cond, grad, jit, jvp, scan, value_and_grad, vmap, while_loop
from autodiff.backends import cache
from autodiff.backends.cupy.runtime import compiling, modules
from autodiff.trace.trees.tree import flatten
from tests.backends.cupy.hosting import needs_compiler
from tests.standin import function, nvrtc

pytestmark = needs_compiler
RANDOM = np.random.default_rng(5)


def drawn(*shape):
    return RANDOM.normal(size=shape).astype(np.float32)


def energy(x, w):
    return np.sum(np.tanh(x @ w) ** 2) / 2


def cross_entropy(x, labels):
    shifted = x - np.max(x, axis=1, keepdims=True)
    logs = shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))
    return -np.mean(logs[np.arange(x.shape[0]), labels])


def normalized(x, scale):
    centred = x - np.mean(x, axis=-1, keepdims=True)
    return np.sum((centred / np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + 1e-5) * scale) ** 3)


def recurrent(start, xs):
    return np.sum(scan(lambda c, x: (np.tanh(c + x), c * x), start, xs)[1])


X, W, LABELS = drawn(6, 5), drawn(5, 4), np.array([0, 4, 2, 1, 3, 0])

PROGRAMS = {
    "energy": (energy, X, W),
    "gradient": (grad(energy, argnums=(0, 1)), X, W),
    "value and gradient": (value_and_grad(energy), X, W),
    "gradient of cross-entropy": (grad(cross_entropy), X, LABELS),
    "gradient of a normalization": (grad(normalized, argnums=(0, 1)), X, W[:, 0]),
    "second derivative": (grad(lambda x: np.sum(grad(lambda y: np.sum(np.sin(y) * y))(x) ** 2)), X),
    "scan": (recurrent, X[0], X),
    "gradient of scan": (grad(recurrent), X[0], X),
    "branch": (lambda x: cond(np.sum(x) > 0, lambda y: y * 2, lambda y: y * 3, x), X),
    "loop": (lambda x: while_loop(lambda y: np.sum(y) < 500, lambda y: y * y + 1, x), X),
    "gradient of a loop": (grad(lambda x: np.sum(while_loop(lambda y: np.sum(y) < 500, lambda y: y * x + 1, x))), X),
    "gradient of a loop that counts": (
        grad(lambda x, w: np.sum(while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, np.tanh(s[1] * w)), (0, x))[1])),
        X,
        X * 0.5,
    ),
    "batch": (vmap(lambda row: np.sum(np.exp(row) * row)), X),
    "rows that are picked": (lambda x, i: np.exp(x)[i] * 2, X, LABELS),
    "numbers": (lambda x, a, b: np.mean(x * a + b, axis=0), X, 0.5, np.float32(2)),
    "a tree": (lambda p: {"sum": p["w"] + 1, "pair": (p["b"], 2 * p["b"])}, {"w": W, "b": X}),
    "nothing but moves": (lambda x: (x.T, x[1:], x.reshape(3, 10)), X),
    "new arrays": (lambda x: (np.zeros_like(x), np.full(3, 2.0) + x[0, 0]), X),
    "no results of arguments": (lambda x: np.ones(3) * 2, X),
}


def on_gpu(cupy, tree):
    leaves, structure = flatten(tree)
    return structure.unflatten([cupy.asarray(leaf) if isinstance(leaf, np.ndarray) else leaf for leaf in leaves])


def assert_same(found, expected, cupy):
    found, expected = (flatten(tree)[0] for tree in (found, expected))
    for one, other in zip(found, expected, strict=True):
        assert isinstance(one, cupy.ndarray)
        assert (one.shape, one.dtype) == (np.shape(other), np.asarray(other).dtype)
        np.testing.assert_allclose(one.get(), other, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_give_what_numpy_gives(cupy, name):
    fun, *args = PROGRAMS[name]
    program = jit(fun)
    for _ in range(2):
        assert_same(program(*on_gpu(cupy, args)), fun(*args), cupy)


def test_derived_programs_follow_their_arrays(cupy):
    x, w = map(cupy.asarray, (X, W))
    program = jit(energy)
    assert_same(grad(program)(x, w), grad(energy)(X, W), cupy)
    assert_same(jvp(program, (x, w), (x, w))[1], jvp(energy, (X, W), (X, W))[1], cupy)
    rows = jit(lambda row: np.sum(np.tanh(row) * row))
    assert_same(vmap(rows)(x), vmap(rows)(X), cupy)
    np.testing.assert_allclose(program(X, W), energy(X, W), rtol=1e-6)  # the same function on the host


def test_what_is_closed_over_comes_along_once(cupy):
    host, device = W[:, 0], cupy.asarray(W[:, 1])
    assert_same(jit(lambda x: x * host)(cupy.asarray(X)), X * host, cupy)
    assert_same(jit(lambda x: x * device)(cupy.asarray(X)), X * W[:, 1], cupy)
    assert_same(
        jit(grad(lambda x: np.sum(np.tanh(x * device))))(cupy.asarray(X)),
        grad(lambda x: np.sum(np.tanh(x * W[:, 1])))(X),
        cupy,
    )
    constant = jit(lambda x: (x, host))(cupy.asarray(X))[1]
    constant[0] = 7  # a copy: the program's own stays
    assert_same(constant[1:], host[1:], cupy)


def test_arguments_that_lie_in_another_way_are_copied(cupy):
    x = cupy.asarray(X)
    for part, same in ((x.T, X.T), (x[:, ::2], X[:, ::2]), (x[1:, 1:], X[1:, 1:]), (x.ravel()[1:], X.ravel()[1:])):
        assert_same(jit(lambda y: np.exp(y) + 1)(part), np.exp(same) + 1, cupy)


def test_every_gpu_has_its_own(cupy):
    program = jit(energy)
    with autodiff.explain_recompiles() as records:
        for number in (0, 1, 1):
            with cupy.cuda.Device(number):
                x, w = map(cupy.asarray, (X, W))
            found = program(x, w)  # while GPU 0 is the current one
            assert found.device.id == number
            assert_same(on_first(found, cupy), energy(X, W), cupy)
    assert [record.reasons for record in records] == [
        (),
        ("args[0]: on GPU 0 became on GPU 1", "args[1]: on GPU 0 became on GPU 1"),
    ]
    assert cupy.cuda.Device().id == 0


def on_first(array, cupy):
    with array.device:
        return cupy.asarray(array.get()) if array.device.id == 0 else Moved(array, cupy).array


class Moved:
    """An array on the first GPU, by way of the host."""

    def __init__(self, array, cupy):
        host = array.get()
        with cupy.cuda.Device(0):
            self.array = cupy.asarray(host)


def test_a_steady_state_compiles_and_records_nothing(cupy, monkeypatch):
    program = jit(lambda x, w: np.tanh(x) * w)
    x, w = map(cupy.asarray, (X, W[:, 0]))
    program(x, w)
    program(x, w)
    nvrtc.compilations.clear()
    function.launched.clear()
    monkeypatch.setattr(program, "general", None)  # calls are recognised by their printed path
    for _ in range(20):
        program(x, w)
    assert nvrtc.compilations == []
    cupy.cuda.Device().synchronize()
    ((name, blocks),) = set(function.launched)
    assert name.startswith("kernel_")
    assert blocks == (1, 1)
    assert len(function.launched) == 20


def test_other_sizes_of_the_same_class_are_not_compiled_again(cupy):
    program = jit(lambda x: np.exp(x) * 3 + 1)
    program(cupy.asarray(drawn(1000)))
    nvrtc.compilations.clear()
    for size in (2000, 4096, 100):
        x = drawn(size)
        assert_same(program(cupy.asarray(x)), np.exp(x) * np.float32(3) + 1, cupy)
    assert nvrtc.compilations == []


def perceptron(parameters, x, labels):
    (w, b), (v, c), scale = parameters
    hidden = np.tanh(x @ w + b)
    centred = hidden - np.mean(hidden, axis=-1, keepdims=True)
    hidden = centred / np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + 1e-5) * scale
    return cross_entropy(hidden @ v + c, labels) + 0.01 * np.mean(hidden**2)


def test_the_last_batch_of_an_epoch_compiles_nothing(cupy, monkeypatch):
    """What differs are sizes, and 1/N of the means: both are parameters."""

    def step(parameters, x, labels):
        loss, gradients = value_and_grad(perceptron)(parameters, x, labels)
        return loss, autodiff.tree.map(lambda p, g: p - 0.1 * g, parameters, gradients)

    parameters = (drawn(5, 8), drawn(8)), (drawn(8, 6), drawn(6)), drawn(8)
    program = jit(step)
    monkeypatch.setattr(cache, "read", lambda key: None)
    modules.forget_modules()
    for size in (16, 15, 9):
        x, labels = drawn(size, 5), RANDOM.integers(0, 6, size)
        nvrtc.compilations.clear()
        assert_same(program(*on_gpu(cupy, (parameters, x, labels))), step(parameters, x, labels), cupy)
        assert bool(nvrtc.compilations) == (size == 16)


def test_kernels_are_compiled_by_several_threads(cupy, monkeypatch):
    meeting, compiled, arrivals = threading.Barrier(2, timeout=300), compiling.compiled, itertools.count()

    def meet(*args):
        if next(arrivals) < 2:
            meeting.wait()  # neither of the first two goes on alone
        return compiled(*args)

    monkeypatch.setattr(compiling, "processors", lambda: 2)
    monkeypatch.setattr(compiling, "compiled", meet)
    monkeypatch.setattr(cache, "read", lambda key: None)
    modules.forget_modules()
    found = jit(lambda x: (np.exp(x) * 5, np.sort(np.sum(x, axis=0)) - 7))(cupy.asarray(X))
    assert_same(found, (np.exp(X) * 5, np.sort(np.sum(X, axis=0)) - 7), cupy)


def test_backends(cupy):
    x, w = map(cupy.asarray, (X, W))
    for backend in ("auto", "cupy", "numpy"):
        function.launched.clear()
        assert_same(jit(energy, backend=backend)(x, w), energy(X, W), cupy)
        assert bool(function.launched) == (backend != "numpy")


def test_arrays_that_no_argument_goes_into_are_made_on_the_gpu(cupy):
    def fun(x):
        return np.stack([np.float32(1) * np.ones((), np.float32), x[0, 0]]), np.ones(3, np.float32) * 2, x + 1

    for backend in ("cupy", "numpy"):
        program = jit(fun, backend=backend)
        for _ in range(2):
            found = program(cupy.asarray(X))
            assert_same(found, fun(X), cupy)
            found[1][...] = 7  # the caller's own


def test_compositions_of_variables_run(cupy):
    import autodiff.chainer.functions as F

    x = autodiff.Variable(cupy.asarray(X))
    loss = F.sum(F.softmax(x) * cupy.asarray(X))
    loss.backward()
    expected = autodiff.Variable(X)
    F.sum(F.softmax(expected) * X).backward()
    assert_same(x.grad, expected.grad, cupy)


SECOND = """
    import sys
    import numpy as np
    from tests.standin.module import build

    sys.modules.update(build())
    import cupy
    from autodiff import jit
    from autodiff.backends.cupy.runtime.compiling import counts
    from tests.standin import nvrtc

    found = jit(lambda x: np.sum(np.exp(x) * x))(cupy.asarray(np.ones((3, 4), np.float32)))
    print(found.get(), counts, len(nvrtc.compilations))
"""


def test_another_process_finds_the_kernels_on_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("AUTODIFF_CACHE_DIR", str(tmp_path / "cache"))
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(SECOND)]
    first, second = (
        subprocess.run(command, capture_output=True, text=True, check=True, timeout=100).stdout for _ in range(2)
    )
    assert first == "32.61938 {'hits': 0, 'misses': 1, 'compiled': 1} 1\n"
    assert second == "32.61938 {'hits': 1, 'misses': 0, 'compiled': 0} 0\n"


def test_variables_are_arguments_too(cupy):
    x = autodiff.Variable(cupy.asarray(X))
    loss = jit(energy)(x, cupy.asarray(W))
    loss.backward()
    assert_same(loss.array, energy(X, W), cupy)
    assert_same(x.grad, grad(energy)(X, W), cupy)
