"""Losses of sequences and of drawn classes: values of Chainer 7.8.1, derivatives, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodiff import InvalidType, Variable
from autodiff.chainer.functions.loss.black_out import black_out
from autodiff.chainer.functions.loss.crf1d import argmax_crf1d, crf1d
from autodiff.chainer.functions.loss.ctc import connectionist_temporal_classification
from autodiff.chainer.functions.loss.negative_sampling import negative_sampling
from tests.chainer.functions.function_laws import Row, check_row, draw
from tests.chainer.functions.loss.test_losses import wave

COST = wave(3, 3)
XS = [wave(3, 3), wave(2, 3) * np.float32(0.5), wave(1, 3) * np.float32(0.2)]
YS = [np.array([0, 1, 2], "i"), np.array([1, 0], "i"), np.array([2], "i")]
STEPS = [wave(2, 4) * np.float32((k + 1) * 0.3) for k in range(5)]
SYMBOLS = np.array([[1, 2], [3, 3]], "i")
VECTORS, CLASSES, W = wave(4, 3), np.array([0, 2, -1, 4], "i"), wave(5, 3)
DRAWN = np.array([[9, 0, 3, 3], [9, 1, 3, 2], [9, 0, 0, 4], [9, 1, 0, 1]], "i")


def drawn(shape: Any) -> Any:
    assert shape == DRAWN.shape
    return DRAWN.copy()


def ctc(*x: Any, **keywords: Any) -> Any:
    return connectionist_temporal_classification(list(x), SYMBOLS, 0, **keywords)


LENGTHS = {"input_length": np.array([5, 3], "i"), "label_length": np.array([1, 2], "i")}

ROWS = [
    Row("crf1d", lambda cost, *xs: crf1d(cost, xs, YS), (draw(3, 3), *(x.astype("d") for x in XS)), "CRF1d"),
    Row("crf1d_no", lambda cost, *xs: crf1d(cost, xs, YS, "no"), (draw(3, 3), *(x.astype("d") for x in XS)), "CRF1d"),
    Row("ctc", ctc, tuple(draw(2, 4, seed=k) for k in range(5)), "ConnectionistTemporalClassification"),
    Row(
        "ctc_lengths",
        lambda *x: ctc(*x, **LENGTHS, reduce="no"),
        tuple(draw(2, 4, seed=k) for k in range(5)),
        "ConnectionistTemporalClassification",
    ),
    Row(
        "negative_sampling",
        lambda x, w: negative_sampling(x, CLASSES, w, drawn, 3),
        (draw(4, 3), draw(5, 3, seed=1)),
        "NegativeSamplingFunction",
    ),
    Row("black_out", lambda x, w: black_out(x, CLASSES % 5, w, DRAWN[:, 1:]), (draw(4, 3), draw(5, 3, seed=1)), "BlackOut"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_derivatives_labels_and_dtypes(row: Row) -> None:
    check_row(row)


def test_crf1d_is_that_of_chainer() -> None:
    np.testing.assert_allclose(crf1d(COST, XS, YS).array, 2.7637858, rtol=1e-6)
    np.testing.assert_allclose(crf1d(COST, XS, YS, "no").array, [2.6356802, 5.5653296, 0.09034753], rtol=1e-5)


def test_the_best_path_is_that_of_chainer() -> None:
    score, path = argmax_crf1d(COST, XS)
    np.testing.assert_allclose(score.array, [6.0074873, 3.6987667, 1.944015], rtol=1e-6)
    assert [labels.tolist() for labels in path] == [[1, 2, 2], [1, 2], [1]]
    assert {labels.dtype for labels in path} == {np.dtype("i")}


def test_no_path_is_better_than_the_best() -> None:
    cost, xs = draw(3, 3), [draw(1, 3, seed=k) for k in range(1, 4)]
    losses = [crf1d(cost, xs, [np.array([k]) for k in labels], "no").array[0] for labels in np.ndindex(3, 3, 3)]
    _, path = argmax_crf1d(cost, xs)
    best = list(np.ndindex(3, 3, 3))[int(np.argmin(losses))]
    assert tuple(int(labels[0]) for labels in path) == best
    np.testing.assert_allclose(np.sum(np.exp(-np.array(losses))), 1)


CTC = {
    "mean": ({}, 5.175996),
    "no": ({"reduce": "no"}, [5.067048, 5.284943]),
    "lengths": (
        {"reduce": "no", "input_length": np.array([5, 4], "i"), "label_length": np.array([1, 2], "i")},
        [1.3200095, 5.029498],
    ),
    "label_length": ({"reduce": "no", "label_length": np.array([1, 2], "i")}, [1.3200095, 5.284943]),
    "input_length": ({"reduce": "no", "input_length": np.array([5, 3], "i")}, [5.067048, 5.137041]),
    "too short": ({"reduce": "no", "input_length": np.array([5, 2], "i")}, [5.067048, 1e10]),
    "no label": ({"reduce": "no", "label_length": np.array([0, 2], "i")}, [7.7980185, 5.284943]),
}


@pytest.mark.parametrize("name", CTC)
def test_temporal_classification_is_that_of_chainer(name: str) -> None:
    keywords, value = CTC[name]
    np.testing.assert_allclose(ctc(*STEPS, **keywords).array, value, rtol=1e-6)


def test_any_symbol_may_be_the_blank() -> None:
    t = np.array([[1, 2], [0, 0]], "i")
    loss = connectionist_temporal_classification(STEPS, t, 3, reduce="no")
    np.testing.assert_allclose(loss.array, [6.173928, 4.0212674], rtol=1e-6)


def test_the_gradient_of_temporal_classification_is_that_of_chainer() -> None:
    x = [Variable(step) for step in STEPS]
    loss = ctc(*x, **LENGTHS, reduce="no")
    loss.grad = np.array([1, 2], "f")
    loss.backward()
    np.testing.assert_allclose(x[0].grad, [[-0.25363362, -0.06361836, 0.17016597, 0.14708595], [0.70948589, 0.65073955, 0.27024841, -1.6304739]], atol=2e-6)  # fmt: skip
    assert x[3].grad[1].tolist() == [0] * 4


def test_negative_sampling_is_that_of_chainer() -> None:
    loss, samples = negative_sampling(VECTORS, CLASSES, W, drawn, 3, reduce="no", return_samples=True)
    np.testing.assert_allclose(loss.array, [4.839349, 9.926228, 0, 0.3322899], rtol=1e-6)
    assert samples[:, 0].tolist() == CLASSES.tolist()
    np.testing.assert_allclose(negative_sampling(VECTORS, CLASSES, W, drawn, 3).array, 15.097866, rtol=1e-6)


def test_black_out_is_that_of_chainer() -> None:
    samples = np.array([[1, 2], [0, 3], [4, 4], [1, 0]], "i")
    t = np.array([0, 2, 1, 4], "i")
    np.testing.assert_allclose(
        black_out(*map(np.float64, (VECTORS,)), t, W.astype("d"), samples).array, 0.03166778, rtol=1e-5
    )
    loss = black_out(VECTORS, t, W, samples, reduce="no")
    np.testing.assert_allclose(loss.array, [0.02766354, 0.06449921, 0.00016439, 0.03434429], atol=2e-6)


REFUSED = {
    "crf1d transitions": (lambda: crf1d(COST[:2], XS, [y * 0 for y in YS]), "CRF1d", "in_types[0].shape[0] == in_types[0].shape[1]", "2 != 3"),
    "crf1d growing": (lambda: crf1d(COST, XS[::-1], YS[::-1]), "CRF1d", "in_types[2].shape[0] <= in_types[1].shape[0]", "2 > 1"),
    "crf1d labels": (lambda: crf1d(COST, XS, [y.astype("f") for y in YS]), "CRF1d", "in_types[4].dtype.kind == i", "f != i"),
    "ctc labels": (lambda: connectionist_temporal_classification(STEPS, SYMBOLS.astype("q"), 0), "ConnectionistTemporalClassification", "t.dtype == <class 'numpy.int32'>", "int64 != <class 'numpy.int32'>"),
    "ctc batch": (lambda: connectionist_temporal_classification(STEPS, SYMBOLS[:1], 0), "ConnectionistTemporalClassification", "t.shape[0] == x.shape[1]", "1 != 2"),
    "ctc lengths": (lambda: ctc(*STEPS, input_length=np.ones(1, "i")), "ConnectionistTemporalClassification", "input_length.shape[0] == x.shape[1]", "1 != 2"),
    "negative_sampling labels": (lambda: negative_sampling(VECTORS, CLASSES.astype("f"), W, drawn, 3), "NegativeSamplingFunction", "t.dtype == <class 'numpy.int32'>", "float32 != <class 'numpy.int32'>"),
    "negative_sampling W": (lambda: negative_sampling(VECTORS.astype("d"), CLASSES, W, drawn, 3), "NegativeSamplingFunction", "W.dtype == x.dtype", "float32 != float64"),
    "black_out": (lambda: black_out(VECTORS, VECTORS[:, 0], W, DRAWN), "BlackOut", "t.dtype.kind == i", "f != i"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_types(name: str) -> None:
    loss, label, expect, actual = REFUSED[name]
    with pytest.raises(InvalidType) as caught:
        loss()
    text = str(caught.value)
    assert text.startswith(f"\nInvalid operation is performed in: {label} (Forward)")
    assert text.endswith(f"\n\nExpect: {expect}\nActual: {actual}")


WRONG: dict[str, tuple[Any, type[Exception], str]] = {
    "crf1d steps": (lambda: crf1d(COST, XS, YS[:2]), ValueError, "got 3 steps of scores and 2 of labels"),
    "crf1d labels": (lambda: crf1d(COST, XS, [y - 1 for y in YS]), IndexError, "the label -1 is none of the 3 classes 0 to 2"),
    "argmax_crf1d": (lambda: argmax_crf1d(COST, []), ValueError, "got 0 steps of scores"),
    "ctc array": (lambda: connectionist_temporal_classification(np.stack(STEPS), SYMBOLS, 0), TypeError, "x must be a list of the scores of each step, got ndarray"),
    "ctc blank": (lambda: connectionist_temporal_classification(STEPS, SYMBOLS, 4), ValueError, "blank_symbol must be one of the 4 symbols in x, got 4"),
    "ctc blank kind": (lambda: connectionist_temporal_classification(STEPS, SYMBOLS, 0.0), TypeError, "blank_symbol must be an integer, got float"),
    "negative_sampling": (lambda: negative_sampling(VECTORS, CLASSES, W, drawn, 3, samples=DRAWN), TypeError, "negative_sampling got an unexpected keyword argument 'samples'"),
    "negative_sampling reduce": (lambda: negative_sampling(VECTORS, CLASSES, W, drawn, 3, "mean"), ValueError, "reduce must be 'sum' or 'no', got 'mean'"),
    "negative_sampling size": (lambda: negative_sampling(VECTORS, CLASSES, W, drawn, -1), ValueError, "sample_size must not be negative, got -1"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(name: str) -> None:
    loss, kind, text = WRONG[name]
    with pytest.raises(kind) as caught:
        loss()
    assert str(caught.value).startswith(f"{text} (test_sequences.py:")


def test_the_steps_of_ctc_are_stacked_in_the_graph() -> None:
    loss = connectionist_temporal_classification([Variable(step) for step in STEPS], SYMBOLS, 0)
    *_, stacked = loss.creator.inputs
    assert (loss.creator.label, stacked.creator.label) == ("ConnectionistTemporalClassification", "Stack")
    assert stacked.shape == (5, 2, 4)
