"""The links Linear, Bias, Scale, Bilinear, EmbedID, Parameter and Highway."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from autodiff.chainer.functions.activation.tanh import tanh
from autodiff.chainer.links.connection.bias import Bias
from autodiff.chainer.links.connection.bilinear import Bilinear
from autodiff.chainer.links.connection.embed_id import EmbedID
from autodiff.chainer.links.connection.highway import Highway
from autodiff.chainer.links.connection.linear import Linear
from autodiff.chainer.links.connection.parameter import Parameter
from autodiff.chainer.links.connection.scale import Scale
from autodiff.facade import InvalidType, Variable
from autodiff.facade.settings.configuration import mixed16, using_config

X = np.arange(6, dtype="f").reshape(2, 3)


def test_linear_is_printed_as_in_chainer():
    assert str(Linear(3, 2)) == "Linear(in_size=3, out_size=2, nobias=False)"
    assert str(Linear(2, nobias=True)) == "Linear(in_size=None, out_size=2, nobias=True)"


@pytest.mark.parametrize("build", [lambda: Linear(2), lambda: Linear(None, 2)])
def test_linear_learns_its_input_size_from_the_first_input(build):
    link = build()
    assert link.W.array is None
    assert link.b.shape == (2,)
    assert link(np.ones((4, 3, 2), "f")).shape == (4, 2)
    assert link.W.shape == (2, 6)
    assert link.in_size is None


def test_linear_learns_its_input_size_behind_the_batch_axes():
    link = Linear(2)
    assert link(np.ones((5, 4, 3), "f"), n_batch_axes=2).shape == (5, 4, 2)
    assert link.W.shape == (2, 3)


def test_linear_takes_arrays_and_numbers():
    link = Linear(3, 2, initialW=np.arange(6.0).reshape(2, 3), initial_bias=np.array([1, 2]))
    np.testing.assert_array_equal(link(X).array, [[6, 16], [15, 52]])
    assert link.W.dtype == link.b.dtype == np.float32
    np.testing.assert_array_equal(Linear(3, 2, initialW=1, initial_bias=2)(X).array, [[5, 5], [14, 14]])


def test_linear_has_gradients_full_of_nan_at_first():
    link = Linear(3, 2)
    assert np.isnan(link.W.grad).all()
    link.cleargrads()
    link(X)[0, 0].backward()
    np.testing.assert_array_equal(link.W.grad, [[0, 1, 2], [0, 0, 0]])


def test_linear_from_params_copies():
    W, b = np.ones((2, 3), "f"), np.ones(2, "f")
    link = Linear.from_params(Variable(W), b)
    assert str(link) == "Linear(in_size=3, out_size=2, nobias=False)"
    assert link.W.array is not W
    np.testing.assert_array_equal(link(X).array, [[4, 4], [13, 13]])
    np.testing.assert_array_equal(Linear.from_params(W).b.array, [0, 0])
    assert Linear.from_params(W, b, nobias=True).b is None


def test_linear_has_the_dtype_of_the_configuration():
    with using_config("dtype", np.dtype("d")):
        assert Linear(3, 2).W.dtype == np.float64
    with using_config("dtype", mixed16):
        assert Linear(3, 2).W.dtype == np.float16


def test_linear_refuses_wrong_arguments():
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'wscale'$"):
        Linear(3, 2, wscale=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^an initializer is an Initializer or another function that fills an array, an array, a number or None, got list \(test_linear.py:\d+\)$"):  # fmt: skip
        Linear(3, 2, initialW=[1])
    with pytest.raises(InvalidType, match=r"x.shape\[1\] == W.shape\[1\]"):
        Linear(4, 2)(X)


def test_linear_is_copied_and_pickled():
    link = Linear(3, 2)
    for other in (pickle.loads(pickle.dumps(link)), copy.deepcopy(link), link.copy()):
        np.testing.assert_array_equal(other(X).array, link(X).array)
    assert not np.array_equal(link.copy("init").W.array, link.W.array)


def test_bias_with_and_without_its_own():
    own = Bias(axis=0, shape=2)
    own.b.array[...] = [1, 2]
    np.testing.assert_array_equal(own(X).array, [[1, 2, 3], [5, 6, 7]])
    np.testing.assert_array_equal(Bias()(X, np.ones(3, "f")).array, X + 1)
    assert [name for name, _ in Bias().namedparams()] == []


@pytest.mark.parametrize(
    ("link", "count", "text"),
    [
        (Bias(), 1, "the link has no learned b, so it takes 2 argument(s), got 1"),
        (Bias(shape=3), 2, "the link has a learned b, so it takes 1 argument(s), got 2"),
        (Scale(), 3, "the link has no learned W, so it takes 2 argument(s), got 3"),
        (Scale(W_shape=3), 0, "the link has a learned W, so it takes 1 argument(s), got 0"),
    ],
)
def test_bias_and_scale_count_their_arguments(link: Any, count: int, text: str):
    with pytest.raises(ValueError, match=r" \(test_linear.py:\d+\)$") as caught:
        link(*[X] * count)
    assert str(caught.value).startswith(text + " (")


def test_scale_with_a_bias():
    link = Scale(W_shape=3, bias_term=True, bias_shape=7)
    assert [(name, param.shape) for name, param in link.namedparams()] == [("/W", (3,)), ("/bias/b", (3,))]
    link.W.array[...] = 2
    link.bias.b.array[...] = 1
    np.testing.assert_array_equal(link(X).array, 2 * X + 1)
    given = Scale(bias_term=True, bias_shape=3)
    np.testing.assert_array_equal(given(X, np.full(3, 3, "f")).array, 3 * X)


def test_scale_needs_the_shape_of_its_bias():
    text = r"^the bias needs a bias_shape where W_shape is not given \(test_linear.py:\d+\)$"
    with pytest.raises(ValueError, match=text):
        Scale(bias_term=True)


def test_bilinear():
    link = Bilinear(1, 2, 1, initialW=2, initial_bias=(3, 4, 5))
    e1, e2 = np.array([[10]], "f"), np.array([[1, 100]], "f")
    assert link(e1, e2).array.tolist() == [[10 * 101 * 2 + 10 * 3 + 101 * 4 + 5]]
    assert Bilinear(1, 2, 1, nobias=True, initialW=2)(e1, e2).array.tolist() == [[2020]]
    assert [name for name, _ in Bilinear(1, 2, 1, nobias=True).namedparams()] == ["/W"]


def test_bilinear_zero_grads_is_deprecated():
    link = Bilinear(1, 2, 1)
    with pytest.warns(DeprecationWarning, match=r"^zero_grads\(\) is deprecated; use cleargrads\(\)$"):
        link.zero_grads()
    assert all((param.grad == 0).all() for param in link.params())


def test_bilinear_refuses_wrong_initial_values():
    text = r"^initial_bias must be None or a tuple for \(V1, V2, b\), got 1 \(test_linear.py:\d+\)$"
    with pytest.raises(ValueError, match=text):
        Bilinear(3, 2, 4, initial_bias=1)
    text = r"^V1 must have the shape \(3, 4\), got \(2, 4\) \(test_linear.py:\d+\)$"
    with pytest.raises(AssertionError, match=text):
        Bilinear(3, 2, 4, initial_bias=(np.ones((2, 4)), None, None))


def test_embed_id():
    link = EmbedID(3, 2, initialW=np.arange(6.0).reshape(3, 2), ignore_label=-1)
    x = np.array([[2, -1]])
    np.testing.assert_array_equal(link(x).array, [[[4, 5], [0, 0]]])
    assert EmbedID.ignore_label is None
    link.cleargrads()
    link(x)[0, 0, 1].backward()
    np.testing.assert_array_equal(link.W.grad, [[0, 0], [0, 0], [0, 1]])
    other = EmbedID.from_params(link.W, ignore_label=7)
    assert other.ignore_label == 7
    np.testing.assert_array_equal(other.W.array, link.W.array)


def test_parameter_holds_the_array():
    array = np.array([1.0, 2.0], "f")
    link = Parameter(array)
    assert link.W.array is array
    y = link("on")
    np.testing.assert_array_equal(y.array, array)
    assert y.creator.label == "Identity"
    assert np.isnan(link.W.grad).all()


def test_highway_passes_most_at_first():
    link = Highway(3, activate=tanh, init_Wh=0, init_Wt=0)
    np.testing.assert_allclose(link(X).array, X * (1 - 1 / (1 + np.e)), rtol=1e-6)
    assert [name for name, _ in Highway(3, nobias=True).namedparams()] == ["/plain/W", "/transform/W"]
