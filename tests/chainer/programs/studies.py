"""Programs as papers have beside them: agents, graphs, volumes, processes, speech, each by functions that few use."""

from __future__ import annotations

import numpy as np

from tests.chainer.programs.table import STEPS, integers, normal, program, updates
from tests.chainer.recorded.names import namespace as chainer

F, L, optimizers, initializers = chainer.functions, chainer.links, chainer.optimizers, chainer.initializers


@program
def asynchronous_workers():
    """A3C: workers copy the shared parameters, run a few steps, and add their gradients to them."""

    class Policy(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.fc = L.Linear(None, 8)
                self.cell = L.StatefulGRU(8, 8)
                self.pi = L.Linear(8, 3, initialW=initializers.Orthogonal(0.1))
                self.v = L.Linear(8, 1, nobias=True)

        def forward(self, s):
            h = self.cell(F.relu(self.fc(s)))
            return self.pi(h), self.v(h)[:, 0]

    shared, states = Policy(), normal(40, 2, 5)
    shared(states[0])
    optimizer = optimizers.RMSprop(7e-3, eps=1e-1, alpha=0.99)
    optimizer.setup(shared)
    optimizer.add_hook(chainer.optimizer_hooks.GradientClipping(0.5))
    workers = [shared.copy() for _ in range(2)]
    losses = []
    for k in range(STEPS):
        worker = workers[k % 2]
        worker.copyparams(shared)
        worker.cell.reset_state()
        log_probs, entropies, values, rewards = [], [], [], []
        for s in states[4 * k : 4 * k + 4]:
            logits, v = worker(s)
            log_p, p = F.log_softmax(logits), F.softmax(logits)
            action = (np.cumsum(p.array, axis=1) > np.random.rand(2, 1)).argmax(axis=1)  # noqa: NPY002
            log_probs.append(F.select_item(log_p, action))
            entropies.append(-F.sum(p * log_p, axis=1))
            values.append(v)
            rewards.append((action == (s[:, 0] > 0)).astype("f"))
        with chainer.no_backprop_mode():
            ret = worker(states[(4 * k + 4) % 40])[1].array
        loss = 0
        for log_p, entropy, v, r in reversed(list(zip(log_probs, entropies, values, rewards))):
            ret = r + np.float32(0.9) * ret
            loss -= F.sum(log_p * (ret - v.array) + 0.01 * entropy)
            loss += F.sum((v - ret) ** 2) / 2
        worker.cleargrads()
        loss.backward()
        loss.unchain_backward()
        shared.zerograds()
        shared.addgrads(worker)
        optimizer.update()
        losses.append(loss)
    return losses


@program
def style_of_an_image_that_is_a_parameter():
    net = chainer.Sequential(
        L.Convolution2D(3, 4, 3, pad=1),
        F.relu,
        lambda x: F.max_pooling_2d(x, 2),
        L.Convolution2D(4, 6, 3, pad=1),
        F.relu,
    )
    net.disable_update()
    picture = chainer.Link(x=(1, 3, 8, 8))
    picture.x.array[...] = normal(1, 3, 8, 8) * 0.1
    content, style = normal(1, 3, 8, 8), normal(1, 3, 8, 8)

    def features(x):
        found, h = [], x
        for layer in net:
            h = layer(h)
            if layer is F.relu:
                found.append(h)
        return found

    def gram(y):
        b, c, h, w = y.shape
        f = F.reshape(y, (b, c, h * w))
        return F.batch_matmul(f, f, transb=True) / np.float32(c * h * w)

    with chainer.using_config("enable_backprop", False), chainer.using_config("train", False):
        target, styles = features(content)[-1], [gram(y) for y in features(style)]
    assert target.creator is None

    def loss():
        fs = features(picture.x)
        total = F.mean_squared_error(fs[-1], target)
        for f, s in zip(fs, styles):
            total += 100 * F.sum(F.squared_error(gram(f), s.array))
        smooth = F.mean_absolute_error(picture.x[:, :, 1:], picture.x[:, :, :-1])
        return total + 0.1 * smooth + 0.01 * F.sum(F.absolute(F.clip(picture.x, -1.0, 1.0) - picture.x))

    return updates(optimizers.Adam(0.05).setup(picture), loss)


@program
def super_resolution_by_pixel_shuffling():
    class Residual(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.a = L.Convolution2D(6, 6, 3, pad=1, nobias=True)
                self.bn, self.act = L.BatchNormalization(6, eps=1e-3, decay=0.8), L.PReLU(6)

        def forward(self, x):
            return x + 0.1 * self.act(self.bn(self.a(x)))

    model = chainer.Chain(
        head=L.Convolution2D(3, 6, 3, pad=1), body=chainer.Sequential(Residual()).repeat(2), up=L.Convolution2D(6, 24, 3, pad=1),
        tail=L.Convolution2D(6, 3, 3, pad=1, initial_bias=0.1),
    )  # fmt: skip
    high = np.random.rand(2, 3, 8, 8).astype("f")  # noqa: NPY002
    low = F.average_pooling_2d(high, 2).array
    assert (F.depth2space(F.space2depth(high, 2), 2).array == high).all()

    def loss():
        h = model.head(low - 0.5)
        y = model.tail(F.depth2space(model.up(h + model.body(h)), 2)) + F.resize_images(low, (8, 8))
        edges = F.convolution_2d(F.reshape(y, (6, 1, 8, 8)), np.array([[[[1, 0, -1]] * 3]], "f"))
        return F.mean_absolute_error(y, high) + 0.01 * F.mean(F.absolute(edges)) + 0.01 * F.mean(F.sqrt(y**2 + 1e-4))

    return updates(optimizers.AMSGrad(1e-2).setup(model), loss)


@program
def tied_language_model_with_dropped_weights():
    class Model(chainer.Chain):
        def __init__(self, n_vocab=9, n_units=6):
            super().__init__()
            with self.init_scope():
                self.embed = L.EmbedID(n_vocab, n_units, initialW=initializers.Uniform(0.1), ignore_label=-1)
                self.l1 = L.StatefulZoneoutLSTM(n_units, n_units, c_ratio=0.3, h_ratio=0.1)
                self.l2 = L.StatefulMGU(n_units, n_units)
                self.drop = L.SimplifiedDropconnect(n_units, n_units, 0.3)
                self.norm = L.LayerNormalization(n_units, eps=1e-5)
                self.bias = L.Bias(1, (n_vocab,))

        def reset_state(self):
            self.l1.reset_state()
            self.l2.reset_state()

        def forward(self, x):
            h = self.l2(self.l1(F.dropout(self.embed(x), 0.2)))
            return self.bias(F.linear(self.norm(self.drop(h)), self.embed.W))

    model = Model()
    optimizer = optimizers.NesterovAG(0.2)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.GradientClipping(2), name="clip")
    optimizer.add_hook(chainer.optimizer_hooks.Lasso(1e-4))
    text, losses = integers(9, 42), []
    text[7] = -1
    for k in range(STEPS):
        loss = 0
        for a, b in zip(text[4 * k : 4 * k + 4], text[4 * k + 1 : 4 * k + 5]):
            y = model(np.array([a, text[-1 - k]], "i"))
            loss += F.softmax_cross_entropy(y, np.array([b, a], "i"))
        model.cleargrads()
        loss.backward()
        loss.unchain_backward()
        optimizer.update()
        if k == 6:
            optimizer.remove_hook("clip")
            model.reset_state()
        losses.append(F.exp(loss / 4))
    return losses


@program
def attention_between_graph_nodes():
    class Attention(chainer.Chain):
        def __init__(self, n_in, n_out, heads=2):
            super().__init__()
            self.heads = heads
            with self.init_scope():
                self.w = [L.Linear(n_in, n_out, nobias=True) for _ in range(heads)]
                for k, link in enumerate(self.w):
                    self.add_link(f"w{k}", link)
                self.a = chainer.Parameter(initializers.GlorotUniform(), (heads, 2 * n_out, 1))

        def forward(self, x, sources, targets):
            heads = []
            for k in range(self.heads):
                h = self[f"w{k}"](x)
                pairs = F.concat([F.embed_id(sources, h), h[targets]], axis=1)
                e = F.leaky_relu(F.matmul(pairs, self.a[k]), 0.2)[:, 0]
                weights = F.exp(e - F.max(e).array)
                empty = np.zeros((x.shape[0], h.shape[1]), "f")
                total = F.scatter_add(empty[:, 0], targets, weights)
                mixed = F.scatter_add(empty, targets, h[sources] * F.expand_dims(weights, 1))
                heads.append(mixed / F.broadcast_to(total[:, None], mixed.shape))
            return F.concat(heads)

    model = chainer.Chain(a=Attention(5, 4), b=Attention(8, 3, 1))
    x, t = normal(7, 5), integers(3, 7)
    sources, targets = np.concatenate([integers(7, 12), np.arange(7)]), np.concatenate([integers(7, 12), np.arange(7)])

    def loss():
        h = F.elu(model.a(F.dropout(x, 0.3), sources, targets))
        return F.softmax_cross_entropy(model.b(h, sources, targets), t)

    return updates(optimizers.Adam(0.02, weight_decay_rate=1e-3, eps=1e-3).setup(model), loss)


@program
def neural_processes():
    D = chainer.distributions
    model = chainer.Chain(
        enc=chainer.Sequential(L.Linear(2, 8), F.relu, L.Linear(8, 8)), mu=L.Linear(8, 3), sigma=L.Linear(8, 3),
        dec=L.Linear(4, 8), out=L.Linear(8, 2),
    )  # fmt: skip
    x = np.linspace(-1, 1, 10, dtype="f")[:, None]
    y = np.sin(4 * x) + 0.1 * normal(10, 1)

    def latent(x, y):
        r = F.mean(model.enc(np.hstack([x, y])), axis=0, keepdims=True)
        return D.Independent(D.Normal(model.mu(r), 0.1 + 0.9 * F.sigmoid(model.sigma(r))), 1)

    def loss():
        context = np.random.permutation(10)[:5]  # noqa: NPY002
        prior, posterior = latent(x[context], y[context]), latent(x, y)
        z = posterior.sample()
        h = F.relu(model.dec(F.concat([x, F.tile(z, (10, 1))])))
        mean, spread = F.split_axis(model.out(h), 2, axis=1)
        given = D.Normal(mean, 0.1 + 0.9 * F.softplus(spread))
        assert prior.event_shape == (3,)
        return -F.sum(given.log_prob(y)) + F.sum(chainer.kl_divergence(posterior, prior))

    return updates(optimizers.SMORMS3(1e-2).setup(model), loss)


@program
def volumes():
    """Convolutions of volumes, unpooling, checkpoints of memory, normalization of groups and of instances."""

    class Net(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.c0 = L.Convolution3D(1, 4, 3, pad=1)
                self.c1 = L.ConvolutionND(3, 4, 6, 3, stride=2, pad=1, groups=2)
                self.d1 = L.DeconvolutionND(3, 6, 4, 2, stride=2)
                self.d0 = L.Deconvolution3D(8, 2, 1)
                self.norm = L.GroupNormalization(2, 4)
                self.depth = L.DepthwiseConvolution2D(4, 1, 3, pad=1)
                self.out = L.MLPConvolution2D(4, (3, 2), 1, activation=F.sigmoid)

        def forward(self, x):
            a = F.relu(self.norm(self.c0(x)))
            b = F.forget(lambda a: F.elu(self.c1(a)), a)
            b = F.unpooling_3d(F.max_pooling_3d(b, 2), 2, outsize=b.shape[2:])
            y = self.d0(F.concat([a, F.relu(self.d1(b))]))
            flat = F.average(a, axis=2)
            n, c, h, w = flat.shape
            inst = F.batch_normalization(F.reshape(flat, (1, n * c, h, w)), np.ones(n * c, "f"), np.zeros(n * c, "f"))
            z = self.out(self.depth(F.reshape(inst, flat.shape)))
            pyramid = F.spatial_pyramid_pooling_2d(z, 2, pooling="max")
            return y, F.average_pooling_3d(y, 2), pyramid

    model, x, t = Net(), normal(2, 1, 4, 4, 4), integers(2, 2, 4, 4, 4)

    def loss():
        y, pooled, pyramid = model(x)
        return (
            F.softmax_cross_entropy(y, t)
            + F.mean(pooled**2)
            + 0.1 * F.sum(F.absolute_error(pyramid, np.ones_like(pyramid.array)))
        )

    return updates(optimizers.AdaGrad(0.05).setup(model), loss)


@program
def weights_with_uncertainty():
    """Bayes by backpropagation: links of one's own that draw their weights, and sets of predictions with dropout."""

    class Bayesian(L.Linear):
        def __init__(self, in_size, out_size):
            super().__init__(
                in_size, out_size, initialW=initializers.HeUniform(0.5), initial_bias=initializers.Constant(0.1)
            )
            with self.init_scope():
                self.rho = chainer.Parameter(-3.0, self.W.shape)

        def forward(self, x):
            sigma = F.softplus(self.rho)
            noise = chainer.as_variable(self.xp.random.standard_normal(self.W.shape).astype(self.W.dtype))
            self.kl = F.sum(-F.log(sigma) + 0.5 * (sigma**2 + self.W**2) - 0.5)
            return F.linear(x, self.W + noise * sigma, self.b)

    model = chainer.Sequential(Bayesian(4, 8), F.selu, Bayesian(8, 1))
    x, y = normal(12, 4), normal(12, 1)

    def loss():
        fit = F.sum(F.gaussian_nll(chainer.Variable(y), model(x), np.full((12, 1), -1, "f"), reduce="no"))
        return fit / 12 + sum(link.kl for link in model.children() if isinstance(link, Bayesian)) / 120

    return updates(optimizers.AdaDelta(0.9, 1e-4).setup(model), loss)


@program
def shift_and_strided_windows():
    """Windows by im2col and as_strided, local convolutions, shifted channels, spectra."""
    model = chainer.Chain(
        shift=L.Convolution2D(9, 5, 1), local=L.LocalConvolution2D(3, 2, 8, 3), out=L.Linear(None, 3), hi=L.Highway(3),
        inc=L.Inception(5, 2, 2, 2, 1, 2, 2), bil=L.Bilinear(3, 4, 3), scale=L.Scale(1, (5,), bias_term=True),
    )  # fmt: skip
    x, t = normal(2, 9, 8, 8), integers(3, 2)

    def loss():
        h = F.relu(model.scale(model.shift(F.shift(x, ksize=3, dilate=1))))
        windows = F.im2col(h, 2, 2)
        local = model.local(x[:, :3])
        re, im = F.fft((h, chainer.Variable(np.zeros(h.shape, "f"))))
        back, _ = F.ifft((re * 0.5, im * 0.5))
        z = F.flatten(F.mean(windows, axis=(2, 3)))[:40]
        strided = F.as_strided(chainer.Variable(np.ascontiguousarray(x[0, 0])), (7, 2), (8, 1))
        y = model.hi(model.out(F.concat([F.reshape(local, (2, -1)), F.reshape(model.inc(h), (2, -1))])))
        y = model.bil(y, F.reshape(z[:8], (2, 4)))
        extra = F.mean(back**2) + F.mean(strided) + F.mean(F.local_response_normalization(h))
        return F.softmax_cross_entropy(y, t) + extra + F.cross_covariance(y, y[:, :2]) * 0.1

    model.out(np.zeros((2, 584), "f"))
    return updates(optimizers.MSVAG(0.02).setup(model), loss)


@program
def permutations_of_speakers():
    """Separation of sources: packed sequences of unequal lengths, losses that no permutation changes, CTC."""
    model = chainer.Chain(
        rnn=L.NStepBiGRU(2, 5, 4, 0.2), mask=L.Linear(8, 10), label=L.Linear(8, 4), tanh=L.NStepRNNTanh(1, 5, 4, 0.0)
    )
    lengths = [6, 4, 5]
    xs = [np.abs(normal(n, 5)) for n in lengths]
    ts = [np.abs(normal(2, n, 5)) for n in lengths]
    labels = [np.array(x, "i") for x in ([1, 2], [3], [2, 2])]

    def loss():
        _, ys = model.rnn(None, xs)
        total = 0
        for y, x, t in zip(ys, xs, ts):
            masks = F.split_axis(F.sigmoid(model.mask(y)), 2, axis=1)
            pairs = [[F.mean_squared_error(m * x, target) for target in t] for m in masks]
            total += F.minimum(pairs[0][0] + pairs[1][1], pairs[0][1] + pairs[1][0])
        padded = F.pad_sequence([model.label(y) for y in ys])
        ctc = F.connectionist_temporal_classification(
            list(F.separate(padded, axis=1)), F.pad_sequence(labels, padding=0), 0,
            input_length=np.array(lengths, "i"), label_length=np.array([2, 1, 2], "i"), reduce="no",
        )  # fmt: skip
        hy, _ = model.tanh(None, [x[::-1] for x in xs])
        return total + F.mean(ctc) + 0.1 * F.sum(hy**2)

    return updates(optimizers.RMSprop(1e-2).setup(model), loss)
