"""Videos and detection, reinforcement learning, molecules."""

from __future__ import annotations

import numpy as np

from tests.chainer.programs.table import STEPS, integers, normal, program, updates
from tests.chainer.recorded.names import namespace as chainer

F, L, optimizers = chainer.functions, chainer.links, chainer.optimizers


@program
def prednet():
    class ConvLSTM(chainer.Chain):
        def __init__(self, inputs, outputs):
            super().__init__()
            with self.init_scope():
                self.x = L.Convolution2D(inputs, 4 * outputs, 3, pad=1)
                self.h = L.Convolution2D(outputs, 4 * outputs, 3, pad=1, nobias=True)
                self.peep = L.Scale(axis=1, W_shape=(outputs, 4, 4))
            self.state = None

        def forward(self, x):
            c, h = self.state or (np.zeros((1, 3, 4, 4), "f"),) * 2
            a, i, f, o = F.split_axis(self.x(x) + self.h(h), 4, axis=1)
            c = F.sigmoid(f) * c + F.sigmoid(i + self.peep(c)) * F.tanh(a)
            self.state = c, F.sigmoid(o) * F.tanh(c)
            return self.state[1]

    model = chainer.Chain(cell=ConvLSTM(6, 3), predict=L.Convolution2D(3, 3, 3, pad=1))
    video = normal(4, 1, 3, 4, 4)

    def loss():
        model.cell.state, total, guess = None, 0, np.zeros((1, 3, 4, 4), "f")
        for frame in video:
            error = F.concat((F.relu(frame - guess), F.relu(guess - frame)))
            total += F.mean(error)
            guess = F.clipped_relu(model.predict(model.cell(error)), 1.0)
        return total

    return updates(optimizers.Adam(0.01).setup(model), loss)


@program
def yolo():
    model = chainer.Sequential(L.Convolution2D(3, 8, 3, 2, 1), F.leaky_relu, L.Convolution2D(8, 2 * 8, 3, 2, 1))
    x, truth, conf = normal(2, 3, 8, 8), normal(2, 2, 2, 2, 2), integers(2, 2, 2, 1, 2, 2).astype("f")
    classes = integers(3, 2, 2, 2, 2)

    def loss():
        y = F.reshape(model(x), (2, 2, 8, 2, 2))
        xy, wh, c, p = F.split_axis(y, [2, 4, 5], axis=2)
        scale = 0.1 + 0.9 * conf
        return (
            F.sum((F.sigmoid(xy) - 0.5) ** 2 * np.broadcast_to(conf, xy.shape)) + F.sum((wh - truth.reshape(wh.shape)) ** 2) / 8
            + F.sum((F.sigmoid(c) - conf) ** 2 * scale) + F.softmax_cross_entropy(F.transpose(p, (0, 2, 1, 3, 4)), classes)
        )  # fmt: skip

    return updates(optimizers.MomentumSGD(0.01).setup(model), loss)


@program
def fast_rcnn():
    model = chainer.Chain(conv=L.Convolution2D(3, 4, 3, pad=1), cls=L.Linear(16, 3), loc=L.Linear(16, 12))
    x, label, target = normal(1, 3, 8, 8), integers(3, 4), normal(4, 12)
    rois = np.array([[0, 0, 0, 7, 7], [0, 1, 1, 5, 6], [0, 2, 0, 7, 3], [0, 4, 4, 7, 7]], "f")

    def loss():
        pool = F.roi_pooling_2d(F.relu(model.conv(x)), rois, 2, 2, 1.0)
        return F.softmax_cross_entropy(model.cls(pool), label) + F.sum(F.huber_loss(model.loc(pool), target, 1.0)) / 4

    return updates(optimizers.SGD(0.01).setup(model), loss)


@program
def single_shot_detection_with_transformed_examples():
    class Multibox(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.loc, self.conf = L.Convolution2D(3, 8, 3, pad=1), L.Convolution2D(3, 6, 3, pad=1)

        def forward(self, x, t):
            n = len(x)
            locs, confs = (
                F.reshape(F.transpose(c(x), (0, 2, 3, 1)), (n, -1, k)) for c, k in ((self.loc, 4), (self.conf, 3))
            )
            each = F.reshape(F.softmax_cross_entropy(F.reshape(confs, (-1, 3)), t.ravel(), reduce="no"), t.shape)
            positive = t > 0
            order = np.argsort(np.argsort(each.array * (positive - 1), axis=1, kind="stable"), axis=1, kind="stable")
            chosen = np.logical_or(positive, order < 3 * positive.sum(axis=1, keepdims=True))
            box = F.sum(F.huber_loss(locs, np.ones(locs.shape, "f"), 1, reduce="no"), axis=2)
            return (F.sum(F.where(chosen, each, each.array * 0)) + F.sum(F.where(positive, box, box.array * 0))) / 8

    def transform(example):
        image, label = example
        return image[:, :, ::-1] / 2, label

    data = [(normal(3, 4, 4), (np.random.rand(32) > 0.8).astype("i")) for _ in range(8)]  # noqa: NPY002
    data = chainer.datasets.TransformDataset(data, transform)
    model = Multibox()
    optimizer = optimizers.MomentumSGD(0.01)
    optimizer.setup(model)
    for p in model.params():
        p.update_rule.add_hook(
            chainer.optimizer_hooks.WeightDecay(0.0005) if p.name == "W" else chainer.optimizer_hooks.GradientLARS()
        )
    batches = chainer.iterators.SerialIterator(data, 4)
    return updates(optimizer, lambda: model(*chainer.dataset.concat_examples(batches.next())))


class Q(chainer.Chain):
    """Values of two actions."""

    def __init__(self, layer=L.Linear):
        super().__init__()
        with self.init_scope():
            self.a, self.b = layer(4, 8), layer(8, 2)

    def forward(self, x):
        return self.b(F.relu(self.a(x)))


class Noisy(chainer.Chain):
    """A linear link with factorised noise in its weights."""

    def __init__(self, inputs, outputs):
        super().__init__(mu=L.Linear(inputs, outputs), sigma=L.Linear(inputs, outputs, initialW=0.1, initial_bias=0.1))

    def forward(self, x):
        def noise(n):
            e = normal(n)
            return np.sign(e) * np.sqrt(np.abs(e))

        eo, ei = map(noise, self.mu.W.shape)
        return F.linear(x, self.mu.W + self.sigma.W * np.outer(eo, ei), self.mu.b + self.sigma.b * eo)


def learned(q, optimizer, double=False):
    """Losses of deep Q learning with a target network."""
    target = q.copy(mode="copy")
    optimizer.setup(q)
    losses = []
    for step in range(STEPS):
        if step % 3 == 0:
            target.copyparams(q)
        s, a, r, after, over = normal(8, 4), integers(2, 8), normal(8), normal(8, 4), integers(2, 8)
        y = F.select_item(q(s), a)
        with chainer.no_backprop_mode(), chainer.using_config("train", False):
            values = target(after)
            best = F.select_item(values, q(after).array.argmax(axis=1).astype("i")) if double else F.max(values, axis=1)
            wanted = r + 0.99 * (1 - over) * best.array
        loss = F.sum(F.huber_loss(F.expand_dims(y, 1), F.expand_dims(wanted.astype("f"), 1), delta=1.0)) / 8
        q.cleargrads()
        loss.backward()
        optimizer.update()
        losses.append(loss)
    return losses


@program
def deep_q_network():
    return learned(Q(), optimizers.RMSpropGraves(lr=2.5e-3, alpha=0.95, momentum=0.0, eps=0.01))


@program
def double_q_network_with_noise():
    return learned(Q(Noisy), optimizers.Adam(0.01), double=True)


@program
def advantage_actor_critic():
    model = chainer.Chain(pi=Q(), v=L.Linear(4, 1))
    s, a, returns = normal(8, 4), integers(2, 8), normal(8)

    def loss():
        scores = model.pi(s)
        log_p, v = F.log_softmax(scores), F.flatten(model.v(s))
        entropy = -F.sum(F.softmax(scores) * log_p, axis=1)
        return F.mean(-F.select_item(log_p, a) * (returns - v.array) - 0.01 * entropy) + 0.5 * F.mean_squared_error(
            v, returns
        )

    optimizer = optimizers.RMSprop(7e-3).setup(model)
    optimizer.add_hook(chainer.optimizer.GradientClipping(0.5))
    return updates(optimizer, loss)


@program
def proximal_policy_optimization():
    D = chainer.distributions
    model = chainer.Chain(mean=L.Linear(4, 2, initialW=chainer.initializers.Orthogonal(0.1)), v=L.Linear(4, 1))
    model.add_param("log_scale", (2,), initializer=-0.5)
    s, a, advantage = normal(8, 4), normal(8, 2), normal(8)

    def log_prob():
        scale = F.broadcast_to(F.exp(model.log_scale), (8, 2))
        return F.sum(D.Normal(model.mean(s), scale).log_prob(a), axis=1)

    with chainer.no_backprop_mode():
        old = log_prob().array

    def loss():
        ratio = F.exp(log_prob() - old)
        policy = -F.mean(F.minimum(ratio * advantage, F.clip(ratio, 0.9, 1.1) * advantage))
        return policy + F.mean_squared_error(F.squeeze(model.v(s), 1), advantage)

    return updates(optimizers.Adam(0.02).setup(model), loss)


@program
def deterministic_policy_gradients():
    actor, critic = chainer.Sequential(L.Linear(4, 8), F.relu, L.Linear(8, 2), F.tanh), L.Linear(6, 1)
    players = [optimizers.Adam(0.01).setup(each) for each in (actor, critic)]
    losses = []
    for _ in range(STEPS):
        s, a, y = normal(8, 4), normal(8, 2), normal(8, 1)
        value = F.mean_squared_error(critic(np.concatenate([s, a], axis=1)), y)
        critic.cleargrads()
        value.backward()
        players[1].update()
        policy = -F.mean(critic(F.concat((chainer.Variable(s), actor(s)))))
        actor.cleargrads()
        policy.backward()
        players[0].update()
        losses.append(value.array + policy.array)
    return losses


def molecules():
    atoms, adjacency = integers(5, 4, 6), (np.random.rand(4, 6, 6) > 0.6).astype("f")  # noqa: NPY002
    return atoms, np.maximum(adjacency, adjacency.transpose(0, 2, 1)), normal(4, 1)


@program
def gated_graph_networks():
    model = chainer.Chain(
        embed=L.EmbedID(5, 6),
        message=L.Linear(6, 6),
        update=L.StatelessGRU(6, 6),
        gate=L.Linear(12, 1),
        out=L.Linear(6, 1),
    )
    atoms, adjacency, t = molecules()

    def loss():
        h = first = model.embed(atoms)
        for _ in range(3):
            m = F.matmul(adjacency, model.message(h, n_batch_axes=2))
            h = F.reshape(model.update(F.reshape(h, (24, 6)), F.reshape(m, (24, 6))), (4, 6, 6))
        gates = F.sigmoid(model.gate(F.concat((h, first), axis=2), n_batch_axes=2))
        return F.mean_squared_error(model.out(F.sum(F.broadcast_to(gates, h.shape) * h, axis=1)), t)

    return updates(optimizers.Adam(0.01).setup(model), loss)


@program
def continuous_filters_for_molecules():
    model = chainer.Chain(embed=L.EmbedID(5, 6), a=L.Linear(8, 6), b=L.Linear(6, 6), out=L.Linear(6, 1))
    atoms, _, t = molecules()
    places = normal(4, 6, 3)
    distances = np.sqrt(((places[:, :, None] - places[:, None]) ** 2).sum(-1) + 1e-6)
    basis = np.exp(-4 * (distances[..., None] - np.linspace(0, 3, 8)) ** 2).astype("f")

    def softplus(x):
        return F.softplus(x) - np.float32(np.log(2))

    def loss():
        h = model.embed(atoms)
        filters = F.reshape(softplus(model.b(softplus(model.a(basis.reshape(-1, 8))))), (4, 6, 6, 6))
        h = h + F.sum(F.broadcast_to(F.expand_dims(h, 1), filters.shape) * filters, axis=2)
        return F.mean_absolute_error(F.sum(model.out(h, n_batch_axes=2), axis=1), t)

    return updates(optimizers.Adam(0.01, amsgrad=True).setup(model), loss)


@program
def sparse_graph_convolutions():
    model = chainer.Chain(a=L.Linear(5, 8), b=L.Linear(8, 3))
    x, t = normal(10, 5), integers(3, 10)
    dense = (np.random.rand(10, 10) > 0.7).astype("f") + np.eye(10, dtype="f")  # noqa: NPY002
    graph = chainer.utils.to_coo(dense / dense.sum(axis=1, keepdims=True))

    def loss():
        h = F.dropout(F.relu(F.sparse_matmul(graph, model.a(x))), 0.5)
        return F.softmax_cross_entropy(F.sparse_matmul(graph, model.b(h)), t)

    return updates(optimizers.Adam(0.02).setup(model), loss)


@program
def mixture_density_network():
    model = chainer.Sequential(L.Linear(1, 8), F.tanh, L.Linear(8, 9))
    x = normal(12, 1)
    y = np.sin(x) + 0.1 * normal(12, 1)

    def loss():
        pi, mu, ln_var = F.split_axis(model(x), 3, axis=1)
        log_density = -0.5 * (ln_var + (np.tile(y, (1, 3)) - mu) ** 2 * F.exp(-ln_var))
        return -F.mean(F.logsumexp(F.log_softmax(pi) + log_density, axis=1))

    return updates(optimizers.AdaBound(0.05).setup(model), loss)


@program
def functions_of_ones_own():
    class Swish(chainer.FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0,))
            (x,) = inputs
            return (x / (1 + np.exp(-x)),)

        def backward(self, indexes, grad_outputs):
            (x,) = self.get_retained_inputs()
            s = F.sigmoid(x)
            return (grad_outputs[0] * (s + x * s * (1 - s)),)

    class Cube(chainer.Function):
        def forward(self, inputs):
            return (inputs[0] ** 3,)

        def backward(self, inputs, grad_outputs):
            return (3 * inputs[0] ** 2 * grad_outputs[0],)

    model = chainer.ChainList(L.Linear(4, 6), L.BatchRenormalization(6), L.Maxout(6, 3, 2))
    x, t = normal(8, 4), normal(8, 3)

    def loss():
        return F.mean_squared_error(Cube()(model[2](model[1](Swish().apply((model[0](x),))[0]))), t)

    return updates(optimizers.AMSBound(0.002).setup(model), loss)


@program
def half_precision_with_scaled_losses():
    with chainer.using_config("dtype", chainer.mixed16):
        model = L.Classifier(
            chainer.Sequential(L.Linear(6, 8), L.BatchNormalization(8), F.relu, L.Linear(8, 3)), accfun=None
        )
        model.compute_accuracy = False
        optimizer = optimizers.MomentumSGD(0.005).setup(model)
        optimizer.use_fp32_update()
        optimizer.set_loss_scale(16)
        x, t = normal(8, 6).astype(np.float16), integers(3, 8)
        losses = []
        for _ in range(STEPS):
            optimizer.update(model, x, t)
            losses.append(sum(float((p.array.astype("d") ** 2).sum()) for p in model.params()))
    return losses
