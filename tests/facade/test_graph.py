"""The graph: ranks, creators, freeing, unchaining."""

import gc
import sys
import threading
import weakref

import numpy as np
import pytest

from autodiff.facade import Variable, no_backprop_mode

A = np.array([1.0, 2.0, 3.0])


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def backward(y):
    y.grad = np.ones_like(y.array)
    y.backward()


def test_ranks():
    x = Variable(A)
    y = x * x
    z = x + y
    w = z * x
    assert [v.rank for v in (x, y, z, w)] == [0, 1, 2, 3]
    assert w.creator.rank == 2


def test_creators():
    x = Variable(A)
    y = x * A
    function = y.creator_node
    assert function is y.creator_node
    assert function is y.creator
    assert function is y.node.creator
    assert function.inputs[0] is x.node
    assert function.inputs[1].data is A
    assert function.inputs[1].requires_grad is False
    assert function.outputs[0]() is y.node
    assert repr(function) == "<operation _ * _>"
    assert len((x * 2).creator.inputs) == 1
    assert (x + A).creator.inputs[1].shape == (3,)
    assert (x + A).creator.inputs[1].data is None


@pytest.mark.usefixtures("no_collector")
def test_what_is_not_referred_to_dies_at_once():
    x = Variable(A)
    y = x * 2.0
    dead = [weakref.ref(y), weakref.ref(y.node), weakref.ref(y.creator)]
    del y
    assert [reference() for reference in dead] == [None] * 3
    for function in (np.tanh, np.sum, lambda v: v * v, lambda v: v[1:], lambda v: np.concatenate([v, v])):
        y = function(x)
        dead = [weakref.ref(y), weakref.ref(y.node)]
        del y
        assert [reference() for reference in dead] == [None] * 2


@pytest.mark.usefixtures("no_collector")
def test_intermediate_variables_die_and_their_nodes_stay():
    x = Variable(A)
    y = x * 2.0
    z = np.tanh(y)
    variable, node = weakref.ref(y), weakref.ref(y.node)
    del y
    assert variable() is None
    assert node() is not None
    backward(z)
    del z
    assert node() is None


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("double", [False, True])
def test_no_cycles(double):
    x = Variable(A)
    y = np.sum(np.tanh(x * x) / x[:1])
    y.backward(enable_double_backprop=double, retain_grad=True)
    _ = y.creator_node.inputs
    gc.collect()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        del x, y, _
        gc.collect()
        ours = [type(o).__name__ for o in gc.garbage if type(o).__module__.startswith("autodiff")]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
    assert ours == []


def chain(length):
    x = Variable(np.ones(2, np.float32))
    y = x
    for _ in range(length):
        y = y * 1.0 + x
    return x, y


def test_long_chains():
    x, y = chain(50_000)
    backward(y)
    assert x.grad.tolist() == [50_001, 50_001]
    del y
    x, y = chain(50_000)
    y.unchain_backward()
    assert y.creator is None


def test_long_chains_are_freed_on_a_small_stack():
    box = [chain(500_000)[1]]
    small = 64 if sys.version_info < (3, 13) else 1024  # from 3.13 on, Python itself frees nested lists no deeper
    size = threading.stack_size(small * 1024)
    try:
        thread = threading.Thread(target=box.clear)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
    assert box == []


def test_unchain_keeps_the_rank_and_may_be_undone():
    x = Variable(A)
    m = x * 2.0
    y = m * m
    creator = m.creator_node
    m.unchain()
    assert m.rank == 1
    assert m.creator_node is None
    backward(y)
    assert x.grad is None
    assert m.grad is not None
    m.cleargrad()
    m.creator_node = creator
    assert (m.rank, m.creator_node) == (1, creator)
    backward(y)
    np.testing.assert_allclose(x.grad, 8 * A)
    m.creator = None
    assert m.creator is None


def test_unchain_backward():
    x = Variable(A)
    m = x * 2.0
    n = np.tanh(m)
    y = n * m
    creator = m.creator_node
    y.unchain_backward()
    assert (y.creator, n.creator, m.creator) == (None, None, None)
    assert (creator.inputs, creator.outputs) == (None, None)
    with pytest.raises(RuntimeError, match=r"the operation _ \* 2.0 was unchained itself"):
        m.creator_node = creator
    x.unchain_backward()


@pytest.mark.usefixtures("no_collector")
def test_unchain_backward_frees():
    x = Variable(A)
    y = np.tanh(x * 2.0)
    z = y * 1.0
    inner = weakref.ref(y.node)
    del y
    z.unchain_backward()
    assert inner() is None


def test_truncated_backpropagation_through_time():
    w = Variable(np.array(2.0))
    h = Variable(np.array(1.0))
    gradients = []
    for step in range(4):
        h = h * w
        if step % 2:
            w.cleargrad()
            h.backward()
            gradients.append(float(w.grad))
            h.unchain_backward()
    assert gradients == [4.0, 16.0]


class Bare:
    rank = 3


def test_a_creator_set_by_hand():
    function = Bare()
    v = Variable(A)
    v.set_creator(function)
    assert v.creator is function
    assert v.creator_node is function
    assert v.rank == 4
    backward(v * 2)
    assert v.grad is None


def test_modes():
    x = Variable(A)
    with no_backprop_mode():
        y = np.tanh(x * 2.0)
        assert (y.creator, y.rank, y.requires_grad) == (None, 0, True)
    assert x.node.data is None
    assert (x * 2.0).creator is not None
