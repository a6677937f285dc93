"""Programs of texts and speech."""

from __future__ import annotations

import numpy as np

from tests.chainer.programs.table import STEPS, integers, normal, program, updates
from tests.chainer.recorded.names import namespace as chainer

F, L, optimizers = chainer.functions, chainer.links, chainer.optimizers


@program
def language_model_of_ptb():
    """Truncated backpropagation through time with clipped gradients."""

    class RNN(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.embed, self.l1, self.l2, self.out = L.EmbedID(9, 6), L.LSTM(6, 6), L.LSTM(6, 6), L.Linear(6, 9)
            for p in self.params():
                p.array[...] = np.random.uniform(-0.1, 0.1, p.shape)  # noqa: NPY002

        def forward(self, x):
            h = self.l1(F.dropout(self.embed(x)))
            return self.out(F.dropout(self.l2(F.dropout(h))))

    model = L.Classifier(RNN(), accfun=None)
    model.compute_accuracy = False
    optimizer = optimizers.SGD(1.0)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.GradientClipping(5))
    words, losses = integers(9, 41, 3), []
    for start in range(STEPS):
        loss = 0
        for k in range(4):
            loss += model(words[4 * start + k], words[4 * start + k + 1])
        model.cleargrads()
        loss.backward()
        loss.unchain_backward()
        optimizer.update()
        losses.append(loss)
    return losses


@program
def characters_in_the_style_of_version_one():
    """Weights by keywords, states by hand, volatile-free."""
    model = chainer.Chain(embed=L.EmbedID(7, 5), x=L.Linear(5, 20), h=L.Linear(5, 20), y=L.Linear(5, 7))
    for p in model.params():
        p.data[:] = np.random.uniform(-0.1, 0.1, p.data.shape)  # noqa: NPY002
    optimizer = optimizers.RMSprop(lr=1e-2, alpha=0.95, eps=1e-8)
    optimizer.setup(model)
    text, losses = integers(7, 41), []
    state = {"c": np.zeros((1, 5), np.float32), "h": np.zeros((1, 5), np.float32)}
    for start in range(STEPS):
        total = chainer.Variable(np.zeros((), np.float32))
        for k in range(4):
            x, t = (chainer.Variable(text[4 * start + k + j : 4 * start + k + j + 1]) for j in (0, 1))
            gates = model.x(F.dropout(model.embed(x), 0.2)) + model.h(state["h"])
            state["c"], state["h"] = F.lstm(state["c"], gates)
            total += F.softmax_cross_entropy(model.y(state["h"]), t)
        model.zerograds()
        total.backward()
        total.unchain_backward()
        optimizer.update()
        losses.append(total.data)
    return losses


class Seq2seq(chainer.Chain):
    """Two recurrent networks."""

    def __init__(self, attention=False):
        super().__init__()
        with self.init_scope():
            self.ex, self.ey = L.EmbedID(11, 6), L.EmbedID(11, 6)
            self.encoder, self.decoder = L.NStepLSTM(2, 6, 6, 0.2), L.NStepLSTM(2, 6, 6, 0.2)
            self.W = L.Linear(12 if attention else 6, 11)
        self.attention = attention

    def forward(self, xs, ys):
        xs = [x[::-1] for x in xs]
        ends = np.array([0], np.int32)
        ys_in = [F.concat([ends, y], axis=0) for y in ys]
        ys_out = [F.concat([y, ends], axis=0) for y in ys]
        embedded = [
            F.split_axis(e(F.concat(s, axis=0)), np.cumsum([len(x) for x in s[:-1]]), 0)
            for e, s in ((self.ex, xs), (self.ey, ys_in))
        ]
        hx, cx, seen = self.encoder(None, None, list(embedded[0]))
        _, _, os = self.decoder(hx, cx, list(embedded[1]))
        if self.attention:
            os = [F.concat((o, F.matmul(F.softmax(F.matmul(o, s, transb=True)), s)), axis=1) for o, s in zip(os, seen)]
        scores = self.W(F.concat(os, axis=0))
        return F.sum(F.softmax_cross_entropy(scores, F.concat(ys_out, axis=0), reduce="no")) / len(xs)


def translated(attention, count):
    model = Seq2seq(attention)
    xs, ys = ([1 + integers(10, n) for n in np.random.randint(1, 6, count)] for _ in range(2))  # noqa: NPY002
    return updates(optimizers.Adam(0.01).setup(model), lambda: model(xs, ys))


@program
def seq2seq_of_many_sequences_of_equal_lengths():
    return translated(False, 40)


@program
def seq2seq_with_attention():
    return translated(True, 5)


@program
def bert():
    class Layer(chainer.Chain):
        def __init__(self, units=8, heads=2):
            super().__init__()
            w = chainer.initializers.LeCunUniform()
            with self.init_scope():
                self.qkv, self.o = L.Linear(units, 3 * units, initialW=w), L.Linear(units, units, initialW=w)
                self.f1, self.f2 = L.Linear(units, 16, initialW=w), L.Linear(16, units, initialW=w)
                self.n1, self.n2 = L.LayerNormalization(units), L.LayerNormalization(units)
            self.heads = heads

        def forward(self, x, mask):
            b, t, u = x.shape
            q, k, v = (
                F.reshape(
                    F.transpose(F.reshape(p, (b, t, self.heads, u // self.heads)), (0, 2, 1, 3)),
                    (b * self.heads, t, -1),
                )
                for p in F.split_axis(self.qkv(x, n_batch_axes=2), 3, axis=2)
            )
            scores = F.matmul(q, k, transb=True) * (u // self.heads) ** -0.5
            scores = F.where(np.repeat(mask, self.heads, axis=0), scores, np.full(scores.shape, -1e9, "f"))
            a = F.matmul(F.dropout(F.softmax(scores, axis=2), 0.1), v)
            a = F.reshape(F.transpose(F.reshape(a, (b, self.heads, t, -1)), (0, 2, 1, 3)), (b * t, u))
            h = self.n1(F.reshape(x, (b * t, u)) + F.dropout(self.o(a), 0.1))
            g = self.f1(h)
            g = 0.5 * g * (1 + F.erf(g / 2**0.5))
            return F.reshape(self.n2(h + self.f2(g)), (b, t, u))

    model = chainer.Chain(words=L.EmbedID(13, 8), places=L.EmbedID(6, 8), a=Layer(), b=Layer(), out=L.Linear(8, 13))
    x, t = integers(13, 3, 6), integers(13, 3, 6)
    t[:, ::2] = -1
    mask = np.broadcast_to((np.arange(6) < np.array([[6], [4], [3]]))[:, None], (3, 6, 6))

    def loss():
        h = model.words(x) + F.broadcast_to(model.places(np.arange(6, dtype="i")), (3, 6, 8))
        h = model.b(model.a(h, mask), mask)
        return F.softmax_cross_entropy(F.reshape(model.out(h, n_batch_axes=2), (18, 13)), t.ravel(), ignore_label=-1)

    optimizer = optimizers.AdamW(0.01, weight_decay_rate=0.01).setup(model)
    return updates(optimizer, loss)


@program
def word2vec_by_negative_sampling():
    counts = [5, 3, 8, 1, 2]
    model = chainer.Chain(
        embed=L.EmbedID(5, 4, initialW=chainer.initializers.Uniform(0.25)), loss=L.NegativeSampling(4, counts, 3)
    )
    x, context = integers(5, 6), integers(5, 6)
    return updates(optimizers.Adam(0.05).setup(model), lambda: model.loss(model.embed(x), context))


@program
def word2vec_by_a_tree():
    tree = L.BinaryHierarchicalSoftmax.create_huffman_tree({0: 5, 1: 3, 2: 8, 3: 1, 4: 2})
    model = chainer.Chain(embed=L.EmbedID(5, 4), loss=L.BinaryHierarchicalSoftmax(4, tree))
    x, context = integers(5, 6), integers(5, 6)
    return updates(optimizers.Adam(0.05).setup(model), lambda: model.loss(model.embed(x), context))


@program
def language_model_with_black_out():
    model = chainer.Chain(embed=L.EmbedID(6, 4), rnn=L.StatelessGRU(4, 4), out=L.BlackOut(4, [3, 1, 4, 1, 5, 9], 3))
    model.out.W.array[...] = normal(6, 4)  # Chainer leaves it NaN
    x, t = integers(6, 5), integers(6, 5)
    return updates(
        optimizers.Adam(0.02).setup(model), lambda: model.out(model.rnn(np.tanh(normal(5, 4)), model.embed(x)), t)
    )


@program
def classification_of_sentences_by_convolutions():
    model = chainer.Chain(
        embed=L.EmbedID(9, 4, ignore_label=-1),
        a=L.Convolution1D(4, 5, 2),
        b=L.Convolution1D(4, 5, 3),
        out=L.Linear(10, 3),
    )
    x = F.pad_sequence([integers(9, n) for n in (6, 4, 5)], padding=-1).array
    t = integers(3, 3)

    def loss():
        h = F.transpose(model.embed(x), (0, 2, 1))
        return F.softmax_cross_entropy(
            model.out(F.concat([F.max(F.relu(c(h)), axis=2) for c in (model.a, model.b)])), t
        )

    return updates(optimizers.Adam(0.003).setup(model), loss)


@program
def sentiment_by_trees():
    model = chainer.Chain(embed=L.EmbedID(6, 4), tree=L.ChildSumTreeLSTM(4, 4), out=L.Linear(4, 2))
    trees = [((0, 1), 2), (3, (4, (5, 0))), (2, 5)]

    def walked(node):
        if isinstance(node, tuple):
            (c1, h1), (c2, h2) = map(walked, node)
            return model.tree(c1, c2, h1, h2, None)
        return model.tree(model.embed(np.array([node], "i")))

    def loss():
        return sum(
            F.softmax_cross_entropy(model.out(walked(tree)[1]), np.array([k % 2], "i")) for k, tree in enumerate(trees)
        )

    return updates(optimizers.AdaGrad(0.1).setup(model), loss)


@program
def end_to_end_memory():
    model = chainer.Chain(A=L.EmbedID(8, 5), B=L.EmbedID(8, 5), C=L.EmbedID(8, 5), W=L.Linear(5, 8))
    story, question, answer = integers(8, 4, 3, 6), integers(8, 4, 6), integers(8, 4)

    def loss():
        u = F.sum(model.B(question), axis=1)
        for _ in range(2):
            m, c = F.sum(model.A(story), axis=2), F.sum(model.C(story), axis=2)
            p = F.softmax(F.matmul(m, F.expand_dims(u, 1), transb=True)[:, :, 0])
            u = u + F.sum(F.broadcast_to(F.expand_dims(p, 2), c.shape) * c, axis=1)
        return F.softmax_cross_entropy(model.W(u), answer)

    return updates(optimizers.Adam(0.01).setup(model), loss)


@program
def tagging_by_conditional_random_fields():
    model = chainer.Chain(feature=L.EmbedID(9, 4), crf=L.CRF1d(4, initial_cost=normal(4, 4) * 0.1))
    xs, ts = ([integers(k, n) for n in (5, 3, 3)] for k in (9, 4))

    def loss():
        return model.crf([model.feature(x) for x in xs], ts, transpose=True)

    return updates(optimizers.Adam(0.05).setup(model), loss)


@program
def crnn_of_speech():
    model = chainer.Chain(conv=L.Convolution2D(1, 4, 3, pad=1), rnn=L.NStepBiLSTM(1, 16, 6, 0.0), out=L.Linear(12, 5))
    x, t = normal(3, 1, 8, 10), 1 + integers(4, 3, 3)

    def loss():
        h = F.max_pooling_2d(F.relu(model.conv(x)), (2, 1), (2, 1))
        rows = [F.transpose(F.reshape(each, (16, 10))) for each in F.separate(h)]
        _, _, ys = model.rnn(None, None, rows)
        steps = list(F.separate(F.stack([model.out(y) for y in ys], axis=1)))
        return F.connectionist_temporal_classification(steps, t, 0, label_length=np.array([3, 2, 1], "i"))

    return updates(optimizers.Adam(0.02).setup(model), loss)
