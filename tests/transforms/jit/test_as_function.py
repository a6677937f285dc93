"""A jitted function is a function: signature, methods, copies, pickles, errors, interruptions, threads, recursion."""

import copy
import functools
import inspect
import pickle
import pydoc
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from autodiff import grad
from autodiff import jit as jit_
from autodiff.trace.recording import _thread, bodies

jit = functools.partial(jit_, backend="numpy")
X = np.array([1.0, 2.0, 3.0])


@jit
def energy(x: np.ndarray, scale: float = 1.0) -> np.ndarray:
    """The energy of a state."""
    return scale * np.sum(x**2)


def plain(x, n):
    return x * n


renamed = jit(plain, static_argnums=1)


class Scale:
    def __init__(self, by):
        self.by = by

    def __call__(self, x):
        return self.by * x


def test_it_looks_like_the_function():
    assert (energy.__name__, energy.__doc__) == ("energy", "The energy of a state.")
    assert str(inspect.signature(energy)) == "(x: numpy.ndarray, scale: float = 1.0) -> numpy.ndarray"
    line = inspect.unwrap(energy).__code__.co_firstlineno
    assert repr(energy) == f"<jit of energy (test_as_function.py:{line})>"
    shown = pydoc.plain(pydoc.render_doc(energy)).replace("np.ndarray", "numpy.ndarray")  # from Python 3.14 on
    assert shown.endswith("energy(x: numpy.ndarray, scale: float = 1.0) -> numpy.ndarray\n    The energy of a state.\n")
    assert repr(jit(functools.partial(plain, n=2))).startswith("<jit of plain (test_as_function.py:")
    assert repr(jit(Scale(2))) == "<jit of Scale>"


def test_everything_that_can_be_called():
    for _ in range(3):
        assert jit(functools.partial(plain, n=2))(3.0) == 6.0
        assert jit(Scale(2))(3.0) == 6.0
        assert jit(lambda x: x + 1)(3.0) == 4.0
        assert jit(jit(lambda x: x + 1))(3.0) == 4.0
        assert jit(np.negative)(3.0) == -3.0
        assert jit(Scale(2).__call__)(3.0) == 6.0
        assert jit(lambda: 5.0)() == 5.0
        assert jit(lambda *xs, **named: sum(xs) + named["y"])(1.0, 2.0, y=3.0) == 6.0


def test_results():
    tree = jit(lambda x: {"none": None, "all": [x, (), {}], "number": 3})(X)
    assert tree["none"] is None
    assert tree["all"][1:] == [(), {}]
    assert tree["number"] == 3
    assert jit(lambda x: None)(X) is None


def test_copies_are_the_function_itself():
    assert copy.copy(energy) is energy
    assert copy.deepcopy({"f": energy})["f"] is energy


def test_pickles(monkeypatch):
    module = type(sys)("for_pickles")
    for value in (energy, inspect.unwrap(energy), plain):
        monkeypatch.setattr(value, "__module__", "for_pickles")
    module.energy, module.plain = energy, plain
    monkeypatch.setitem(sys.modules, "for_pickles", module)
    assert pickle.loads(pickle.dumps(energy)) is energy
    again = pickle.loads(pickle.dumps(renamed))
    assert again is not renamed
    assert again(2.0, 3) == 6.0
    assert again.options == renamed.options
    assert pickle.loads(pickle.dumps(jit(np.sin)))(0.0) == 0.0
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(jit(lambda x: x))


class Broken(Exception):
    pass


@pytest.mark.parametrize("kind", [Broken, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_error_inside_leaves_nothing_behind(kind):
    fail = True

    @jit
    def f(x):
        y = x * 2
        if fail:
            raise kind("inside")
        return y

    for _ in range(2):
        with pytest.raises(kind, match="inside") as error:
            f(X)
        assert error.traceback[-1].path.name == "test_as_function.py"
        assert (bodies, _thread.bodies, f.cache_size()) == ([], [], 0)
    with pytest.raises(kind):
        grad(lambda x: f(x).sum())(X)
    fail = False
    np.testing.assert_array_equal(f(X), 2 * X)
    np.testing.assert_array_equal(grad(lambda x: f(x).sum())(X), [2.0, 2.0, 2.0])


def test_an_error_of_a_program_leaves_it_usable():
    inverse = jit(lambda x: np.linalg.inv(x))
    for _ in range(3):
        np.testing.assert_array_equal(inverse(np.eye(2)), np.eye(2))
        with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
            inverse(np.zeros((2, 2)))
    assert inverse.cache_size() == 1


def test_recursion():
    @functools.partial(jit, static_argnums=1)
    def power(x, n):
        return x if n == 1 else x * power(x, n - 1)

    for _ in range(3):
        assert power(2.0, 5) == 32.0
        assert grad(power)(2.0, 5) == 80.0
    endless = jit(lambda x: endless(x))
    with pytest.raises(RecursionError):
        endless(1.0)
    assert (bodies, _thread.bodies) == ([], [])


def test_it_may_be_called_while_it_is_recorded_with_other_arguments():
    @jit
    def f(x):
        if x.ndim:
            return f(np.sum(x)) * x
        return x + 1

    for _ in range(3):
        np.testing.assert_array_equal(f(X), 7 * X)
        assert f(np.array(6.0)) == 7.0


def test_threads_that_call_it_first_at_once():
    for _ in range(5):
        calls = []
        barrier = threading.Barrier(8)

        def f(tree, n, calls=calls):
            calls.append(n)
            return {"x": tree["x"] * n}

        jitted = jit(f, static_argnums=1)

        def work(k, jitted=jitted, barrier=barrier):
            barrier.wait()
            return [jitted({"x": X[: 1 + j % 3]}, k % 2)["x"].sum() for j in range(30)]

        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(work, range(8)))
        sums = [X[: 1 + j % 3].sum() for j in range(30)]
        assert found == [[k % 2 * value for value in sums] for k in range(8)]
        assert jitted.cache_size() == 6
        assert {signature.count for signature in jitted.programs.signatures.values()} == {3}
        assert 6 <= len(calls) <= 48
        assert bodies == []


def test_threads_with_configurations_of_their_own():
    from autodiff.facade.settings.configuration import config, using_config

    jitted = jit(lambda x: x * 2 if config.train else x)
    barrier = threading.Barrier(4)

    def work(train):
        barrier.wait()
        found = []
        for _ in range(50):
            with using_config("train", train):
                found.append(jitted(1.0))
            found.append(jitted(1.0))
        return found

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(work, (True, False, True, False)))
    assert found == [[2.0, 2.0] * 50, [1.0, 2.0] * 50] * 2


def test_programs_are_dropped_by_many_threads():
    jitted = jit(lambda x: x * 2)
    jitted.kept = 3

    def work(k):
        return all(np.array_equal(jitted(np.ones(1 + (j * k) % 7)), 2 * np.ones(1 + (j * k) % 7)) for j in range(40))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(1, 5)))
    assert jitted.cache_size() == 3
    assert sum(signature.count for signature in jitted.programs.signatures.values()) == 3
