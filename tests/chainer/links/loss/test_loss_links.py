"""Links that compute losses: parameters, values and random numbers of Chainer 7.8.1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff import InvalidType, Variable
from autodiff.chainer.functions.loss.black_out import black_out
from autodiff.chainer.links.loss.black_out import BlackOut
from autodiff.chainer.links.loss.crf1d import CRF1d
from autodiff.chainer.links.loss.hierarchical_softmax import BinaryHierarchicalSoftmax, TreeParser
from autodiff.chainer.links.loss.negative_sampling import NegativeSampling
from autodiff.facade.settings.configuration import using_config
from tests.chainer.functions.function_laws import Row, check_row, draw
from tests.chainer.functions.loss.test_losses import wave
from tests.chainer.functions.loss.test_sequences import COST, XS, YS

X, T = wave(4, 3), np.array([0, 2, 1, 4], "i")
IGNORED = np.array([0, 2, -1, 4], "i")


def test_ways_in_a_tree() -> None:
    parser = TreeParser(np.float64)
    for tree, size, paths, codes in [
        ((0, ((1, 3), 2)), 3, {0: [0], 1: [0, 1, 2], 3: [0, 1, 2], 2: [0, 1]}, {0: [1], 1: [-1, 1, 1], 3: [-1, 1, -1], 2: [-1, -1]}),
        ((5, 4), 1, {5: [0], 4: [0]}, {5: [1], 4: [-1]}),
        (7, 0, {7: []}, {7: []}),
    ]:  # fmt: skip
        parser.parse(tree)
        assert parser.size() == parser.next_id == size
        for found, want, dtype in ((parser.get_paths(), paths, np.int32), (parser.get_codes(), codes, np.float64)):
            assert {leaf: way.tolist() for leaf, way in found.items()} == want
            assert {way.dtype for way in found.values()} == {np.dtype(dtype)}
    assert (parser.paths, parser.codes) == (parser.get_paths(), parser.get_codes())
    with pytest.raises(ValueError, match="each inner node must have two children"):
        parser.parse((0, (1, 2, 3)))
    assert TreeParser().dtype == np.float32


@pytest.fixture
def seed() -> None:
    np.random.seed(0)  # noqa: NPY002


def test_crf1d() -> None:
    link = CRF1d(3)
    assert [(name, param.shape) for name, param in link.namedparams()] == [("/cost", (3, 3))]
    assert not link.cost.array.any()
    link.cost.array[...] = COST
    np.testing.assert_allclose(link(XS, YS).array, 2.7637858, rtol=1e-6)
    np.testing.assert_allclose(CRF1d(3, initial_cost=COST)(XS, YS, reduce="no").array[1], 5.5653296, rtol=1e-6)
    score, path = link.argmax(XS)
    np.testing.assert_allclose(score.array, [6.0074873, 3.6987667, 1.944015], rtol=1e-6)
    assert [labels.tolist() for labels in path] == [[1, 2, 2], [1, 2], [1]]


def test_crf1d_takes_whole_sequences() -> None:
    link = CRF1d(3, initial_cost=COST)
    xs = [wave(3, 3), wave(2, 3) * np.float32(0.5), wave(3, 3) * np.float32(0.2)]
    ys = [np.array([0, 1, 2], "i"), np.array([1, 0], "i"), np.array([2, 1, 1], "i")]
    np.testing.assert_allclose(link(xs, ys, transpose=True).array, 4.1999502, rtol=1e-6)
    losses = link(xs, ys, reduce="no", transpose=True)
    np.testing.assert_allclose(losses.array, [1.95814, 5.56573, 5.07597], rtol=1e-5)  # in the order of the sequences
    score, path = link.argmax(xs, transpose=True)
    np.testing.assert_allclose(score.array, [8.04629, 3.0962, 4.29887], rtol=1e-5)
    assert [labels.tolist() for labels in path] == [[1, 2, 2], [1, 1], [2, 2, 2]]


@pytest.mark.usefixtures("seed")
def test_negative_sampling() -> None:
    link = NegativeSampling(3, [1, 2, 3, 4, 5], 2)
    assert link.W.array.tolist() == [[0.0] * 3] * 5
    link.W.array[...] = wave(5, 3)
    np.random.seed(3)  # noqa: NPY002
    np.testing.assert_allclose(link(X, IGNORED).array, 4.75343, rtol=1e-6)
    np.testing.assert_allclose(link(X, IGNORED, reduce="no").array, [1.00293, 1.04579, 0, 3.83152], rtol=1e-5)
    loss, samples = link(X, IGNORED, reduce="no", return_samples=True)
    np.testing.assert_allclose(loss.array, [2.69103, 0.07493, 0, 6.16782], rtol=1e-4)
    assert samples.tolist() == [[0, 4, 1], [2, 3, 4], [-1, 3, 4], [4, 3, 2]]


def test_negative_sampling_refuses_other_keywords() -> None:
    with pytest.raises(TypeError, match=r"^forward\(\) got unexpected keyword argument\(s\) 'foo' \(.*\)$"):
        NegativeSampling(3, [1, 2], 2)(X, T, foo=1)


@pytest.mark.parametrize(
    "make", [lambda **k: NegativeSampling(3, [1, 2], 2, **k), lambda **k: BinaryHierarchicalSoftmax(3, (0, 1), **k)]
)
def test_the_dtype_of_weights(make: Any) -> None:
    assert make().W.dtype == np.float32
    assert make(dtype=np.float64).W.dtype == np.float64
    with using_config("dtype", np.float16):
        assert make().W.dtype == np.float16


@pytest.mark.usefixtures("seed")
def test_black_out() -> None:
    link = BlackOut(3, [1, 2, 3, 4, 5], 2)
    assert np.isnan(link.W.array).all()
    link.W.array[...] = wave(5, 3)
    np.random.seed(3)  # noqa: NPY002
    np.testing.assert_allclose(link(X, T).array, 1.43896, rtol=1e-5)
    link.sample_data = np.zeros((len(X), 2), "i")
    assert link(X, T).array == link(X, T).array == black_out(X, T, link.W, link.sample_data).array


TREES: list[tuple[Any, Any]] = [
    ({0: 8, 1: 5, 2: 6, 3: 4}, ((3, 1), (2, 0))),
    ({0: 1, 1: 1, 2: 1, 3: 1, 4: 7}, (((0, 1), (2, 3)), 4)),
    ({k: 2 * k + 1 for k in range(6)}, ((3, ((0, 1), 2)), (4, 5))),
    ({0: 1, 1: 2}, (0, 1)),
    ({0: 1}, 0),
    ({"a": 3, "b": 1, "c": 1}, (("b", "c"), "a")),
]


@pytest.mark.parametrize(("counts", "tree"), TREES)
def test_huffman_trees(counts: Any, tree: Any) -> None:
    assert BinaryHierarchicalSoftmax.create_huffman_tree(counts) == tree


def test_no_tree_without_words() -> None:
    with pytest.raises(ValueError, match=r"^a tree needs at least one class, got none \(.*\)$"):
        BinaryHierarchicalSoftmax.create_huffman_tree({})


@pytest.mark.usefixtures("seed")
def test_hierarchical_softmax() -> None:
    link = BinaryHierarchicalSoftmax(3, ((0, 1), ((2, 3), 4)))
    np.testing.assert_allclose(link.W.array[0], [0.09762701, 0.43037874, 0.20552675], rtol=1e-6)
    assert link.W.shape == (4, 3)
    link.W.array[...] = wave(4, 3)
    link.cleargrads()
    x = Variable(X)
    loss = link(x, T)
    loss.backward()
    np.testing.assert_allclose(loss.array, 14.64505, rtol=1e-6)
    np.testing.assert_allclose(x.grad[0], [0.5792, -0.56617, -0.4333], rtol=1e-4)
    np.testing.assert_allclose(link.W.grad[3], [1.46474, -1.38173, -1.10869], rtol=1e-4)
    assert loss.creator.label == "BinaryHierarchicalSoftmaxFunction"
    np.testing.assert_allclose(link(X, IGNORED).array, 6.26213, rtol=1e-5)


def test_hierarchical_softmax_is_a_probability() -> None:
    link = BinaryHierarchicalSoftmax(3, ((0, 1), ((2, 3), 4)), dtype=np.float64)
    x = np.repeat(wave(1, 3, dtype="d"), 5, axis=0)
    losses = [link(x[k : k + 1], np.array([k], "i")).array for k in range(5)]
    np.testing.assert_allclose(np.sum(np.exp(-np.array(losses))), 1, rtol=1e-12)


def test_derivatives_of_hierarchical_softmax() -> None:
    link = BinaryHierarchicalSoftmax(3, ((0, 1), ((2, 3), 4)))

    def run(x: Any, weights: Any) -> Any:
        link.W = weights
        return link(x, IGNORED)

    check_row(Row("tree", run, (draw(4, 3), draw(4, 3, seed=1)), "BinaryHierarchicalSoftmaxFunction"))


REFUSED = {
    "labels": (X, T.astype("q"), "in_types[1].dtype == <class 'numpy.int32'>", "int64 != <class 'numpy.int32'>"),
    "features": (wave(4, 2), T, "in_types[2].shape[1] == in_types[0].shape[1]", "3 != 2"),
    "lengths": (X, T[:2], "in_types[0].shape[0] == in_types[1].shape[0]", "4 != 2"),
    "axes": (X[..., None], T, "in_types[0].ndim == 2", "3 != 2"),
    "dtypes": (X.astype("d"), T, "in_types[2].dtype == in_types[0].dtype", "float32 != float64"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_types(name: str) -> None:
    x, t, expect, actual = REFUSED[name]
    with pytest.raises(InvalidType) as caught:
        BinaryHierarchicalSoftmax(3, ((0, 1), ((2, 3), 4)))(x, t)
    text = str(caught.value)
    assert text.startswith("\nInvalid operation is performed in: BinaryHierarchicalSoftmaxFunction (Forward)")
    assert text.endswith(f"\n\nExpect: {expect}\nActual: {actual}")


def test_refused_trees_and_classes() -> None:
    with pytest.raises(ValueError, match=r"^each inner node must have two children, got \(0, 1, 2\) \(.*\)$"):
        BinaryHierarchicalSoftmax(3, (0, 1, 2))
    with pytest.raises(IndexError, match=r"^the label 7 is none of the 3 classes 0 to 2 \(.*\)"):
        BinaryHierarchicalSoftmax(3, ((0, 1), 2))(X[:1], np.array([7], "i"))
