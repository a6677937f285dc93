"""Recurrent links: parameters, states, values and random numbers of Chainer 7.8.1."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from autodiff import Variable
from autodiff.chainer.initializers import Orthogonal
from autodiff.chainer.links.rnn.gru import GRU, StatefulGRU, StatelessGRU
from autodiff.chainer.links.rnn.lstm import LSTM, StatelessLSTM
from autodiff.chainer.links.rnn.mgu import StatefulMGU, StatelessMGU
from autodiff.chainer.links.rnn.peephole import StatefulPeepholeLSTM
from autodiff.chainer.links.rnn.tree_lstm import ChildSumTreeLSTM, NaryTreeLSTM
from autodiff.chainer.links.rnn.zoneoutlstm import StatefulZoneoutLSTM
from autodiff.facade.settings.configuration import using_config
from tests.chainer.functions.function_laws import draw

X = np.linspace(-1, 1, 6).reshape(2, 3).astype("f")
STATE = X[:, :2]


@pytest.fixture(autouse=True)
def seed() -> None:
    np.random.seed(0)  # noqa: NPY002


def close(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found.array, wanted, rtol=2e-5, atol=1e-7)


SUMS: dict[str, tuple[Any, dict[str, Any], float]] = {  # sums of parameters, and the next random number
    "LSTM": (lambda: LSTM(3, 2), {"lateral/W": 2.653275, "upward/W": 5.051468, "upward/b": 2}, 0.31542835092418386),
    "StatelessLSTM": (lambda: StatelessLSTM(3, 2), {"lateral/W": 2.653275, "upward/W": 5.051468, "upward/b": 2}, 0.31542835092418386),
    "LSTM constants": (lambda: LSTM(3, 2, 1.0, 2.0, 3.0, 4.0), {"lateral/W": 16, "upward/W": 48, "upward/b": 26}, 0.5488135039273248),
    "LSTM initializers": (lambda: LSTM(3, 2, lateral_init=Orthogonal(), upward_init=np.ones((2, 3), "f")), {"lateral/W": 7.573251, "upward/W": 24, "upward/b": 2}, 0.978618342232764),
    "LSTM later": (lambda: LSTM(2), {"lateral/W": 0, "upward/W": None, "upward/b": 0}, 0.5488135039273248),
    "StatefulGRU": (lambda: StatefulGRU(3, 2), {"U/W": 2.022829, "U_r/W": 0.782138, "U_z/W": 0.52884, "W/W": -0.555244, "W_r/W": 3.622365, "W_z/W": 1.881334}, 0.9437480785146242),
    "GRU constants": (lambda: GRU(3, 2, 1.0, 2.0, 3.0), {"U/W": 8, "W/W": 6, "W_r/b": 6}, 0.5488135039273248),
    "StatelessGRU": (lambda: StatelessGRU(None, 2), {"U/W": 1.347531, "U_r/W": 3.80695, "U_z/W": 1.194311, "W/W": None}, 0.5680445610939323),
    "StatefulMGU": (lambda: StatefulMGU(3, 2), {"W_f/W": 3.300539, "W_h/W": 1.791743}, 0.1433532874090464),
    "StatefulPeepholeLSTM": (lambda: StatefulPeepholeLSTM(3, 2), {"lateral/W": 2.045028, "peep_f/W": -1.006235, "peep_i/W": -1.572651, "peep_o/W": -1.651236, "upward/W": 5.5481, "upward/b": 0}, 0.1965823616800535),
    "StatefulZoneoutLSTM": (lambda: StatefulZoneoutLSTM(3, 2), {"lateral/W": 2.045028, "upward/W": 5.5481}, 0.31542835092418386),
    "ChildSumTreeLSTM": (lambda: ChildSumTreeLSTM(3, 2), {"W_h_aio/W": 0.812512, "W_h_f/W": 1.232516, "W_x/W": 5.5481}, 0.31542835092418386),
    "NaryTreeLSTM": (lambda: NaryTreeLSTM(3, 2, n_ary=3), {"W_h1/W": -4.354802, "W_h2/W": -5.924370, "W_h3/W": 6.790216, "W_x/W": 6.211514}, 0.5699649107012649),
}  # fmt: skip


@pytest.mark.parametrize("name", SUMS)
def test_parameters_are_those_of_chainer(name: str) -> None:
    make, sums, after = SUMS[name]
    link = make()
    assert np.random.rand() == pytest.approx(after, abs=1e-15)  # noqa: NPY002
    params = {path[1:]: param.array for path, param in link.namedparams()}
    for path, wanted in sums.items():
        if wanted is None:
            assert params[path] is None
        else:
            np.testing.assert_allclose(params[path].sum(), wanted, rtol=1e-5, atol=1e-6)


def test_lstm() -> None:
    link = LSTM(3, 2)
    assert (link.c, link.h) == (None, None)
    close(link(X), [[-0.18125224, -0.08709591], [0.08616947, -0.07645571]])
    close(link(X), [[-0.25919977, -0.13909318], [0.16984828, -0.20055057]])
    close(link.c, [[-0.5728795, -0.3370695], [0.4421072, -0.45495757]])
    close(link(X[:1]), [[-0.28896716, -0.16325456]])
    assert (link.h.shape, link.c.shape) == ((2, 2), (2, 2))
    link.reset_state()
    assert (link.c, link.h) == (None, None)
    link.set_state(Variable(STATE), Variable(STATE))
    close(link(X), [[-0.20610304, -0.16027753], [0.27153572, 0.07103848]])


def test_the_weights_of_lstm_may_come_with_the_first_inputs() -> None:
    link = LSTM(None, 2)
    np.random.seed(1)  # noqa: NPY002
    close(link(X), [[0.0340762, -0.05172759], [0.07880498, -0.0776791]])
    np.testing.assert_allclose(link.upward.W.array.sum(), -0.29921776, rtol=1e-5)
    assert np.random.rand() == 0.10233442882782584  # noqa: NPY002
    assert LSTM(None, 2)(np.zeros((0, 3), "f")).shape == (0, 2)


def test_more_inputs_than_states() -> None:
    link = LSTM(3, 2)
    link(X[:1])
    with pytest.raises(TypeError, match=r"^2 inputs for 1 states \(test_cell_links.py:\d+\): the batch of x must not grow; call reset_state\(\) before new sequences$"):  # fmt: skip
        link(X)


def test_stateless_lstm() -> None:
    link = StatelessLSTM(3, 2)
    c, h = link(None, None, X)
    close(c, [[-0.3584503, -0.23878169], [0.21924402, -0.16864815]])
    c, h = link(c, h, X)
    close(h, [[-0.25919977, -0.13909318], [0.16984828, -0.20055057]])
    close(link(None, h, X)[1], [[-0.16519611, -0.05937347], [0.10588671, -0.21258387]])
    close(link(c, None, X)[1], [[-0.32158723, -0.16748472], [0.21727461, -0.23068477]])


@pytest.mark.parametrize("kind", [StatefulGRU, GRU])
def test_gru(kind: Any) -> None:
    link = kind(3, 2)
    close(link(X), [[0.27567214, -0.08155421], [0.29350805, -0.08143223]])
    close(link(X), [[0.49710083, -0.10140982], [0.3901597, 0.00068621]])
    link.reset_state()
    assert link.h is None
    link.set_state(Variable(STATE))
    close(link(X), [[-0.7055397, -0.5017291], [0.32544273, 0.49051717]])


def test_stateless_gru() -> None:
    close(StatelessGRU(3, 2)(Variable(STATE), X), [[-0.7055397, -0.5017291], [0.32544273, 0.49051717]])


def test_the_gru_of_version_one_is_told_from_ours() -> None:
    with pytest.raises(ValueError, match=r"^GRU takes the inputs alone, got 2 arguments \(test_cell_links.py:\d+\); since Chainer 2 it keeps its state, use StatelessGRU to give it$"):  # fmt: skip
        GRU(3, 2)(Variable(STATE), X)


def test_mgu() -> None:
    link = StatefulMGU(3, 2)
    close(link(X), [[-0.09003191, 0.0432003], [0.23861957, -0.16396293]])
    close(link(X), [[-0.15346298, 0.07122087], [0.2516067, -0.24451511]])
    link.set_state(Variable(STATE))
    close(link(X), [[-0.95249617, -0.35101563], [0.44802687, 0.21961576]])
    np.random.seed(0)  # noqa: NPY002
    close(StatelessMGU(3, 2)(Variable(STATE), X), [[-0.95249617, -0.35101563], [0.44802687, 0.21961576]])


def test_peephole() -> None:
    link = StatefulPeepholeLSTM(3, 2)
    close(link(X), [[-0.0502209, -0.05878375], [0.24023931, 0.09587487]])
    close(link(X), [[-0.08446914, -0.08190405], [0.3070809, 0.03398693]])
    close(link.c, [[-0.19241092, -0.22092748], [0.59924746, 0.08996667]])
    link.reset_state()
    assert (link.c, link.h) == (None, None)


def test_zoneout() -> None:
    link = StatefulZoneoutLSTM(3, 2)
    np.random.seed(1)  # noqa: NPY002
    close(link(X), [[0, 0], [0, 0]])
    np.random.seed(1)  # noqa: NPY002
    close(link(X), [[0, 0], [0, 0]])
    close(link.c, [[0, -0.26132873], [0, 0]])
    link.reset_state()
    with using_config("train", False):
        close(link(X), [[-0.04569115, -0.05765753], [0.28567144, 0.10708835]])
        close(link(X), [[-0.06136997, -0.08145738], [0.46375835, 0.03603114]])
    close(link.c, [[-0.16147287, -0.2288754], [0.74958336, 0.07824979]])


def test_child_sum() -> None:
    link, c = ChildSumTreeLSTM(3, 2), Variable(STATE)
    close(link(c, c, c * 0.5, c * 0.5, X)[0], [[-0.95919585, -0.79274571], [0.46012643, 0.75424927]])
    close(link(X)[1], [[-0.11632406, -0.11812119], [0.20528556, 0.14094187]])
    close(link(None, None, c, c, X)[0], [[-0.0198064, -0.25361452], [0.25721821, 0.15181476]])


def test_nary() -> None:
    link, c = NaryTreeLSTM(3, 2), Variable(STATE)
    close(link(c, c * 0.1, c * 0.5, c * 0.3, X)[0], [[-1.10653687, -0.4462539], [0.43452907, 0.07238936]])
    close(link(None, None, c, c, X)[1], [[-0.18191679, 0.04289048], [0.20423746, -0.22202492]])
    close(link(None, None, None, None, X)[0], [[-0.32553428, -0.36864215], [0.35952094, 0.23622563]])


WRONG: dict[str, tuple[Any, type[Exception], str]] = {
    "nary": (lambda: NaryTreeLSTM(3, 2)(X), ValueError, "got 0 children"),
    "child sum": (lambda: ChildSumTreeLSTM(3, 2)(STATE, X), ValueError, "got 2 arguments"),
    "n_ary": (lambda: NaryTreeLSTM(3, 2, 0), ValueError, "n_ary must be at least 1, got 0"),
    "lstm": (lambda: LSTM(None), TypeError, "LSTM needs to know out_size"),
    "lstm state": (lambda: LSTM(3, 2).set_state(STATE, STATE), TypeError, "the state c must be a Variable, got ndarray"),
    "zoneout": (lambda: StatefulZoneoutLSTM(3, 2, foo=1), TypeError, "StatefulZoneoutLSTM() got unexpected keyword argument(s) 'foo'"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(name: str) -> None:
    make, kind, text = WRONG[name]
    with pytest.raises(kind) as caught:
        make()
    assert str(caught.value).startswith(f"{text} (test_cell_links.py:")


@pytest.mark.parametrize("kind", [LSTM, StatefulGRU, StatefulMGU, StatefulPeepholeLSTM, StatefulZoneoutLSTM])
def test_copies_and_pickles(kind: Any) -> None:
    link = kind(3, 2)
    with using_config("train", False):
        link(X)
        copies = [copy.deepcopy(link), pickle.loads(pickle.dumps(link)), link.copy(mode="copy")]
        wanted = link(X).array
        for other in copies:
            close(other(X), wanted)


def test_truncated_backpropagation() -> None:
    link = LSTM(3, 2)
    loss: Any = 0
    for _ in range(3):
        loss = loss + np.sum(link(X))
    link.cleargrads()
    loss.backward()
    assert np.isfinite(link.lateral.W.grad).all()
    loss.unchain_backward()
    assert link.h.creator is None
    np.sum(link(X)).backward()


def test_nodes_of_trees_without_inputs() -> None:
    """A node without inputs has inputs of zeros, of which the biases remain."""
    states = [draw(2, 3, seed=k).astype("f") for k in range(4)]
    for link in (ChildSumTreeLSTM(2, 3), NaryTreeLSTM(2, 3)):
        link.W_x.b.array[...] = np.arange(link.W_x.b.size)
        for given in (states, [None, *states[1:]]):
            for found, expected in zip(link(*given, None), link(*given, np.zeros((2, 2), "f")), strict=True):
                np.testing.assert_array_equal(found.array, expected.array)
        with pytest.raises(ValueError, match=r"^got neither inputs nor states \(test_cell_links.py:\d+\)$"):
            link(None, None, None, None, None)
    with pytest.raises(ValueError, match=r"^got no inputs, of which in_size=None is learned"):
        ChildSumTreeLSTM(None, 3)(*states, None)
