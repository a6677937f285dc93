"""Programs of the table as they were written for Chainer 1: a script that prints their losses.

Run by ``python -m autodiff.chainer --compat v1``; Chainer 7 runs none of them, Chainer 1.24 has recorded the losses.
"""

import copy
import json

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import optimizers

STEPS = 10


def normal(*shape):
    return np.random.standard_normal(shape).astype(np.float32)  # noqa: NPY002


def integers(high, *shape):
    return np.random.randint(0, high, shape).astype(np.int32)  # noqa: NPY002


def characters_in_the_style_of_version_one():
    model = chainer.FunctionSet(embed=F.EmbedID(7, 5), x=F.Linear(5, 20), h=F.Linear(5, 20), y=F.Linear(5, 7))
    for param in model.parameters:
        param[:] = np.random.uniform(-0.1, 0.1, param.shape)  # noqa: NPY002
    optimizer = optimizers.RMSprop(lr=1e-2, alpha=0.95, eps=1e-8)
    optimizer.setup(model.collect_parameters())
    text, losses = integers(7, 41), []
    c, h = (chainer.Variable(np.zeros((1, 5), dtype=np.float32), volatile=False) for _ in range(2))
    for start in range(STEPS):
        total = chainer.Variable(np.zeros((), dtype=np.float32), volatile=False)
        for k in range(4):
            x = chainer.Variable(text[4 * start + k : 4 * start + k + 1], volatile=False)
            t = chainer.Variable(text[4 * start + k + 1 : 4 * start + k + 2], volatile=False)
            gates = model.x(F.dropout(model.embed(x), ratio=0.2, train=True)) + model.h(h)
            c, h = F.lstm(c, gates)
            total = total + F.softmax_cross_entropy(model.y(h), t)
        optimizer.zero_grads()
        total.backward()
        total.unchain_backward()
        optimizer.update()
        losses.append(float(total.data))
    return losses


def variational_autoencoder():
    model = chainer.Chain(
        h=L.Linear(12, 8), mu=L.Linear(8, 3), ln_var=L.Linear(8, 3), d1=L.Linear(3, 8), d2=L.Linear(8, 12)
    )
    optimizer = optimizers.Adam(alpha=0.01)
    optimizer.setup(model)
    data, losses = integers(2, 6, 12).astype("f"), []
    for _ in range(STEPS):
        x = chainer.Variable(data, volatile="off")
        h = F.tanh(model.h(x))
        mu, ln_var = model.mu(h), model.ln_var(h)
        loss = 0
        for _ in range(2):
            loss += F.bernoulli_nll(x, model.d2(F.tanh(model.d1(F.gaussian(mu, ln_var))))) / (2 * 6)
        loss += F.gaussian_kl_divergence(mu, ln_var) / 6
        optimizer.zero_grads()
        loss.backward()
        optimizer.update()
        losses.append(float(loss.data))
    return losses


def end_to_end_memory():
    model = chainer.Chain(A=L.EmbedID(8, 5), B=L.EmbedID(8, 5), C=L.EmbedID(8, 5), W=L.Linear(5, 8))
    optimizer = optimizers.Adam(0.01)
    optimizer.setup(model)
    story, question, answer = (
        chainer.Variable(x, volatile=chainer.OFF) for x in (integers(8, 4, 3, 6), integers(8, 4, 6), integers(8, 4))
    )
    losses = []
    for _ in range(STEPS):
        u = F.sum(model.B(question), axis=1)
        for _ in range(2):
            m, c = F.sum(model.A(story), axis=2), F.sum(model.C(story), axis=2)
            p = F.softmax(F.reshape(F.batch_matmul(m, u), (4, 3)), use_cudnn=False)
            u = u + F.reshape(F.batch_matmul(c, p, transa=True), (4, 5))
        loss = F.softmax_cross_entropy(model.W(u), answer, use_cudnn=False)
        model.zerograds()
        loss.backward()
        optimizer.update()
        losses.append(float(loss.data))
    return losses


def wasserstein_gan_with_clipped_weights():
    class Generator(chainer.Chain):
        def __init__(self):
            w = chainer.initializers.Normal(0.1)
            super().__init__(
                l=L.Linear(4, 64, initialW=w),
                bn=L.BatchNormalization(4),
                dc=L.Deconvolution2D(4, 3, 4, stride=2, pad=1, initialW=w),
            )

        def __call__(self, z, test=False):
            h = F.reshape(self.l(z), (z.data.shape[0], 4, 4, 4))
            return F.tanh(self.dc(F.relu(self.bn(h, test=test), use_cudnn=False)))

    class Critic(chainer.Chain):
        def __init__(self):
            super().__init__(c=L.Convolution2D(3, 6, 4, stride=2, pad=1), l=L.Linear(96, 1))

        def __call__(self, x):
            return self.l(F.leaky_relu(self.c(x), slope=0.1))

    dis, gen = Critic(), Generator()
    opt_gen, opt_dis = optimizers.RMSprop(lr=5e-4), optimizers.RMSprop(lr=5e-4)
    opt_gen.setup(gen)
    opt_dis.setup(dis)
    real, losses = chainer.Variable(normal(4, 3, 8, 8)), []
    for _ in range(STEPS):
        fake = gen(chainer.Variable(normal(4, 4)), test=False)
        loss = -F.sum(dis(fake)) / 4
        opt_gen.zero_grads()
        loss.backward()
        opt_gen.update()
        for param in dis.params():
            param.data[...] = np.clip(param.data, -0.05, 0.05)
        other = F.sum(dis(chainer.Variable(fake.data))) / 4 - F.sum(dis(real)) / 4
        opt_dis.zero_grads()
        other.backward()
        opt_dis.update()
        losses.append(float(loss.data) + 2 * float(other.data))
    return losses


def mnist_with_a_trainer():
    """The loop over epochs that everybody had before there were trainers."""
    x, t = normal(40, 10), integers(5, 40)
    order = np.random.permutation(40)  # noqa: NPY002
    model = chainer.FunctionSet(l1=F.Linear(10, 12), l2=F.Linear(12, 12), l3=F.Linear(12, 5))
    optimizer = optimizers.Adam()
    optimizer.setup(model.collect_parameters())

    def forward(x_data, t_data, train=True):
        x, t = chainer.Variable(x_data, volatile=not train), chainer.Variable(t_data, volatile=not train)
        y = model.l3(F.relu(model.l2(F.relu(model.l1(x)))))
        return F.softmax_cross_entropy(y, t), F.accuracy(y, t)

    losses = []
    for _ in range(2):
        for i in range(0, 40, 8):
            optimizer.zero_grads()
            loss, _ = forward(x[order[i : i + 8]], t[order[i : i + 8]])
            loss.backward()
            optimizer.update()
            losses.append(float(loss.data))
        order = np.random.permutation(40)  # noqa: NPY002
    return losses


def siamese_networks():
    model = chainer.FunctionSet(l1=F.Linear(6, 8), l2=F.Linear(8, 2))
    a, b = chainer.Variable(normal(8, 6)), chainer.Variable(normal(8, 6))
    t = chainer.Variable(integers(2, 8))
    optimizer = optimizers.Adam(alpha=0.01)
    optimizer.setup(model)

    def forward(x):
        return model.l2(F.tanh(model.l1(x)))

    losses = []
    for _ in range(STEPS):
        loss = F.contrastive(forward(a), forward(b), t) + F.triplet(forward(a), forward(b), forward(a + b))
        optimizer.zero_grads()
        loss.backward()
        optimizer.update()
        losses.append(float(loss.data))
    return losses


def word2vec_by_negative_sampling():
    model = chainer.FunctionSet(
        embed=F.EmbedID(5, 4, initialW=chainer.initializers.Uniform(0.25)),
        loss=F.NegativeSampling(4, [5, 3, 8, 1, 2], 3),
    )
    x, context = chainer.Variable(integers(5, 6)), chainer.Variable(integers(5, 6))
    optimizer = optimizers.Adam(alpha=0.05)
    optimizer.setup(model)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grads()
        loss = model.loss(model.embed(x), context)
        loss.backward()
        optimizer.update()
        losses.append(float(loss.data))
    return losses


def language_model_of_ptb():
    class RNN(chainer.Chain):
        def __init__(self):
            super().__init__(embed=L.EmbedID(9, 6), l1=L.LSTM(6, 6), l2=L.LSTM(6, 6), out=L.Linear(6, 9))
            for param in self.params():
                param.data[...] = np.random.uniform(-0.1, 0.1, param.data.shape)  # noqa: NPY002

        def __call__(self, x, train=True):
            h = self.l1(F.dropout(self.embed(x), train=train))
            return self.out(F.dropout(self.l2(F.dropout(h, train=train)), train=train))

    model = L.Classifier(RNN())
    model.compute_accuracy = False
    optimizer = optimizers.SGD(lr=1.0)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer.GradientClipping(5))
    words, losses = integers(9, 41, 3), []
    for start in range(STEPS):
        loss = 0
        for k in range(4):
            x, t = (chainer.Variable(words[4 * start + k + step], volatile="off") for step in range(2))
            loss += model(x, t)
        model.zerograds()
        loss.backward()
        loss.unchain_backward()
        optimizer.update()
        losses.append(float(loss.data))
    return losses


def deep_q_network():
    """As agents of Atari games were written: the target is a copy, its values are volatile."""
    model = chainer.FunctionSet(a=F.Linear(4, 8), b=F.Linear(8, 2))
    target = copy.deepcopy(model)
    optimizer = optimizers.RMSpropGraves(lr=2.5e-3, alpha=0.95, momentum=0.0, eps=0.01)
    optimizer.setup(model.collect_parameters())

    def values(net, x, volatile=False):
        return net.b(F.relu(net.a(chainer.Variable(x, volatile=volatile))))

    losses = []
    for step in range(STEPS):
        if step % 3 == 0:
            target = copy.deepcopy(model)
        s, a, r, after, over = normal(8, 4), integers(2, 8), normal(8), normal(8, 4), integers(2, 8)
        q = values(model, s)
        wanted = np.asanyarray(q.data.copy())
        wanted[np.arange(8), a] = r + 0.99 * (1 - over) * values(target, after, volatile=True).data.max(axis=1)
        loss = F.sum(F.huber_loss(q, chainer.Variable(wanted), delta=1.0)) / 8
        optimizer.zero_grads()
        loss.backward()
        optimizer.update()
        losses.append(float(loss.data))
    return losses


def fast_neural_style():
    model = chainer.FunctionSet(c1=F.Convolution2D(3, 6, 3, pad=1), c2=F.Convolution2D(6, 6, 3, pad=1))
    style, content = normal(1, 3, 8, 8), normal(1, 3, 8, 8)

    def features(x):
        return F.relu(model.c2(F.relu(model.c1(x))))

    def gram(x):
        b, c, h, w = x.data.shape
        flat = F.reshape(x, (b, c, h * w))
        return F.batch_matmul(flat, flat, transb=True) / (c * h * w)

    wanted, kept = (
        chainer.Variable(f(features(chainer.Variable(x, volatile="on"))).data)
        for f, x in ((gram, style), (F.identity, content))
    )
    image = chainer.links.Parameter(normal(1, 3, 8, 8))
    optimizer = optimizers.Adam(alpha=0.1)
    optimizer.setup(image)
    losses = []
    for _ in range(STEPS):
        x = image(volatile="off")
        h = features(x)
        total = F.sum(abs(x[:, :, 1:] - x[:, :, :-1])) + F.sum(abs(x[:, :, :, 1:] - x[:, :, :, :-1]))
        loss = 10 * F.mean_squared_error(gram(h), wanted) + F.mean_squared_error(h, kept) + 1e-3 * total
        image.zerograds()
        loss.backward()
        optimizer.update()
        losses.append(float(loss.data))
    return losses


PROGRAMS = (
    deep_q_network,
    fast_neural_style,
    mnist_with_a_trainer,
    siamese_networks,
    word2vec_by_negative_sampling,
    language_model_of_ptb,
    characters_in_the_style_of_version_one,
    variational_autoencoder,
    end_to_end_memory,
    wasserstein_gan_with_clipped_weights,
)


if __name__ == "__main__":
    found = {}
    for program in PROGRAMS:
        np.random.seed(0)  # noqa: NPY002
        found[program.__name__] = program()
    print(json.dumps(found))  # noqa: T201 - a command prints
