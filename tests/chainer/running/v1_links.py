import pickle

import numpy as np
import pytest

import autodiff.chainer as chainer
from autodiff.chainer import functions as F
from autodiff.chainer import links as L
from autodiff.chainer import optimizers, serializers, training
from autodiff.chainer.training import extensions

X = np.arange(6, dtype=np.float32).reshape(3, 2)


def shapes(link):
    return {name: param.shape for name, param in link.namedparams()}


def test_linear_takes_wscale_and_bias_by_position():
    with pytest.warns(DeprecationWarning, match=r"Linear\((wscale|bias)=\.\.\.\) is gone since Chainer 2"):
        link = L.Linear(2, 3, 4, 5.0, initialW=np.full((3, 2), 2, np.float32))
    assert (link.W.data == 4).all()
    assert (link.b.data == 5).all()
    with pytest.warns(DeprecationWarning, match=r"Linear\(bias"):
        assert (L.Linear(2, 3, bias=5.0, initial_bias=7).b.data == 7).all()


def test_wscale_scales_the_variance_of_random_weights():
    np.random.seed(0)  # noqa: NPY002
    with pytest.warns(DeprecationWarning, match=r"Linear\(wscale"):
        random, ones = (L.Linear(100, 1000, wscale=4, initialW=each) for each in (None, chainer.initializers.One()))
    with pytest.warns(DeprecationWarning, match=r"Convolution2D\(wscale"):
        kernel = L.Convolution2D(10, 100, 3, 1, 0, 4)
    assert random.W.data.std() == pytest.approx(0.2, rel=0.01)
    assert (ones.W.data == 2).all()
    assert kernel.W.data.std() * 90**0.5 == pytest.approx(2, rel=0.05)


def test_links_are_not_volatile_but_follow_their_inputs():
    link = L.Linear(2, 3)
    assert link.W.volatile is chainer.AUTO
    assert link(chainer.Variable(X, "on")).volatile is chainer.ON
    assert link(chainer.Variable(X)).volatile is chainer.OFF
    assert link(X).volatile is chainer.AUTO
    assert L.LSTM(2, 3)(chainer.Variable(X, "on")).volatile is chainer.ON


def test_the_forget_gate_has_bias_0():
    assert not L.LSTM(2, 2).upward.b.data.any()
    assert not L.StatelessLSTM(2, 2).upward.b.data.any()
    assert L.LSTM(2, 1, forget_bias_init=1).upward.b.data.sum() == 1


def test_gru_takes_its_units_first_and_the_state_in_each_call():
    link = L.GRU(3, 2)
    assert link(np.zeros((len(X), 3), "f"), X).shape == (len(X), 3)
    assert not isinstance(link, L.StatefulGRU)
    assert shapes(L.GRU(3))["/W/W"] == (3, 3)
    assert shapes(L.GRU(3, 2))["/W/W"] == (3, 2)
    assert shapes(L.StatefulGRU(2, 3))["/W/W"] == (3, 2)


def test_batch_normalization_takes_test():
    link = L.BatchNormalization(2, use_cudnn=False)
    assert link.avg_var.tolist() == [0.0, 0.0]
    with pytest.warns(DeprecationWarning, match=r"BatchNormalization\(test=\.\.\.\) is gone"):
        y = link(chainer.Variable(X), test=False)
    assert y.data.mean(axis=0) == pytest.approx(np.zeros(2), abs=1e-6)
    with pytest.warns(DeprecationWarning, match=r"BatchNormalization\(test"):
        y = link(chainer.Variable(X), test=True)
    assert y.data[:, 0] == pytest.approx((X[:, 0] - link.avg_mean[0]) / np.sqrt(link.avg_var[0] + 2e-5), rel=1e-5)


def test_n_step_lstm_takes_train():
    link = L.NStepLSTM(2, 2, 3, 0.5, use_cudnn=True)
    with pytest.warns(DeprecationWarning, match=r"NStepLSTM\(train=\.\.\.\) is gone"):
        hy, _, ys = link(None, None, [X, X[:2]], train=False)
    assert hy.shape == (2, 2, 3)
    with chainer.using_config("train", False):
        assert np.array_equal(link(None, None, [X, X[:2]])[2][0].data, ys[0].data)


def test_a_parameter_link_takes_volatile():
    link = L.Parameter(X)
    assert (link("on").volatile, link("on").creator) == (chainer.ON, None)
    assert link().volatile is chainer.OFF
    assert link().creator is not None


def test_links_are_pickled():
    link = pickle.loads(pickle.dumps(L.Linear(2, 3)))
    assert type(link) is L.Linear


def test_a_function_set_gives_arrays():
    model = chainer.FunctionSet(l1=F.Linear(2, 3), l2=L.Linear(3, 1))
    assert [array.shape for array in model.parameters] == [(3, 2), (3,), (1, 3), (1,)]
    assert model.collect_parameters() is model
    assert model["l1"] is model.l1
    model.l3, model.f = F.Linear(1, 1), F.ReLU()
    assert "/l3/W" in shapes(model)
    model.parameters = [np.zeros_like(array) for array in model.parameters]
    model.gradients = [np.ones_like(array) for array in model.parameters]
    assert not model.l1.W.data.any()
    assert all((array == 1).all() for array in model.gradients)
    held = model.l1.W.data
    model.copy_parameters_from([np.full_like(array, 3) for array in model.parameters])
    assert (held == 3).all()


def test_init_weight_fills_an_array():
    weights = np.empty((2, 2), np.float32)
    chainer.init_weight(weights, 3.0, 2.0)
    assert (weights == 6).all()
    chainer.init_weight(weights, np.ones((2, 2)), 2.0)
    assert (weights == 2).all()
    weights = np.empty((1000, 100), np.float32)
    np.random.seed(0)  # noqa: NPY002
    chainer.init_weight(weights, None, 3.0)
    assert weights.std() == pytest.approx(0.3, rel=0.01)


def test_old_spellings_of_optimizers():
    model = chainer.FunctionSet(l1=F.Linear(2, 1))
    optimizer = optimizers.SGD(0.5)
    optimizer.setup(model.collect_parameters())
    with pytest.warns(DeprecationWarning, match="zero_grads"):
        optimizer.zero_grads()
    F.sum(model.l1(chainer.Variable(X))).backward()
    before = model.l1.b.data.copy()
    optimizer.update()
    assert model.l1.b.data == pytest.approx(before - 0.5 * 3)


def test_the_training_loop_calls_models_on_variables():
    seen = []

    class Model(chainer.Chain):
        def __init__(self):
            super().__init__(l1=L.Linear(2, 1))

        def __call__(self, x, t):
            seen.append((x.volatile, t.volatile, x.data.shape))
            loss = F.sum(self.l1(x))
            chainer.report({"loss": loss}, self)
            return loss

    model = Model()
    data = [(np.ones(2, np.float32), np.int32(0))] * 4
    optimizer = optimizers.SGD()
    optimizer.setup(model)
    training.StandardUpdater(chainer.iterators.SerialIterator(data, 2), optimizer).update()
    assert seen == [(chainer.OFF, chainer.OFF, (2, 2))]
    found = extensions.Evaluator(chainer.iterators.SerialIterator(data, 2, repeat=False, shuffle=False), model)()
    assert seen[1:] == [(chainer.ON, chainer.ON, (2, 2))] * 2
    assert set(found) == {"main/loss"}


def test_cuda_init_asks_for_a_gpu():
    with pytest.raises(RuntimeError, match="CUDA"):
        chainer.cuda.init()


def test_modules_of_chainer_1():
    from autodiff.chainer import flag, function_set

    assert function_set.FunctionSet is chainer.FunctionSet
    assert flag.ON is chainer.ON


def test_extensions_take_triggers_and_invoke_before_training(tmp_path):
    called = []

    @training.make_extension(trigger=(1, "epoch"), invoke_before_training=True)
    def note(trainer):
        called.append(trainer.updater.iteration)

    class Model(chainer.Chain):
        def __call__(self, x):
            return F.sum(self.l1(x))

    optimizer = optimizers.SGD()
    optimizer.setup(Model(l1=L.Linear(2, 1)))
    iterator = chainer.iterators.SerialIterator([np.ones(2, np.float32)] * 4, 2)
    trainer = training.Trainer(training.StandardUpdater(iterator, optimizer), (2, "epoch"), str(tmp_path))
    trainer.extend(note)
    with pytest.warns(DeprecationWarning, match="invoke_before_training"):
        trainer.extend(lambda _: called.append("first"), "other", (9, "epoch"), invoke_before_training=True)
    with pytest.warns(DeprecationWarning, match=r"snapshot\(trigger="):
        trainer.extend(extensions.snapshot(filename="s_{.updater.iteration}", trigger=(3, "iteration")))
    trainer.extend(extensions.snapshot_object(optimizer.target, "m_{.updater.iteration}"))
    trainer.run()
    assert called == [0, "first", 2, 4]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m_2", "m_4", "s_3"]


def test_optimizers_are_written_with_update_one():
    class Momentum(chainer.optimizer.GradientMethod):
        def __init__(self, lr):
            self.lr = lr

        def init_state(self, param, state):
            state["v"] = np.zeros_like(param.data)

        def update_one_cpu(self, param, state):
            state["v"] = 0.5 * state["v"] - self.lr * param.grad
            param.data += state["v"]

    link = L.Linear(2, 1, initialW=np.zeros((1, 2), np.float32))
    optimizer = Momentum(lr=0.5)
    optimizer.setup(link)
    for _ in range(2):
        link.cleargrads()
        F.sum(link(chainer.Variable(X))).backward()
        optimizer.update()
    assert link.b.data.tolist() == [-1.5 - 2.25]


def test_hyperparameters_are_plain_attributes():
    link = L.Linear(2, 1)
    optimizer = chainer.optimizers.MomentumSGD(0.1)
    optimizer.setup(link)
    assert {name: vars(optimizer)[name] for name in ("lr", "momentum")} == {"lr": 0.1, "momentum": 0.9}
    assert sorted(optimizer._states) == ["/W", "/b"]
    optimizer.__dict__["lr"] = 0.0
    before = link.W.data.copy()
    link.cleargrads()
    F.sum(link(chainer.Variable(X))).backward()
    optimizer.update()
    assert optimizer.lr == 0
    assert np.array_equal(link.W.data, before)
    optimizer.lr = 0.5
    assert vars(optimizer)["lr"] == optimizer.hyperparam.lr == 0.5


def test_snapshots_count_updates_once():
    def trained():
        optimizer = chainer.optimizers.Adam()
        optimizer.setup(L.Linear(2, 1, initialW=np.zeros((1, 2), np.float32)))
        return optimizer

    def update(optimizer):
        optimizer.target.cleargrads()
        F.sum(optimizer.target(chainer.Variable(X))).backward()
        optimizer.update()

    first, second = trained(), trained()
    update(first)
    saved = serializers.DictionarySerializer()
    saved.save(first)
    of_chainer_1 = {key: np.array(value) for key, value in saved.target.items() if not key.endswith("/t")}
    assert {"t", "epoch", "W/m", "W/v", "b/m", "b/v"} == set(of_chainer_1)
    serializers.NpzDeserializer(of_chainer_1).load(second)
    second.target.copyparams(first.target)
    update(first)
    update(second)
    assert np.array_equal(first.target.W.data, second.target.W.data)


def test_convolutions_over_n_axes_have_a_bias_if_one_is_given():
    assert [name for name, _ in L.ConvolutionND(1, 2, 3, 2).namedparams()] == ["/W"]
    assert L.DeconvolutionND(1, 2, 3, 2, initial_bias=None).b is None
    assert L.ConvolutionND(1, 2, 3, 2, initial_bias=0).b.shape == (3,)


def test_links_show_what_has_no_effect():
    conv = L.Convolution2D(1, 1, 3, use_cudnn=False)
    assert (conv.use_cudnn, conv.deterministic, conv.wscale, conv._cpu) == (False, False, 1, True)


def test_make_extension_takes_invoke_before_training_at_the_fourth_place():
    @training.make_extension((1, "iteration"), "name", 300, True)
    def extension(trainer):
        """Does nothing."""

    assert (extension.invoke_before_training, extension.priority) == (True, 300)


def test_initializers_and_serializers_have_their_old_arguments(tmp_path):
    weights = np.zeros((2, 2), np.float32)
    chainer.initializers.init_weight(weights, 3, scale=2.0)
    assert weights.tolist() == [[6, 6], [6, 6]]
    chainer.initializers._get_initializer(0.5, -2.0)(weights)
    assert weights.tolist() == [[-1, -1], [-1, -1]]
    link = L.Linear(1, 1)
    serializers.save_npz(filename=tmp_path / "a.npz", obj=link)
    serializers.load_npz(filename=tmp_path / "a.npz", obj=link)
    assert chainer.optimizer.exponential_decay_noise.__name__ == "exponential_decay_noise"
