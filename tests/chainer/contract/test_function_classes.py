"""Functions as classes: applied, derived from, and seen as creators."""

import importlib

import numpy as np
import pytest

import autodiff
import autodiff.chainer as chainer
import autodiff.chainer.functions as F
from autodiff.chainer import FunctionNode, Variable

PACKAGE = F.__name__


def function_class(place):
    module, _, name = place.rpartition(".")
    return getattr(importlib.import_module(f"{PACKAGE}.{module}"), name)


def draw(*shape, seed=0):
    return np.random.RandomState(seed).uniform(0.2, 0.8, shape)


X, Y, KERNEL, IMAGE = draw(3, 4), draw(3, 4, seed=1), draw(2, 3, 2, 2, seed=2), draw(1, 3, 4, 4, seed=3)
LABELS = np.array([0, 2, 1], np.int32)
APPLIED = {  # the class, what its constructor takes, its inputs, and the function
    "activation.leaky_relu.LeakyReLU": ((0.3,), (X - 0.5,), lambda x: F.leaky_relu(x, 0.3)),
    "activation.elu.ELU": ((0.5,), (X - 0.5,), lambda x: F.elu(x, 0.5)),
    "activation.relu.ReLU": ((), (X - 0.5,), F.relu),
    "activation.sigmoid.Sigmoid": ((), (X,), F.sigmoid),
    "activation.softmax.Softmax": ((0,), (X,), lambda x: F.softmax(x, axis=0)),
    "activation.clipped_relu.ClippedReLU": ((0.5,), (X,), lambda x: F.clipped_relu(x, 0.5)),
    "array.concat.Concat": ((0,), (X, Y), lambda x, y: F.concat([x, y], axis=0)),
    "array.stack.Stack": ((1,), (X, Y), lambda x, y: F.stack([x, y], axis=1)),
    "array.reshape.Reshape": (((2, 6),), (X,), lambda x: F.reshape(x, (2, 6))),
    "array.transpose.Transpose": (((1, 0),), (X,), F.transpose),
    "array.get_item.GetItem": ((slice(1, 3),), (X,), lambda x: x[1:3]),
    "array.split_axis.SplitAxis": ((2, 1), (X,), lambda x: F.split_axis(x, 2, 1)),
    "array.where.Where": ((X > 0.5,), (X, Y), lambda x, y: F.where(X > 0.5, x, y)),
    "array.broadcast.BroadcastTo": (((2, 3, 4),), (X,), lambda x: F.broadcast_to(x, (2, 3, 4))),
    "array.expand_dims.ExpandDims": ((1,), (X,), lambda x: F.expand_dims(x, 1)),
    "connection.convolution_2d.Convolution2DFunction": ((2, 1), (IMAGE, KERNEL), lambda x, W: F.convolution_2d(x, W, None, 2, 1)),
    "connection.linear.LinearFunction": ((), (X, Y), F.linear),
    "loss.mean_squared_error.MeanSquaredError": ((), (X, Y), F.mean_squared_error),
    "math.basic_math.AddConstant": ((2.0,), (X,), lambda x: x + 2.0),
    "math.basic_math.PowVarConst": ((3,), (X,), lambda x: x**3),
    "math.basic_math.Mul": ((), (X, Y), lambda x, y: x * y),
    "math.exponential.Exp": ((), (X,), F.exp),
    "math.exponential.Log": ((), (X,), F.log),
    "math.sum.Sum": ((1, True), (X,), lambda x: F.sum(x, axis=1, keepdims=True)),
    "math.minmax.Max": ((1,), (X,), lambda x: F.max(x, axis=1)),
    "math.matmul.MatMul": ((False, True, True), (X, Y), lambda x, y: F.transpose(F.matmul(x, y, transb=True))),
    "math.clip.Clip": ((0.3, 0.6), (X,), lambda x: F.clip(x, 0.3, 0.6)),
    "math.trigonometric.Sin": ((), (X,), F.sin),
    "math.einsum.EinSum": (("ij,kj", "ik"), (X, Y), lambda x, y: F.einsum("ij,kj->ik", x, y)),
    "math.sparse_matmul.CooMatMul": (
        (np.array([0, 1]), np.array([2, 0]), (2, 3)),
        (np.array([5.0, 6.0]), X),
        lambda sp, dn: F.stack([sp[0] * dn[2], sp[1] * dn[0]]),
    ),
    "normalization.l2_normalization.NormalizeL2": ((1e-5, 1), (X,), F.normalize),
    "pooling.max_pooling_nd.MaxPoolingND": ((2, 2), (IMAGE,), lambda x: F.max_pooling_2d(x, 2)),
    "pooling.average_pooling_2d.AveragePooling2D": ((2, 2), (IMAGE,), lambda x: F.average_pooling_2d(x, 2)),
    "rnn.lstm.LSTM": ((), (draw(3, 1), X), F.lstm),
}  # fmt: skip


def results_and_gradients(function, arrays):
    """The outputs, and the gradients and second derivatives of the inputs."""
    xs = [Variable(array) for array in arrays]
    ys = function(*xs)
    ys = ys if isinstance(ys, tuple) else (ys,)
    total = sum(F.sum(y * y) for y in ys)
    total.backward(enable_double_backprop=True)
    firsts = [x.grad_var for x in xs]
    for x in xs:
        x.cleargrad()
    connected = [g for g in firsts if g is not None and g.requires_grad]
    sum(F.sum(g * g) for g in connected).backward()
    return [*(y.array for y in ys), *(None if g is None else g.array for g in firsts), *(x.grad for x in xs)]


@pytest.mark.parametrize("place", APPLIED)
def test_a_class_is_applied(place):
    given, arrays, function = APPLIED[place]
    kind = function_class(place)
    assert issubclass(kind, FunctionNode)
    expected = results_and_gradients(function, arrays)
    for found, wanted in zip(results_and_gradients(lambda *xs: kind(*given).apply(xs), arrays), expected):
        assert (found is None) == (wanted is None)
        if wanted is not None:
            np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.parametrize("place", APPLIED)
def test_a_class_with_a_forward_of_its_own(place):
    """Its gradient is that of what it derives from."""
    given, arrays, function = APPLIED[place]

    class Own(function_class(place)):
        called = 0

        def forward(self, inputs):
            Own.called += 1
            return super().forward(inputs)

    expected = results_and_gradients(function, arrays)
    for found, wanted in zip(results_and_gradients(lambda *xs: Own(*given).apply(xs), arrays), expected):
        if wanted is not None:
            np.testing.assert_allclose(found, wanted, rtol=1e-6)
    assert Own.called > 0


@pytest.mark.parametrize("place", APPLIED)
def test_a_class_that_is_derived_and_overrides_nothing(place):
    arguments, inputs, function = APPLIED[place]
    derived = type("Mine", (function_class(place),), {})
    variables = [Variable(x) for x in inputs]
    node = derived(*arguments)
    outs = node.apply(variables)
    assert all(out.creator is node for out in outs)
    expected = function(*variables)
    np.testing.assert_array_equal(
        outs[0].array, (expected[0] if isinstance(expected, (list, tuple)) else expected).array
    )


def test_a_class_with_a_backward_of_its_own():
    class Scaled(function_class("activation.leaky_relu.LeakyReLU")):
        def backward(self, indexes, grad_outputs):
            (gx,) = super().backward(indexes, grad_outputs)
            return (10 * gx,)

    x = Variable(np.array([-1.0, 2.0]))
    (y,) = Scaled(0.5).apply((x,))
    y.grad = np.ones(2)
    y.backward()
    assert (y.creator.label, y.creator.slope) == ("Scaled", 0.5)
    np.testing.assert_allclose(x.grad, [5, 10])

    class Guided(function_class("activation.relu.ReLU")):
        """Guided backpropagation, as programs write it that draw what a network looks at."""

        def backward(self, indexes, grad_outputs):
            (y,) = self.get_retained_outputs()
            return (grad_outputs[0] * ((y.array > 0) & (grad_outputs[0].array > 0)),)

    x = Variable(np.array([-1.0, 2.0, 3.0]))
    (y,) = Guided().apply((x,))
    y.grad = np.array([1.0, 1.0, -1.0])
    y.backward()
    np.testing.assert_array_equal(x.grad, [0, 1, 0])


def test_a_class_with_values_checks_and_a_label_of_its_own():
    class Own(function_class("activation.relu.ReLU")):
        label = "own"

        def check_type_forward(self, in_types):
            if in_types[0].shape != (2,):
                raise ValueError("not two")

        def forward_cpu(self, inputs):
            self.retain_outputs((0,))
            return (10 * np.maximum(inputs[0], 0),)

    x = Variable(np.array([-1.0, 2.0]))
    (y,) = Own().apply((x,))
    y.grad = np.ones(2)
    y.backward()
    assert y.creator.label == "own"
    np.testing.assert_array_equal([y.array, x.grad], [[0, 20], [0, 1]])
    with pytest.raises(ValueError, match="not two"):
        Own().apply((np.zeros(3),))


def test_a_loss_with_a_forward_of_its_own():
    class Doubled(function_class("loss.softmax_cross_entropy.SoftmaxCrossEntropy")):
        def forward(self, inputs):
            (y,) = super().forward(inputs)
            return (np.asarray(2 * y),)

    x, same = Variable(X), Variable(X)
    (y,) = Doubled().apply((x, LABELS))
    expected = F.softmax_cross_entropy(same, LABELS)
    np.testing.assert_allclose(y.array, 2 * expected.array)
    y.backward()
    expected.backward()
    np.testing.assert_allclose(x.grad, same.grad)


@pytest.fixture
def relu_class():
    """The class, from which what a test sets on it is taken away again."""
    kind = function_class("activation.relu.ReLU")
    before = set(vars(kind))
    yield kind
    for name in set(vars(kind)) - before:
        delattr(kind, name)


def gradient_of(function):
    x = Variable(np.array([-1.0, 2.0]))
    F.sum(function(x)).backward()
    return x.grad


def test_methods_that_are_set_on_a_class_hold_for_its_function(relu_class):
    relu_class.backward = lambda self, indexes, grad_outputs: (0 * grad_outputs[0] + 7,)
    np.testing.assert_array_equal(gradient_of(F.relu), [7, 7])
    np.testing.assert_allclose(gradient_of(F.tanh), 1 / np.cosh([-1.0, 2.0]) ** 2)
    del relu_class.backward
    np.testing.assert_array_equal(gradient_of(F.relu), [0, 1])


def test_a_backward_that_is_set_may_call_the_one_before(relu_class):
    before = relu_class.backward
    relu_class.backward = lambda self, *args: tuple(10 * g for g in before(self, *args))
    np.testing.assert_array_equal(gradient_of(F.relu), [0, 10])
    x = np.array([-1.0, 2.0])
    np.testing.assert_array_equal(autodiff.grad(lambda x: F.sum(F.relu(x)))(x), [0, 10])
    np.testing.assert_array_equal(gradient_of(lambda x: relu_class().apply((x,))[0]), [0, 10])


@pytest.mark.parametrize("name", ["forward", "forward_cpu"])
def test_a_forward_that_is_set(relu_class, name):
    setattr(relu_class, name, lambda self, inputs: (np.maximum(inputs[0], 3),))
    np.testing.assert_array_equal(F.relu(X).array, np.full(X.shape, 3))


def test_apply_that_is_set_sees_each_call():
    kind = function_class("pooling.average_pooling_2d.AveragePooling2D")
    seen, before = [], kind.apply

    def apply(self, inputs):
        seen.append((self.kh, self.sy))
        return before(self, inputs)

    expected = F.average_pooling_2d(IMAGE, 2)
    kind.apply = apply
    try:
        found = F.average_pooling_2d(IMAGE, 2)
    finally:
        del kind.apply
    assert seen == [(2, 2)]
    np.testing.assert_array_equal(found.array, expected.array)


def test_a_constructor_cannot_be_set(relu_class):
    with pytest.raises(TypeError, match=r"^ReLU.__init__ was set \(.*\), but its function would not call it"):
        relu_class.__init__ = lambda self: None


def test_a_method_may_be_set_on_a_class_of_the_program():
    class Own(function_class("activation.relu.ReLU")):
        pass

    Own.backward = lambda self, indexes, grad_outputs: (7 * grad_outputs[0],)
    np.testing.assert_array_equal(gradient_of(lambda x: Own().apply((x,))[0]), [7, 7])
    np.testing.assert_array_equal(gradient_of(F.relu), [0, 1])


def test_the_gradient_of_another_output_where_chainer_computes_it_from_outputs():
    class Raised(function_class("activation.relu.ReLU")):
        def forward_cpu(self, inputs):
            self.retain_outputs((0,))
            return (np.maximum(inputs[0], 0.5),)

    class OverAll(function_class("activation.softmax.Softmax")):
        def forward(self, inputs):
            self.retain_outputs((0,))
            e = np.exp(inputs[0])
            return (e / e.sum(),)

    np.testing.assert_array_equal(gradient_of(lambda x: Raised().apply((x,))[0]), [1, 1])
    x = Variable(np.array([[1.0, 2.0], [0, 1]]))
    (y,) = OverAll(1).apply((x,))
    F.sum(y * y).backward()  # the numbers are Chainer's
    np.testing.assert_allclose(x.grad, [[-0.05020584, 0.22463557], [0.00411434, 0.06005478]], 1e-5)


def test_the_gradient_of_another_output_is_refused_elsewhere():
    class Sharp(function_class("loss.softmax_cross_entropy.SoftmaxCrossEntropy")):
        def forward_cpu(self, inputs):
            return super().forward_cpu((2 * inputs[0], inputs[1]))

    (y,) = Sharp().apply((Variable(X), LABELS))
    with pytest.raises(RuntimeError) as raised:
        y.backward()
    text = str(raised.value)
    assert text.startswith("the forward of Sharp does not compute what SoftmaxCrossEntropy does (")
    assert text.endswith(
        "so the gradient it inherits is not its own; give the class a method backward(self, indexes, grad_outputs)"
    )


def test_a_class_that_checks_less():
    class Soft(function_class("loss.sigmoid_cross_entropy.SigmoidCrossEntropy")):
        def check_type_forward(self, in_types):
            chainer.utils.type_check.expect(in_types.size() == 2)

    class AsEver(function_class("loss.sigmoid_cross_entropy.SigmoidCrossEntropy")):
        def check_type_forward(self, in_types):
            super().check_type_forward(in_types)

    logits, targets = np.zeros((1, 2), np.float32), np.array([[0.3, 0.7]], np.float32)
    (y,) = Soft(True, "mean").apply((logits, targets))
    np.testing.assert_allclose(y.array, np.log(2), 1e-6)
    with pytest.raises(chainer.utils.type_check.InvalidType):
        AsEver(True, "mean").apply((logits, targets))


CREATORS = {  # what is called, and the class, the label and attributes of the creator
    "leaky_relu": (lambda: F.leaky_relu(X, 0.3), "LeakyReLU", "LeakyReLU", {"slope": 0.3}),
    "elu": (lambda: F.elu(Variable(X), 0.5), "ELU", "ELU", {"alpha": 0.5}),
    "concat": (lambda: F.concat([X, Y], axis=0), "Concat", "Concat", {"axis": 0}),
    "separate": (lambda: F.separate(X, axis=1)[2], "Separate", "Separate", {"axis": 1}),
    "constant": (lambda: Variable(X) + 2, "AddConstant", "_ + 2", {"value": 2}),
    "from constant": (lambda: 3 - Variable(X), "SubFromConstant", "3 - _", {"value": 3}),
    "power": (lambda: Variable(X) ** 2, "PowVarConst", "_ ** 2", {"value": 2}),
    "sum": (lambda: Variable(X) + Variable(Y), "Add", "_ + _", {}),
    "exp": (lambda: F.exp(X), "Exp", "exp", {}),
    "relu": (lambda: F.relu(X), "ReLU", "ReLU", {}),
    "linear": (lambda: F.linear(X, Y), "LinearFunction", "LinearFunction", {}),
    "convolution": (
        lambda: F.convolution_2d(IMAGE, KERNEL, None, 2, (1, 0)),
        "Convolution2DFunction",
        "Convolution2DFunction",
        {"sy": 2, "sx": 2, "ph": 1, "pw": 0},
    ),
    "mean": (lambda: F.mean(X, keepdims=True), "Mean", "Mean", {"keepdims": True}),
    "absolute error": (lambda: F.mean_absolute_error(X, Y), "MeanAbsoluteError", "MeanAbsoluteError", {"diff": X - Y}),
    "total": (lambda: F.sum(X, axis=1), "Sum", "Sum", {"axis": (1,), "keepdims": False}),
    "kept total": (lambda: F.sum(X, axis=(0, -1), keepdims=True), "Sum", "Sum", {"axis": (0, -1), "keepdims": True}),
    "largest": (lambda: F.max(Variable(X), axis=1, keepdims=True), "Max", "Max", {"axis": (1,), "keepdims": True}),
    "transposed": (lambda: F.transpose(IMAGE, (2, 0, 1, 3)), "Transpose", "Transpose", {"axes": (2, 0, 1, 3)}),
    "reshaped": (lambda: F.reshape(X, (2, 6)), "Reshape", "Reshape", {"shape": (2, 6)}),
    "clipped": (lambda: F.clip(Variable(X), 0.3, 0.6), "Clip", "Clip", {"x_min": 0.3, "x_max": 0.6}),
    "softmax": (lambda: F.softmax(Variable(X), axis=-1), "Softmax", "Softmax", {}),
    "log_softmax": (lambda: F.log_softmax(Variable(X)), "LogSoftmax", "LogSoftmax", {"axis": 1}),
    "cumsum": (lambda: F.cumsum(X, axis=1), "Cumsum", "Cumsum", {"axis": 1}),
    "normalized": (lambda: F.normalize(X), "NormalizeL2", "NormalizeL2", {"axis": (1,), "eps": 1e-5}),
    "averages": (
        lambda: F.average_pooling_2d(IMAGE, (2, 3), stride=1, pad=(1, 0)),
        "AveragePooling2D",
        "AveragePooling2D",
        {"kh": 2, "kw": 3, "sy": 1, "sx": 1, "ph": 1, "pw": 0},
    ),
    "maxima": (
        lambda: F.max_pooling_2d(IMAGE, 2, stride=1, pad=1),
        "MaxPoolingND",
        "MaxPoolingND",
        {"ksize": (2, 2), "stride": (1, 1), "pad": (1, 1), "cover_all": True},
    ),
    "tiled": (lambda: F.tile(X, 2), "Tile", "Tile", {"reps": (2,)}),
    "product": (lambda: F.prod(X, axis=1), "Prod", "Prod", {"axis": (1,), "keepdims": False}),
    "matmul": (lambda: F.matmul(X, Y, transb=True), "MatMul", "MatMul", {"transa": False, "transb": True}),
    "split": (lambda: F.split_axis(X, 2, 1)[0], "SplitAxis", "SplitAxis", {"axis": 1}),
    "stacked": (lambda: F.stack([X, Y], axis=2), "Stack", "Stack", {"axis": 2}),
    "loss": (
        lambda: F.softmax_cross_entropy(X, LABELS),
        "SoftmaxCrossEntropy",
        "SoftmaxCrossEntropy",
        {"y": np.exp(X) / np.exp(X).sum(axis=1, keepdims=True)},
    ),
}


@pytest.mark.parametrize("name", CREATORS)
def test_creators_are_objects_of_these_classes(name):
    call, kind, label, attributes = CREATORS[name]
    with chainer.force_backprop_mode():
        creator = call().creator_node
    assert isinstance(creator, FunctionNode)
    assert (type(creator).__name__, creator.label) == (kind, label)
    for attribute, expected in attributes.items():
        np.testing.assert_allclose(getattr(creator, attribute), expected)
    with pytest.raises(AttributeError):
        creator.nonsense


def test_slices_are_seen_at_the_creator():
    (rows, columns) = Variable(X)[1:, ::2].creator_node.slices
    assert (rows, columns) == (slice(1, None), slice(None, None, 2))


def test_what_was_drawn_is_seen_at_the_creator():
    np.random.seed(0)  # noqa: NPY002
    x = Variable(np.ones((4, 5), np.float32))
    with chainer.using_config("train", True):
        y, zoned, noisy = F.dropout(x, 0.3), F.zoneout(x, x * 0, 0.4), F.gaussian(x, x)
    np.testing.assert_array_equal(y.creator.mask, y.array)
    np.testing.assert_array_equal(zoned.creator.flag_h, zoned.array)
    np.testing.assert_array_equal(zoned.creator.flag_x, 1 - zoned.array)
    np.testing.assert_allclose(noisy.creator.eps, (noisy.array - 1) * np.exp(-0.5), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("place", "arguments", "count", "name"),
    [
        ("noise.dropout.Dropout", (0.5,), 1, "mask"),
        ("noise.gaussian.Gaussian", (), 2, "eps"),
        ("noise.simplified_dropconnect.SimplifiedDropconnect", (0.5,), 2, "mask"),
        ("activation.rrelu.RReLU", (), 1, "r"),
    ],
)
def test_an_object_draws_once(place, arguments, count, name):
    own = function_class(place)

    class Derived(own):
        def forward(self, inputs):
            return super().forward(inputs)

    inputs = [Variable(-np.ones((4, 4), "f")), Variable(np.eye(4, dtype="f"))][:count]
    for of_class in (own, Derived):
        function = of_class(*arguments)
        assert getattr(function, name) is None
        (first,), drawn = function.apply(inputs), getattr(function, name)
        F.sum(first).backward()
        gradient = inputs[0].grad
        again = of_class(*arguments)
        setattr(again, name, drawn)
        inputs[0].cleargrad()
        (second,) = again.apply(inputs)
        F.sum(second).backward()
        np.testing.assert_array_equal(second.array, first.array)
        np.testing.assert_array_equal(inputs[0].grad, gradient)
        inputs[0].cleargrad()


def test_the_object_that_is_applied_is_the_creator():
    x = Variable(X)
    function = function_class("activation.leaky_relu.LeakyReLU")(0.5)
    (y,) = function.apply((x,))
    assert y.creator is function
    assert function.inputs[0] is x.node
    assert function.rank == 0


@pytest.mark.parametrize("x", [X, Variable(X)], ids=["array", "Variable"])
def test_the_object_knows_its_gradient_when_its_results_are_gone(x):
    function = function_class("activation.leaky_relu.LeakyReLU")(0.5)
    function.apply((x,))
    for _ in range(2):
        (g,) = function.backward((0,), (Variable(np.ones_like(X)),))
        np.testing.assert_array_equal(g.array, np.where(X >= 0, 1, 0.5))


def test_functions_of_the_old_style_are_called():
    found = function_class("evaluation.classification_summary.ClassificationSummary")(4, 1.0, -1)(X, LABELS)
    for one, other in zip(found, F.classification_summary(X, LABELS, 4)):
        np.testing.assert_array_equal(one.array, other.array)
    with pytest.raises(RuntimeError):
        function_class("math.exponential.Exp")()(X)


def test_hooks_see_the_classes():
    seen = []

    class Seeing(chainer.FunctionHook):
        name = "Seeing"

        def forward_preprocess(self, function, in_data):
            seen.append(function)

    with Seeing():
        y = F.leaky_relu(Variable(X), 0.1)
    assert [type(function).__name__ for function in seen] == ["LeakyReLU"]
    assert y.creator is seen[0]


class Relu(chainer.Function):
    def forward(self, inputs):
        self.mask = inputs[0] > 0
        return (np.maximum(inputs[0], 0),)

    def backward(self, inputs, grad_outputs):
        return (grad_outputs[0] * self.mask,)


class Exponential(chainer.Function):
    def forward(self, inputs):
        self.retain_inputs(())
        self.retain_outputs((0,))
        return (np.exp(inputs[0]),)

    def backward(self, inputs, grad_outputs):
        return (grad_outputs[0] * self.output_data[0],)


def test_one_old_function_applied_twice_to_traced_values():
    relu, x = Relu(), np.array([1.0, -2.0])
    np.testing.assert_array_equal(autodiff.grad(lambda x: (relu(x) * 2 + relu(-x)).sum())(x), [2.0, -1.0])
    _, pullback = autodiff.vjp(relu, x)
    autodiff.vjp(relu, -x)
    np.testing.assert_array_equal(pullback(np.ones(2))[0], [1.0, 0.0])


def test_outputs_that_an_old_function_retains_of_traced_values():
    x = np.array([1.0, -2.0])
    for transformed in (autodiff.grad, lambda f: autodiff.jit(autodiff.grad(f))):
        np.testing.assert_allclose(transformed(lambda x: Exponential()(x).sum())(x), np.exp(x))


RUN_AGAIN = {  # the arrays that Variables are made of, and what is called with these
    **{place: (arrays, function) for place, (_, arrays, function) in APPLIED.items() if "matmul" not in place},
    "a slice": ((X,), lambda x: x[1:, ::2]),
    "a list of indices": ((X,), lambda x: x[[0, 2]]),
    "an embedding": ((X,), lambda x: F.embed_id(LABELS, x)),
    "a quotient": ((X,), lambda x: 2 / x),
    "a negative": ((X,), lambda x: -x),
    "one of three": ((X,), lambda x: F.split_axis(x, 2, 1)[1]),
    "a product": ((X, Y), lambda x, y: F.matmul(x, y, transb=True)),
    "unpooled": ((IMAGE,), lambda x: F.unpooling_2d(x, 2)),
    "batch normalization": ((X,), lambda x: F.batch_normalization(x, X[0], X[1])),
    "padded": ((X,), lambda x: F.pad(x, 1, "constant")),
    "total": ((X,), lambda x: F.sum(x, axis=1)),
    "largest": ((X,), lambda x: F.max(x, axis=1, keepdims=True)),
    "loss": ((X,), lambda x: F.softmax_cross_entropy(x, LABELS)),
    "tiled": ((X,), lambda x: F.tile(x, 2)),
    "cumulated": ((X,), lambda x: F.cumsum(x, axis=1)),
}


class RunningAgain(chainer.FunctionHook):
    """Runs every function that it sees once more, as counters of operations do to learn the shapes of results."""

    def __init__(self):
        self.seen = []

    def forward_postprocess(self, function, in_data):
        self.seen.append((function.label, in_data, function.forward(in_data)))


def run_again(name):
    """The Variables, a result, and its place among the results of its creator."""
    arrays, function = RUN_AGAIN[name]
    xs = [Variable(array) for array in arrays]
    y = function(*xs)
    y = y[0] if isinstance(y, (tuple, list)) else y
    return xs, y, [reference() for reference in y.creator.outputs].index(y.node)


@pytest.mark.parametrize("name", RUN_AGAIN)
def test_a_function_runs_again_for_a_hook_and_as_a_creator(name):
    hook = RunningAgain()
    with hook:
        _, y, place = run_again(name)
    label, in_data, outs = hook.seen[-1]
    assert (label, len(in_data)) == (y.creator.label, len(y.creator.inputs))
    np.testing.assert_allclose(outs[place], y.array)
    np.testing.assert_allclose(y.creator.forward(in_data)[place], y.array)


@pytest.mark.parametrize("name", RUN_AGAIN)
def test_a_creator_computes_gradients(name):
    xs, y, place = run_again(name)
    seeds = [None] * len(y.creator.outputs)
    y.grad = np.linspace(1, 2, y.size, dtype=y.dtype).reshape(y.shape)
    seeds[place] = y.grad_var
    places = tuple(k for k, node in enumerate(y.creator.inputs) for x in xs if node is x.node)
    found = y.creator.backward(places, tuple(seeds))
    if len(found) > len(places):  # one for each input, which is allowed too
        found = [found[at] for at in places]
    y.backward()
    for x, own in zip(xs, found):
        assert (x.grad is None) == (own is None)
        if own is not None:
            np.testing.assert_allclose(own.array, x.grad)


def test_errors_of_hooks_are_their_own():
    class Stopping(chainer.FunctionHook):
        def forward_postprocess(self, function, in_data):
            raise ValueError("enough")

    for call in (lambda: F.relu(Variable(X)), lambda: Variable(X) * X, lambda: F.broadcast_to(Variable(X), (2, 3, 4))):
        with pytest.raises(ValueError) as caught, Stopping():
            call()
        assert (type(caught.value), str(caught.value)) == (ValueError, "enough")
