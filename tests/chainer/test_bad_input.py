"""Batches that do not match, labels that are none, arrays without elements: an error or the right number, at once.

Nothing here hangs, and nothing gives a number that is silently wrong.
"""

import numpy as np
import pytest

import autodiff.chainer as chainer
import autodiff.chainer.functions as F
import autodiff.chainer.links as L
from autodiff.chainer import Variable
from tests.chainer.error_texts import heard


def floats(*shape, dtype=np.float32):
    return Variable(np.ones(shape, dtype))


def labels(*values, dtype=np.int32):
    return np.array(values, dtype)


SCORES = floats(2, 3)
WEIGHTS = floats(3, 2)
OUT_OF_RANGE = "IndexError: the label 3 is none of the 3 classes 0 to 2 (LINE), and not ignore_label, which is -1"
NEGATIVE = "IndexError: the label -2 is none of the 3 classes 0 to 2 (LINE), and not ignore_label, which is -1"


def refused(label, expect, actual):
    return f"InvalidType: \nInvalid operation is performed in: {label} (Forward) (LINE)\n\nExpect: {expect}\nActual: {actual}"


def no_integers(label, name, kind):
    return refused(label, f"{name}.dtype.kind == i", f"{kind} != i")


def lists(label, *kinds):
    actual = ", ".join(f"<class '{kind}'>" for kind in kinds)
    return (
        f"TypeError: incompatible array types are mixed in the forward input ({label}).\nActual: {actual} (LINE)\n"
        "Pass Variables or arrays; np.asarray makes an array of a list or a number."
    )


def misfit(size, images):
    return (
        f"AssertionError: windows of size {size} do not fit into images of size {images}, along axis 0 (LINE); pad the "
        "images, or make the windows smaller"
    )


def at_least(name, least, got):
    return f"ValueError: {name} must be whole numbers of at least {least}, got {got} (LINE)"


VARIABLE = "autodiff.facade.variables.variable.Variable"
NAN = labels(0, np.nan, dtype=np.float32)
UNSIGNED = labels(0, 1, dtype=np.uint8)
KINDS = {"floats": (labels(0, 1, dtype=np.float32), "f"), "NaN": (NAN, "f"), "unsigned": (UNSIGNED, "u"),
         "bools": (labels(0, 1, dtype=bool), "b")}  # fmt: skip
TAKING_LABELS = {
    "softmax_cross_entropy": (lambda t: F.softmax_cross_entropy(SCORES, t), "SoftmaxCrossEntropy", "t"),
    "accuracy": (lambda t: F.accuracy(SCORES, t), "Accuracy", "t"),
    "select_item": (lambda t: F.select_item(SCORES, t), "SelectItem", "t"),
    "hinge": (lambda t: F.hinge(SCORES, t), "Hinge", "t"),
    "embed_id": (lambda t: F.embed_id(t, WEIGHTS), "EmbedIDFunction", "in_types[0]"),
    "EmbedID": (lambda t: L.EmbedID(3, 2)(t), "EmbedIDFunction", "in_types[0]"),
    "sigmoid_cross_entropy": (lambda t: F.sigmoid_cross_entropy(floats(2), t), "SigmoidCrossEntropy", "t"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("function", TAKING_LABELS)
def test_labels_that_are_no_integers(function, kind):
    call, label, name = TAKING_LABELS[function]
    wrong, code = KINDS[kind]
    assert heard(lambda: call(wrong)) == no_integers(label, name, code)


def convolve(x=(2, 3, 5, 5), W=(4, 3, 3, 3), *rest, **keywords):
    return F.convolution_2d(floats(*x), floats(*W), *(floats(b) for b in rest), **keywords)


def pool(*arguments, x=(1, 3, 4, 4), **keywords):
    return F.max_pooling_2d(floats(*x), *arguments, **keywords)


def normalize(x=(2, 3), gamma=3, beta=3, **keywords):
    return F.batch_normalization(floats(*x), floats(gamma), floats(beta), **keywords)


def recur(*sizes):
    link = L.LSTM(3, 2)
    for size in sizes:
        link(floats(size, 3))


ERRORS = {
    "softmax_cross_entropy: a label too large": (lambda: F.softmax_cross_entropy(SCORES, labels(0, 3)), OUT_OF_RANGE),
    "softmax_cross_entropy: a label too small": (lambda: F.softmax_cross_entropy(SCORES, labels(0, -2)), NEGATIVE),
    "softmax_cross_entropy: the largest label": (
        lambda: F.softmax_cross_entropy(SCORES, labels(0, 2**31 - 1)),
        OUT_OF_RANGE.replace("label 3", "label 2147483647"),
    ),
    "softmax_cross_entropy: no classes": (
        lambda: F.softmax_cross_entropy(floats(2, 0), labels(0, 0)),
        "IndexError: the label 0 is none of the 0 classes (LINE), and not ignore_label, which is -1",
    ),
    "softmax_cross_entropy: more labels": (
        lambda: F.softmax_cross_entropy(SCORES, labels(0, 1, 2)),
        refused("SoftmaxCrossEntropy", "x.shape[0] == t.shape[0]", "2 != 3"),
    ),
    "softmax_cross_entropy: fewer labels": (
        lambda: F.softmax_cross_entropy(SCORES, labels(0)),
        refused("SoftmaxCrossEntropy", "x.shape[0] == t.shape[0]", "2 != 1"),
    ),
    "softmax_cross_entropy: labels as a column": (
        lambda: F.softmax_cross_entropy(SCORES, np.zeros((2, 1), np.int32)),
        refused("SoftmaxCrossEntropy", "t.ndim == x.ndim - 1", "2 != 1"),
    ),
    "softmax_cross_entropy: soft targets of other classes": (
        lambda: F.softmax_cross_entropy(SCORES, np.ones((2, 4), np.float32)),
        refused("SoftmaxCrossEntropy", "x.shape == t.shape", "(2, 3) != (2, 4)"),
    ),
    "softmax_cross_entropy: a list": (
        lambda: F.softmax_cross_entropy(SCORES, [0, 1]),
        lists("SoftmaxCrossEntropy", VARIABLE, "list"),
    ),
    "hinge: a label too large": (lambda: F.hinge(SCORES, labels(0, 3)), OUT_OF_RANGE.partition(", and")[0]),
    "hinge: a label too small": (lambda: F.hinge(SCORES, labels(0, -2)), NEGATIVE.partition(", and")[0]),
    "accuracy: more labels": (
        lambda: F.accuracy(SCORES, labels(0, 1, 2)), refused("Accuracy", "x.shape[0] == t.shape[0]", "2 != 3"),
    ),
    "select_item: an index too large": (
        lambda: F.select_item(SCORES, labels(0, 3)), "IndexError: index 3 is out of bounds for axis 1 with size 3 (LINE)",
    ),
    "embed_id: an integer too large": (
        lambda: F.embed_id(labels(3), WEIGHTS), "IndexError: index 3 is out of bounds for axis 0 with size 3 (LINE)",
    ),
    "embed_id: no rows": (
        lambda: F.embed_id(labels(0), floats(0, 2)), "IndexError: index 0 is out of bounds for axis 0 with size 0 (LINE)",
    ),
    "embed_id: no axis": (
        lambda: F.embed_id(np.array(1), WEIGHTS), refused("EmbedIDFunction", "in_types[0].ndim >= 1", "0 < 1"),
    ),
    "linear: another length": (
        lambda: F.linear(floats(2, 3), floats(4, 2)), refused("LinearFunction", "x.shape[1] == W.shape[1]", "3 != 2"),
    ),
    "linear: another bias": (
        lambda: F.linear(floats(2, 3), floats(4, 3), floats(3)),
        refused("LinearFunction", "b.shape[0] == W.shape[0]", "3 != 4"),
    ),
    "linear: ints": (
        lambda: F.linear(np.ones((2, 3), int), floats(4, 3)), refused("LinearFunction", "x.dtype.kind == f", "i != f"),
    ),
    "linear: a list": (lambda: F.linear([[1.0]], floats(4, 1)), lists("LinearFunction", "list", VARIABLE)),
    "convolution_2d: channels": (
        lambda: convolve(W=(4, 2, 3, 3)),
        refused("Convolution2DFunction", "in_types[0].shape[1] == in_types[1].shape[1] * 1", "3 != 2"),
    ),
    "convolution_2d: an image": (
        lambda: convolve(x=(3, 5, 5)), refused("Convolution2DFunction", "in_types[0].ndim == 4", "3 != 4"),
    ),
    "convolution_2d: another bias": (
        lambda: convolve((2, 3, 5, 5), (4, 3, 3, 3), 3),
        refused("Convolution2DFunction", "in_types[2].shape[0] == in_types[1].shape[0]", "3 != 4"),
    ),
    "convolution_2d: small images": (lambda: convolve(x=(2, 3, 2, 2)), misfit((3, 3), (2, 2))),
    "convolution_2d: stride 0": (lambda: convolve(stride=0), at_least("stride", 1, (0, 0))),
    "convolution_2d: a negative stride": (lambda: convolve(stride=-1), at_least("stride", 1, (-1, -1))),
    "convolution_2d: a broken stride": (lambda: convolve(stride=1.5), at_least("stride", 1, (1.5, 1.5))),
    "convolution_2d: three strides": (
        lambda: convolve(stride=(1, 1, 1)),
        "ValueError: one number or a pair is needed for two spatial axes, got (1, 1, 1) (LINE)",
    ),
    "convolution_2d: a negative pad": (lambda: convolve(pad=-1), at_least("pad", 0, (-1, -1))),
    "convolution_2d: dilate 0": (lambda: convolve(dilate=0), at_least("dilate", 1, (0, 0))),
    "max_pooling_2d: windows without a size": (lambda: pool(0), at_least("ksize", 1, (0, 0))),
    "max_pooling_2d: stride 0": (lambda: pool(2, 0), at_least("stride", 1, (0, 0))),
    "max_pooling_2d: large windows": (lambda: pool(5, cover_all=False), misfit((5, 5), (4, 4))),
    "max_pooling_2d: no pixels": (lambda: pool(2, x=(1, 3, 0, 0)), misfit((2, 2), (0, 0))),
    "max_pooling_2d: an image": (
        lambda: pool(2, x=(3, 4, 4)),
        "ValueError: x must have 2 spatial axes behind (N, C), got shape (3, 4, 4) (LINE)",
    ),
    "average_pooling_2d: windows without a size": (
        lambda: F.average_pooling_2d(floats(1, 3, 4, 4), 0), at_least("ksize", 1, (0, 0)),
    ),
    "batch_normalization: features": (
        lambda: normalize(gamma=2, beta=2),
        refused("BatchNormalization", "in_types[0].shape[1] == in_types[1].shape[0]", "3 != 2"),
    ),
    "batch_normalization: another beta": (
        lambda: normalize(beta=2),
        refused("BatchNormalization", "in_types[1].shape == in_types[2].shape", "(3,) != (2,)"),
    ),
    "batch_normalization: another running mean": (
        lambda: normalize(running_mean=np.zeros(2)),
        "ValueError: a running value of shape (2,) cannot follow 3 values (LINE); it must have the shape of gamma",
    ),
    "concat: nothing": (
        lambda: F.concat([]), refused("Concat", "in_types.size > 0", "0 <= 0") + "\n\nGive it at least one array.",
    ),
    "concat: batches": (
        lambda: F.concat([floats(2, 3), floats(3, 3)]),
        refused("Concat", "in_types[0].shape[0] == in_types[1].shape[0]", "2 != 3"),
    ),
    "concat: dtypes": (
        lambda: F.concat([floats(2, 3), floats(2, 3, dtype=np.float64)]),
        refused("Concat", "in_types[0].dtype == in_types[1].dtype", "float32 != float64"),
    ),
    "lstm: gates": (
        lambda: F.lstm(floats(2, 3), floats(2, 9)), refused("LSTM", "x.shape[1] == 4 * c.shape[1]", "9 != 12"),
    ),
    "lstm: a batch that grows": (
        lambda: F.lstm(floats(2, 3), floats(3, 12)), refused("LSTM", "x.shape[0] <= c.shape[0]", "3 > 2"),
    ),
    "LSTM: a batch that grows": (
        lambda: recur(2, 3),
        "TypeError: 3 inputs for 2 states (LINE): the batch of x must not grow; call reset_state() before new sequences",
    ),
    "NStepLSTM: no sequences": (
        lambda: L.NStepLSTM(1, 3, 2, 0)(None, None, []),
        "ValueError: xs must be sequences that are not empty, got lengths [] (LINE)",
    ),
    "NStepLSTM: an empty sequence": (
        lambda: L.NStepLSTM(1, 3, 2, 0)(None, None, [floats(2, 3), floats(0, 3)]),
        "ValueError: xs must be sequences that are not empty, got lengths [2, 0] (LINE)",
    ),
    "mean_squared_error: shapes that broadcast": (
        lambda: F.mean_squared_error(floats(3, 1), floats(3)),
        refused("MeanSquaredError", "x0.shape == x1.shape", "(3, 1) != (3,)"),
    ),
    "max: no elements": (
        lambda: F.max(floats(0)),
        "OperandError: Max of an array of shape (0,) (LINE): along an axis of length 0 there is no element",
    ),
    "dropout: everything": (
        lambda: F.dropout(SCORES, 1.0), "ValueError: ratio must be at least 0 and less than 1, got 1.0 (LINE)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_what_cannot_be_computed(name):
    bad, text = ERRORS[name]
    assert heard(bad) == text


EMPTY = {
    "linear: no examples": (lambda x: F.linear(x, floats(4, 3), floats(4)), (0, 3), (0, 4), None),
    "linear: no inputs": (lambda x: F.linear(x, floats(4, 0), floats(4)), (2, 0), (2, 4), 1.0),
    "linear: no outputs": (lambda x: F.linear(x, floats(0, 3)), (2, 3), (2, 0), None),
    "Linear without a size: no examples": (lambda x: L.Linear(None, 2)(x), (0, 3), (0, 2), None),
    "convolution_2d: no images": (lambda x: F.convolution_2d(x, floats(4, 3, 3, 3)), (0, 3, 5, 5), (0, 4, 3, 3), None),
    "convolution_2d: no channels": (lambda x: F.convolution_2d(x, floats(4, 0, 3, 3)), (2, 0, 5, 5), (2, 4, 3, 3), 0.0),
    "max_pooling_2d: no images": (lambda x: F.max_pooling_2d(x, 2), (0, 3, 4, 4), (0, 3, 2, 2), None),
    "max_pooling_2d: no channels": (lambda x: F.max_pooling_2d(x, 2), (1, 0, 4, 4), (1, 0, 2, 2), None),
    "batch_normalization: no features": (lambda x: F.batch_normalization(x, floats(0), floats(0)), (2, 0), (2, 0), None),
    "concat: no columns": (lambda x: F.concat([x, x]), (2, 0), (2, 0), None),
    "concat: nothing with something": (lambda x: F.concat([x, floats(1, 2)], axis=0), (0, 2), (1, 2), 1.0),
    "softmax: no examples": (F.softmax, (0, 3), (0, 3), None),
    "dropout: no elements": (F.dropout, (0,), (0,), None),
    "sum: no elements": (F.sum, (0,), (), 0.0),
    "lstm: no examples": (lambda x: F.lstm(floats(0, 3), x)[1], (0, 12), (0, 3), None),
    "lstm: no units": (lambda x: F.lstm(floats(2, 0), x)[1], (2, 0), (2, 0), None),
    "softmax_cross_entropy: no examples": (
        lambda x: F.softmax_cross_entropy(x, np.zeros(0, np.int32)), (0, 3), (), 0.0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EMPTY)
def test_arrays_without_elements(name):
    function, shape, out, value = EMPTY[name]
    x = floats(*shape)
    y = function(x)
    assert (y.shape, y.dtype) == (out, np.float32)
    if value is not None:
        assert np.all(y.array == value)
    y.grad = np.ones_like(y.array)
    y.backward()
    assert x.grad.shape == shape
    assert np.isfinite(x.grad).all()


def test_labels_that_are_all_ignored():
    x = floats(2, 3)
    loss = F.softmax_cross_entropy(x, labels(-1, -1))
    loss.backward()
    assert loss.array == 0
    assert not x.grad.any()


def test_labels_that_are_no_class_are_never_hit():
    assert F.accuracy(SCORES, labels(3, -2)).array == 0


def test_negative_indices_count_from_the_end_as_in_numpy():
    W = Variable(np.arange(6, dtype=np.float32).reshape(3, 2))
    assert F.embed_id(labels(-1), W).array.tolist() == [[4, 5]]
    assert F.embed_id(labels(-1), W, ignore_label=-1).array.tolist() == [[0, 0]]
    with chainer.using_config("debug", True):
        assert heard(lambda: F.embed_id(labels(-1), W)) == (
            "ValueError: the integers must satisfy 0 <= x < 3, the number of rows of W; they go from -1 to -1 (LINE)"
        )


def test_nan_goes_on():
    x = Variable(np.array([[np.nan, 1, 2]], np.float32))
    for y in (F.softmax_cross_entropy(x, labels(0)), F.max_pooling_2d(x.reshape(1, 1, 1, 3), (1, 3)), F.max(x)):
        assert np.isnan(y.array).all()


def test_an_empty_batch_leaves_running_values():
    link = L.BatchNormalization(3)
    with pytest.warns(RuntimeWarning, match="invalid value"):
        y = link(floats(0, 3))
    assert y.shape == (0, 3)
    assert (link.avg_mean.tolist(), link.avg_var.tolist()) == ([0, 0, 0], [1, 1, 1])


def test_a_batch_that_shrinks():
    c, h = F.lstm(floats(3, 2), floats(2, 8))
    assert (c.shape, h.shape) == ((3, 2), (2, 2))
    assert np.array_equal(c.array[2], [1, 1])


def test_an_update_by_an_empty_batch_changes_nothing():
    model = L.Linear(3, 2)
    before = model.W.array.copy()
    chainer.optimizers.SGD().setup(model).update(lambda: F.sum(model(floats(0, 3))))
    assert np.array_equal(model.W.array, before)
