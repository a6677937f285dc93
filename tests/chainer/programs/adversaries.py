"""Generative models: networks that play against each other, autoencoders, flows."""

from __future__ import annotations

from importlib import import_module

import numpy as np

from tests.chainer.programs.table import STEPS, integers, normal, program, updates
from tests.chainer.recorded.names import namespace as chainer

F, L, optimizers = chainer.functions, chainer.links, chainer.optimizers


class Generator(chainer.Chain):
    """From noise to images of 8 by 8 pixels."""

    def __init__(self, inputs=4):
        super().__init__()
        w = chainer.initializers.Normal(0.1)
        with self.init_scope():
            self.l = L.Linear(inputs, 4 * 4 * 4, initialW=w)
            self.bn = L.BatchNormalization(4)
            self.dc = L.Deconvolution2D(4, 3, 4, 2, 1, initialW=w)

    def forward(self, z):
        h = F.reshape(self.l(z), (-1, 4, 4, 4))
        return F.tanh(self.dc(F.relu(self.bn(h))))


class Critic(chainer.Chain):
    """From images to a score."""

    def __init__(self, hook=None):
        super().__init__()
        with self.init_scope():
            self.c = L.Convolution2D(3, 6, 4, 2, 1)
            self.l = L.Linear(96, 1)
        if hook:
            self.c.add_hook(hook())
            self.l.add_hook(hook())

    def forward(self, x):
        return self.l(F.leaky_relu(self.c(x), 0.1))


def played(gen, dis, gen_loss, dis_loss, make=lambda: optimizers.Adam(1e-3, beta1=0.5), real=None):
    """Losses of both players in turn."""
    opt_gen, opt_dis = make().setup(gen), make().setup(dis)
    real = normal(4, 3, 8, 8) if real is None else real
    losses = []
    for _ in range(STEPS):
        fake = gen(normal(4, 4))
        loss = gen_loss(fake)
        gen.cleargrads()
        loss.backward()
        opt_gen.update()
        fake.unchain_backward()
        other = dis_loss(real, fake)
        dis.cleargrads()
        other.backward()
        opt_dis.update()
        losses.append(loss.array + 2 * other.array)
    return losses


@program
def dcgan_with_an_updater():
    class Updater(chainer.training.updaters.StandardUpdater):
        def update_core(self):
            x = chainer.Variable(self.converter(self.get_iterator("main").next(), self.device))
            gen, dis = self.get_optimizer("gen"), self.get_optimizer("dis")
            fake = gen.target(normal(4, 4))
            y_fake, y_real = dis.target(fake), dis.target(x)
            dis.update(lambda: F.sum(F.softplus(-y_real)) / 4 + F.sum(F.softplus(y_fake)) / 4)
            gen.update(lambda: F.sum(F.softplus(-y_fake)) / 4)
            losses.append(float(y_fake.array.sum() + y_real.array.sum()))

    losses = []
    players = {"gen": optimizers.Adam(1e-3, beta1=0.5).setup(Generator()), "dis": optimizers.Adam(1e-3).setup(Critic())}
    for optimizer in players.values():
        optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(0.0001), "decay")
    data = [normal(3, 8, 8) for _ in range(12)]
    updater = Updater(chainer.iterators.SerialIterator(data, 4), players)
    for _ in range(STEPS):
        updater.update()
    return losses


@program
def least_squares_gan():
    dis = Critic()
    return played(
        Generator(),
        dis,
        lambda y: F.mean((dis(y) - 1) ** 2),
        lambda x, y: F.mean((dis(x) - 1) ** 2) + F.mean(dis(y) ** 2),
    )


@program
def wasserstein_gan_with_clipped_weights():
    dis = Critic()

    def loss(x, y):
        for p in dis.params():
            p.array[...] = np.clip(p.array, -0.05, 0.05)
        return F.mean(dis(y)) - F.mean(dis(x))

    return played(Generator(), dis, lambda y: -F.mean(dis(y)), loss, lambda: optimizers.RMSprop(5e-4))


@program
def wasserstein_gan_with_gradient_penalty():
    dis = Critic()

    def loss(x, y):
        e = np.random.uniform(0, 1, (4, 1, 1, 1)).astype("f")  # noqa: NPY002
        mid = chainer.Variable(e * x + (1 - e) * y.array)
        (g,) = chainer.grad([dis(mid)], [mid], enable_double_backprop=True)
        norms = F.sqrt(F.batch_l2_norm_squared(g))
        return F.mean(dis(y)) - F.mean(dis(x)) + 10 * F.mean_squared_error(norms, np.ones(4, "f"))

    return played(Generator(), dis, lambda y: -F.mean(dis(y)), loss)


@program
def spectrally_normalized_gan():
    dis = Critic(import_module(f"{chainer.__name__}.link_hooks").SpectralNormalization)
    return played(
        Generator(),
        dis,
        lambda y: -F.mean(dis(y)),
        lambda x, y: F.mean(F.relu(1 - dis(x))) + F.mean(F.relu(1 + dis(y))),
    )


@program
def gan_with_projected_classes():
    class Projected(Critic):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.embed = L.EmbedID(3, 6)

        def forward(self, x):
            h = F.relu(self.c(x))
            return self.l(h) + F.sum(self.embed(labels) * F.sum(h, axis=(2, 3)), axis=1, keepdims=True)

    labels = integers(3, 4)
    dis = Projected()
    return played(
        Generator(),
        dis,
        lambda y: F.mean(F.softplus(-dis(y))),
        lambda x, y: F.mean(F.softplus(-dis(x)) + F.softplus(dis(y))),
    )


@program
def gan_with_an_auxiliary_classifier():
    class Auxiliary(Critic):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.classes = L.Linear(96, 3)

        def both(self, x):
            h = F.elu(self.c(x))
            return F.sum(F.softplus(-self.l(h))), F.softmax_cross_entropy(self.classes(h), labels)

    labels = integers(3, 4)
    dis = Auxiliary()
    return played(
        Generator(),
        dis,
        lambda y: sum(dis.both(y)),
        lambda x, y: sum(dis.both(x)) + dis.both(y)[1] - 0.1 * dis.both(y)[0],
    )


@program
def pix2pix():
    enc, dec, dis = L.Convolution2D(3, 6, 4, 2, 1), L.Deconvolution2D(6, 3, 4, 2, 1), Critic()
    gen = chainer.Sequential(enc, F.leaky_relu, lambda h: F.dropout(h), dec, F.tanh)
    x, t = normal(4, 3, 8, 8), normal(4, 3, 8, 8)

    class Translating(chainer.Chain):
        def __init__(self):
            super().__init__(net=gen)

        def forward(self, z):
            return self.net(x)

    return played(
        Translating(), dis, lambda y: 10 * F.mean_absolute_error(y, t) + F.sum(F.softplus(-dis(y))) / 4,
        lambda real, y: F.sum(F.softplus(-dis(real))) / 4 + F.sum(F.softplus(dis(y))) / 4, real=t,
    )  # fmt: skip


@program
def cycle_gan():
    there, back = L.Convolution2D(3, 3, 3, pad=1), L.Convolution2D(3, 3, 3, pad=1)
    model = chainer.ChainList(there, back)
    a, b = normal(2, 3, 8, 8), normal(2, 3, 8, 8)
    optimizer = optimizers.Adam(2e-3, beta1=0.5).setup(model)
    return updates(
        optimizer,
        lambda: F.mean_absolute_error(back(F.tanh(there(a))), a) + F.mean_absolute_error(there(F.tanh(back(b))), b),
    )


@program
def variational_autoencoder():
    class VAE(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.h, self.mu, self.ln_var = L.Linear(12, 8), L.Linear(8, 3), L.Linear(8, 3)
                self.d1, self.d2 = L.Linear(3, 8), L.Linear(8, 12)

        def forward(self, x):
            h = F.tanh(self.h(x))
            mu, ln_var = self.mu(h), self.ln_var(h)
            losses = [F.bernoulli_nll(x, self.d2(F.tanh(self.d1(F.gaussian(mu, ln_var))))) / 6 for _ in range(2)]
            return sum(losses) / 2 + F.gaussian_kl_divergence(mu, ln_var) / 6

    model = VAE()
    x = integers(2, 6, 12).astype("f")
    return updates(optimizers.Adam(0.01).setup(model), lambda: model(x))


@program
def variational_autoencoder_of_distributions():
    D = chainer.distributions
    model = chainer.ChainList(L.Linear(12, 6), L.Linear(3, 12))
    x = integers(2, 6, 12).astype("f")

    def loss():
        loc, log_scale = F.split_axis(model[0](x), 2, axis=1)
        q = D.Normal(loc, log_scale=log_scale)
        p = D.Independent(D.Bernoulli(logit=model[1](q.sample())))
        prior = D.Normal(np.zeros((6, 3), "f"), np.ones((6, 3), "f"))
        return F.mean(F.sum(chainer.kl_divergence(q, prior), axis=1) - p.log_prob(x))

    return updates(optimizers.Adam(0.01).setup(model), loss)


@program
def glow_with_invertible_convolutions():
    class Step(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.W = chainer.Parameter(np.linalg.qr(normal(4, 4))[0].reshape(4, 4, 1, 1).astype("f"))
                self.log_scale = chainer.Parameter(0, (1, 4, 1, 1))
                self.net = L.Convolution2D(2, 4, 3, pad=1, initialW=0.05)

        def forward(self, x):
            x = x * F.broadcast_to(F.exp(self.log_scale), x.shape)
            x = F.convolution_2d(x, self.W)
            a, b = F.split_axis(x, 2, axis=1)
            shift, scale = F.split_axis(self.net(a), 2, axis=1)
            scale = F.sigmoid(scale + 2)
            y = F.concat((a, (b + shift) * scale), axis=1)
            size = x.shape[2] * x.shape[3]
            return y, size * (F.log(abs(F.det(self.W))) + F.sum(self.log_scale)) + F.sum(F.log(scale)) / len(x.array)

    model = chainer.ChainList(Step(), Step())
    x = normal(3, 1, 8, 8)

    def loss():
        z, total = F.space2depth(x, 2), 0
        for step in model:
            z, gained = step(z)
            total += gained
        return (F.gaussian_nll(z, z * 0, z * 0) / 3 - total) / 64

    return updates(optimizers.Adam(0.005).setup(model), loss)
