"""Programs in the style of the libraries around Chainer: vision, reinforcement, speech, molecules, explanations."""

from __future__ import annotations

import random
import tempfile
from importlib import import_module

import numpy as np

from tests.chainer.programs.table import STEPS, integers, normal, program, updates
from tests.chainer.recorded.names import namespace as chainer

F, L, optimizers, initializers = chainer.functions, chainer.links, chainer.optimizers, chainer.initializers
training, iterators, datasets, serializers = chainer.training, chainer.iterators, chainer.datasets, chainer.serializers
variable, relu = (import_module(f"{chainer.__name__}.{name}") for name in ("variable", "functions.activation.relu"))


@program
def features_picked_by_name():
    """ChainerCV's chain of layers by name, parameters set from arrays of others, steps of different rates, NonbiasWeightDecay."""

    class Pickable(chainer.Chain):
        def __init__(self):
            super().__init__()
            self.layer_names, self._pick = [], None

        def __setattr__(self, name, value):
            super().__setattr__(name, value)
            if self.within_init_scope and callable(value):
                self.layer_names.append(name)

        @property
        def pick(self):
            return self._pick

        @pick.setter
        def pick(self, names):
            self._pick = names

        def forward(self, x):
            features = {}
            for name in self.layer_names:
                x = self[name](x) if isinstance(getattr(self, name), chainer.Link) else getattr(self, name)(x)
                features[name] = x
            return x if self._pick is None else tuple(features[name] for name in self._pick)

    class Conv(chainer.Chain):
        def __init__(self, *args, activ=F.relu, **kwargs):
            super().__init__()
            self.activ = activ
            with self.init_scope():
                self.conv = L.Convolution2D(*args, nobias=True, **kwargs)
                self.bn = L.BatchNormalization(args[1], decay=0.99, eps=1e-3)

        def forward(self, x):
            return self.activ(self.bn(self.conv(x)))

    class NonbiasWeightDecay:
        name, call_for_each_param, timing = "NonbiasWeightDecay", False, "pre"

        def __init__(self, rate):
            self.rate = rate

        def __call__(self, opt):
            for name, param in opt.target.namedparams():
                if name.endswith("/b"):
                    continue
                xp = chainer.backend.get_array_module(param.array)
                with chainer.using_device(param.device):
                    param.grad += self.rate * param.array
                    assert xp is np

    model = Pickable()
    with model.init_scope():
        model.conv1 = Conv(3, 4, 3, 1, 1, activ=lambda x: F.leaky_relu(x, 0.1))
        model.pool1 = lambda x: F.max_pooling_2d(x, 2, return_indices=False)
        model.conv2 = Conv(4, 5, 3, pad=1)
        model.flat = lambda x: F.average(x, axis=(2, 3))
        model.fc = L.Linear(5, 3)
    model.pick = ("conv1", "fc")
    model.conv1.conv.W.array = normal(4, 3, 3, 3) * 0.1
    optimizer = optimizers.MomentumSGD(0.05, 0.9).setup(model)
    optimizer.add_hook(NonbiasWeightDecay(1e-2))
    for param in model.fc.params():
        param.update_rule.hyperparam.lr = 0.1
    x, t = normal(4, 3, 8, 8), integers(3, 4)

    def loss():
        first, y = model(x)
        return F.softmax_cross_entropy(y, t) + 0.01 * F.mean(F.max_pooling_2d(first, 8) ** 2)

    losses = updates(optimizer, loss)
    assert model.layer_names == ["conv1", "pool1", "conv2", "flat", "fc"]
    return losses


@program
def explanations_of_decisions():
    """Guided backpropagation by a class of one's own for ReLU, Grad-CAM by kept gradients, integrated gradients."""

    class Guided(chainer.Function):
        def forward(self, inputs):
            (x,) = inputs
            self.retain_inputs(())
            self.retain_outputs((0,))
            return (np.maximum(x, 0),)

        def backward(self, inputs, grads):
            (y,) = self.output_data
            return (grads[0] * (y > 0) * (grads[0] > 0),)

    class Counted(relu.ReLU):
        calls = 0

        def forward(self, inputs):
            type(self).calls += 1
            return super().forward(inputs)

    model = chainer.Chain(c=L.Convolution2D(3, 4, 3, pad=1), fc=L.Linear(256, 3))
    optimizer, x, t = optimizers.Adam(0.01).setup(model), normal(2, 3, 8, 8), integers(3, 2)
    losses = []
    for _ in range(STEPS):
        image = chainer.Variable(x)
        h = Guided()(model.c(image))
        y = model.fc(h)
        model.cleargrads()
        y.grad = np.eye(3, dtype="f")[t]
        y.backward(retain_grad=True)
        cam = np.tensordot(h.grad.mean(axis=(2, 3))[0], h.array[0], axes=(0, 0))
        seen = np.abs(image.grad).sum()
        path = [chainer.Variable(np.float32(k / 3) * x) for k in (1, 2, 3)]
        outputs = [F.sum(F.select_item(model.fc(Counted().apply((model.c(p),))[0]), t)) for p in path]
        integrated = sum(g.array for g in chainer.grad(outputs, path)) / 3 * x
        model.cleargrads()
        loss = F.softmax_cross_entropy(model.fc(F.relu(model.c(x))), t, enable_double_backprop=True)
        loss.backward()
        optimizer.update()
        losses.append(loss.array + seen + np.maximum(cam, 0).sum() + np.abs(integrated).sum())
    assert Counted.calls == 3 * STEPS
    return losses


@program
def normalization_by_classes_and_singular_values():
    """SNGAN's own links: a persistent vector, weights divided by their largest singular value, gammas of classes."""

    def singular(W, u, steps=1):
        w = W.array.reshape(len(W.array), -1)
        for _ in range(steps):
            v = (u @ w) / (np.linalg.norm(u @ w) + 1e-12)
            u = (v @ w.T) / (np.linalg.norm(v @ w.T) + 1e-12)
        return F.sum(F.linear(u, F.transpose(F.reshape(W, w.shape))) * v), u

    class SNConvolution2D(L.Convolution2D):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.u = np.random.normal(size=(1, args[1])).astype("f")  # noqa: NPY002
            self.register_persistent("u")

        @property
        def W_bar(self):
            sigma, u = singular(self.W, self.u)
            self.u[:] = u
            sigma = F.broadcast_to(sigma.reshape((1,) * 4), self.W.shape)
            return self.W / sigma

        def forward(self, x):
            return F.convolution_2d(x, self.W_bar, self.b, self.stride, self.pad)

    class CategoricalBatchNormalization(chainer.Chain):
        def __init__(self, size, n_cat):
            super().__init__()
            self.avg_mean, self.avg_var = np.zeros(size, "f"), np.zeros(size, "f")
            for name in ("avg_mean", "avg_var"):
                self.register_persistent(name)
            self.add_persistent("N", 0)
            with self.init_scope():
                self.gammas = L.EmbedID(n_cat, size, initialW=1)
                self.betas = L.EmbedID(n_cat, size, initialW=0)

        def forward(self, x, c):
            one, zero = np.ones(x.shape[1], "f"), np.zeros(x.shape[1], "f")
            if chainer.config.train:
                self.N += 1
                out = F.batch_normalization(
                    x, one, zero, eps=2e-5, running_mean=self.avg_mean, running_var=self.avg_var, decay=1 - 1 / self.N
                )
            else:
                out = F.fixed_batch_normalization(x, one, zero, self.avg_mean, self.avg_var, 2e-5)
            gamma, beta = (F.broadcast_to(e(c)[:, :, None, None], out.shape) for e in (self.gammas, self.betas))
            return gamma * out + beta

    gen = chainer.Chain(l=L.Linear(4, 64), bn=CategoricalBatchNormalization(4, 3), c=L.Convolution2D(4, 3, 3, pad=1))
    dis = chainer.Chain(c=SNConvolution2D(3, 4, 4, 2, 1), l=L.Linear(4, 1), e=L.EmbedID(3, 4))
    opt_gen, opt_dis = (optimizers.Adam(2e-3, 0.0, 0.9).setup(m) for m in (gen, dis))

    def made(c):
        h = F.reshape(gen.l(normal(len(c), 4)), (-1, 4, 4, 4))
        return F.tanh(gen.c(F.unpooling_2d(F.relu(gen.bn(h, c)), 2, outsize=(8, 8))))

    def judged(x, c):
        h = F.sum(F.relu(dis.c(x)), axis=(2, 3))
        return dis.l(h) + F.sum(dis.e(c) * h, axis=1, keepdims=True)

    real, kinds, losses = normal(4, 3, 8, 8), integers(3, 4), []
    for _ in range(STEPS):
        c = integers(3, 4)
        fake = made(c)
        loss = F.mean(F.relu(1.0 - judged(real, kinds))) + F.mean(F.relu(1.0 + judged(fake.array, c)))
        dis.cleargrads()
        loss.backward()
        opt_dis.update()
        loss_gen = -F.mean(judged(fake, c))
        gen.cleargrads()
        loss_gen.backward()
        opt_gen.update()
        losses.append(loss.array + loss_gen.array)
    with chainer.using_config("train", False):
        losses[-1] = losses[-1] + made(kinds).array.sum()
    return losses


@program
def speech_with_accumulated_gradients():
    """ESPnet's updater: gradients of several batches, norms that are looked at, eps of AdaDelta decayed by an extension."""

    class Model(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.enc = L.NStepBiLSTM(1, 5, 4, 0.0)
                self.proj = L.Linear(8, 4)
                self.att = L.Linear(4, 4, nobias=True)
                self.dec = L.StatelessLSTM(8, 4)
                self.embed = L.EmbedID(6, 4, ignore_label=-1)
                self.out = L.Linear(4, 6)

        def forward(self, xs, ts):
            lengths = np.cumsum([len(x) for x in xs])[:-1]
            _, _, ys = self.enc(None, None, xs)
            ys = F.split_axis(F.tanh(self.proj(F.vstack(ys))), lengths, axis=0)
            keys = F.pad_sequence(ys, padding=0.0)
            mask = np.array([[0.0 if k < len(y) else -1e9 for k in range(keys.shape[1])] for y in ys], "f")
            tokens = F.pad_sequence([np.r_[t, [5]].astype("i") for t in ts], padding=-1).array
            before = np.concatenate([np.full((len(ts), 1), 5, "i"), tokens[:, :-1]], axis=1)
            c = h = None
            logits = []
            for k in range(tokens.shape[1]):
                state = chainer.Variable(np.zeros((len(ts), 4), "f")) if h is None else h
                scores = F.sum(keys * F.broadcast_to(F.expand_dims(self.att(state), 1), keys.shape), axis=2)
                weights = F.softmax(2.0 * scores + mask)
                context = F.sum(keys * F.broadcast_to(F.expand_dims(weights, 2), keys.shape), axis=1)
                c, h = self.dec(c, h, F.concat([self.embed(before[:, k]), context]))
                logits.append(self.out(h))
            y = F.reshape(F.stack(logits, axis=1), (-1, 6))
            loss = F.softmax_cross_entropy(y, tokens.ravel()) * (tokens.shape[1] - 1)
            chainer.report({"loss": loss, "acc": F.accuracy(y, tokens.ravel(), ignore_label=-1)}, self)
            return loss

    class Updater(training.StandardUpdater):
        def __init__(self, iterator, optimizer, accum):
            super().__init__(iterator, optimizer, converter=lambda batch, device: tuple(zip(*batch)))
            self.accum, self.count = accum, 0

        def update_core(self):
            optimizer = self.get_optimizer("main")
            loss = optimizer.target(*self.converter(self.get_iterator("main").next(), self.device)) / self.accum
            loss.backward()
            loss.unchain_backward()
            losses.append(loss)
            self.count += 1
            if self.count % self.accum:
                return
            norm = np.sqrt(sum((p.grad**2).sum() for p in optimizer.target.params() if p.grad is not None))
            if not np.isnan(norm):
                optimizer.update()
            optimizer.target.cleargrads()

    losses = []
    data = [(normal(n, 5), integers(5, m)) for n, m in ((6, 3), (4, 2), (5, 4), (3, 1), (7, 2), (5, 2))]
    model = Model()
    optimizer = optimizers.AdaDelta(rho=0.95, eps=1e-4).setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.GradientClipping(5))
    model.cleargrads()
    updater = Updater(iterators.MultithreadIterator(data, 3, shuffle=False, n_threads=1), optimizer, 2)
    trainer = training.Trainer(updater, (STEPS, "iteration"), out=tempfile.mkdtemp())

    def decay(trainer):
        trainer.updater.get_optimizer("main").eps *= 0.1

    trainer.extend(decay, name="decay", trigger=(2, "epoch"))
    trainer.extend(training.extensions.LogReport(trigger=(1, "iteration")))
    trainer.run()
    updater.finalize()
    return [a.array + entry["main/acc"] for a, entry in zip(losses, trainer.get_extension("LogReport").log)]


@program
def shaken_and_skipped_branches():
    """Shake-shake with other weights backward than forward, stochastic depth, mixed and cut out examples, soft labels."""

    class ShakeShake(chainer.FunctionNode):
        def forward(self, inputs):
            a, b = inputs
            alpha = np.random.rand(len(a), 1, 1, 1).astype(a.dtype)  # noqa: NPY002
            return (alpha * a + (1 - alpha) * b,)

        def backward(self, indexes, grads):
            beta = np.random.rand(len(grads[0]), 1, 1, 1).astype("f")  # noqa: NPY002
            beta = F.broadcast_to(chainer.Variable(beta), grads[0].shape)
            return beta * grads[0], (1 - beta) * grads[0]

    class Branches(chainer.Chain):
        def __init__(self, n, keep):
            super().__init__()
            self.keep = keep
            with self.init_scope():
                self.a = chainer.Sequential(F.relu, L.Convolution2D(n, n, 3, pad=1), L.BatchNormalization(n))
                self.b = chainer.Sequential(L.Convolution2D(n, n, 1), L.GroupNormalization(2, n), F.elu)

        def forward(self, x):
            if chainer.config.train and random.random() > self.keep:
                return x
            mixed = (
                ShakeShake().apply((self.a(x), self.b(x)))[0] if chainer.config.train else 0.5 * (self.a(x) + self.b(x))
            )
            return x + mixed

    random.seed(3)
    model = chainer.Sequential(
        L.Convolution2D(3, 4, 3, pad=1),
        Branches(4, 0.8),
        Branches(4, 0.5),
        lambda h: F.mean(h, axis=(2, 3)),
        L.Linear(4, 3),
    )
    x, t = normal(6, 3, 6, 6), np.eye(3, dtype="f")[integers(3, 6)]

    def loss():
        order, ratio = np.random.permutation(6), np.float32(np.random.beta(0.4, 0.4))  # noqa: NPY002
        mixed, soft = ratio * x + (1 - ratio) * x[order], ratio * t + (1 - ratio) * t[order]
        mixed[:, :, 1:3, 2:4] = 0
        y = model(mixed)
        return -F.sum(F.log_softmax(y) * soft) / 6 + F.softmax_cross_entropy(y, 0.9 * soft + np.float32(0.1 / 3))

    return updates(optimizers.AMSBound(1e-2, final_lr=0.1).setup(model), loss)


@program
def agents_with_soft_copies():
    """ChainerRL's manner: dueling heads, sequences of links, soft copies, priorities, a replay that is saved."""

    class Dueling(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.body = chainer.ChainList(L.Linear(4, 8), L.Linear(8, 8, initialW=initializers.LeCunUniform()))
                self.main = L.Linear(8, 6)
                self.scale = L.Scale(axis=1, W_shape=(3,), bias_term=True, bias_shape=(3,))

        def forward(self, x):
            h = x
            for layer in self.body:
                h = F.relu(layer(h))
            a, v = F.split_axis(self.main(h), 2, axis=1)
            a = a - F.broadcast_to(F.mean(a, axis=1, keepdims=True), a.shape)
            return self.scale(F.broadcast_to(F.mean(v, axis=1, keepdims=True), a.shape) + a)

    def soft_copy(source, target, tau):
        values = dict(source.namedparams())
        for name, param in target.namedparams():
            param.array[:] = (1 - tau) * param.array + tau * values[name].array

    q, target = Dueling(), Dueling()
    target.copyparams(q)
    optimizer = optimizers.Adam(1e-2, eps=1e-2).setup(q)
    memory = [(normal(4), k % 3, np.float32(k % 2), normal(4)) for k in range(15)]
    priorities, losses = np.ones(15), []
    for k in range(STEPS):
        p = priorities / priorities.sum()
        chosen = np.random.choice(15, 5, p=p)  # noqa: NPY002
        s, a, r, after = chainer.dataset.concat_examples([memory[i] for i in chosen])
        with chainer.no_backprop_mode():
            best = F.select_item(target(after), q(after).array.argmax(axis=1).astype("i"))
        weights = ((15 * p[chosen]) ** -0.5).astype("f")
        delta = F.select_item(q(s), a.astype("i")) - (r + np.float32(0.9) * best.array)
        loss = F.sum(F.huber_loss(delta[:, None], np.zeros((5, 1), "f"), 1.0, reduce="no") * weights) / 5
        optimizer.update(lambda: loss)  # noqa: B023 - used at once
        priorities[chosen] = np.abs(delta.array) + 0.1
        soft_copy(q, target, 0.1)
        if k == 5:
            folder = tempfile.mkdtemp()
            serializers.save_hdf5(folder + "/q.h5", q)
            serializers.save_npz(folder + "/opt.npz", optimizer, compression=False)
            q = Dueling()
            optimizer = optimizers.Adam(1e-2, eps=1e-2).setup(q)
            serializers.load_hdf5(folder + "/q.h5", q)
            serializers.load_npz(folder + "/opt.npz", optimizer)
        losses.append(loss)
    return losses
