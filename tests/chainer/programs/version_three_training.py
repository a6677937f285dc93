"""Programs of the table with trainers, as they were written for Chainer 3: a module of ``version_three.py``."""

import json
import os
import tempfile

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import iterators, serializers, training
from chainer.dataset import convert
from chainer.datasets import tuple_dataset
from chainer.training import extensions, triggers

STEPS = 10


def normal(*shape):
    return np.random.standard_normal(shape).astype(np.float32)  # noqa: NPY002


def integers(high, *shape):
    return np.random.randint(0, high, shape).astype(np.int32)  # noqa: NPY002


class MLP(chainer.Chain):
    def __init__(self, n_units, n_out):
        super(MLP, self).__init__()  # noqa: UP008 - as it was written
        with self.init_scope():
            self.l1 = L.Linear(None, n_units)
            self.l2 = L.Linear(None, n_units)
            self.l3 = L.Linear(None, n_out)

    def __call__(self, x):
        return self.l3(F.relu(self.l2(F.relu(self.l1(x)))))


def mnist_with_a_trainer():
    model = L.Classifier(MLP(8, 3))
    optimizer = chainer.optimizers.Adam()
    optimizer.setup(model)
    data, out = tuple_dataset.TupleDataset(normal(20, 6), integers(3, 20)), tempfile.mkdtemp()
    train, test = chainer.datasets.split_dataset_random(data, 12, seed=0)
    train_iter = chainer.iterators.SerialIterator(train, 4)
    test_iter = chainer.iterators.SerialIterator(test, 4, repeat=False, shuffle=False)
    updater = training.StandardUpdater(train_iter, optimizer, device=-1)
    trainer = training.Trainer(updater, (STEPS, "epoch"), out=out)
    trainer.extend(extensions.Evaluator(test_iter, model, device=-1))
    trainer.extend(extensions.dump_graph("main/loss"))
    trainer.extend(extensions.snapshot(), trigger=(5, "epoch"))
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.PrintReport(["epoch", "main/loss", "elapsed_time"], out=open(os.devnull, "w")))  # noqa: SIM115
    trainer.run()
    assert os.path.exists(os.path.join(out, "snapshot_iter_30"))
    with open(os.path.join(out, "log")) as file:
        return [entry["main/loss"] + entry["validation/main/loss"] for entry in json.load(file)]


def dcgan_with_an_updater():
    class Generator(chainer.Chain):
        def __init__(self, n_hidden=4, ch=4, wscale=0.02):
            super(Generator, self).__init__()  # noqa: UP008
            self.n_hidden = n_hidden
            with self.init_scope():
                w = chainer.initializers.Normal(wscale)
                self.l0 = L.Linear(n_hidden, 4 * 4 * ch, initialW=w)
                self.dc1 = L.Deconvolution2D(ch, 3, 4, 2, 1, initialW=w)
                self.bn0 = L.BatchNormalization(4 * 4 * ch)

        def make_hidden(self, batchsize):
            return np.random.uniform(-1, 1, (batchsize, self.n_hidden, 1, 1)).astype(np.float32)  # noqa: NPY002

        def __call__(self, z):
            h = F.reshape(F.relu(self.bn0(self.l0(z))), (len(z), 4, 4, 4))
            return F.sigmoid(self.dc1(h))

    class Discriminator(chainer.Chain):
        def __init__(self):
            super(Discriminator, self).__init__()  # noqa: UP008
            w = chainer.initializers.Normal(0.02)
            with self.init_scope():
                self.c0 = L.Convolution2D(3, 4, 3, 1, 1, initialW=w)
                self.bn = L.BatchNormalization(4, use_gamma=False)
                self.l = L.Linear(256, 1, initialW=w)

        def __call__(self, x):
            h = F.leaky_relu(self.bn(self.c0(x + 0.2 * normal(*x.shape))))
            return self.l(h)

    class DCGANUpdater(chainer.training.StandardUpdater):
        def __init__(self, *args, **kwargs):
            self.gen, self.dis = kwargs.pop("models")
            super(DCGANUpdater, self).__init__(*args, **kwargs)  # noqa: UP008

        def loss_dis(self, dis, y_fake, y_real):
            batchsize = len(y_fake)
            loss = F.sum(F.softplus(-y_real)) / batchsize + F.sum(F.softplus(y_fake)) / batchsize
            chainer.report({"loss": loss}, dis)
            return loss

        def loss_gen(self, gen, y_fake):
            loss = F.sum(F.softplus(-y_fake)) / len(y_fake)
            chainer.report({"loss": loss}, gen)
            return loss

        def update_core(self):
            gen_optimizer, dis_optimizer = self.get_optimizer("gen"), self.get_optimizer("dis")
            batch = self.get_iterator("main").next()
            x_real = chainer.Variable(self.converter(batch, self.device))
            gen, dis = self.gen, self.dis
            y_real = dis(x_real)
            z = chainer.Variable(np.asarray(gen.make_hidden(len(batch))))
            x_fake = gen(z)
            y_fake = dis(x_fake)
            dis_optimizer.update(self.loss_dis, dis, y_fake, y_real)
            gen_optimizer.update(self.loss_gen, gen, y_fake)

    def make_optimizer(model, alpha=0.002, beta1=0.5):
        optimizer = chainer.optimizers.Adam(alpha=alpha, beta1=beta1)
        optimizer.setup(model)
        optimizer.add_hook(chainer.optimizer.WeightDecay(0.0001), "hook_dec")
        return optimizer

    gen, dis = Generator(), Discriminator()
    updater = DCGANUpdater(
        models=(gen, dis),
        iterator=iterators.SerialIterator(normal(8, 3, 8, 8), 4, shuffle=False),
        optimizer={"gen": make_optimizer(gen), "dis": make_optimizer(dis)},
        device=-1,
    )
    trainer = training.Trainer(updater, (STEPS, "iteration"), out=tempfile.mkdtemp())
    trainer.extend(extensions.snapshot_object(gen, "gen_iter_{.updater.iteration}.npz"), trigger=(5, "iteration"))
    trainer.extend(extensions.LogReport(trigger=(1, "iteration")))
    trainer.run()
    return [entry["gen/loss"] + entry["dis/loss"] for entry in trainer.get_extension("LogReport").log]


def language_model_of_ptb():
    class RNNForLM(chainer.Chain):
        def __init__(self, n_vocab, n_units):
            super(RNNForLM, self).__init__()  # noqa: UP008
            with self.init_scope():
                self.embed = L.EmbedID(n_vocab, n_units)
                self.l1, self.l2 = L.LSTM(n_units, n_units), L.LSTM(n_units, n_units)
                self.l3 = L.Linear(n_units, n_vocab)
            for _, param in sorted(self.namedparams()):
                param.data[...] = np.random.uniform(-0.1, 0.1, param.data.shape)  # noqa: NPY002

        def reset_state(self):
            self.l1.reset_state()
            self.l2.reset_state()

        def __call__(self, x):
            h1 = self.l1(F.dropout(self.embed(x)))
            return self.l3(F.dropout(self.l2(F.dropout(h1))))

    class ParallelSequentialIterator(chainer.dataset.Iterator):
        def __init__(self, dataset, batch_size, repeat=True):
            self.dataset, self.batch_size, self.repeat = dataset, batch_size, repeat
            self.epoch, self.iteration, self.is_new_epoch, self._previous_epoch_detail = 0, 0, False, -1.0
            self.offsets = [i * len(dataset) // batch_size for i in range(batch_size)]

        def __next__(self):
            if not self.repeat and self.iteration * self.batch_size >= len(self.dataset):
                raise StopIteration
            cur_words = self.get_words()
            self._previous_epoch_detail = self.epoch_detail
            self.iteration += 1
            next_words = self.get_words()
            epoch = self.iteration * self.batch_size // len(self.dataset)
            self.is_new_epoch = self.epoch < epoch
            if self.is_new_epoch:
                self.epoch = epoch
            return list(zip(cur_words, next_words))

        @property
        def epoch_detail(self):
            return self.iteration * self.batch_size / float(len(self.dataset))

        def get_words(self):
            return [self.dataset[(offset + self.iteration) % len(self.dataset)] for offset in self.offsets]

        def serialize(self, serializer):
            self.iteration = serializer("iteration", self.iteration)
            self.epoch = serializer("epoch", self.epoch)

    class BPTTUpdater(training.StandardUpdater):
        def __init__(self, train_iter, optimizer, bprop_len, device):
            super(BPTTUpdater, self).__init__(train_iter, optimizer, device=device)  # noqa: UP008
            self.bprop_len = bprop_len

        def update_core(self):
            loss = 0
            train_iter, optimizer = self.get_iterator("main"), self.get_optimizer("main")
            for _ in range(self.bprop_len):
                x, t = self.converter(train_iter.__next__(), self.device)
                loss += optimizer.target(chainer.Variable(x), chainer.Variable(t))
            optimizer.target.cleargrads()
            loss.backward()
            loss.unchain_backward()
            optimizer.update()
            losses.append(float(loss.data))

    losses, words = [], integers(8, 60)
    model = L.Classifier(RNNForLM(8, 6))
    model.compute_accuracy = False
    optimizer = chainer.optimizers.SGD(lr=1.0)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer.GradientClipping(5))
    updater = BPTTUpdater(ParallelSequentialIterator(words, 4), optimizer, 3, -1)
    trainer = training.Trainer(updater, (STEPS, "iteration"), out=tempfile.mkdtemp())
    eval_model = model.copy()
    eval_rnn = eval_model.predictor
    trainer.extend(
        extensions.Evaluator(
            ParallelSequentialIterator(words[:9], 1, repeat=False),
            eval_model,
            device=-1,
            eval_hook=lambda _: eval_rnn.reset_state(),
        ),
        trigger=(5, "iteration"),
    )
    trainer.extend(extensions.LogReport(trigger=(5, "iteration")))
    trainer.run()
    validation = [entry["validation/main/loss"] for entry in trainer.get_extension("LogReport").log]
    return losses[:8] + validation


def vgg_with_weight_decay_and_shifted_rates():
    class Block(chainer.Chain):
        def __init__(self, out_channels, ksize, pad=1):
            super(Block, self).__init__()  # noqa: UP008
            with self.init_scope():
                self.conv = L.Convolution2D(None, out_channels, ksize, pad=pad, nobias=True)
                self.bn = L.BatchNormalization(out_channels)

        def __call__(self, x):
            return F.relu(self.bn(self.conv(x)))

    class VGG(chainer.Chain):
        def __init__(self, class_labels=3):
            super(VGG, self).__init__()  # noqa: UP008
            with self.init_scope():
                self.block1_1, self.block1_2 = Block(4, 3), Block(4, 3)
                self.fc1, self.bn_fc1 = L.Linear(None, 8, nobias=True), L.BatchNormalization(8)
                self.fc2 = L.Linear(None, class_labels, nobias=True)

        def __call__(self, x):
            h = self.block1_2(F.dropout(self.block1_1(x), ratio=0.3))
            h = F.max_pooling_2d(h, ksize=2, stride=2)
            return self.fc2(F.dropout(F.relu(self.bn_fc1(self.fc1(h))), ratio=0.5))

    class TestModeEvaluator(extensions.Evaluator):
        def evaluate(self):
            model = self.get_target("main")
            with chainer.using_config("train", False):
                ret = super(TestModeEvaluator, self).evaluate()  # noqa: UP008
            assert model is not None
            return ret

    model = L.Classifier(VGG())
    optimizer = chainer.optimizers.MomentumSGD(0.1)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer.WeightDecay(5e-4))
    data = chainer.datasets.TransformDataset(
        tuple_dataset.TupleDataset(normal(8, 3, 6, 6), integers(3, 8)),
        lambda pair: (pair[0][:, :, ::-1].copy(), pair[1]),
    )
    updater = training.StandardUpdater(
        iterators.SerialIterator(data, 4, shuffle=False), optimizer, converter=convert.concat_examples
    )
    trainer = training.Trainer(updater, (STEPS, "iteration"), out=tempfile.mkdtemp())
    trainer.extend(extensions.ExponentialShift("lr", 0.5), trigger=(2, "epoch"))
    trainer.extend(
        TestModeEvaluator(iterators.SerialIterator(data, 4, repeat=False, shuffle=False), model),
        trigger=(1, "iteration"),
    )
    trainer.extend(extensions.observe_lr(), trigger=(1, "iteration"))
    trainer.extend(extensions.LogReport(trigger=(1, "iteration")))
    trainer.run()
    log = trainer.get_extension("LogReport").log
    assert all(0 <= entry["validation/main/accuracy"] <= 1 for entry in log)
    return [entry["main/loss"] + entry["lr"] for entry in log]


def training_that_is_resumed():
    out = tempfile.mkdtemp()

    def made(stop):
        model = L.Classifier(MLP(6, 3))
        optimizer = chainer.optimizers.AdaDelta()
        optimizer.setup(model)
        updater = training.updater.StandardUpdater(iterators.SerialIterator(data, 5), optimizer)
        trainer = training.Trainer(updater, (stop, "iteration"), out)
        trainer.extend(extensions.snapshot(filename="snap"), trigger=triggers.ManualScheduleTrigger([4], "iteration"))
        trainer.extend(extensions.LogReport(trigger=(1, "iteration")), name="log")
        return trainer

    data = tuple_dataset.TupleDataset(normal(20, 6), integers(3, 20))
    made(4).run()
    trainer = made(STEPS)
    serializers.load_npz(os.path.join(out, "snap"), trainer)
    trainer.run()
    return [entry["main/loss"] for entry in trainer.get_extension("log").log]


def functions_of_ones_own():
    class Square(chainer.FunctionNode):
        def check_type_forward(self, in_types):
            chainer.utils.type_check.expect(in_types.size() == 1, in_types[0].dtype.kind == "f")

        def forward(self, inputs):
            self.retain_inputs((0,))
            return (inputs[0] ** 2,)

        def backward(self, indexes, gy):
            (x,) = self.get_retained_inputs()
            return (2 * x * gy[0],)

    class Scale(chainer.Function):
        def forward_cpu(self, inputs):
            x, w = inputs
            return (x * w,)

        def backward_cpu(self, inputs, gy):
            x, w = inputs
            return gy[0] * w, (gy[0] * x).sum(axis=0)

    class Hook(chainer.function.FunctionHook):
        name = "Hook"

        def __init__(self):
            self.forward, self.backward = [], []

        def forward_preprocess(self, function, in_data):
            self.forward.append(function.label)

        def backward_postprocess(self, function, in_data, out_grad):
            self.backward.append(function.label)

    class Model(chainer.Chain):
        def __init__(self):
            super(Model, self).__init__()  # noqa: UP008
            with self.init_scope():
                self.l = L.Linear(4, 3)
                self.w = chainer.Parameter(chainer.initializers.Constant(1.2), (3,))

        def __call__(self, x, t):
            (y,) = Square().apply((Scale()(self.l(x), self.w),))
            self.loss = F.mean_squared_error(y, t)
            return self.loss

    model, hook, x, t = Model(), Hook(), normal(6, 4), normal(6, 3)
    optimizer = chainer.optimizers.SGD(0.05)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer.Lasso(1e-3))
    optimizer.add_hook(chainer.optimizer.GradientHardClipping(-2.0, 2.0))
    losses = []
    for _ in range(STEPS):
        with hook:
            optimizer.update(model, x, t)
        losses.append(float(model.loss.data))
    assert {"LinearFunction", "Square", "Scale", "MeanSquaredError"} <= set(hook.forward) & set(hook.backward)
    return losses


PROGRAMS = (
    mnist_with_a_trainer,
    dcgan_with_an_updater,
    language_model_of_ptb,
    vgg_with_weight_decay_and_shifted_rates,
    training_that_is_resumed,
    functions_of_ones_own,
)
