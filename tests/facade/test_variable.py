"""Construction, attributes, text and Python's protocols."""

import numpy as np
import pytest

from autodiff.facade import Variable, VariableNode, as_array, as_variable
from autodiff.trace.errors import ConcretizationError

A = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_the_array_is_held_by_reference():
    v = Variable(A)
    assert v.array is A
    assert v.data is A
    assert v.xp is np


@pytest.mark.parametrize("value", [1, 2.0, [1.0], (1.0,), np.float32(1), "text"])
def test_what_is_no_array_is_refused(value):
    with pytest.raises(TypeError) as caught:
        Variable(value)
    name = type(value).__name__
    assert str(caught.value) == (
        f"a Variable holds an array, got {name} (test_variable.py:22); wrap a number or a list with np.asarray"
    )


def test_a_variable_is_no_array():
    with pytest.raises(TypeError, match="got Variable"):
        Variable(Variable(A))


def test_keywords():
    with pytest.raises(TypeError):
        Variable(A, "name")
    with pytest.raises(TypeError, match=r"Variable got an unexpected keyword argument 'chainerx'"):
        Variable(A, chainerx=1)
    with pytest.raises(
        ValueError, match=r"Variable\(volatile=...\) is gone .*use no_backprop_mode\(\), or using_config"
    ):
        Variable(A, volatile=True)
    with pytest.raises(TypeError, match=r"requires_grad must be True or False, got 1"):
        Variable(A, requires_grad=1)


@pytest.mark.parametrize(
    "name", ["shape", "ndim", "size", "dtype", "T", "xp", "rank", "node", "label", "requires_grad", "level"]
)
def test_read_only_attributes(name):
    with pytest.raises(AttributeError):
        setattr(Variable(A), name, None)


def test_attributes():
    v = Variable(A, name="a")
    assert (v.shape, v.ndim, v.size, v.dtype, v.rank) == ((2, 3), 2, 6, np.float32, 0)
    assert v.requires_grad is True
    assert v.creator is None
    assert v.creator_node is None
    assert (v.grad, v.grad_var) == (None, None)
    v.name = "b"
    assert v.node.name == "b"
    v.anything = 1
    assert v.anything == 1


def test_a_variable_without_an_array():
    v = Variable()
    assert (v.array, v.grad, v.rank, v.xp) == (None, None, 0, np)
    assert repr(v) == "variable(None)"
    for name in ("shape", "ndim", "size", "dtype"):
        with pytest.raises(AttributeError, match=f"the Variable has no array yet, hence no {name} .*assign to .array"):
            getattr(v, name)
    for function in (lambda: v + 1, lambda: v * A, lambda: v + v, lambda: np.tanh(v), lambda: -v, lambda: np.sum(v)):
        with pytest.raises(AttributeError, match="the Variable has no array yet"):
            function()
    with pytest.raises(TypeError, match="of a Variable without an array"):
        len(v)
    with pytest.raises(TypeError, match="has no label"):
        _ = v.label
    v.grad = A
    assert v.grad is A


def test_assigning_an_array():
    v = Variable(A)
    v.grad = np.ones_like(A)
    v.array = np.zeros(4)
    assert (v.shape, v.dtype, v.node.shape, v.node.dtype) == ((4,), np.float64, (4,), np.float64)
    assert v.grad.shape == (2, 3)
    with pytest.raises(AttributeError, match="a Variable holds an array, got list"):
        v.array = [1.0]


@pytest.mark.parametrize(
    ("array", "label"),
    [
        (np.zeros((), "f4"), "float32"),
        (np.zeros((2, 5), "f4"), "(2, 5), float32"),
        (np.zeros(1, "f4"), "(1), float32"),
    ],
)
def test_label(array, label):
    assert Variable(array).label == label


@pytest.mark.parametrize(
    ("array", "name", "representation", "text"),
    [
        (np.array([1.0, 2.0]), None, "variable([1., 2.])", "variable([1. 2.])"),
        (np.array(0.0), None, "variable(0.)", "variable(0.)"),
        (
            np.array([[1, 2], [3, 4]]),
            "x",
            "variable x([[1, 2],\n            [3, 4]])",
            "variable x([[1 2]\n            [3 4]])",
        ),
        (np.zeros((0, 0)), None, "variable([], shape=(0, 0))", "variable([])"),
        (np.zeros(0), None, "variable([])", "variable([])"),
    ],
)
def test_text(array, name, representation, text):
    v = Variable(array, name=name)
    assert repr(v) == representation
    assert str(v) == text


def test_summary_and_debug_print():
    assert Variable(A, name="x").summary() == "<variable x>"
    v = Variable(A)
    assert v.summary() == f"<variable at {id(v):#x}>"
    v = Variable(A, name="x")
    v.grad = np.zeros_like(A)
    assert v.debug_print().split("\n") == [
        "<variable x>",
        "- device: CPU",
        "- backend: <class 'numpy.ndarray'>",
        "- shape: (2, 3)",
        "- dtype: float32",
        "- statistics: mean=2.50000000, std=1.70782518",
        "- grad: 0",
    ]
    assert Variable().debug_print().count("None") == 6


def test_length_item_and_iteration():
    v = Variable(A)
    assert len(v) == 2
    assert [row.array.tolist() for row in v] == A.tolist()
    x, y = Variable(np.array([1.0, 2.0]))
    assert (x.shape, y.item()) == ((), 2.0)
    assert type(y.item()) is float
    with pytest.raises(ValueError, match=r"item\(\) needs exactly one element, the Variable has shape \(2, 3\)"):
        v.item()
    with pytest.raises(TypeError, match="of a Variable without axes"):
        len(x)
    for use in (list, lambda x: x[0], lambda x: x[np.int64(0)]):
        with pytest.raises(TypeError, match="a Variable without axes has no items to index or to iterate over"):
            use(x)
    assert x[()].item() == 1.0
    with pytest.raises(IndexError, match="too many indices"):
        x[0, 0]
    assert not hasattr(v, "__iter__")  # which programs ask, as isinstance(v, Iterable): one Variable or several?


def test_comparison_hash_and_truth():
    v = Variable(A)
    for compare in (
        lambda: v < v, lambda: v <= 1, lambda: v > None, lambda: v >= A, lambda: v == v, lambda: v != 1, lambda: 1 < v,  # noqa: SIM300

    ):  # fmt: skip
        with pytest.raises(TypeError, match=r"Variables do not support (<|<=|>|>=|==|!=) operator"):
            compare()
    with pytest.raises(TypeError, match="unhashable type: 'Variable'"):
        hash(v)
    with pytest.raises(TypeError, match="a Variable has no truth value"):
        bool(Variable(np.array(1.0)))
    assert v in [v]
    assert {v.node: 1}[v.node] == 1


def test_no_plain_array_is_made_silently():
    with pytest.raises(ConcretizationError, match=r"a Variable would become a plain NumPy array .*take v.array"):
        np.asarray(Variable(A))


def test_as_variable_and_as_array():
    v = Variable(A)
    assert as_variable(v) is v
    assert as_variable(A).array is A
    assert as_variable(A).requires_grad is False
    assert as_array(v) is A
    assert as_array(A) is A


def test_nodes():
    v = Variable(A, name="x")
    node = v.node
    assert isinstance(node, VariableNode)
    assert (node.shape, node.dtype, node.name, node.rank, node.label) == ((2, 3), np.float32, "x", 0, "(2, 3), float32")
    assert (node.data, node.grad, node.grad_var, node.creator_node) == (None, None, None, None)
    assert node.get_variable() is v
    node.retain_data()
    assert node.data is A
    del v
    assert node.get_variable_or_none() is None
    again = node.get_variable()
    assert again.node is node
    assert again.array is A
    assert again.name == "x"
    assert node.get_variable() is again
    with pytest.raises(AttributeError, match="a VariableNode has no attribute 'unknown'"):
        _ = node.unknown


def test_retaining_what_is_gone():
    node = Variable(A).node
    assert node.get_variable().array is None
    with pytest.raises(RuntimeError, match="the Variable of this node is gone"):
        node.retain_data()
