import numpy as np
import pytest

import autodiff.chainer as chainer
from autodiff.chainer import functions as F
from autodiff.chainer import links as L
from autodiff.chainer.functions.normalization import batch_normalization
from autodiff.chainer.functions.pooling import pooling_2d

X = np.arange(6, dtype=np.float32).reshape(2, 3)
IMAGE = np.arange(25, dtype=np.float32).reshape(1, 1, 5, 5)
T = np.array([0, 2], np.int32)


def variable(array, volatile="off"):
    return chainer.Variable(array, volatile)


def test_dropout_takes_train_at_the_third_place():
    x = variable(X)
    with pytest.warns(
        DeprecationWarning, match=r"^dropout\(train=\.\.\.\) is gone since Chainer 2; use chainer\.using_"
    ):
        assert F.dropout(x, 0.5, False) is x
    np.random.seed(0)  # noqa: NPY002
    with pytest.warns(DeprecationWarning, match=r"dropout\(train"), chainer.using_config("train", False):
        y = F.dropout(x, train=True)
    assert set(y.data.ravel()) <= {0.0, *(2 * X).ravel()}
    assert y.data[0].tolist() != X[0].tolist()


@pytest.mark.parametrize("name", ["relu", "sigmoid", "tanh", "softmax", "log_softmax"])
def test_use_cudnn_is_the_second_argument_and_has_no_effect(name):
    function = getattr(F, name)
    assert np.array_equal(function(variable(X), False).data, function(variable(X), use_cudnn=True).data)


def test_the_axis_of_softmax_is_the_third_argument():
    assert F.softmax(variable(X), True, 0).data.sum(axis=0) == pytest.approx(np.ones(3))


def test_softmax_cross_entropy_takes_use_cudnn_at_the_third_place():
    x = variable(np.zeros((2, 3), np.float32))
    assert float(F.softmax_cross_entropy(x, T, False, False).data) == pytest.approx(np.log(3))
    assert float(F.softmax_cross_entropy(x, np.array([0, -1], np.int32), False, False).data) == pytest.approx(
        np.log(3) / 2
    )


def test_images_take_use_cudnn_where_it_was():
    w = np.ones((1, 1, 2, 2), np.float32)
    pooled = F.max_pooling_2d(variable(IMAGE), 2, 2, 0, True, False)
    assert pooled.data[0, 0].tolist() == [[6.0, 8.0, 9.0], [16.0, 18.0, 19.0], [21.0, 23.0, 24.0]]
    assert F.convolution_2d(variable(IMAGE), w, None, 2, 0, False, True).shape == (1, 1, 3, 3)
    assert F.convolution_2d(variable(IMAGE), w, stride=2, deterministic=True).shape == (1, 1, 2, 2)
    assert F.average_pooling_2d(variable(IMAGE), 2, 2, 0, False).data[0, 0, 0].tolist() == [3.0, 5.0]
    pyramid = F.spatial_pyramid_pooling_2d(variable(IMAGE), 2, F.MaxPooling2D, use_cudnn=False)
    assert pyramid.data.ravel().tolist() == [24.0, 12.0, 14.0, 22.0, 24.0]


def test_one_part_of_split_axis_is_no_tuple():
    assert F.split_axis(variable(X), 1, 1).shape == (2, 3)
    assert len(F.split_axis(variable(X), 3, 1)) == 3
    assert isinstance(F.split_axis(variable(X), 1, 1, True), tuple)


def test_too_many_arguments_are_refused():
    with pytest.raises(TypeError, match=r"relu\(\) takes 2 arguments in Chainer 1, got 3"):
        F.relu(variable(X), True, 3)
    with pytest.raises(TypeError, match=r"dropout\(\) got ratio by position and by name"):
        F.dropout(variable(X), 0.5, ratio=0.5)


# fmt: off
CLASSES = [
    (lambda x: F.ReLU()(x - 2),              lambda x: F.relu(x - 2)),
    (lambda x: F.ReLU(use_cudnn=False)(x),   F.relu),
    (lambda x: F.Softmax(False, 0)(x),       lambda x: F.softmax(x, axis=0)),
    (lambda x: F.Concat(0)(x, 2 * x),        lambda x: F.concat((x, 2 * x), 0)),
    (lambda x: F.Concat()(x, x),             lambda x: F.concat((x, x))),
    (lambda x: F.Sum(1)(x),                  lambda x: F.sum(x, 1)),
    (lambda x: F.Sum(axis=0, keepdims=True)(x), lambda x: F.sum(x, 0, True)),
    (lambda x: F.MatMul(transb=True)(x, x),  lambda x: F.matmul(x, x, transb=True)),
    (lambda x: F.Reshape((3, 2))(x),         lambda x: F.reshape(x, (3, 2))),
    (lambda x: F.Cast("d")(x),               lambda x: F.cast(x, "d")),
    (lambda x: F.Tile((2, 1))(x),            lambda x: F.tile(x, (2, 1))),
    (lambda x: F.GetItem((0,))(x),           lambda x: x[0]),
    (lambda x: F.Clip(1, 3)(x),              lambda x: F.clip(x, 1.0, 3.0)),
    (lambda x: F.Copy(-1)(x),                lambda x: x),
    (lambda x: F.HuberLoss(1.0)(x, 3 * x),   lambda x: F.huber_loss(x, 3 * x, 1.0)),
    (lambda x: F.SoftmaxCrossEntropy()(x, T), lambda x: F.softmax_cross_entropy(x, T)),
    (lambda x: F.Accuracy(ignore_label=0)(x, T), lambda x: F.accuracy(x, T, 0)),
    (lambda x: F.Forget(F.exp)(x),           F.exp),
    (lambda x: F.NormalizeL2()(x),           F.normalize),
    (lambda x: F.Broadcast()(x, x)[1],       lambda x: x),
    (lambda x: F.Pad(((0, 0), (1, 1)), "constant")(x), lambda x: F.pad(x, ((0, 0), (1, 1)), "constant")),
    (lambda x: F.PadSequence(4, 0)(x),       lambda x: F.pad_sequence([x], 4)),
    (lambda x: F.LinearInterpolate()(x, x, x), lambda x: F.linear_interpolate(x, x, x)),
]
# fmt: on


@pytest.mark.parametrize(("old", "new"), CLASSES)
def test_classes_are_their_functions(old, new):
    assert np.array_equal(old(variable(X)).data, new(variable(X)).data)


def test_classes_of_pooling_and_dropout():
    assert F.MaxPoolingND(2, 2)(variable(IMAGE)).shape == (1, 1, 3, 3)
    assert F.Unpooling2D(2)(variable(IMAGE)).shape == F.unpooling_2d(variable(IMAGE), 2).shape
    np.random.seed(0)  # noqa: NPY002
    y = F.Dropout(0.5)(variable(X)).data
    np.random.seed(0)  # noqa: NPY002
    assert np.array_equal(y, F.dropout(variable(X), 0.5).data)
    assert F.Dropout(dropout_ratio=0.0)(variable(X)).data.tolist() == X.tolist()


def gradient(function, x, *others):
    x = variable(x)
    y = function(x, *others)
    y.grad = np.ones_like(y.data)
    y.backward()
    return x.grad


def test_derived_classes_have_methods_of_their_own():
    class Guided(F.ReLU):
        def backward_cpu(self, x, gy):
            return (gy[0] * (x[0] > 1),)

    class Doubled(F.Dropout):
        def backward(self, x, gy):
            (gx,) = super().backward(x, gy)
            assert np.array_equal(gx, gy[0] * self.mask)
            return (2 * gx,)

    class Shifted(F.Concat):
        def forward(self, xs):
            return (super().forward(xs)[0] + 1,)

    assert gradient(Guided(), X).tolist() == [[0, 0, 1], [1, 1, 1]]
    assert Guided()(variable(X)).creator.label == "Guided"
    doubled = Doubled(0.5)
    assert np.array_equal(gradient(doubled, X), 2 * doubled.mask)
    assert Shifted(axis=1)(variable(X), X).data.tolist() == (np.concatenate([X, X], 1) + 1).tolist()
    assert gradient(Shifted(axis=1), X, X).tolist() == np.ones_like(X).tolist()


def test_classes_that_are_missing_say_so():
    with pytest.raises(NotImplementedError, match=r"^functions\.NStepLSTM is not .*use functions\.n_step_lstm"):
        F.NStepLSTM(2)


def test_classes_of_means():
    assert F.AveragePooling2D(2)(variable(IMAGE)).data[0, 0, 0].tolist() == [3.0, 5.0]
    assert F.AveragePoolingND(2, 2)(variable(IMAGE)).shape == (1, 1, 2, 2)
    with pytest.raises(ValueError, match="cover_all=True"):
        F.AveragePoolingND(2, 2, cover_all=True)


def test_classes_are_in_their_modules():
    from chainer.functions.activation.relu import ReLU
    from chainer.functions.connection.convolution_2d import Convolution2DFunction
    from chainer.functions.connection.linear import LinearFunction
    from chainer.functions.pooling.max_pooling_2d import MaxPooling2D

    assert ReLU is F.ReLU
    assert MaxPooling2D is F.MaxPooling2D
    assert isinstance(F.relu(variable(X)).creator, ReLU)
    assert not isinstance(F.relu(variable(X)).creator, MaxPooling2D)
    assert Convolution2DFunction(1, 0, True, False)(variable(IMAGE), IMAGE).shape == (1, 1, 1, 1)
    assert LinearFunction()(variable(X), X).shape == (2, 2)


def test_methods_that_are_set_on_a_class_hold_for_its_function():
    def gradient_of_relu():
        x = variable(np.array([-1, 2], np.float32))
        F.sum(F.relu(x)).backward()
        return x.grad.tolist()

    F.ReLU.backward_cpu = lambda self, inputs, grads: (0 * grads[0] + 7,)
    assert gradient_of_relu() == [7, 7]
    del F.ReLU.backward_cpu
    assert gradient_of_relu() == [0, 1]
    seen, before = [], F.AveragePooling2D.forward_cpu

    def forward(self, inputs):
        seen.append((self.kh, self.sx))
        return before(self, inputs)

    F.AveragePooling2D.forward_cpu = forward
    assert F.average_pooling_2d(variable(IMAGE), 2).data[0, 0, 0].tolist() == [3.0, 5.0]
    F.AveragePooling2D.forward_cpu = before
    assert seen == [(2, 2)]
    with pytest.raises(TypeError, match=r"^Ceil\.forward was set .* its function would not call it"):
        F.Ceil.forward = None


def test_checks_of_operands_see_expressions():
    class Same(chainer.Function):
        def check_type_forward(self, in_types):
            count, first = in_types.size(), in_types[0]
            assert (count.eval(), first.ndim.eval(), first.shape[0].eval()) == (1, 2, 2)

        def forward(self, inputs):
            return inputs

    assert Same()(variable(X)).shape == (2, 3)


def test_links_kept_their_names_among_the_functions():
    assert F.Linear is L.Linear
    assert F.BatchNormalization is L.BatchNormalization
    assert F.EmbedID(3, 2)(T).shape == (2, 2)


class Doubled(chainer.Function):
    def forward(self, inputs):
        return (2 * inputs[0],)

    def backward(self, inputs, grad_outputs):
        return (2 * grad_outputs[0],)


def labels_and_values(y):
    found = []
    while y.creator is not None:
        found.append((y.creator.label, [x.data.copy() for x in y.creator.inputs], y.creator.outputs[0]().data.copy()))
        y = y.creator.inputs[0]
    return found


@pytest.mark.parametrize(
    ("function", "label"),
    [
        (F.relu, "ReLU"), (F.exp, "exp"), (lambda x: x + 1, "_ + 1"), (lambda x: -x, "__neg__"), (Doubled(), "Doubled"),
        (lambda x: F.dropout(x, 0.5), "Dropout"), (F.sin, "sin"), (lambda x: x[:], "GetItem"), (F.crelu, "CReLU"),
        (lambda x: F.split_axis(x, 3, 1)[0], "SplitAxis"), (lambda x: F.reshape(x, (3, 2)), "Reshape"),
    ],
)  # fmt: skip
def test_functions_hold_the_arrays_of_inputs_and_outputs(function, label):
    y = F.tanh(function(F.tanh(variable(X))))
    labels, inputs, outputs = zip(*labels_and_values(y), strict=True)
    assert labels == ("Tanh", label, "Tanh")
    assert np.array_equal(inputs[2][0], X)
    assert np.array_equal(inputs[1][0], np.tanh(X))
    assert np.array_equal(outputs[0], y.data)
    assert np.array_equal(outputs[2], inputs[1][0])


def test_arrays_beside_variables_are_inputs_of_a_function():
    w, b = np.ones((2, 3), np.float32), np.zeros(2, np.float32)
    assert [x.data.shape for x in F.relu(F.linear(variable(X), w, b)).creator.inputs[0].creator.inputs] == [
        (2, 3), (2, 3), (2,)
    ]  # fmt: skip


def test_a_graph_that_is_cut_holds_no_arrays():
    h = F.tanh(variable(X))
    y = F.exp(h)
    node = h.node
    y.unchain_backward()
    assert y.creator is None
    assert node.operands is node.others is None


def test_gradients_are_the_same_in_a_graph_that_holds_arrays():
    x = variable(X)
    h = x * x
    y = F.sum(h * h)
    h.data = h.data.copy()
    y.backward()
    assert np.allclose(x.grad, 4 * X**3)


class Enlarged(pooling_2d.Pooling2D):
    """Each pixel repeated over the window, as programs of Chainer 1 wrote it."""

    def forward_cpu(self, x):
        return (x[0].repeat(self.kh, axis=2).repeat(self.kw, axis=3),)

    def backward_cpu(self, x, gy):
        n, c, h, w = x[0].shape
        return (gy[0].reshape(n, c, h, self.kh, w, self.kw).sum(axis=(3, 5)),)


def test_the_base_of_pooling_functions_is_called():
    function = Enlarged((1, 2), use_cudnn=False)
    assert (function.kh, function.kw, function.sy, function.sx, function.ph, function.pw) == (1, 2, 1, 2, 0, 0)
    assert function.cover_all
    assert not function.use_cudnn
    x = variable(IMAGE)
    y = function(x)
    y.grad = np.ones_like(y.data)
    y.backward()
    assert y.shape == (1, 1, 5, 10)
    assert y.creator is function
    assert np.array_equal(x.grad, np.full_like(IMAGE, 2))
    with pytest.raises(chainer.utils.type_check.InvalidType, match=r"in_types\[0\]\.ndim == 4"):
        function(variable(X))


def test_the_function_of_batch_normalization_keeps_running_values():
    mean, var = np.zeros(3, np.float32), np.ones(3, np.float32)
    function = batch_normalization.BatchNormalizationFunction(1e-5, mean, var, True, 0.5, False)
    x, gamma, beta = variable(X), variable(np.ones(3, np.float32)), variable(np.zeros(3, np.float32))
    y = function(x, gamma, beta)
    assert np.allclose(y.data, np.sign(X - X.mean(axis=0)), atol=1e-4)
    assert function.running_mean is mean
    assert np.allclose(mean, 0.5 * X.mean(axis=0))
    assert np.allclose(function.running_var, 0.5 + 0.5 * X.var(axis=0, ddof=1))
    assert isinstance(y.creator, batch_normalization.BatchNormalizationFunction)
    fixed = batch_normalization.BatchNormalizationFunction(eps=0.0, mean=None, var=None, train=False)
    two = variable(np.full(3, 2, np.float32))
    assert np.allclose(fixed(x, gamma, beta, two, two).data, (X - 2) / np.sqrt(2))
