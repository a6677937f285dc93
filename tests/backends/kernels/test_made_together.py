"""Kernels of one program are made in several threads: one prints while LLVM compiles for another."""

import threading

import numpy as np
import pytest

import autodiff
from autodiff.backends.kernels import call

X, W = np.linspace(-1.0, 1.0, 300 * 400).reshape(300, 400), np.linspace(0.0, 1.0, 400 * 300).reshape(400, 300)


def several(x, w):
    """Two products with arithmetic before, between and after them."""
    return np.sum(np.tanh(np.tanh(x * 0.5 + 0.25) @ w * 0.01) @ np.exp(x), axis=1)


@pytest.fixture
def makers(monkeypatch):
    """The names of the threads that make kernels, none of which is there already."""
    found = []
    monkeypatch.setattr(call.rows, "kept", call.Recent(call.LIMIT))
    make = call.proved_or_plain

    def noting(*args):
        found.append(threading.current_thread().name)
        return make(*args)

    monkeypatch.setattr(call, "proved_or_plain", noting)
    return found


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_make_the_kernels_of_a_program(makers, threads):
    before = autodiff.get_num_threads()
    autodiff.set_num_threads(threads)
    try:
        np.testing.assert_allclose(autodiff.jit(several)(X, W), several(X, W), rtol=1e-12)
    finally:
        autodiff.set_num_threads(before)
    assert len(makers) > 1
    assert all(name.startswith("autodiff-compiling") == (threads > 1) for name in makers)
    assert not any(thread.name.startswith("autodiff-compiling") for thread in threading.enumerate())


def test_an_error_of_one_of_them_reaches_the_caller(makers, monkeypatch):
    make = call.rows.make

    def failing(**params):
        raise ValueError(f"no kernel of {len(params['tape'].equations)} operations")

    monkeypatch.setattr(call.rows, "make", failing)
    with pytest.raises(ValueError, match="no kernel of"):
        autodiff.jit(several)(X, W)
    monkeypatch.setattr(call.rows, "make", make)
    np.testing.assert_allclose(autodiff.jit(several)(X, W), several(X, W), rtol=1e-12)
