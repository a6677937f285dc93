"""Recurrent links over whole sequences: parameters, values and random numbers of Chainer 7.8.1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff import Variable
from autodiff.chainer.links.rnn.n_step_gru import NStepBiGRU, NStepGRU
from autodiff.chainer.links.rnn.n_step_lstm import NStepBiLSTM, NStepLSTM
from autodiff.chainer.links.rnn.n_step_rnn import (
    NStepBiRNNReLU,
    NStepBiRNNTanh,
    NStepRNNReLU,
    NStepRNNTanh,
    argsort_list_descent,
)
from tests.chainer.functions.loss.test_losses import wave

XS = [wave(2, 3), wave(4, 3) * np.float32(0.5), wave(1, 3)]


@pytest.fixture(autouse=True)
def seed() -> None:
    np.random.seed(0)  # noqa: NPY002


CHAINER: dict[Any, tuple[Any, Any, int, int]] = {  # the first sequence's outputs, the last final state, weights, states
    NStepLSTM: ([[-0.01105, 0.15349], [-0.01161, 0.08254]], [0, 0], 8, 2),
    NStepGRU: ([[-0.01418, -0.03615], [0.04914, 0.18096]], [-0.01418, -0.03615], 6, 1),
    NStepBiGRU: ([[-0.04203, 0.27171, 0.1075, -0.0421], [-0.11614, 0.62976, 0.18077, -0.02814]], [-0.20408, -0.20418], 6, 1),
    NStepRNNTanh: ([[0.96748, 0.16996], [-0.78284, 0.70673]], [0.08125, 0.4055], 2, 1),
    NStepRNNReLU: ([[6.83518, 0.57188], [2.28021, 7.13823]], [0.08623, 0.4556], 2, 1),
    NStepBiRNNTanh: ([[-0.77006, 0.71982, -0.02212, -0.6967], [0.93696, -0.62908, 0.02704, -0.68585]], [-0.97948, 0.92197], 2, 1),
    NStepBiRNNReLU: ([[0, 0.96083, 0, 0], [2.38969, 0.33058, 0, 0]], [0, 4.42513], 2, 1),
    NStepBiLSTM: (None, [0.12115, -0.05477], 8, 2),
}  # fmt: skip


@pytest.mark.parametrize("kind", CHAINER)
def test_values_and_random_numbers_are_those_of_chainer(kind: Any) -> None:
    first, last, weights, states = CHAINER[kind]
    link = kind(2, 3, 2, 0.5)
    assert (link.n_weights, link.n_cells, link.n_layers, link.out_size, link.dropout) == (weights, states, 2, 2, 0.5)
    hy, *_, ys = link(*[None] * states, XS)
    assert isinstance(ys, list)
    assert [y.shape for y in ys] == [(len(x), 2 * link.direction) for x in XS]
    if first is not None:
        np.testing.assert_allclose(ys[0].array, first, atol=6e-6)
    np.testing.assert_allclose(hy.array[-1, 2], last, atol=6e-6)


def test_states_belong_to_the_sequences_in_their_order() -> None:
    link, h, c = NStepLSTM(2, 3, 2, 0.0), wave(2, 3, 2), wave(2, 3, 2) * np.float32(0.3)
    hy, cy, ys = link(Variable(h), Variable(c), XS)
    for k, x in enumerate(XS):
        alone = link(h[:, k : k + 1], c[:, k : k + 1], [x])
        np.testing.assert_allclose(hy.array[:, k], alone[0].array[:, 0], rtol=1e-5)
        np.testing.assert_allclose(cy.array[:, k], alone[1].array[:, 0], rtol=1e-5)
        np.testing.assert_allclose(ys[k].array, alone[2][0].array, rtol=1e-5)


def test_one_state_may_be_missing() -> None:
    hy, _, _ = NStepLSTM(1, 3, 2, 0.0)(wave(1, 3, 2), None, tuple(XS))
    np.testing.assert_allclose(hy.array[0, 0], [-0.01534, 0.27321], atol=6e-6)


def test_parameters() -> None:
    link = NStepBiGRU(2, 3, 2, 0.5)
    assert [name for name, _ in link.namedparams()][:4] == ["/0/b0", "/0/b1", "/0/b2", "/0/b3"]
    assert [weight.shape for weight in link.ws[2]] == [(2, 4)] * 3 + [(2, 2)] * 3
    sums = [float(weight.array.sum()) for weight in link.ws[3]]
    np.testing.assert_allclose(sums, [1.279787, 2.893242, 1.955910, 0.637562, 0.402985, 0.600397], rtol=1e-5)
    assert all(weight is getattr(link[3], f"w{k}") for k, weight in enumerate(link.ws[3]))
    assert np.random.rand() == 0.5210366062041293  # noqa: NPY002


def test_initial_weights() -> None:
    link = NStepGRU(1, 3, 2, 0.0, initialW=0.5, initial_bias=np.arange(2, dtype="f"))
    assert link.ws[0][0].array.tolist() == [[0.5] * 3] * 2
    assert link.bs[0][5].array.tolist() == [0, 1]


def test_copies_have_their_own_weights() -> None:
    link = NStepRNNTanh(1, 3, 2, 0.0)
    other = link.copy(mode="copy")
    other[0].w0.array[...] = 0
    assert not other.ws[0][0].array.any()
    assert link.ws[0][0].array.any()


def test_all_parameters_get_gradients() -> None:
    link = NStepBiLSTM(2, 3, 2, 0.5)
    link.cleargrads()
    _, _, ys = link(None, None, XS)
    np.sum(np.concatenate(ys)).backward()
    assert all(np.isfinite(param.grad).all() and param.grad.any() for param in link.params())


LINK = NStepLSTM(1, 3, 2, 0.0)
WRONG: dict[str, tuple[Any, type[Exception], str]] = {
    "array": (lambda: LINK(None, None, XS[0]), TypeError, "xs must be a list of sequences, got ndarray"),
    "none": (lambda: LINK(None, None, []), ValueError, "xs must be sequences that are not empty, got lengths []"),
    "empty": (lambda: LINK(None, None, [XS[0], XS[0][:0]]), ValueError, "xs must be sequences that are not empty, got lengths [2, 0]"),
    "state": (lambda: LINK(wave(1, 2, 2), None, XS), ValueError, "NStepLSTM got a state of shape (1, 2, 2)"),
    "train": (lambda: LINK(None, None, XS, train=True), ValueError, "NStepLSTM(train=...) is gone; use chainer.using_config('train', ...)"),
    "use_cudnn": (lambda: NStepLSTM(1, 3, 2, 0.0, use_cudnn=True), ValueError, "NStepLSTM(use_cudnn=...) is gone; use chainer.using_config('use_cudnn', ...)"),
    "unknown": (lambda: NStepLSTM(1, 3, 2, 0.0, foo=1), TypeError, "NStepLSTM() got unexpected keyword argument(s) 'foo'"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(name: str) -> None:
    make, kind, text = WRONG[name]
    with pytest.raises(kind) as caught:
        make()
    assert str(caught.value).startswith(f"{text} (test_n_step_links.py:")


TIES = [3, 0, 3, 1, 3, 4, 2, 3, 3, 4, 3, 2, 3, 4, 4, 1, 2]


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ([2, 3, 2], [1, 0, 2]),
        (TIES[:16], [5, 9, 13, 14, 0, 2, 4, 7, 8, 10, 12, 6, 11, 3, 15, 1]),
        (TIES, [14, 13, 5, 9, 0, 12, 10, 8, 4, 2, 7, 6, 11, 16, 15, 3, 1]),
        (list(range(40)), list(range(39, -1, -1))),
    ],
)
def test_sequences_of_equal_lengths_are_sorted_as_in_chainer(lengths: list[int], expected: list[int]) -> None:
    """With the numbers of NumPy 1.23, with which Chainer runs."""
    assert argsort_list_descent([range(length) for length in lengths]).tolist() == expected
