"""More programs as they were written for Chainer 1: classes of links, trainers, functions as objects.

A script like ``version_one.py``.
"""

import json
import math
import tempfile

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import cuda, iterators, optimizers, training
from chainer.training import extensions

STEPS = 10


def normal(*shape):
    return np.random.standard_normal(shape).astype(np.float32)  # noqa: NPY002


def integers(high, *shape):
    return np.random.randint(0, high, shape).astype(np.int32)  # noqa: NPY002


def characters_of_two_layers_and_samples():
    layers = {"embed": F.EmbedID(7, 5)}
    for name in ("x1", "h1", "x2", "h2"):
        layers[name] = F.Linear(5, 20)
    model = chainer.FunctionSet(y=F.Linear(5, 7), **layers)
    for param in model.parameters:
        param[:] = np.random.uniform(-0.08, 0.08, param.shape)  # noqa: NPY002
    optimizer = optimizers.RMSprop(lr=2e-3, alpha=0.95, eps=1e-8)
    optimizer.setup(model)

    def step(x, state, train):
        x = chainer.Variable(x, volatile=not train)
        h = F.dropout(model.embed(x), ratio=0.3, train=train)
        new = {}
        for k in "12":
            gates = model["x" + k](h) + model["h" + k](state["h" + k])
            new["c" + k], new["h" + k] = F.lstm(state["c" + k], gates)
            h = F.dropout(new["h" + k], ratio=0.3, train=train)
        return new, model.y(h)

    def start(batch, train):
        names = ("c1", "h1", "c2", "h2")
        return {n: chainer.Variable(np.zeros((batch, 5), dtype=np.float32), volatile=not train) for n in names}

    losses, state = [], start(3, True)
    for _ in range(STEPS - 2):
        total = chainer.Variable(np.zeros((), dtype=np.float32))
        for _ in range(3):
            state, y = step(integers(7, 3), state, True)
            total += F.softmax_cross_entropy(y, chainer.Variable(integers(7, 3)))
        optimizer.zero_grads()
        total.backward()
        total.unchain_backward()
        optimizer.clip_grads(1)
        optimizer.update()
        losses.append(float(total.data))
    state, drawn = start(1, False), np.array([3], dtype=np.int32)
    for _ in range(2):
        state, y = step(drawn, state, False)
        p = cuda.to_cpu(F.softmax(y).data)[0].astype(np.float64)
        drawn = np.random.choice(7, 1, p=p / p.sum()).astype(np.int32)  # noqa: NPY002
        losses.append(int(drawn) + p.max())
    return losses


def convolutions_that_know_whether_they_train():
    class Net(chainer.Chain):
        def __init__(self):
            super().__init__(
                conv1=L.Convolution2D(3, 6, 3, stride=2),
                bn1=L.BatchNormalization(6),
                conv2=L.Convolution2D(6, 6, 3, pad=1, wscale=math.sqrt(2)),
                fc=L.Linear(24, 4),
            )
            self.train = True

        def __call__(self, x, t):
            h = F.max_pooling_2d(F.relu(self.bn1(self.conv1(x), test=not self.train)), 3, stride=2)
            h = F.local_response_normalization(F.relu(self.conv2(h)))
            h = self.fc(F.dropout(h, ratio=0.3, train=self.train))
            self.loss, self.accuracy = F.softmax_cross_entropy(h, t), F.accuracy(h, t)
            return self.loss

    model = Net()
    optimizer = optimizers.MomentumSGD(lr=0.01, momentum=0.9)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer.WeightDecay(5e-4))
    losses = []
    for _ in range(STEPS):
        optimizer.update(model, chainer.Variable(normal(4, 3, 12, 12)), chainer.Variable(integers(4, 4)))
        losses.append(float(model.loss.data) + float(model.accuracy.data))
    return losses


class ELU(chainer.Function):
    """A function of the user's own, which keeps its input."""

    def forward_cpu(self, x):
        self.x = x[0]
        return (np.where(self.x < 0, np.exp(np.minimum(self.x, 0)) - 1, self.x),)

    def backward_cpu(self, x, gy):
        return (np.where(self.x < 0, np.exp(np.minimum(self.x, 0)), 1).astype(np.float32) * gy[0],)


def dcgan_with_a_function_of_its_own():
    gen = chainer.Chain(l0=L.Linear(5, 32, wscale=0.1), bn=L.BatchNormalization(32))
    gen.add_link("dc", L.Deconvolution2D(8, 1, 4, stride=2, pad=1, wscale=0.3))
    dis = chainer.Chain(c=L.Convolution2D(1, 6, 4, stride=2, pad=1, wscale=0.3), l=L.Linear(24, 2))
    players = [optimizers.Adam(alpha=2e-4, beta1=0.5) for _ in range(2)]
    for player, model in zip(players, (gen, dis)):
        player.setup(model)
        player.add_hook(chainer.optimizer.WeightDecay(1e-5))

    def label(k):
        return chainer.Variable(np.full(3, k, dtype=np.int32))

    losses = []
    for _ in range(STEPS):
        z = chainer.Variable(np.random.uniform(-1, 1, (3, 5)).astype(np.float32))  # noqa: NPY002
        x = gen.dc(F.reshape(F.relu(gen.bn(gen.l0(z), test=False)), (3, 8, 2, 2)))
        fake, real = (dis.l(ELU()(dis.c(image))) for image in (x, chainer.Variable(normal(3, 1, 4, 4))))
        gen_loss = F.softmax_cross_entropy(fake, label(0))
        dis_loss = F.softmax_cross_entropy(fake, label(1)) + F.softmax_cross_entropy(real, label(0))
        for loss, player in zip((gen_loss, dis_loss), players):
            player.zero_grads()
            loss.backward()
            player.update()
        losses.append(float(gen_loss.data) + float(dis_loss.data))
    return losses


def trained(model, optimizer, dataset, evaluator=extensions.Evaluator):
    """The losses of ten updates by a trainer, and of the evaluations between."""
    optimizer.setup(model)
    losses = []

    @training.make_extension(trigger=(1, "iteration"), priority=50)
    def collect(trainer):
        seen = trainer.observation
        losses.append(float(cuda.to_cpu(seen["main/loss"].data)) + float(seen.get("validation/main/loss", 0)))

    train = iterators.SerialIterator(dataset, 4)
    test = iterators.SerialIterator(dataset, 4, repeat=False, shuffle=False)
    trainer = training.Trainer(training.StandardUpdater(train, optimizer), (STEPS, "iteration"), tempfile.mkdtemp())
    trainer.extend(evaluator(test, model), trigger=(1, "epoch"))
    trainer.extend(extensions.ExponentialShift("lr", 0.5), trigger=(1, "epoch"))
    trainer.extend(extensions.LogReport(trigger=(1, "epoch")))
    trainer.extend(collect)
    trainer.run()
    return losses


def epochs_of_a_trainer():
    model = L.Classifier(chainer.ChainList(L.Linear(None, 8), L.Linear(None, 3)))
    model.predictor.__class__ = type("MLP", (chainer.ChainList,), {"__call__": lambda m, x: m[1](F.relu(m[0](x)))})
    data = chainer.datasets.TupleDataset(normal(14, 5), integers(3, 14))
    return trained(model, optimizers.NesterovAG(lr=0.1), data)


def imagenet_with_an_evaluator_of_its_own():
    class Net(chainer.Chain):
        def __init__(self):
            super().__init__(conv=L.Convolution2D(None, 4, 3, stride=2, wscale=1.4), fc=L.Linear(None, 3))
            self.train = True

        def __call__(self, x, t):
            h = F.dropout(F.relu(self.conv(x)), train=self.train)
            loss = F.softmax_cross_entropy(self.fc(h), t)
            chainer.report({"loss": loss}, self)
            return loss

    class Evaluator(extensions.Evaluator):
        def evaluate(self):
            model = self.get_target("main")
            model.train = False
            found = super().evaluate()
            model.train = True
            return found

    class Images(chainer.dataset.DatasetMixin):
        def __init__(self):
            self.images = normal(12, 2, 6, 6)

        def __len__(self):
            return 12

        def get_example(self, k):
            return self.images[k], np.int32(k % 3)

    return trained(Net(), optimizers.MomentumSGD(lr=0.05), Images(), Evaluator)


def encoder_and_decoder():
    class Model(chainer.Chain):
        def __init__(self):
            super().__init__(
                e=L.EmbedID(9, 6, ignore_label=-1), enc=L.LSTM(6, 6), dec=L.StatelessLSTM(6, 6), o=L.Linear(6, 9)
            )

        def __call__(self, xs, ts):
            self.enc.reset_state()
            for x in xs:
                h = self.enc(self.e(chainer.Variable(x)))
            c, total = self.enc.c, 0
            for before, after in zip(ts, ts[1:]):  # noqa: RUF007 - as programs of that time do
                c, h = self.dec(c, h, self.e(chainer.Variable(before)))
                total += F.softmax_cross_entropy(self.o(h), chainer.Variable(after))
            return total

    model = Model()
    optimizer = optimizers.AdaDelta()
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer.GradientClipping(5))
    losses = []
    for _ in range(STEPS):
        loss = model([integers(10, 3) - 1 for _ in range(3)], [integers(9, 3) for _ in range(4)])
        model.zerograds()
        loss.backward()
        loss.unchain_backward()
        optimizer.update()
        losses.append(float(loss.data))
    return losses


def segmentation_by_places_of_pooling():
    model = chainer.Chain(a=L.Convolution2D(1, 4, 3, pad=1), b=L.Convolution2D(4, 2, 3, pad=1))
    optimizer = optimizers.AdaGrad(lr=0.05)
    optimizer.setup(model)
    x, t, losses = chainer.Variable(normal(2, 1, 6, 6)), chainer.Variable(integers(2, 2, 6, 6)), []
    for _ in range(STEPS):
        pool = F.MaxPooling2D(2, 2)
        h = pool(F.relu(model.a(x)))
        h = F.upsampling_2d(h, pool.indexes, pool.kh, pool.sy, pool.ph, outsize=(6, 6))
        loss = F.softmax_cross_entropy(model.b(h), t)
        model.zerograds()
        loss.backward()
        optimizer.update()
        losses.append(float(loss.data))
    return losses


def sequences_with_dropout_between_layers():
    model = chainer.Chain(rnn=L.NStepLSTM(2, 3, 4, 0.3), o=L.Linear(4, 3))
    optimizer = optimizers.SMORMS3(lr=0.01)
    optimizer.setup(model)
    losses = []
    for _ in range(STEPS):
        xs = [chainer.Variable(normal(length, 3)) for length in (4, 3, 2)]
        start = chainer.Variable(np.zeros((2, 3, 4), dtype=np.float32))
        _, _, ys = model.rnn(start, start, xs, train=True)
        loss = F.softmax_cross_entropy(model.o(F.concat(ys, axis=0)), chainer.Variable(integers(3, 9)))
        model.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(float(loss.data))
    return losses


def word2vec_by_a_tree_of_words():
    tree = L.BinaryHierarchicalSoftmax.create_huffman_tree({0: 5, 1: 3, 2: 8, 3: 1, 4: 2})
    model = chainer.Chain(embed=F.EmbedID(5, 6), loss=L.BinaryHierarchicalSoftmax(6, tree))
    for param in model.params():
        param.data[...] = np.random.uniform(-0.5, 0.5, param.data.shape)  # noqa: NPY002
    optimizer = optimizers.Adam()
    optimizer.setup(model)
    losses = []
    for _ in range(STEPS):
        x, context = chainer.Variable(integers(5, 4)), chainer.Variable(integers(5, 4, 3))
        e = F.reshape(model.embed(context), (12, 6))
        loss = model.loss(e, F.reshape(F.broadcast_to(F.reshape(x, (4, 1)), (4, 3)), (12,)))
        model.zerograds()
        loss.backward()
        optimizer.update()
        losses.append(float(loss.data))
    return losses


def advantages_with_noise_in_gradients():
    model = chainer.Chain(pi=L.Linear(4, 2), v=L.Linear(4, 1))
    optimizer = optimizers.RMSpropGraves(lr=1e-2)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer.GradientClipping(1.0))
    optimizer.add_hook(chainer.optimizer.Lasso(1e-3))
    losses = []
    for _ in range(STEPS):
        s, a, returns = normal(8, 4), integers(2, 8), normal(8, 1)
        v = model.v(chainer.Variable(s))
        log_p = F.select_item(F.log_softmax(model.pi(chainer.Variable(s))), chainer.Variable(a))
        advantage = chainer.Variable((returns - v.data)[:, 0])
        loss = F.mean_squared_error(v, chainer.Variable(returns)) - F.sum(log_p * advantage) / 8
        model.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(float(loss.data))
    return losses


PROGRAMS = (
    characters_of_two_layers_and_samples,
    convolutions_that_know_whether_they_train,
    dcgan_with_a_function_of_its_own,
    epochs_of_a_trainer,
    imagenet_with_an_evaluator_of_its_own,
    encoder_and_decoder,
    segmentation_by_places_of_pooling,
    sequences_with_dropout_between_layers,
    word2vec_by_a_tree_of_words,
    advantages_with_noise_in_gradients,
)


if __name__ == "__main__":
    found = {}
    for program in PROGRAMS:
        np.random.seed(0)  # noqa: NPY002
        found[program.__name__] = program()
    print(json.dumps(found))  # noqa: T201 - a command prints
