"""Pickling and copying."""

import copy
import pickle

import numpy as np
import pytest

from autodiff.facade import Parameter, Variable


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])
def test_deep_copies(duplicate):
    x = Variable(np.ones(2))
    y = x * 2.0
    y.name = "y"
    y.grad = np.ones(2)
    y.note = "kept"
    found = duplicate(y)
    assert found.array.tolist() == [2, 2]
    assert found.grad.tolist() == [1, 1]
    assert (found.name, found.note, found.creator, found.rank, found.requires_grad) == ("y", "kept", None, 0, True)
    assert found.array is not y.array
    assert duplicate(Variable(np.ones(2), requires_grad=False)).requires_grad is False


def test_shallow_copies_share_their_data():
    y = Variable(np.ones(2), name="y") * 2.0
    y.grad = np.ones(2)
    found = copy.copy(y)
    assert found.array is y.array
    assert found.grad is y.grad
    assert found.node is not y.node
    assert found.creator is None
    found.array = np.zeros(3)
    assert y.array is found.array
    assert y.shape == (3,)


def test_parameters():
    p = Parameter(3.0, name="w")
    q = pickle.loads(pickle.dumps(p))
    assert type(q) is Parameter
    assert not q.is_initialized
    with pytest.raises(RuntimeError, match="not known"):
        _ = q.grad
    shared = copy.copy(p)
    p.initialize((2,))
    assert shared.array is p.array
    q.initialize((1,))
    assert q.array.tolist() == [3]
