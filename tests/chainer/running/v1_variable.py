import copy
import pickle

import numpy as np
import pytest

import autodiff.chainer as chainer
from autodiff.chainer import AUTO, OFF, ON, Flag, Variable
from autodiff.chainer import functions as F
from autodiff.chainer.flag import aggregate_flags

A = np.array([[1.0, 2.0]], np.float32)
SPELLINGS = {ON: ("on", "ON", True), OFF: ("off", "OFF", False), AUTO: ("auto", "AUTO", None)}
MIXED = "volatile Variables and others meet"


@pytest.mark.parametrize("flag", SPELLINGS)
def test_contract_142_flags_have_several_spellings_and_are_singletons(flag):
    for spelling in SPELLINGS[flag]:
        assert Flag(spelling) is flag
        assert flag == spelling
        assert (flag != spelling) is False
    assert Flag(flag) is flag
    assert pickle.loads(pickle.dumps(flag)) is flag
    assert copy.deepcopy(flag) is flag
    assert repr(flag) == str(flag) == SPELLINGS[flag][1]


def test_contract_142_flags_have_truth_but_no_order():
    assert ON
    assert not OFF
    with pytest.raises(ValueError, match="AUTO is neither true nor false"):
        bool(AUTO)
    with pytest.raises(RuntimeError, match="no order between flags"):
        _ = ON < OFF
    with pytest.raises(KeyError):
        Flag("perhaps")


def test_contract_142_flags_together():
    assert aggregate_flags([]) is AUTO
    assert aggregate_flags(["auto", ON]) is ON
    assert aggregate_flags([OFF, AUTO, False]) is OFF
    with pytest.raises(ValueError, match=f"{MIXED}.*ON and OFF flags cannot be mixed"):
        aggregate_flags([ON, OFF])


def test_contract_141_the_constructor_takes_volatile_name_and_grad_by_position():
    grad = np.ones_like(A)
    x = Variable(A, "on", "x", grad)
    assert x.data is A
    assert (x.volatile, x.name, x.grad is grad) == (ON, "x", True)
    assert Variable(A).volatile is OFF
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'data'"):
        Variable()
    with pytest.raises(TypeError, match="a Variable holds an array, got list"):
        Variable([1])


def test_contract_143_volatile_inputs_give_volatile_results_without_a_graph():
    x = Variable(A, volatile=True)
    for y in (x * 2, x + x, x + A, F.exp(x), F.softmax(x), abs(x), x[0], F.split_axis(x, 2, 1)[0]):
        assert y.volatile is ON
        assert (y.creator, y.rank) == (None, 0)
        assert isinstance(y, chainer.Variable)


def test_contract_143_other_inputs_give_a_graph():
    x = Variable(A)
    with chainer.no_backprop_mode():  # it concerns only what adapts
        for y in (x * 2, F.softmax(x), x + A):
            assert y.volatile is OFF
            assert y.creator is not None


def test_contract_143_inputs_that_adapt_give_way_and_follow_the_mode():
    w = Variable(A, "auto")
    assert (w * 2).volatile is AUTO
    assert (w * 2).creator is not None
    with chainer.no_backprop_mode():
        assert (w * 2).creator is None
    assert (w + Variable(A, "on")).volatile is ON
    assert (w + Variable(A)).volatile is OFF
    assert chainer.Parameter(A).volatile is AUTO


@pytest.mark.parametrize("call", [lambda x, y: x + y, F.linear, lambda x, y: F.concat((x, y))])
def test_contract_143_volatile_and_others_do_not_mix(call):
    with pytest.raises(ValueError, match=MIXED):
        call(Variable(A, "on"), Variable(A))


def test_contract_143_functions_with_gradients_of_their_own_are_volatile_too():
    class Twice(chainer.Function):
        def forward(self, inputs):
            return (inputs[0] * 2,)

        def backward(self, inputs, grads):
            return (grads[0] * 2,)

    assert Twice()(Variable(A, "on")).creator is None
    assert Twice()(Variable(A, "on")).volatile is ON
    y = F.sum(Twice()(x := Variable(A)))
    y.backward()
    assert x.grad.tolist() == [[2.0, 2.0]]


def test_contract_144_volatile_may_be_set():
    x = Variable(A)
    x.volatile = "on"
    assert x.volatile is ON
    assert (x + 1).creator is None


def test_contract_146_length_text_and_hash():
    x, named = Variable(A), Variable(A, name="n")
    assert len(x) == len(x + 1) == 2
    assert repr(x) == f"<variable at {id(x):#x}>"
    assert str(x) == f"<var@{id(x):x}>"
    assert (repr(named), str(named)) == ("<variable n>", "n")
    assert {x: 1, named: 2}[x] == 1


@pytest.mark.parametrize("call", [lambda x: x == x, lambda x: x != 1, lambda x: x < 1, lambda x: x >= A, bool])
def test_contract_146_there_are_no_comparisons(call):
    with pytest.raises(NotImplementedError, match="Variables are neither compared nor true"):
        call(Variable(A))


def test_contract_146_debug_print_has_a_line_for_volatile():
    assert Variable(A, name="n", volatile="on").debug_print().split("\n") == [
        "<variable n>",
        "- device: CPU",
        "- volatile: ON",
        "- backend: <class 'numpy.ndarray'>",
        "- shape: (1, 2)",
        "- dtype: float32",
        "- statistics: mean=1.50000000, std=0.50000000",
        "- grad: None",
    ]


def test_contract_145_backward_adds_in_place_and_keeps_the_gradient_it_started_from():
    x = Variable(np.array([1.0, 2.0], np.float32))
    x.grad = before = np.ones(2, np.float32)
    y = x * 2
    y.grad = np.full(2, 7, np.float32)  # passed by, hence cleared
    z = F.sum(y)
    z.backward()
    assert x.grad is before
    assert before.tolist() == [3.0, 3.0]
    assert y.grad is None
    assert z.grad == 1
    z.backward(retain_grad=True)
    assert before.tolist() == [5.0, 5.0]
    assert y.grad.tolist() == [1.0, 1.0]


def test_contract_145_backward_of_a_leaf_does_nothing():
    x = Variable(np.array(1.0))
    x.backward()
    assert x.grad is None


def test_backward_from_one_element_does_not_warn():
    x = Variable(np.array([2.0], np.float32))
    (x * 3).backward()
    assert x.grad.tolist() == [3.0]


def test_variables_are_copied_with_their_flag():
    x = Variable(A, "on", "x")
    for y in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x), copy.copy(x)):
        assert (y.volatile, y.name, y.data.tolist()) == (ON, "x", [[1.0, 2.0]])
