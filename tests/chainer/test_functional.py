"""``autodiff.functional``: models as pure functions, to which the transformations apply."""

import threading

import numpy as np
import pytest

import autodiff.chainer as chainer
import autodiff.chainer.functions as F
import autodiff.chainer.links as L
from autodiff import eval_tape, functional, grad, hessian, jacobian, jvp, make_tape, value_and_grad, vjp, vmap


def draw(*shape, dtype=np.float32, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(dtype)


X, LABELS = draw(4, 3), np.array([0, 1, 1, 0], np.int32)


class Perceptron(chainer.Chain):
    def __init__(self, dtype=np.float32):
        super().__init__()
        with chainer.using_config("dtype", dtype), self.init_scope():
            self.l1 = L.Linear(3, 4, initialW=draw(4, 3, dtype=dtype, seed=1))
            self.l2 = L.Linear(4, 2, initialW=draw(2, 4, dtype=dtype, seed=2))

    def forward(self, x):
        return self.l2(F.tanh(self.l1(x)))


class LanguageModel(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(5, 3, initialW=draw(5, 3, seed=1))
            self.rnn = L.LSTM(3, 4, lateral_init=chainer.initializers.Constant(0.3))
            self.out = L.Linear(4, 5, initialW=draw(5, 4, seed=2))

    def forward(self, words):
        outs = [self.out(self.rnn(self.embed(word))) for word in words[:-1]]
        return sum(F.softmax_cross_entropy(out, word) for out, word in zip(outs, words[1:], strict=True))


class Penalised(chainer.Chain):
    """A critic whose loss has the slope of its own output in it."""

    def __init__(self, dtype=np.float32):
        super().__init__()
        with self.init_scope():
            self.critic = Perceptron(dtype)

    def forward(self, x):
        x = chainer.Variable(x)
        y = self.critic(x)
        (slope,) = chainer.grad([y], [x], [np.ones_like(y.array)], enable_double_backprop=True)
        return F.sum((F.sqrt(F.sum(slope**2, axis=1)) - 1) ** 2) + F.sum(y**2)


def normalised():
    return chainer.Sequential(L.Linear(3, 4, initialW=draw(4, 3)), L.BatchNormalization(4), F.relu, L.Linear(4, 2))


def by_path(tree, above=""):
    """A tree of parameters as one dict."""
    found = {}
    for name, value in tree.items():
        found.update(by_path(value, f"{above}/{name}") if isinstance(value, dict) else {f"{above}/{name}": value})
    return found


def gradients_of(model, loss):
    """The gradients by path that backward() gives, of which the model keeps nothing."""
    model.cleargrads()
    loss().backward()
    found = {path: parameter.grad.copy() for path, parameter in model.namedparams()}
    model.cleargrads()
    return found


def assert_same(got, wanted, rtol=1e-5, atol=1e-6):
    assert got.keys() == wanted.keys()
    for path, value in got.items():
        np.testing.assert_allclose(value, wanted[path], rtol, atol, err_msg=path)
        assert value.dtype == wanted[path].dtype


def state_of(model):
    """Everything that a model consists of: objects by their identity, arrays by their elements too."""
    state = {}
    for path, link in model.namedlinks():
        for name, value in vars(link).items():
            state[path, name] = (id(value), repr(value))
    for path, parameter in model.namedparams():
        state[path] = [id(part) for part in (parameter, parameter.node, parameter.array, parameter.grad)]
        state[path, "elements"] = parameter.array.tolist()
        state[path, "attributes"] = sorted(vars(parameter))
    return state


# What f and params are.


def test_the_tree_and_the_values():
    model = Perceptron()
    f, params = functional(model)
    assert {path: array.shape for path, array in by_path(params).items()} == {
        "/l1/W": (4, 3),
        "/l1/b": (4,),
        "/l2/W": (2, 4),
        "/l2/b": (2,),
    }
    assert params["l1"]["W"] is not model.l1.W.array
    assert type(f(params, X)) is np.ndarray
    np.testing.assert_array_equal(f(params, X), model(X).array)
    np.testing.assert_array_equal(f(params, chainer.Variable(X)), model(X).array)
    twice = {"l1": params["l1"], "l2": {name: 2 * array for name, array in params["l2"].items()}}
    np.testing.assert_allclose(f(twice, X), 2 * model(X).array, rtol=1e-6)
    assert repr(f) == "<function of the parameters of a Perceptron>"


def test_results_keep_their_structure_and_arguments_are_passed_on():
    class Several(chainer.Chain):
        def forward(self, x, *, scale=1):
            return {"double": 2 * x * scale, "both": (x, [x + 1, "text", None])}

    f, params = functional(Several())
    assert params == {}
    out = f(params, chainer.Variable(np.ones(2)), scale=3)
    assert out["double"].tolist() == [6, 6]
    assert out["both"][0].tolist() == [1, 1]
    assert out["both"][1][0].tolist() == [2, 2]
    assert out["both"][1][1:] == ["text", None]


def test_a_link_alone_and_a_list_of_links():
    _, params = functional(L.Linear(3, 2))
    assert list(params) == ["W", "b"]
    model = chainer.ChainList(L.Linear(3, 2, nobias=True), chainer.Sequential(F.relu, L.Linear(2, 1)))
    _, params = functional(model)
    assert by_path(params).keys() == {"/0/W", "/1/0/W", "/1/0/b"}


# Gradients.


MODELS = {
    "chain": (Perceptron, lambda y: F.sum(y**2)),
    "cross entropy": (Perceptron, lambda y: F.softmax_cross_entropy(y, LABELS)),
    "sequential": (lambda: chainer.Sequential(L.Linear(3, 4), F.relu, L.Linear(4, 2)), lambda y: F.sum(y**2)),
    "batch normalisation": (normalised, lambda y: F.sum(y**3)),
    "gradient penalty": (Penalised, lambda y: y),
}


@pytest.mark.parametrize("name", MODELS)
def test_gradients_are_those_of_backward(name):
    make, loss = MODELS[name]
    model = make()
    f, params = functional(model)
    wanted = gradients_of(model, lambda: loss(model(X)))
    value, got = value_and_grad(lambda params: loss(f(params, X)))(params)
    assert_same(by_path(got), wanted)
    np.testing.assert_allclose(value, loss(model(X)).array, rtol=1e-6)


def test_gradients_of_an_lstm_from_its_state():
    model, words = LanguageModel(), np.random.RandomState(3).randint(0, 5, (6, 2)).astype(np.int32)
    f, params = functional(model)
    wanted = gradients_of(model, lambda: model(words))
    model.rnn.reset_state()
    assert_same(by_path(grad(f)(params, words)), wanted)
    assert model.rnn.h is None
    model(words)  # and with a state that is there already
    c, h = model.rnn.c, model.rnn.h
    value, got = value_and_grad(f)(params, words)
    assert model.rnn.c is c
    assert model.rnn.h is h
    model.rnn.set_state(chainer.Variable(c.array), chainer.Variable(h.array))
    assert_same(by_path(got), gradients_of(model, lambda: model(words)))
    model.rnn.set_state(c, h)
    np.testing.assert_allclose(f(params, words), value)
    assert model.rnn.h.creator is h.creator
    assert h.creator is not None


@pytest.mark.parametrize("name", MODELS)
def test_forward_mode_agrees(name):
    make, loss = MODELS[name]
    f, params = functional(make())

    def value(params):
        return loss(f(params, X))

    direction = {path: draw(*array.shape, seed=5) for path, array in by_path(params).items()}
    tangents = unflattened(params, direction)
    _, tangent = jvp(value, (params,), (tangents,))
    along = sum(np.sum(g * direction[path]) for path, g in by_path(grad(value)(params)).items())
    np.testing.assert_allclose(tangent, along, rtol=2e-4)


def unflattened(tree, values, above=""):
    return {
        name: unflattened(value, values, f"{above}/{name}") if isinstance(value, dict) else values[f"{above}/{name}"]
        for name, value in tree.items()
    }


def test_by_the_input_too():
    model = Perceptron()
    f, params = functional(model)
    x = chainer.Variable(X)
    F.sum(model(x) ** 2).backward()
    np.testing.assert_allclose(grad(lambda x: F.sum(f(params, x) ** 2))(X), x.grad, rtol=1e-6)
    _, pull = vjp(f, params, X)
    assert pull(np.ones((4, 2), np.float32))[1].shape == X.shape


def test_jacobian_and_hessian():
    model = Perceptron(np.float64)
    f, params = functional(model)
    x = X.astype(np.float64)
    j = jacobian(f)(params, x)
    assert j["l1"]["W"].shape == (4, 2, 4, 3)
    np.testing.assert_allclose(j["l2"]["W"][2, 1, 1], np.tanh(x @ model.l1.W.array.T)[2])
    h = hessian(lambda params: F.sum(f(params, x) ** 2))(params)
    hidden = np.tanh(x @ model.l1.W.array.T)
    np.testing.assert_allclose(h["l2"]["W"]["l2"]["W"][0, :, 0], 2 * hidden.T @ hidden)  # exact: quadratic in l2/W
    np.testing.assert_allclose(h["l2"]["W"]["l2"]["W"][0, :, 1], 0, atol=1e-12)
    np.testing.assert_allclose(h["l1"]["b"]["l1"]["W"], np.moveaxis(h["l1"]["W"]["l1"]["b"], -1, 0))


def test_hessian_of_a_gradient_penalty():
    f, params = functional(Penalised(np.float64))
    x = X.astype(np.float64)
    h = hessian(f)(params, x)["critic"]["l1"]["b"]["critic"]["l1"]["b"]

    def gradient(step):
        moved = {"critic": {**params["critic"], "l1": {**params["critic"]["l1"]}}}
        moved["critic"]["l1"]["b"] = params["critic"]["l1"]["b"] + step
        return grad(f)(moved, x)["critic"]["l1"]["b"]

    for k, e in enumerate(np.eye(4) * 1e-5):
        np.testing.assert_allclose(h[k], (gradient(e) - gradient(-e)) / 2e-5, rtol=1e-6, atol=1e-8)


# Batches.


def test_gradients_of_each_example():
    f, params = functional(Perceptron())

    def loss(params, x, label):
        return F.softmax_cross_entropy(f(params, x[None]), label[None])

    each = by_path(vmap(grad(loss), in_axes=(None, 0, 0))(params, X, LABELS))
    for k in range(4):
        assert_same({path: g[k] for path, g in each.items()}, by_path(grad(loss)(params, X[k], LABELS[k])))


def test_sequences_one_by_one():
    words = np.random.RandomState(3).randint(0, 5, (6, 3)).astype(np.int32)
    f, params = functional(LanguageModel())
    each = vmap(lambda words: f(params, words[:, None]))(words.T)
    np.testing.assert_allclose(each, [f(params, column[:, None]) for column in words.T], rtol=1e-6)
    np.testing.assert_allclose(each.mean(), f(params, words), rtol=1e-6)


def test_an_ensemble_of_models():
    f, params = functional(Perceptron())
    ensemble = unflattened(params, {path: np.stack([a, 2 * a, -a]) for path, a in by_path(params).items()})
    outs = vmap(f, in_axes=(0, None))(ensemble, X)
    assert outs.shape == (3, 4, 2)
    np.testing.assert_allclose(outs[0], f(params, X), rtol=1e-6)


def test_gradient_penalties_one_by_one():
    f, params = functional(Penalised())
    each = vmap(lambda x: f(params, x[None]))(X)
    np.testing.assert_allclose(each.sum(), f(params, X), rtol=1e-5)
    gradients = vmap(lambda x: grad(f)(params, x[None]))(X)
    summed = {path: g.sum(axis=0) for path, g in by_path(gradients).items()}
    assert_same(summed, by_path(grad(f)(params, X)), rtol=1e-4, atol=1e-5)


def test_a_tape():
    f, params = functional(Perceptron())
    tape = make_tape(lambda params, x: f(params, x))(params, X)
    assert str(tape).count("= tanh(") == 1
    np.testing.assert_allclose(eval_tape(tape, params, X), f(params, X), rtol=1e-6)


# State.


STATEFUL = {"batch normalisation": normalised, "lstm": LanguageModel, "chain": Perceptron}


@pytest.mark.parametrize("name", STATEFUL)
def test_nothing_changes(name):
    model = STATEFUL[name]()
    x = np.zeros((3, 2), np.int32) if name == "lstm" else X
    model.cleargrads()
    F.sum(model(x)).backward()
    f, params = functional(model)
    before = state_of(model)
    tree_before = {path: array.copy() for path, array in by_path(params).items()}
    f(params, x)
    grad(lambda params: F.sum(f(params, x)))(params)
    vmap(lambda k: F.sum(f(params, x)) * k)(np.ones(2, np.float32))
    assert state_of(model) == before
    assert_same(by_path(params), tree_before)


def test_running_statistics_are_used_where_the_link_uses_them():
    model = normalised()
    model(X)
    f, params = functional(model)
    with chainer.using_config("train", False):
        np.testing.assert_array_equal(f(params, X), model(X).array)
        wanted = gradients_of(model, lambda: F.sum(model(X)))
        assert_same(by_path(grad(lambda params: F.sum(f(params, X)))(params)), wanted)


def test_state_is_what_it_was_after_an_error_too():
    class Breaks(Perceptron):
        def forward(self, x):
            self.seen = x
            self.l1.W.cleargrad()
            raise ArithmeticError("broken")

    model = Breaks()
    f, params = functional(model)
    before = state_of(model)
    with pytest.raises(ArithmeticError, match="broken"):
        f(params, X)
    assert state_of(model) == before


def test_what_a_model_collects_in_lists_is_gone():
    class Collects(Perceptron):
        def __init__(self):
            super().__init__()
            self.hidden, self.counts = [], {"calls": 0}

        def forward(self, x):
            self.hidden.append(super().forward(x))
            self.counts["calls"] += 1
            self.last = self.hidden[-1]
            return self.last * self.counts["calls"]

    model = Collects()
    f, params = functional(model)
    np.testing.assert_array_equal(f(params, X), f(params, X))
    grad(lambda params: F.sum(f(params, X)))(params)
    assert (model.hidden, model.counts, hasattr(model, "last")) == ([], {"calls": 0}, False)


def test_nothing_is_reported():
    model = L.Classifier(Perceptron())
    f, params = functional(model)
    reporter = chainer.Reporter()
    reporter.add_observer("main", model)
    with reporter:
        g = grad(f)(params, X, LABELS)
        assert reporter.observation == {}
        model(X, LABELS)
    assert sorted(reporter.observation) == ["main/accuracy", "main/loss"]
    assert_same(by_path(g), gradients_of(model, lambda: model(X, LABELS)))


# Where parameters stand.


def test_tied_weights_are_there_once():
    class Tied(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.a = L.Linear(3, 3, nobias=True, initialW=draw(3, 3))
                self.b = L.Linear(3, 3, nobias=True)
                self.b.W = self.a.W

        def forward(self, x):
            return self.b(F.tanh(self.a(x)))

    model = Tied()
    f, params = functional(model)
    assert by_path(params).keys() == {"/a/W"}
    model.cleargrads()
    F.sum(model(X) ** 2).backward()
    np.testing.assert_allclose(grad(lambda params: F.sum(f(params, X) ** 2))(params)["a"]["W"], model.a.W.grad)

    layer = L.Linear(3, 3, initialW=draw(3, 3))
    model = chainer.Sequential(layer, F.tanh, layer)
    f, params = functional(model)
    assert len(by_path(params)) == 2
    model.cleargrads()
    F.sum(model(X) ** 2).backward()
    got = next(iter(grad(lambda params: F.sum(f(params, X) ** 2))(params).values()))
    np.testing.assert_allclose(got["W"], layer.W.grad, rtol=1e-6)


def test_wherever_a_model_refers_to_its_parameters_from():
    class Refers(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.layer = L.Linear(3, 3, initialW=draw(3, 3))
                self.scale = chainer.Parameter(2.0, (3,))
            layer, scale = self.layer, self.scale
            self.steps = [lambda x: x * scale, layer, lambda x: F.linear(x, layer.W)]

        def forward(self, x):
            for step in self.steps:
                x = step(x)
            return x

    model = Refers()
    f, params = functional(model)
    wanted = gradients_of(model, lambda: F.sum(model(X) ** 2))
    assert_same(by_path(grad(lambda params: F.sum(f(params, X) ** 2))(params)), wanted)


def test_link_hooks_that_replace_weights():
    layer = L.Linear(3, 4, initialW=draw(4, 3)).add_hook(chainer.link_hooks.SpectralNormalization())
    layer(X)
    f, params = functional(layer)
    u = layer.W_u.copy()
    got = grad(lambda params: F.sum(f(params, X) ** 2))(params)
    assert vmap(lambda x: f(params, x[None]))(X).shape == (4, 1, 4)
    np.testing.assert_array_equal(layer.W_u, u)
    assert_same(by_path(got), gradients_of(layer, lambda: F.sum(layer(X) ** 2)))


# The way back.


def test_gradient_descent_and_write():
    model = Perceptron()
    f, params = functional(model)
    arrays = {path: parameter.array for path, parameter in model.namedparams()}

    def loss(params):
        return F.softmax_cross_entropy(f(params, X), LABELS)

    for _ in range(20):
        gradients = by_path(grad(loss)(params))
        params = unflattened(params, {path: a - 0.5 * gradients[path] for path, a in by_path(params).items()})
    model_before = model(X).array
    f.write(params)
    assert {path: parameter.array for path, parameter in model.namedparams()} == arrays
    np.testing.assert_array_equal(model(X).array, f(params, X))
    assert F.softmax_cross_entropy(model(X), LABELS).array < F.softmax_cross_entropy(model_before, LABELS).array


def test_write_writes_all_or_nothing():
    model = Perceptron()
    f, params = functional(model)
    before = state_of(model)
    params["l1"]["W"] = np.zeros((4, 3))
    params["l2"]["b"] = np.zeros(3)
    with pytest.raises(ValueError, match=r"^l2/b has shape \(3,\), but the parameter \(2,\) \(test_functional"):
        f.write(params)
    assert state_of(model) == before


# Errors.


def test_only_links():
    with pytest.raises(TypeError, match=r"^functional needs a link, got ufunc \(test_functional.py:\d+\)$"):
        functional(np.tanh)


def test_parameters_without_arrays():
    with pytest.raises(
        ValueError,
        match=r"^the parameter l2/W has no array yet \(test_functional.py:\d+\); call the link once, or give it the size "
        r"of its input$",
    ):
        functional(chainer.Chain(l1=L.Linear(2, 2), l2=L.Linear(None, 2)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: p.pop("l2"), r"the tree of parameters has nothing at l2/W{}"),
        (lambda p: p["l2"].pop("b"), r"the tree of parameters has nothing at l2/b{}"),
        (lambda p: p.update(l1=np.ones(3)), r"the tree of parameters has nothing at l1/W{}"),
        (lambda p: p.update(l3=1), r"the tree of parameters has l3, but the link has no such parameter{}"),
        (lambda p: p["l1"].update(c=1), r"the tree of parameters has l1/c, but the link has no such parameter{}"),
        (lambda p: p["l1"].update(b=np.ones(5)), r"l1/b has shape \(5,\), but the parameter \(4,\){}"),
        (lambda p: p["l1"].update(b=None), r"l1/b has shape \(\), but the parameter \(4,\){}"),
        (
            lambda p: p["l1"].update(b=chainer.Variable(np.ones(4))),
            r"l1/b is a Variable{}; the tree holds arrays: take its .array",
        ),
    ],
)
@pytest.mark.parametrize("call", [lambda f, params: f(params, X), lambda f, params: f.write(params)])
def test_trees_that_do_not_fit(change, message, call):
    model = Perceptron()
    f, params = functional(model)
    before = state_of(model)
    change(params)
    with pytest.raises((TypeError, ValueError), match="^" + message.format(r" \(test_functional.py:\d+\)") + "$"):
        call(f, params)
    assert state_of(model) == before


def test_no_tree_at_all():
    f, _ = functional(Perceptron())
    with pytest.raises(ValueError, match=r"^the tree of parameters has nothing at l1/W \(test_functional.py:\d+\)$"):
        f([1, 2], X)


# Nested and at once.


def test_a_model_inside_of_a_model():
    inner, scale = Perceptron(), L.Scale(W_shape=(2,))
    scale.W.array[...] = [2, 3]
    f, inner_params = functional(inner)
    _, outer_params = functional(scale)

    def loss(inner_params, outer_params):
        model = chainer.Sequential(lambda x: f(inner_params, x), scale)
        whole, own = functional(model)
        assert by_path(own).keys() == {"/0/W"}
        return F.sum(whole({"0": outer_params}, X) ** 2)

    got = grad(loss, argnums=(0, 1))(inner_params, outer_params)
    wanted = gradients_of(chainer.Chain(inner=inner, scale=scale), lambda: F.sum(scale(inner(X)) ** 2))
    assert_same({**by_path(got[0], "/inner"), **by_path(got[1], "/scale")}, wanted)


def test_the_same_model_inside_of_itself():
    """One step of gradient descent inside of a loss, as in meta-learning."""
    f, params = functional(Perceptron(np.float64))
    x = X.astype(np.float64)

    def loss(params, x):
        return np.mean(f(params, x) ** 2)

    def after_a_step(params):
        gradients = by_path(grad(loss)(params, x[:2]))
        moved = unflattened(params, {path: a - 0.1 * gradients[path] for path, a in by_path(params).items()})
        return loss(moved, x[2:])

    g = grad(after_a_step)(params)["l1"]["b"]
    for k, e in enumerate(np.eye(4) * 1e-6):
        ends = [after_a_step({**params, "l1": {**params["l1"], "b": params["l1"]["b"] + step}}) for step in (e, -e)]
        np.testing.assert_allclose(g[k], (ends[0] - ends[1]) / 2e-6, rtol=1e-6)


def test_a_model_that_calls_itself_with_other_parameters():
    class Doubling(Perceptron):
        def forward(self, x):
            return super().forward(x) - (0 if x.shape[0] == 1 else self.f(self.frozen, x[:1]))

    model = Doubling()
    f, params = functional(model)
    model.f, model.frozen = f, unflattened(params, {path: a.copy() for path, a in by_path(params).items()})
    np.testing.assert_allclose(f(params, X)[0], 0, atol=1e-6)
    g = grad(lambda params: F.sum(f(params, X)))(params)
    assert g["l2"]["b"].tolist() == [4, 4]  # the frozen ones are constants


@pytest.mark.parametrize("shared", [False, True])
def test_threads(shared):
    model = Perceptron()
    functions = [functional(model)[0] for _ in range(4)]
    params, node = functions[0].read(), model.l1.W.node
    wrong = []

    def work(k):
        own = unflattened(params, {path: (k + 1) * a for path, a in by_path(params).items()})
        f = functions[0 if shared else k]
        wanted = np.tanh(X @ own["l1"]["W"].T) @ own["l2"]["W"].T
        for _ in range(30):
            if not np.allclose(f(own, X), wanted, atol=1e-5):
                wrong.append(k)
            g = grad(lambda params: F.sum(f(params, X)))(own)
            if not np.allclose(g["l2"]["W"][0], np.tanh(X @ own["l1"]["W"].T).sum(axis=0), atol=1e-5):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert model.l1.W.node is node


# Functions with gradients of their own.


class Sign(chainer.FunctionNode):
    """A sign with the slope ``10 x``: what backward says counts, not what forward does."""

    def forward(self, inputs):
        self.retain_inputs((0,))
        return (np.sign(inputs[0]),)

    def backward(self, indexes, grad_outputs):
        (x,) = self.get_retained_inputs()
        return (10 * x * grad_outputs[0],)


class OldSign(chainer.Function):
    def forward(self, inputs):
        return (np.sign(inputs[0]),)

    def backward(self, inputs, grad_outputs):
        return (10 * inputs[0] * grad_outputs[0],)


class Exponential(chainer.FunctionNode):
    """Keeps its output, and something of its own."""

    def forward(self, inputs):
        self.retain_outputs((0,))
        y = np.exp(inputs[0])
        self.half = y / 2
        return (y,)

    def backward(self, indexes, grad_outputs):
        (y,) = self.get_retained_outputs()
        return ((y / 2 + self.half) * grad_outputs[0],)


class OldExponential(chainer.Function):
    def forward(self, inputs):
        self.y = np.exp(inputs[0])
        return (self.y,)

    def backward(self, inputs, grad_outputs):
        return (self.y * grad_outputs[0],)


class SumAndDifference(chainer.FunctionNode):
    def forward(self, inputs):
        return inputs[0] + inputs[1], inputs[0] - inputs[1]

    def backward(self, indexes, grad_outputs):
        s, d = grad_outputs
        return s + d, s - d


def sign(x):
    return Sign().apply((x,))[0]


def old_sign(x):
    return OldSign()(x)


def exponential(x):
    return Exponential().apply((x,))[0]


def old_exponential(x):
    return OldExponential()(x)


@pytest.fixture(params=["arrays", "Variables"])
def on(request):
    """Calls a function on traced values, or on a Variable that holds them."""
    if request.param == "arrays":
        return lambda fun: fun
    return lambda fun: lambda x: chainer.as_array(fun(chainer.Variable(x)))


T = np.array([0.5, -2.0])


@pytest.mark.parametrize("fun", [sign, old_sign])
def test_backward_is_the_derivative(fun, on):
    fun = on(fun)
    assert grad(lambda x: np.sum(fun(x)))(T).tolist() == [5, -20]
    assert vmap(fun)(T).tolist() == [1, -1]
    assert vmap(grad(fun))(T).tolist() == [5, -20]
    assert grad(lambda x: np.sum(vmap(fun)(x)))(T).tolist() == [5, -20]
    assert jvp(fun, (T,), (np.array([1.0, 2.0]),))[1].tolist() == [5, -40]
    assert hessian(lambda x: np.sum(fun(x)))(T).tolist() == [[10, 0], [0, 10]]
    assert jacobian(fun)(T).tolist() == [[5, 0], [0, -20]]
    assert vmap(grad(grad(grad(fun))))(T).tolist() == [0, 0]
    tape = make_tape(grad(lambda x: np.sum(fun(x))))(T)
    assert eval_tape(tape, T).tolist() == [5, -20]


@pytest.mark.parametrize("fun", [exponential, old_exponential])
def test_what_forward_kept_is_differentiated(fun, on):
    fun, wanted = on(fun), np.exp(T)
    np.testing.assert_allclose(grad(lambda x: np.sum(fun(x)))(T), wanted)
    np.testing.assert_allclose(vmap(fun)(T), wanted)
    np.testing.assert_allclose(vmap(grad(grad(grad(fun))))(T), wanted)
    np.testing.assert_allclose(hessian(lambda x: np.sum(fun(x)))(T), np.diag(wanted))


@pytest.mark.parametrize("fun", [exponential, old_exponential])
def test_a_gradient_penalty_of_a_function_with_a_gradient_of_its_own(fun):
    def penalty(x):
        x = chainer.Variable(x)
        (slope,) = chainer.grad([F.sum(fun(x))], [x], enable_double_backprop=True)
        return F.sum(slope * slope).array

    np.testing.assert_allclose(grad(penalty)(T), 2 * np.exp(2 * T))
    np.testing.assert_allclose(vmap(grad(penalty))(T), 2 * np.exp(2 * T))
    np.testing.assert_allclose(hessian(penalty)(T), np.diag(4 * np.exp(2 * T)))


def test_several_outputs():
    def f(x, y):
        s, d = SumAndDifference().apply((x, y))
        return s * d

    x, y = np.array([3.0]), np.array([2.0])
    assert grad(lambda x, y: np.sum(f(x, y)), argnums=(0, 1))(x, y) == (6.0, -4.0)
    assert vmap(grad(f))(np.array([1.0, 2.0]), np.ones(2)).tolist() == [2, 4]
    assert hessian(lambda x: np.sum(f(x[:1], x[1:])))(T).tolist() == [[2, 0], [0, -2]]


@pytest.mark.parametrize("function", [sign, old_sign])
def test_inside_of_models(function):
    class Binary(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.layer = L.Linear(3, 2, initialW=draw(2, 3))

        def forward(self, x):
            return F.sum(function(self.layer(x)))

    model = Binary()
    f, params = functional(model)
    wanted = gradients_of(model, lambda: model(X))
    assert np.abs(wanted["/layer/W"]).min() > 1
    assert_same(by_path(grad(f)(params, X)), wanted)
    each = vmap(lambda x: grad(f)(params, x[None]))(X)
    assert_same({path: g.sum(axis=0) for path, g in by_path(each).items()}, wanted)
    h = hessian(f)(params, X)["layer"]["W"]["layer"]["W"]
    np.testing.assert_allclose(h[0, :, 0], 10 * X.T @ X, rtol=1e-5)
    assert make_tape(f)(params, X).output_specs[0].shape == ()


def test_types_are_checked_where_values_are_traced():
    class Positive(chainer.FunctionNode):
        def check_type_forward(self, in_types):
            chainer.utils.type_check.expect(in_types[0].dtype.kind == "f")

        def forward(self, inputs):
            return (inputs[0],)

    for transformed in (vmap(lambda x: Positive().apply((x,))[0]), make_tape(lambda x: Positive().apply((x,))[0])):
        with pytest.raises(chainer.utils.type_check.InvalidType, match=r"Expect: in_types\[0\].dtype.kind == f"):
            transformed(np.ones(2, np.int64))


class Detached(chainer.Link):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.W = chainer.Parameter(np.array([3.0]))

    def forward(self, x):
        return F.sum(self.W * self.W.array * x)


def test_arrays_that_are_taken_out_of_variables_are_constants():
    model = Detached()
    f, params = functional(model)
    model(np.ones(1)).backward()
    assert model.W.grad.tolist() == [3]
    assert grad(f)(params, np.ones(1))["W"].tolist() == [3]
    assert hessian(f)(params, np.ones(1))["W"]["W"].tolist() == [[0]]
