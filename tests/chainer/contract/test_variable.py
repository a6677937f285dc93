"""The contract, 1.1 to 1.4 and 1.16: Variables, their operators, gradients, and copies of them."""

import copy
import pickle

import numpy as np
import pytest

import autodiff.chainer as chainer
import autodiff.chainer.functions as F
from autodiff.chainer import Variable
from autodiff.chainer.utils.type_check import InvalidType

A = np.array([[1, 2], [3, 4]], np.float32)


def variable(*values, dtype=np.float32, **keywords):
    return Variable(np.array(values, dtype), **keywords)


def test_contract_001_signature():
    grad = np.ones_like(A)
    v = Variable(A, name="v", grad=grad, requires_grad=False)
    assert v.array is A
    assert (v.name, v.grad is grad, v.requires_grad) == ("v", True, False)
    with pytest.raises(TypeError):
        Variable(A, "v")


def test_contract_002_keywords():
    with pytest.raises(TypeError, match="unknown"):
        Variable(A, unknown=1)
    with pytest.raises(ValueError, match="using_config"):
        Variable(A, volatile=True)


@pytest.mark.parametrize("data", [[1.0], 1, 1.0, np.float32(1), Variable(A)])
def test_contract_003_data_must_be_an_array(data):
    with pytest.raises(TypeError) as raised:
        Variable(data)
    assert type(data).__name__ in str(raised.value)


@pytest.mark.parametrize("dtype", [np.int32, bool, "U3", np.float16, np.complex64])
def test_contract_003_any_dtype(dtype):
    assert Variable(np.array([1, 0], dtype)).dtype == np.dtype(dtype)


def test_contract_004_arrays_are_held_not_copied():
    v = Variable(A)
    assert v.array is A
    assert v.data is A


def test_contract_007_attributes():
    v = Variable(A)
    for name in ["shape", "ndim", "size", "dtype", "T", "xp", "device", "rank", "node", "label", "requires_grad"]:
        with pytest.raises(AttributeError):
            setattr(v, name, None)
    assert (v.shape, v.ndim, v.size, v.dtype, v.rank) == ((2, 2), 2, 4, np.float32, 0)
    assert v.xp is np
    assert v.T.array.tolist() == A.T.tolist()
    v.of_the_user = 1
    assert v.of_the_user == 1


def test_contract_009_without_an_array():
    for v in (Variable(), Variable(None)):
        assert (v.array, v.grad, v.rank, v.xp) == (None, None, 0, np)
        assert repr(v) == "variable(None)"
        for name in ("shape", "ndim", "size", "dtype"):
            with pytest.raises(AttributeError):
                getattr(v, name)
        with pytest.raises(TypeError):
            len(v)
        with pytest.raises(TypeError):
            _ = v.label
        with pytest.raises(AttributeError):
            v + 1


def test_contract_010_assigning_an_array():
    v = Variable(A.copy())
    y = F.identity(v)
    v.retain_data()
    grad = v.grad = np.ones_like(A)
    new = np.zeros((3,), np.float64)
    v.array = new
    assert v.array is new
    assert v.data is new
    assert (v.shape, v.dtype, v.node.shape, v.node.dtype) == ((3,), np.float64, (3,), np.float64)
    assert v.node.data is new
    assert v.grad is grad
    v.data = A
    assert v.array is A
    assert y.shape == (2, 2)


@pytest.mark.parametrize(
    ("array", "label"),
    [
        (np.zeros((), np.float32), "float32"),
        (np.zeros((2, 5), np.float32), "(2, 5), float32"),
        (np.zeros((1,), np.float64), "(1), float64"),
        (np.zeros((3, 0), np.int32), "(3, 0), int32"),
    ],
)
def test_contract_012_label(array, label):
    assert Variable(array).label == label


def test_contract_013_summary_and_debug_print():
    v = Variable(np.array([[-1, 3], [3, 3]], np.float32), name="var")
    assert v.summary() == "<variable var>"
    assert Variable(A).summary().startswith("<variable at 0x")
    lines = v.debug_print().splitlines()
    assert len(lines) == 7
    assert lines[0] == "<variable var>"
    assert lines[1] == "- device: CPU"
    assert lines[2].startswith("- backend: ")
    assert lines[3].split() == ["-", "shape:", "(2,", "2)"]
    assert lines[4].split() == ["-", "dtype:", "float32"]
    assert lines[5].split() == ["-", "statistics:", "mean=2.00000000,", "std=1.73205078"]
    assert lines[6].split() == ["-", "grad:", "None"]
    v.grad = np.zeros_like(v.array)
    assert v.debug_print().splitlines()[6].split() == ["-", "grad:", "0"]
    v.grad = np.ones_like(v.array)
    assert v.debug_print().splitlines()[6].split() == ["-", "grad:", "mean=1.00000000,", "std=0.00000000"]


@pytest.mark.parametrize(
    ("array", "representation", "text"),
    [
        (np.array(0, np.float32), "variable(0.)", "variable(0.)"),
        (np.array([1, 2], np.float32), "variable([1., 2.])", "variable([1. 2.])"),
        (np.array([[1, 2], [3, 4]]), "variable([[1, 2],\n          [3, 4]])", "variable([[1 2]\n          [3 4]])"),
        (np.zeros((0,)), "variable([])", "variable([])"),
        (np.zeros((0, 0)), "variable([], shape=(0, 0))", "variable([])"),
    ],
)
def test_contract_014_texts(array, representation, text):
    assert repr(Variable(array)) == representation
    assert str(Variable(array)) == text
    named = repr(Variable(array, name="x"))
    assert named.startswith("variable x(")


def test_contract_015_length_and_iteration():
    assert len(Variable(A)) == 2
    with pytest.raises(TypeError):
        len(Variable(np.array(1.0)))
    a, b = variable(5, 6)
    assert (a.shape, float(a.array), float(b.array)) == ((), 5, 6)


def test_contract_016_item():
    assert variable(3).item() == 3
    assert type(variable(3).item()) is float
    assert type(variable(3, dtype=np.int32).item()) is int
    with pytest.raises(ValueError):
        Variable(A).item()


def test_contract_017_methods():
    v = Variable(np.arange(6, dtype=np.float32).reshape(1, 2, 3))
    assert v.mean().array == 2.5
    assert v.mean(axis=2, keepdims=True).shape == (1, 2, 1)
    assert v.mean(axis=2, weights=np.array([1, 0, 0], np.float32)).array.tolist() == [[0, 3]]
    for shape in ((3, 2), ((3, 2),), ([3, 2],), (-1, 2)):
        assert v.reshape(*shape).shape == (3, 2)
    assert v.reshape(6).shape == (6,)
    assert v.reshape(1, 2, 3) is v
    assert F.broadcast_to(v, (1, 2, 3)) is v
    for axes in ((), (None,), ((2, 1, 0),), ([2, 1, 0],), (-1, 1, 0)):
        assert v.transpose(*axes).shape == (3, 2, 1)
    assert v.transpose(0, 2, 1).shape == (1, 3, 2)


def test_contract_018_signs():
    v = variable(-1, 2)
    assert (+v) is v
    assert abs(v).array.tolist() == [1, 2]
    assert (-v).array.tolist() == [1, -2]


def test_contract_021_as_variable():
    v = Variable(A)
    assert chainer.as_variable(v) is v
    w = chainer.as_variable(A)
    assert w.array is A
    assert not w.requires_grad
    assert chainer.as_array(v) is A
    assert chainer.as_array(A) is A


@pytest.mark.parametrize("sign", ["<", "<=", ">", ">=", "==", "!="])
@pytest.mark.parametrize("other", [None, 1, A, "itself"])
def test_contract_022_comparisons(sign, other):
    v = Variable(A)
    other = v if isinstance(other, str) else other
    with pytest.raises(TypeError, match=r"Variables do not support .* operator"):
        eval(f"v {sign} other")
    with pytest.raises(TypeError):
        eval(f"other {sign} v")


def test_contract_023_hashing():
    with pytest.raises(TypeError, match=r"^unhashable type: "):
        hash(Variable(A))


def test_contract_024_truth():
    for v in (Variable(A), Variable(np.array(1.0))):
        with pytest.raises(TypeError):
            bool(v)
        with pytest.raises(TypeError):
            not v


def test_contract_025_arrays_on_the_left():
    v = Variable(A)
    assert v.__array_priority__ == 200
    for y in (A + v, np.float32(2) * v, A / v, A @ v):
        assert isinstance(y, Variable)
        assert y.dtype == np.float32


def test_contract_026_operators():
    x, y = variable(4, 9), variable(2, 3)
    results = [x + y, x - y, x * y, x / y, x // y, x**y, 1 + x, 1 - x, 2 * x, 36 / x, 2**y, 13 // y, x @ y]
    expected = [[6, 12], [2, 6], [8, 27], [2, 3], [2, 3], [16, 729], [5, 10], [-3, -8], [8, 18], [9, 4], [4, 8], [6, 4]]
    for result, values in zip(results, [*expected, 35]):
        np.testing.assert_allclose(result.array, values, rtol=1e-6)
    before = x
    x += y
    assert x is not before
    assert x.rank == 1


@pytest.mark.parametrize("other", [2, 2.0, np.float64(2), np.int32(2), True])
def test_contract_028_scalars_are_weak(other):
    for v in (Variable(A), Variable(np.array(1, np.float32))):
        for y in (v + other, other + v, v * other, v - other, other - v, v / other, other / v, v**other):
            assert y.dtype == np.float32


def test_contract_029_arrays_are_weak():
    v = Variable(A)
    for other in (A.astype(np.float64), A.astype(np.int32), np.array(2.0)):
        y = v * other
        assert y.dtype == np.float32
        y = other + v
        assert y.dtype == np.float32


def test_contract_030_variables_do_not_promote():
    with pytest.raises(InvalidType) as raised:
        variable(1) * variable(1, dtype=np.float64)
    assert "float32 != float64" in str(raised.value)
    with chainer.using_config("type_check", False):
        assert (variable(1) + variable(1, dtype=np.float64)).dtype == np.float64


def test_contract_033_broadcasting():
    x, y = Variable(A), variable(10, 20)
    z = F.sum(x * y)
    z.backward()
    assert x.grad.tolist() == [[10, 20], [10, 20]]
    assert y.grad.tolist() == [4, 6]
    with pytest.raises(InvalidType):
        x + variable(1, 2, 3)


@pytest.mark.parametrize(
    ("function", "label"),
    [
        (lambda x: x + x, "_ + _"),
        (lambda x: x + 2, "_ + 2"),
        (lambda x: 2 + x, "_ + 2"),
        (lambda x: x * 2, "_ * 2"),
        (lambda x: x**3, "_ ** 3"),
        (lambda x: 2 - x, "2 - _"),
        (lambda x: x / x, "_ / _"),
        (lambda x: -x, "__neg__"),
        (abs, "|_|"),
        (lambda x: x * (-1), "_ * (-1)"),
    ],
)
def test_contract_035_labels(function, label):
    assert function(variable(1, 2)).creator_node.label == label


def test_contract_036_indexing():
    x = Variable(np.arange(12, dtype=np.float32).reshape(3, 4))
    for index in (
        0,
        slice(1, 3),
        Ellipsis,
        None,
        (1, 2),
        (slice(None), -1),
        ([0, 0, 2],),
        np.array([True, False, True]),
    ):
        x.cleargrad()
        y = x[index]
        np.testing.assert_array_equal(y.array, x.array[index])
        F.sum(y).backward()
        expected = np.zeros((3, 4), np.float32)
        np.add.at(expected, index, 1)
        np.testing.assert_array_equal(x.grad, expected)
    with pytest.raises(IndexError):
        x[variable(0, dtype=np.int32)]


def test_contract_039_grad_and_grad_var():
    v = Variable(A)
    grad = np.ones_like(A)
    v.grad = grad
    assert v.grad is grad
    assert v.grad_var.array is grad
    assert v.grad_var is v.grad_var
    g = Variable(np.zeros_like(A))
    v.grad_var = g
    assert v.grad_var is g
    assert v.grad is g.array
    v.grad = grad
    assert v.grad_var is not g


@pytest.mark.parametrize(
    ("grad", "error"),
    [
        (1.0, TypeError),
        (np.float32(1), TypeError),
        ([[1, 2], [3, 4]], TypeError),
        (Variable(A), TypeError),
        (A.astype(np.float64), TypeError),
        (np.ones(2, np.float32), ValueError),
    ],
)
def test_contract_040_gradients_are_looked_at(grad, error):
    v = Variable(A)
    with pytest.raises(error):
        v.grad = grad
    v.grad = None
    if error is ValueError:
        with pytest.raises(error):
            v.grad_var = Variable(grad)


def test_contract_041_gradients_of_variables_that_require_none():
    v = Variable(A, requires_grad=False)
    v.grad = np.ones_like(A)
    assert v.grad_var.requires_grad


def test_contract_042_cleargrad():
    v = Variable(A, grad=np.ones_like(A))
    v.cleargrad()
    assert v.grad is None
    with pytest.warns(DeprecationWarning):
        v.zerograd()
    assert v.grad.tolist() == [[0, 0], [0, 0]]
    v.grad = grad = np.ones_like(A)
    with pytest.warns(DeprecationWarning):
        v.zerograd()
    assert v.grad is grad
    assert not grad.any()


def test_contract_043_addgrad():
    a, b = Variable(A), Variable(A)
    a.addgrad(b)
    assert a.grad is None
    b.grad = np.ones_like(A)
    a.addgrad(b)
    assert a.grad.tolist() == [[1, 1], [1, 1]]
    a.addgrad(b)
    assert a.grad.tolist() == [[2, 2], [2, 2]]
    assert b.grad.tolist() == [[1, 1], [1, 1]]
    p, q = chainer.Parameter(), chainer.Parameter(1, (2,))
    q.grad = np.ones(2, np.float32)
    p.cleargrad()
    p.addgrad(q)
    assert p.shape == (2,)
    assert p.grad.tolist() == [1, 1]


def test_contract_044_copydata():
    a, b = Variable(A.copy()), Variable(A * 2)
    array = a.array
    a.copydata(b)
    assert a.array is array
    assert array.tolist() == (A * 2).tolist()
    p, q = chainer.Parameter(), chainer.Parameter(3, (2,))
    p.copydata(q)
    assert p.array.tolist() == [3, 3]
    p, q = chainer.Parameter(5), chainer.Parameter(3, (2,))
    q.copydata(p)
    assert q.array.tolist() == [5, 5]
    p, q = chainer.Parameter(), chainer.Parameter()
    p.copydata(q)
    assert p.array is None


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v))])
def test_contract_129_copies_without_a_graph(copied):
    v = Variable(A, name="v", requires_grad=False) * 2
    v.name = "twice"
    v.grad = np.ones_like(A)
    w = copied(v)
    assert w.array.tolist() == (A * 2).tolist()
    assert w.array is not v.array
    assert w.grad.tolist() == v.grad.tolist()
    assert (w.name, w.requires_grad, w.creator, w.rank) == ("twice", False, None, 0)


def test_contract_130_shallow_copies():
    v = Variable(A, name="v") * 2
    v.grad = np.ones_like(A)
    w = copy.copy(v)
    assert w.array is v.array
    assert w.grad is v.grad
    assert w.creator is None
    assert w.node is not v.node
    p = chainer.Parameter()
    q = copy.copy(p)
    p.initialize((2,))
    assert q.array is p.array


def test_contract_131_pickled_parameters():
    p = chainer.Parameter(3, (2,), name="p")
    p.update_rule = chainer.UpdateRule()
    q = pickle.loads(pickle.dumps(p))
    assert q.array.tolist() == [3, 3]
    assert q.name == "p"
    assert q.initializer.fill_value == 3
    assert isinstance(q.update_rule, chainer.UpdateRule)
    q = pickle.loads(pickle.dumps(chainer.Parameter()))
    with pytest.raises(RuntimeError):
        _ = q.grad
