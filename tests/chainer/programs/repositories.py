"""Programs as public repositories write them, by features of Chainer that its own examples do not have."""

from __future__ import annotations

import numpy as np

from tests.chainer.programs.table import STEPS, integers, normal, program, updates
from tests.chainer.recorded.names import namespace as chainer

F, L, optimizers, initializers = chainer.functions, chainer.links, chainer.optimizers, chainer.initializers


@program
def quantized_autoencoder():
    """VQ-VAE: the gradient goes straight through the nearest entries of a book of codes."""
    model = chainer.Chain(
        enc=L.Convolution2D(3, 4, 4, 2, 1), codes=L.EmbedID(6, 4), dec=L.Deconvolution2D(4, 3, 4, 2, 1)
    )
    x = normal(4, 3, 8, 8)

    def loss():
        z = model.enc(x)
        flat = F.reshape(F.transpose(z, (0, 2, 3, 1)), (-1, 4))
        distances = ((flat.array[:, None] - model.codes.W.array[None]) ** 2).sum(axis=-1)
        chosen = model.codes(distances.argmin(axis=1).astype("i"))
        quantized = F.transpose(F.reshape(chosen, (4, 4, 4, 4)), (0, 3, 1, 2))
        passed = z + (quantized.array - z.array)
        book = F.mean_squared_error(quantized, z.array)
        commitment = F.mean_squared_error(z, quantized.array)
        return F.mean_squared_error(model.dec(passed), x) + book + 0.25 * commitment

    return updates(optimizers.Adam(2e-2).setup(model), loss)


@program
def pointer_network_by_reinforcement():
    model = chainer.Chain(
        embed=L.Linear(2, 6), enc=L.NStepLSTM(1, 6, 6, 0.0), cell=L.LSTM(6, 6), w1=L.Linear(6, 6, nobias=True),
        w2=L.Linear(6, 6, nobias=True), v=L.Linear(6, 1),
    )  # fmt: skip
    points, baseline = np.random.rand(3, 5, 2).astype("f"), None  # noqa: NPY002
    rows = np.arange(3)

    def loss():
        nonlocal baseline
        model.cell.reset_state()
        x = F.reshape(model.embed(points.reshape(15, 2)), (3, 5, 6))
        hy, cy, ys = model.enc(None, None, list(F.separate(x, axis=0)))
        keys = F.stack(ys)
        model.cell.set_state(cy[0], hy[0])
        mask, inputs, score, order = np.zeros((3, 5), "f"), F.mean(x, axis=1), 0.0, []
        for _ in range(5):
            query = model.w2(model.cell(inputs))
            mixed = F.tanh(model.w1(F.reshape(keys, (15, 6))) + F.reshape(F.repeat(query, 5, axis=0), (15, 6)))
            logits = F.reshape(model.v(mixed), (3, 5)) + mask
            p = F.softmax(logits).array
            chosen = np.array([np.random.choice(5, p=row / row.sum()) for row in p.astype("d")])  # noqa: NPY002
            score = score + F.select_item(F.log_softmax(logits), chosen.astype("i"))
            mask = mask.copy()
            mask[rows, chosen] = -1e9
            inputs = x[rows, chosen]
            order.append(points[rows, chosen])
        tour = np.stack(order + order[:1])
        length = np.sqrt((np.diff(tour, axis=0) ** 2).sum(axis=-1)).sum(axis=0)
        baseline = length.mean() if baseline is None else 0.8 * baseline + 0.2 * length.mean()
        return F.mean(score * (length - baseline))

    return updates(optimizers.Adam(1e-2).setup(model), loss)


@program
def memory_with_content_and_shifts():
    """The head of a neural Turing machine."""

    class Machine(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.cell = L.StatefulPeepholeLSTM(7, 8)
                self.key = L.Linear(8, 4)
                self.strength = L.Linear(8, 1)
                self.shift = L.Linear(8, 3)
                self.sharp = L.Linear(8, 1)
                self.erase = L.Linear(8, 4)
                self.add = L.Linear(8, 4)
                self.out = L.Linear(12, 3)
                self.memory = chainer.Parameter(initializers.Uniform(0.5), (5, 4))
            self.add_persistent("steps", np.int64(0))

        def forward(self, xs):
            self.cell.reset_state()
            memory = F.broadcast_to(self.memory[None], (2, 5, 4))
            weights = chainer.Variable(np.full((2, 5), 0.2, "f"))
            read, ys = chainer.Variable(np.zeros((2, 4), "f")), []
            for x in xs:
                h = self.cell(F.hstack([x, read]))
                key = F.normalize(F.tanh(self.key(h)))
                similar = F.squeeze(F.matmul(F.normalize(memory, axis=2), key[:, :, None]), 2)
                focused = F.softmax(F.scale(similar, F.softplus(self.strength(h))[:, 0], axis=0))
                mixed = 0.5 * focused + 0.5 * weights
                shifts = F.softmax(self.shift(h))
                moved = sum(
                    F.scale(F.rollaxis(F.rollaxis(rolled(mixed, k - 1), 1), 1), shifts[:, k], 0) for k in range(3)
                )
                sharp = F.broadcast_to(1 + F.softplus(self.sharp(h)), moved.shape)
                powered = (moved + 1e-6) ** sharp
                weights = powered / F.broadcast_to(F.sum(powered, axis=1, keepdims=True), powered.shape)
                erased = F.matmul(weights[:, :, None], F.sigmoid(self.erase(h))[:, None])
                memory = memory * (1 - erased) + F.matmul(weights[:, :, None], F.tanh(self.add(h))[:, None])
                read = F.matmul(weights[:, None], memory)[:, 0]
                ys.append(self.out(F.concat([h, read])))
            self.steps += 1
            return ys

    def rolled(x, by):
        return F.concat([x[:, -by % 5 :], x[:, : -by % 5]]) if by % 5 else x

    model = Machine()
    optimizer = optimizers.RMSpropGraves(1e-2).setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.GradientHardClipping(-0.5, 0.5))
    xs, ts = normal(4, 2, 3), integers(3, 4, 2)
    return updates(optimizer, lambda: sum(F.softmax_cross_entropy(y, t) for y, t in zip(model(xs), ts)))


@program
def progressive_generator_with_penalized_slopes():
    """Equalized rates, normalized pixels, deviations over the batch, and the R1 penalty of real images."""

    class Equalized(chainer.Chain):
        def __init__(self, link, gain=2.0):
            super().__init__()
            self.factor = np.float32(np.sqrt(gain / np.prod(link.W.shape[1:])))
            with self.init_scope():
                self.c = link

        def forward(self, x):
            return self.c(x * self.factor)

    def conv(a, b, size=3, pad=1):
        return Equalized(L.Convolution2D(a, b, size, 1, pad, initialW=initializers.Normal(1.0)))

    def pixelnorm(x):
        return x / F.broadcast_to(F.sqrt(F.mean(x**2, axis=1, keepdims=True) + 1e-8), x.shape)

    def deviation(x):
        spread = F.sqrt(F.mean((x - F.broadcast_to(F.mean(x, axis=0, keepdims=True), x.shape)) ** 2, axis=0) + 1e-8)
        return F.concat([x, F.broadcast_to(F.mean(spread), (x.shape[0], 1, *x.shape[2:]))])

    gen = chainer.ChainList(Equalized(L.Linear(4, 64, initialW=initializers.Normal(1.0))), conv(4, 4), conv(4, 3, 1, 0))
    dis = chainer.ChainList(
        conv(3, 4, 1, 0), conv(4, 4), conv(5, 4), Equalized(L.Linear(64, 1, initialW=initializers.Normal()))
    )

    def made(z, alpha):
        h = F.leaky_relu(pixelnorm(F.reshape(gen[0](z), (-1, 4, 4, 4))))
        low = F.unpooling_2d(gen[2](h), 2, 2, 0, outsize=(8, 8))
        h = pixelnorm(F.leaky_relu(gen[1](F.unpooling_2d(h, 2, 2, 0, outsize=(8, 8)))))
        return (1 - alpha) * low + alpha * gen[2](h)

    def judged(x, alpha):
        h = F.average_pooling_2d(F.leaky_relu(dis[1](F.leaky_relu(dis[0](x)))), 2)
        h = (1 - alpha) * F.leaky_relu(dis[0](F.average_pooling_2d(x, 2, 2, 0))) + alpha * h
        return dis[3](F.leaky_relu(dis[2](deviation(h))))

    opt_gen, opt_dis = (optimizers.Adam(1e-3, beta1=0, beta2=0.99).setup(m) for m in (gen, dis))
    smoothed = gen.copy(mode="copy")
    real, losses = normal(4, 3, 8, 8), []
    for k in range(STEPS):
        alpha = (k + 1) / STEPS
        x = chainer.Variable(real)
        y = judged(x, alpha)
        (slope,) = chainer.grad([y], [x], enable_double_backprop=True)
        penalty = F.sum(F.batch_l2_norm_squared(slope)) / 4
        fake = made(normal(4, 4), alpha)
        loss = F.sum(F.softplus(-y) + F.softplus(judged(fake.array, alpha))) / 4 + 5 * penalty
        dis.cleargrads()
        loss.backward()
        opt_dis.update()
        loss_gen = F.sum(F.softplus(-judged(fake, alpha))) / 4
        gen.cleargrads()
        loss_gen.backward()
        opt_gen.update()
        for a, b in zip(smoothed.params(), gen.params()):
            a.array = 0.9 * a.array + 0.1 * b.array
        losses.append(loss.array + loss_gen.array + sum((p.array**2).sum() for p in smoothed.params()))
    return losses


@program
def masked_regions():
    """The heads of Mask R-CNN: boxes, classes, masks, and pyramids of features."""
    model = chainer.Chain(
        top=L.Convolution2D(3, 4, 3, 2, 1), down=L.Convolution2D(4, 4, 3, 2, 1), lateral=L.Convolution2D(4, 4, 1),
        fc=L.Linear(64, 8), box=L.Linear(8, 12), kind=L.Linear(8, 3), mask=L.Deconvolution2D(4, 4, 2, 2, initialW=initializers.HeNormal()),
        out=L.Convolution2D(4, 3, 1), rpn=L.Convolution2D(4, 2, 1, initialW=initializers.GlorotNormal(0.1)),
    )  # fmt: skip
    x, rois = normal(2, 3, 16, 16), np.array([[0, 0, 9, 9], [4, 2, 15, 12], [1, 1, 6, 7], [3, 5, 14, 15]], "f")
    index = np.array([0, 0, 1, 1], "i")
    kinds, places, masks = integers(3, 4), normal(4, 4), integers(2, 4, 8, 8)
    masks[0, :2] = -1
    objects = integers(3, 2, 2, 8, 8) - 1

    def loss():
        c2 = F.relu(model.top(x))
        c3 = F.relu(model.down(c2))
        p2 = model.lateral(c2) + F.resize_images(c3, c2.shape[2:], mode="bilinear", align_corners=False)
        aligned = F.roi_average_align_2d(p2, rois, index, (4, 4), 0.5, sampling_ratio=2)
        pooled = F.roi_max_align_2d(p2, rois, index, 4, 0.5, (2, 2)) + F.roi_average_pooling_2d(p2, rois, index, 4, 0.5)
        h = F.relu(model.fc(aligned + 0.1 * pooled))
        box = F.reshape(model.box(h), (4, 3, 4))[np.arange(4), kinds]
        huber = F.huber_loss(box, places, 1.0, reduce="no")
        mask = model.out(F.relu(model.mask(aligned)))[np.arange(4), kinds]
        found = F.sigmoid_cross_entropy(model.rpn(p2), objects, normalize=True)
        return (
            F.sum(huber) / 4
            + F.softmax_cross_entropy(model.kind(h), kinds)
            + F.sigmoid_cross_entropy(mask, masks)
            + found
        )

    optimizer = optimizers.CorrectedMomentumSGD(0.02).setup(model)
    for param in (model.top.W, model.top.b):
        param.update_rule.enabled = False
    model.box.b.update_rule.hyperparam.lr = 0.04
    model.fc.W.update_rule.add_hook(chainer.optimizer_hooks.WeightDecay(0.01))
    return updates(optimizer, loss)


@program
def segmentation_by_bilinear_deconvolutions():
    """FCN: weights of bilinear interpolation, cropping, weights of classes, labels to ignore."""

    class Bilinear(chainer.initializer.Initializer):
        def __call__(self, array):
            size = array.shape[-1]
            factor = (size + 1) // 2
            center = factor - 1 if size % 2 == 1 else factor - 0.5
            line = 1 - np.abs(np.arange(size) - center) / factor
            array[...] = 0
            for k in range(min(array.shape[:2])):
                array[k, k] = line[:, None] * line

    class FCN(chainer.Chain):
        def __init__(self, n_class=4):
            super().__init__()
            with self.init_scope():
                self.conv1_1 = L.Convolution2D(3, 4, 3, 1, 3)
                self.conv1_2 = L.DilatedConvolution2D(4, 4, 3, 1, 2, 2)
                self.fc6 = L.Convolution2D(4, 8, 3, 1, 0)
                self.score_fr = L.Convolution2D(8, n_class, 1, 1, 0, initialW=0)
                self.upscore = L.Deconvolution2D(n_class, n_class, 4, 2, 0, nobias=True, initialW=Bilinear())
                self.score_pool = L.Convolution2D(4, n_class, 1, initialW=initializers.LeCunUniform())

        def forward(self, x, t=None):
            h = F.relu(self.conv1_2(F.elu(self.conv1_1(x))))
            pool = F.max_pooling_2d(h, 2, stride=2, pad=0)
            h = F.dropout(F.relu(self.fc6(F.max_pooling_2d(pool, 2, 2, cover_all=False))), ratio=0.5)
            up = self.upscore(self.score_fr(h))
            skip = self.score_pool(0.01 * pool)
            skip = skip[:, :, 1 : 1 + up.shape[2], 1 : 1 + up.shape[3]]
            score = F.resize_images(up + skip, x.shape[2:])
            self.score = score
            if t is None:
                assert not chainer.config.train
                return None
            loss = F.softmax_cross_entropy(
                score, t, normalize=False, class_weight=np.array([1, 2, 0.5, 1], "f"), ignore_label=-1
            )
            if np.isnan(float(loss.data)):
                raise ValueError("Loss is nan.")
            chainer.report({"loss": loss}, self)
            return loss

    model = FCN()
    optimizer = optimizers.MomentumSGD(lr=1e-2, momentum=0.9)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer.WeightDecay(rate=0.0005))
    for p in model.params():
        if p.name == "b":
            p.update_rule = chainer.optimizers.momentum_sgd.MomentumSGDRule(lr=optimizer.lr * 2, momentum=0)
    model.upscore.disable_update()
    x, t = normal(2, 3, 12, 12), integers(4, 2, 12, 12)
    t[:, :2] = -1
    return updates(optimizer, lambda: model(x, t) / 100)


@program
def residual_waveforms_with_gates():
    """WaveNet: causal convolutions with dilations, skips, a mixture of logistic distributions, averaged parameters."""

    class Block(chainer.Chain):
        def __init__(self, dilation, channels=6, skip=5):
            super().__init__()
            self.dilation = dilation
            with self.init_scope():
                self.conv = L.DilatedConvolution2D(
                    channels, 2 * channels, (2, 1), pad=(dilation, 0), dilate=(dilation, 1)
                )
                self.condition = L.Convolution2D(3, 2 * channels, 1, nobias=True)
                self.proj = L.Convolution2D(channels, channels, 1)
                self.skip = L.Convolution2D(channels, skip, 1)

        def forward(self, x, c):
            h = self.conv(x)[:, :, : x.shape[2]] + self.condition(c)
            a, b = F.split_axis(h, 2, axis=1)
            z = F.tanh(a) * F.sigmoid(b)
            return (self.proj(z) + x) * 0.5**0.5, self.skip(z)

    model = chainer.Chain(start=L.Convolution1D(1, 6, 1), end=L.Convolution2D(5, 6, 1))
    model.add_link("blocks", chainer.ChainList(*[Block(2**k) for k in range(3)]))
    waves, condition = np.sin(np.arange(33)[None] * np.array([[0.3], [0.7]])).astype("f"), normal(2, 3, 32, 1)

    def loss():
        h, skips = F.expand_dims(model.start(waves[:, None, :-1]), 3), 0
        for block in model.blocks:
            h, skip = block(h, condition)
            skips += skip
        y = F.squeeze(model.end(F.relu(skips)), axis=3)
        weight, mean, scale = F.split_axis(y, [2, 4], axis=1)
        scale = F.maximum(scale, np.full(scale.shape, -7, "f"))
        t = np.broadcast_to(waves[:, None, 1:], mean.shape)
        inside = F.exp(-scale) * (t - mean)
        density = inside - scale - 2.0 * F.softplus(inside)
        return -F.average(F.logsumexp(density + F.log_softmax(weight), axis=1))

    return updates(optimizers.Adam(1e-2).setup(model), loss)
