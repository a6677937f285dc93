"""A link with two parameters to be trained."""

import numpy as np
import pytest

from autodiff.chainer.link import Link
from autodiff.facade import Parameter


class Pair(Link):
    def __init__(self, dtype=np.float32):
        super().__init__()
        with self.init_scope():
            self.p = Parameter(np.array([1, 2], dtype))
            self.q = Parameter(np.array([3], dtype))
        self.p.grad = np.array([10, 20], dtype)
        self.q.grad = np.array([30], dtype)

    def loss(self):
        """Its gradients are 1 everywhere."""
        return self.p.reshape(2)[0] + self.p[1] + self.q[0]


@pytest.fixture
def pair():
    return Pair()


@pytest.fixture
def make_pair():
    return Pair
