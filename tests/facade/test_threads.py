"""Threads that compute gradients of the same leaves."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest

from autodiff import Variable
from autodiff.facade.graph.multi_output import backward_all


@pytest.fixture
def hasty():
    """Threads take turns after every few instructions."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def once(leaf):
    np.sum(leaf * 2.0).backward()


def once_with_graph(leaf):
    np.sum(leaf * 2.0).backward(enable_double_backprop=True)


def once_together(leaf):
    y = np.sum(leaf * 2.0)
    y.grad = np.ones(())
    backward_all([y])


@pytest.mark.parametrize("step", [once, once_with_graph, once_together])
def test_no_gradient_is_lost(hasty, step):
    leaf = Variable(np.zeros(5))
    start = threading.Barrier(4)

    def work():
        start.wait()
        for _ in range(100):
            step(leaf)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(leaf.grad, np.full(5, 800.0))
