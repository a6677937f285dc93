"""Snapshots that Chainer 7.8.1 has made (see snapshots/make.py) load here."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from autodiff.chainer.iterators import MultithreadIterator, SerialIterator
from autodiff.chainer.link import Chain, Link
from autodiff.chainer.reporter import DictSummary
from autodiff.chainer.serializers import load_hdf5, load_npz, save_npz
from autodiff.chainer.variable import _recover_parameter
from autodiff.facade import Parameter
from autodiff.facade.settings.devices import CPU

FOLDER = Path(__file__).parent / "snapshots"


def linear(shape, size):
    link = Link()
    with link.init_scope():
        link.W = Parameter(None, shape)
        link.b = Parameter(None, (size,))
    return link


def normalization(size):
    link = Link()
    with link.init_scope():
        link.gamma = Parameter(1, (size,))
        link.beta = Parameter(0, (size,))
    link.add_persistent("avg_mean", np.ones(size, np.float32))
    link.add_persistent("avg_var", np.zeros(size, np.float32))
    link.add_persistent("N", 7)
    return link


def model(text=True):
    chain = Chain()
    with chain.init_scope():
        chain.l1 = linear((2, 3), 2)
        chain.bn = normalization(2)
        chain.lazy = linear(None, 1)
    chain.add_persistent("rate", 0.0)
    chain.add_persistent("nothing", 1)
    if text:
        chain.add_persistent("text", "")
    return chain


def check(chain):
    np.testing.assert_array_equal(chain.l1.W.array, np.arange(6, dtype=np.float32).reshape(2, 3) + 2)
    np.testing.assert_array_equal(chain.l1.b.array, [3, 4])
    np.testing.assert_array_equal(chain.bn.gamma.array, [1, 2])
    np.testing.assert_array_equal(chain.bn.avg_var, [1, 1])
    assert (chain.bn.N, chain.rate, chain.nothing) == (0, 0.5, None)
    assert not chain.lazy.W.is_initialized
    np.testing.assert_array_equal(chain.lazy.b.array, [5])


def test_links_from_npz():
    chain = model()
    array = chain.l1.W.array
    load_npz(FOLDER / "model.npz", chain)
    check(chain)
    assert chain.text == "abc"
    assert chain.l1.W.array is array


def test_links_from_hdf5():
    pytest.importorskip("h5py")
    chain = model(text=False)
    load_hdf5(FOLDER / "model.h5", chain)
    check(chain)


def test_a_part_of_a_snapshot():
    link = linear((2, 3), 2)
    load_npz(FOLDER / "model.npz", link, path="l1/")
    np.testing.assert_array_equal(link.b.array, [3, 4])


def test_a_parameter_without_shape_takes_that_of_the_file():
    link = linear(None, 2)
    load_npz(FOLDER / "model.npz", link, path="l1/")
    assert link.W.shape == (2, 3)


@pytest.mark.parametrize("kind", [SerialIterator, MultithreadIterator])
@pytest.mark.parametrize("name", ["SerialIterator", "MultithreadIterator"])
def test_iterators(kind, name):
    with kind(list(range(7)), 3) as iterator:
        load_npz(FOLDER / f"{name}.npz", iterator)
        assert (iterator.epoch, iterator.is_new_epoch, iterator.current_position) == (1, True, 2)
        assert (iterator.epoch_detail, iterator.previous_epoch_detail) == (1 + 2 / 7, 6 / 7)
        assert [iterator.next(), iterator.next()[:2]] == [[6, 3, 4], [2, 5]]


def test_summaries():
    summary = DictSummary()
    load_npz(FOLDER / "summary.npz", summary)
    assert summary.make_statistics() == {"main/loss": 3.0, "main/loss.std": np.sqrt(41 / 3 - 9)}


def test_what_is_saved_here_has_the_same_keys_dtypes_and_values(tmp_path):
    chain = model()
    load_npz(FOLDER / "model.npz", chain)
    save_npz(tmp_path / "model.npz", chain)
    with (
        np.load(FOLDER / "model.npz", allow_pickle=True) as theirs,
        np.load(tmp_path / "model.npz", allow_pickle=True) as ours,
    ):
        assert sorted(theirs.files) == sorted(ours.files)
        for key in theirs.files:
            assert (ours[key].dtype, ours[key].shape) == (theirs[key].dtype, theirs[key].shape), key
            np.testing.assert_array_equal(ours[key], theirs[key])


class Unpickler(pickle.Unpickler):
    """It finds Chainer's modules here, as the interpreter does under ``python -m autodiff.chainer``."""

    def find_class(self, module, name):
        ours = f"autodiff.{module}" if module.split(".")[0] == "chainer" else module
        return super().find_class(ours, name)


@pytest.fixture
def pickled():
    with open(FOLDER / "objects.pickle", "rb") as file:
        return Unpickler(file).load()


def test_variables_from_a_pickle(pickled):
    x, constant = pickled["variable"], pickled["constant"]
    assert (x.name, x.array.tolist(), x.grad.tolist(), x.requires_grad) == ("x", [0, 1, 2], [1, 1, 1], True)
    assert (constant.array.tolist(), constant.grad, constant.requires_grad) == ([0, 1, 2], None, False)


def test_parameters_from_a_pickle(pickled):
    parameter, cleared = pickled["parameter"], pickled["cleared"]
    assert (parameter.name, parameter.array.tolist(), parameter.grad) == ("p", [1, 1], None)
    assert cleared.grad is None
    cleared.initialize((2,))
    assert cleared.array.tolist() == [0.5, 0.5]


def test_a_parameter_from_a_pickle_of_an_old_version():
    parameter = _recover_parameter(np.ones(2, "f"), "p", np.zeros(2, "f"), None, None, CPU)
    assert (parameter.name, parameter.grad.tolist()) == ("p", [0, 0])
    parameter = _recover_parameter(np.ones(2, "f"), "p", None, None, None)  # before Chainer 6
    assert (parameter.name, parameter.array.tolist(), parameter.grad) == ("p", [1, 1], None)


def test_a_link_without_a_shape_from_a_pickle(pickled):
    link = pickled["lazy"]
    with pytest.raises(RuntimeError, match="the gradient of a Parameter without an array is not known"):
        _ = link.W.grad
    np.testing.assert_array_equal(link(np.ones((1, 4), "f")).array, [[2, 2]])


def test_training_goes_on_from_a_pickle(pickled):
    optimizer = pickled["optimizer"]
    model = optimizer.target
    assert (optimizer.t, optimizer.alpha, str(model.predictor[0])) == (
        1, 0.125, "Linear(in_size=3, out_size=2, nobias=False)",
    )  # fmt: skip
    optimizer.update(model, np.eye(3, dtype=np.float32), np.array([0, 1, 1]))
    updated = [param.array for _, param in sorted(model.namedparams())]
    for array, wanted in zip(updated, pickled["updated"], strict=True):
        np.testing.assert_allclose(array, wanted, rtol=1e-5)
