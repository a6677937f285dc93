"""Programs as libraries over Chainer write them: agents, models of molecules, learning to learn."""

from __future__ import annotations

import numpy as np

from tests.chainer.programs.table import STEPS, integers, normal, program, updates
from tests.chainer.recorded.names import namespace as chainer

F, L, optimizers = chainer.functions, chainer.links, chainer.optimizers


def flat(gradients):
    return np.concatenate([g.array.ravel() for g in gradients])


def solved(product, b, steps=5):
    """The solution of a linear system by conjugate gradients."""
    x, residual = np.zeros_like(b), b.copy()
    direction, length = residual, residual @ residual
    for _ in range(steps):
        image = product(direction) + 0.1 * direction
        factor = length / (direction @ image)
        x = x + factor * direction
        residual = residual - factor * image
        after = residual @ residual
        direction, length = residual + after / length * direction, after
    return x


def old_functions(variables):
    """The functions of the old style in a graph, which cannot be differentiated twice."""
    found = []
    for variable in variables:
        if variable.creator is not None:
            assert isinstance(variable.creator, (chainer.Function, chainer.FunctionNode))
            found += [variable.creator] if isinstance(variable.creator, chainer.Function) else []
            found += old_functions(variable.creator.inputs)
    return found


@program
def trust_region_policy_optimization():
    D = chainer.distributions
    model = chainer.Chain(a=L.Linear(4, 8), mean=L.Linear(8, 2))
    model.add_param("log_scale", (2,), initializer=-0.5)

    def policy(s):
        mean = model.mean(F.tanh(model.a(s)))
        return D.Normal(mean - 1.0, scale=F.broadcast_to(F.exp(model.log_scale), mean.shape))

    losses = []
    for _ in range(STEPS):
        s, a, advantage = normal(8, 4), normal(8, 2), normal(8)
        now, params = policy(s), list(model.params())
        before = D.Normal(now.loc.array, now.scale.array)
        gain = F.mean(F.exp(F.sum(now.log_prob(a) - before.log_prob(a), axis=1)) * advantage)
        distance = F.mean(F.sum(chainer.kl_divergence(before, now), axis=1))
        assert old_functions([distance]) == []
        slopes = chainer.grad([distance], params, enable_double_backprop=True)
        lengths = [p.size for p in params]

        def product(v, slopes=slopes, params=params, lengths=lengths):
            parts = np.split(v, np.cumsum(lengths)[:-1])
            dot = sum(F.sum(g * part.reshape(g.shape)) for g, part in zip(slopes, parts))
            return flat(chainer.grad([dot], params))

        step = solved(product, flat(chainer.grad([gain], params)))
        size = np.sqrt(2 * 0.01 / (step @ product(step)))
        for p, part in zip(params, np.split(size * step, np.cumsum(lengths)[:-1])):
            p.array += part.reshape(p.shape).astype("f")
        losses.append(gain.array + distance.array + size)
    return losses


@program
def distributional_q_network():
    actions, atoms = 2, 5
    z = np.linspace(-1, 1, atoms).astype("f")
    q = chainer.Sequential(
        L.Linear(4, 8), F.relu, L.Linear(8, actions * atoms), lambda y: F.softmax(F.reshape(y, (-1, actions, atoms)), 2)
    )
    target = q.copy()

    def projected(values, p):
        """Probabilities on the atoms, of atoms that lie anywhere."""
        place = (np.clip(values, -1, 1) + 1) / (z[1] - z[0])
        low, high = np.floor(place).astype(int), np.ceil(place).astype(int)
        out = np.zeros_like(p)
        for row in range(len(p)):
            np.add.at(out[row], low[row], p[row] * (high[row] - place[row] + (low[row] == high[row])))
            np.add.at(out[row], high[row], p[row] * (place[row] - low[row]))
        return out

    def loss():
        s, a, r, after = normal(6, 4), integers(actions, 6), normal(6, 1), normal(6, 4)
        with chainer.no_backprop_mode():
            p = target(after).array
            best = p[np.arange(6), (p * z).sum(axis=2).argmax(axis=1)]
        wanted = projected(r + np.float32(0.9) * z, best)
        chosen = q(s)[np.arange(6), a]
        return F.mean(-F.sum(wanted * F.log(F.clip(chosen, 1e-10, 1.0)), axis=1))

    return updates(optimizers.Adam(0.01, eps=1e-4).setup(q), loss)


@program
def soft_actor_critic():
    actor = chainer.Sequential(L.Linear(4, 8), F.relu, L.Linear(8, 4))
    critics = [chainer.Sequential(L.Linear(6, 8), F.relu, L.Linear(8, 1)) for _ in range(2)]
    temperature = chainer.Link(log=())
    temperature.log.array[...] = 0
    players = [optimizers.Adam(3e-2).setup(each) for each in (actor, *critics, temperature)]
    targets = [each.copy() for each in critics]

    def drawn(s):
        mean, log_scale = F.split_axis(actor(s), 2, axis=1)
        scale = F.exp(F.clip(log_scale, -20.0, 2.0))
        raw = F.gaussian(mean, 2 * F.log(scale))
        each = -0.5 * F.square((raw - mean) / scale) - F.log(scale) - 0.5 * np.log(2 * np.pi)
        return F.tanh(raw), F.sum(each - 2.0 * (np.log(2.0) - raw - F.softplus(-2.0 * raw)), axis=1)

    def values(nets, s, a):
        return [F.flatten(net(F.concat((s, a), axis=1))) for net in nets]

    losses = []
    for _ in range(STEPS):
        s, a, r, after = normal(6, 4), normal(6, 2), normal(6), normal(6, 4)
        with chainer.no_backprop_mode():
            b, log_p = drawn(after)
            wanted = r + 0.9 * (F.minimum(*values(targets, after, b)) - F.exp(temperature.log).array * log_p).array
        critic_losses = [0.5 * F.mean_squared_error(y, wanted) for y in values(critics, s, a)]
        for loss, player in zip(critic_losses, players[1:3]):
            player.update(lambda loss=loss: loss)
        b, log_p = drawn(s)
        policy = F.mean(F.broadcast_to(F.exp(temperature.log), (6,)).array * log_p - F.minimum(*values(critics, s, b)))
        players[0].update(lambda policy=policy: policy)
        players[3].update(lambda p=log_p: -F.mean(F.broadcast_to(temperature.log, (6,)) * (p.array - 2.0)))
        for net, target in zip(critics, targets):
            for own, kept in zip(net.params(), target.params()):
                kept.array[...] = 0.9 * kept.array + 0.1 * own.array
        losses.append(sum(each.array for each in critic_losses))
    return losses


@program
def message_passing_with_a_set_to_set_readout():
    class Model(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.embed = L.EmbedID(6, 5, ignore_label=0)
                self.message = L.Linear(5, 15)
                self.update = L.GRU(10, 5)
                self.lstm = L.LSTM(10, 5)
                self.out = L.Linear(None, 1)

        def forward(self, atoms, bonds):
            batch, count = atoms.shape
            h = self.embed(atoms)
            self.update.reset_state()
            for _ in range(2):
                m = F.reshape(self.message(F.reshape(h, (-1, 5))), (batch, count, 5, 3))
                m = F.sum(F.matmul(bonds, F.transpose(m, (0, 3, 1, 2))), axis=1)
                inputs = F.reshape(F.concat((h, m), axis=2), (batch * count, 10))
                h = F.reshape(self.update(inputs), (batch, count, 5))
            return self.out(self.read(h))

        def read(self, h):
            self.lstm.reset_state()
            q = chainer.Variable(np.zeros((len(h), 10), "f"))
            for _ in range(3):
                q = self.lstm(q)
                weights = F.softmax(F.sum(h * F.broadcast_to(q[:, None], h.shape), axis=2))
                r = F.sum(F.broadcast_to(weights[:, :, None], h.shape) * h, axis=1)
                q = F.concat((q, r))
            return q

    model = Model()
    atoms, bonds, t = integers(6, 3, 4), (np.random.rand(3, 3, 4, 4) > 0.6).astype("f"), normal(3, 1)  # noqa: NPY002
    return updates(optimizers.Adam(0.01).setup(model), lambda: F.mean_absolute_error(model(atoms, bonds), t))


@program
def relational_attention_between_atoms():
    heads, units = 2, 4
    model = chainer.Chain(embed=L.EmbedID(6, units), out=L.Linear(units, 2))
    model.w = chainer.ChainList(*(L.Linear(units, heads * units, nobias=True) for _ in range(3)))
    model.add_link("ws", model.w)
    model.add_param("a", (3, heads, 2 * units), initializer=chainer.initializers.GlorotUniform())
    atoms, bonds, t = integers(6, 3, 5), (np.random.rand(3, 3, 5, 5) > 0.5).astype("f"), integers(2, 3)  # noqa: NPY002
    bonds[:, :, range(5), range(5)] = 1

    def loss():
        h, total = model.embed(atoms), 0
        for k in range(3):
            g = F.transpose(F.reshape(model.w[k](h, n_batch_axes=2), (3, 5, heads, units)), (0, 2, 1, 3))
            left, right = F.split_axis(model.a[k], 2, axis=1)
            scores = F.broadcast_to(
                F.matmul(g, F.broadcast_to(left[None, :, :, None], (3, heads, units, 1))), (3, heads, 5, 5)
            )
            scores += F.swapaxes(
                F.broadcast_to(
                    F.matmul(g, F.broadcast_to(right[None, :, :, None], (3, heads, units, 1))), (3, heads, 5, 5)
                ),
                2,
                3,
            )
            scores = F.where(
                np.broadcast_to(bonds[:, k, None] > 0, scores.shape),
                F.leaky_relu(scores, 0.2),
                np.full(scores.shape, -10000.0, "f"),
            )
            total += F.mean(F.matmul(F.dropout(F.softmax(scores, axis=3), 0.2), g), axis=1)
        return F.softmax_cross_entropy(model.out(F.sum(F.tanh(total), axis=1)), t)

    return updates(optimizers.AdaBound(0.01).setup(model), loss)


@program
def waveforms_by_dilated_convolutions():
    class Block(chainer.Chain):
        def __init__(self, dilation):
            super().__init__()
            with self.init_scope():
                self.conv = L.Convolution1D(4, 8, 2, pad=dilation, dilate=dilation)
                self.res, self.skip = L.Convolution1D(4, 4, 1), L.Convolution1D(4, 4, 1)

        def forward(self, x):
            a, b = F.split_axis(self.conv(x)[:, :, : x.shape[2]], 2, axis=1)
            z = F.tanh(a) * F.sigmoid(b)
            return self.res(z) + x, self.skip(z)

    model = chainer.Chain(embed=L.EmbedID(6, 4), out=L.Convolution1D(4, 6, 1))
    model.add_link("blocks", chainer.ChainList(*map(Block, (1, 2, 4))))
    x = integers(6, 2, 12)

    def loss():
        h, skips = F.transpose(model.embed(x[:, :-1]), (0, 2, 1)), []
        for block in model.blocks:
            h, skip = block(h)
            skips.append(skip)
        return F.softmax_cross_entropy(model.out(F.relu(sum(skips))), x[:, 1:])

    return updates(optimizers.Adam(0.01).setup(model), loss)


@program
def capsules_with_routing():
    model = chainer.Chain(conv=L.Convolution2D(1, 6, 3, stride=2))
    model.add_param("W", (3, 6, 4, 3), initializer=chainer.initializers.Normal(0.3))
    x, t = normal(4, 1, 6, 6), integers(3, 4)

    def squashed(s, axis):
        square = F.sum(s * s, axis=axis, keepdims=True)
        return F.broadcast_to(square / ((1 + square) * F.sqrt(square + 1e-8)), s.shape) * s

    def loss():
        u = squashed(F.reshape(model.conv(x), (4, 6, 4)), 2)
        votes = F.einsum("bip,cipq->bciq", u, model.W)
        b = np.zeros((4, 3, 6), "f")
        for _ in range(2):
            c = F.softmax(b, axis=1)
            v = squashed(F.sum(F.broadcast_to(c[..., None], votes.shape) * votes, axis=2), 2)
            b = b + F.sum(F.broadcast_to(v[:, :, None], votes.shape) * votes, axis=3)
        lengths = F.sqrt(F.sum(v * v, axis=2) + 1e-8)
        is_class = np.eye(3, dtype="f")[t]
        return F.sum(is_class * F.relu(0.9 - lengths) ** 2 + 0.5 * (1 - is_class) * F.relu(lengths - 0.1) ** 2) / 4

    return updates(optimizers.Adam(0.01).setup(model), loss)


@program
def learning_to_learn_by_gradients_of_gradients():
    model = L.Linear(2, 3)

    def loss():
        total = 0
        for _ in range(2):
            x, t, after, wanted = normal(5, 2), integers(3, 5), normal(5, 2), integers(3, 5)
            W, b = model.W, model.b
            for _ in range(2):
                inner = F.softmax_cross_entropy(F.linear(x, W, b), t, enable_double_backprop=True)
                gW, gb = chainer.grad([inner], [W, b], enable_double_backprop=True)
                W, b = W - 0.5 * gW, b - 0.5 * gb
            total += F.softmax_cross_entropy(F.linear(after, W, b), wanted)
        return total

    return updates(optimizers.MomentumSGD(0.1).setup(model), loss)


@program
def virtual_adversarial_training():
    model = chainer.Sequential(L.Linear(6, 8), L.BatchNormalization(8), F.relu, L.Linear(8, 3))
    x, t, more = normal(4, 6), integers(3, 4), normal(8, 6)

    def divergence(p, scores):
        return F.sum(p * (F.log(p + 1e-8) - F.log_softmax(scores))) / len(p)

    def loss():
        with chainer.no_backprop_mode():
            p = F.softmax(model(more)).array
        d = normal(8, 6)
        d = chainer.Variable(1e-2 * d / np.linalg.norm(d, axis=1, keepdims=True))
        (g,) = chainer.grad([divergence(p, model(more + d))], [d])
        r = F.normalize(g).array
        return F.softmax_cross_entropy(model(x), t) + divergence(p, model(more + r))

    return updates(optimizers.Adam(0.01).setup(model), loss)


@program
def embeddings_of_pairs_and_proxies():
    model = chainer.Sequential(L.Linear(6, 8), F.crelu, L.Linear(16, 4), F.normalize)
    x, again, t = normal(8, 6), normal(8, 6), np.repeat(np.arange(4), 2).astype("i")

    def loss():
        a, b = model(x), model(again)
        scores = F.matmul(a, b, transb=True) / 0.1
        pairs = F.softmax_cross_entropy(scores, np.arange(8, dtype="i"))
        triplets = F.triplet(a[::2], a[1::2], a[[2, 5, 6, 1]], margin=0.5)
        return pairs + triplets + F.contrastive(a[::2], b[::2], t[::2] % 2, margin=0.8)

    return updates(optimizers.NesterovAG(0.01).setup(model), loss)
