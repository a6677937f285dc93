"""A program says of its outputs when they are there, and gives the bits that it gives without."""

import numpy as np
import pytest

import autodiff

X = np.linspace(0.5, 2.0, 40_000).reshape(200, 200)


def chain(x, y):
    one = np.tanh(x) @ y
    two = np.sort(one, axis=0)
    return {"a": two @ y, "b": one, "c": x, "d": np.sum(np.exp(-two))}


class Log:
    """Notes what it is told, with the number of operations before."""

    def __init__(self):
        self.operations, self.told = 0, {}

    def ready(self, place, value):
        assert place not in self.told
        self.told[place] = self.operations, np.array(value)

    def between(self):
        self.operations += 1


def told(fun, *args):
    found, leaves = fun.recorded(args, {})
    log = Log()
    return log, found.run_for(log, leaves)


@pytest.mark.parametrize("backend", ["auto", "numpy"])
def test_every_output_is_told_once_and_as_early_as_it_is_there(backend):
    fun = autodiff.jit(chain, backend=backend)
    log, outs = told(fun, X, X)
    wanted = list(fun(X, X).values())
    assert sorted(log.told) == [0, 1, 2, 3]
    for place, (_, value) in log.told.items():
        assert value.tobytes() == np.asarray(outs[place]).tobytes() == np.asarray(wanted[place]).tobytes()
    assert log.told[2][0] == 0  # an input
    assert log.told[1][0] < log.told[0][0] <= log.operations
    again, _ = told(fun, X, X)
    assert {place: when for place, (when, _) in again.told.items()} == {p: when for p, (when, _) in log.told.items()}


def test_arrays_of_a_subclass_are_told_too():
    class Own(np.ndarray):
        pass

    fun = autodiff.jit(chain)
    log, outs = told(fun, X.view(Own), X)
    assert sorted(log.told) == [0, 1, 2, 3]
    np.testing.assert_allclose(log.told[0][1], np.asarray(outs[0]))


def test_nothing_is_told_of_one_kernel_or_while_somebody_times():
    fun = autodiff.jit(lambda x: (np.sin(x), np.cos(x)), backend="auto")
    pytest.importorskip("numba")
    assert told(fun, np.ones(3))[0].told == {}
    whole = autodiff.jit(chain)
    with autodiff.profile() as profile:
        log, outs = told(whole, X, X)
    assert log.told == {}
    assert len(outs) == 4
    assert profile.rows


def test_an_error_names_the_operation_and_the_line():
    fun = autodiff.jit(lambda x: (np.sin(x) @ x, np.linalg.inv(x)), backend="numpy")
    with pytest.raises(np.linalg.LinAlgError, match=r"inv \(test_announced_outputs.py:\d+\): Singular matrix"):
        told(fun, np.zeros((3, 3)))
