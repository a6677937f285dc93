"""Programs of the table as they were written for Chainer 1: a script that prints their losses.

Run by ``python -m autodiff.chainer --compat v1``; Chainer 7 runs none of them.
"""

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


PROGRAMS = (
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
