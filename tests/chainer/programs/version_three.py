"""Programs of the table as they were written for Chainer 3: a script that prints their losses, and those of the module beside it.

Run by ``python -m autodiff.chainer``; Chainer 3.5 has recorded the losses.
"""

import json

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import cuda, initializers, optimizers, reporter
from chainer.functions.loss.vae import gaussian_kl_divergence
from version_three_training import PROGRAMS as WITH_TRAINERS

STEPS = 10


def normal(*shape):
    return np.random.standard_normal(shape).astype(np.float32)  # noqa: NPY002


def integers(high, *shape):
    return np.random.randint(0, high, shape).astype(np.int32)  # noqa: NPY002


def trained(optimizer, model, loss_of):
    losses = []
    optimizer.setup(model)
    for _ in range(STEPS):
        model.cleargrads()
        loss = loss_of()
        loss.backward()
        optimizer.update()
        losses.append(float(loss.data))
    return losses


class VAE(chainer.Chain):
    def __init__(self, n_in, n_latent, n_h):
        super(VAE, self).__init__()  # noqa: UP008 - as it was written
        with self.init_scope():
            self.le1 = L.Linear(n_in, n_h)
            self.le2_mu = L.Linear(n_h, n_latent)
            self.le2_ln_var = L.Linear(n_h, n_latent)
            self.ld1 = L.Linear(n_latent, n_h)
            self.ld2 = L.Linear(n_h, n_in)

    def __call__(self, x, sigmoid=True):
        return self.decode(self.encode(x)[0], sigmoid)

    def encode(self, x):
        h1 = F.tanh(self.le1(x))
        return self.le2_mu(h1), self.le2_ln_var(h1)

    def decode(self, z, sigmoid=True):
        h2 = self.ld2(F.tanh(self.ld1(z)))
        return F.sigmoid(h2) if sigmoid else h2

    def get_loss_func(self, C=1.0, k=1):
        def lf(x):
            mu, ln_var = self.encode(x)
            batchsize = len(mu.data)
            rec_loss = 0
            for _ in range(k):
                z = F.gaussian(mu, ln_var)
                rec_loss += F.bernoulli_nll(x, self.decode(z, sigmoid=False)) / (k * batchsize)
            self.rec_loss = rec_loss
            self.loss = self.rec_loss + C * gaussian_kl_divergence(mu, ln_var) / batchsize
            reporter.report({"rec_loss": rec_loss, "loss": self.loss}, self)
            return self.loss

        return lf


def variational_autoencoder():
    model, x = VAE(12, 3, 8), integers(2, 6, 12).astype("f")
    optimizer = optimizers.Adam(0.01)
    optimizer.setup(model)
    optimizer.use_cleargrads()
    losses = []
    for _ in range(STEPS):
        optimizer.update(model.get_loss_func(k=2), chainer.Variable(x))
        losses.append(float(model.loss.data))
    return losses


def wasserstein_gan_with_gradient_penalty():
    critic, gen = chainer.Chain(), chainer.Chain()
    with critic.init_scope():
        critic.l0 = L.Linear(6, 8)
        critic.l1 = L.Linear(8, 1)
    with gen.init_scope():
        gen.l0, gen.l1 = L.Linear(3, 8), L.Linear(8, 6)
    opt_c, opt_g = optimizers.Adam(1e-2, beta1=0, beta2=0.9), optimizers.Adam(1e-2, beta1=0, beta2=0.9)
    opt_c.setup(critic)
    opt_g.setup(gen)

    def judged(x):
        return critic.l1(F.tanh(critic.l0(x)))

    def made(z):
        return gen.l1(F.relu(gen.l0(z)))

    real, losses = normal(5, 6), []
    for _ in range(STEPS):
        fake = made(normal(5, 3))
        eps = np.random.uniform(0, 1, (5, 1)).astype("f")  # noqa: NPY002
        mid = chainer.Variable(eps * real + (1 - eps) * fake.data)
        (grad,) = chainer.grad([judged(mid)], [mid], enable_double_backprop=True)
        grad = F.sqrt(F.batch_l2_norm_squared(grad))
        loss_gp = 10 * F.mean_squared_error(grad, np.ones_like(grad.data))
        loss = F.sum(-judged(real)) / 5 + F.sum(judged(fake.data)) / 5 + loss_gp
        critic.cleargrads()
        loss.backward()
        opt_c.update()
        loss_gen = F.sum(-judged(fake)) / 5
        gen.cleargrads()
        loss_gen.backward()
        opt_g.update()
        losses.append(float(loss.data) + float(loss_gen.data))
    return losses


def word2vec_by_negative_sampling():
    class SkipGram(chainer.Chain):
        def __init__(self, n_vocab, n_units, loss_func):
            super(SkipGram, self).__init__()  # noqa: UP008
            with self.init_scope():
                self.embed = L.EmbedID(n_vocab, n_units, initialW=initializers.Uniform(1.0 / n_units))
                self.loss_func = loss_func

        def __call__(self, x, contexts):
            e = self.embed(contexts)
            batch_size, n_context, n_units = e.shape
            x = F.broadcast_to(x[:, None], (batch_size, n_context))
            e = F.reshape(e, (batch_size * n_context, n_units))
            loss = self.loss_func(e, F.reshape(x, (batch_size * n_context,)))
            reporter.report({"loss": loss}, self)
            return loss

    counts = [5, 3, 2, 2, 1]
    loss_func = L.NegativeSampling(4, counts, 3)
    loss_func.W.data[...] = normal(5, 4)
    model = SkipGram(5, 4, loss_func)
    return trained(optimizers.Adam(0.05), model, lambda: model(integers(5, 6), integers(5, 6, 2)))


def word2vec_by_a_tree():
    tree = L.BinaryHierarchicalSoftmax.create_huffman_tree({k: 2 * k + 1 for k in range(6)})
    model = chainer.Chain(embed=L.EmbedID(6, 4), loss_func=L.BinaryHierarchicalSoftmax(4, tree))
    x, t = integers(6, 8), integers(6, 8)
    return trained(optimizers.AdaGrad(0.2), model, lambda: model.loss_func(model.embed(x), t))


def end_to_end_memory():
    model = chainer.Chain()
    with model.init_scope():
        for name in "ABC":
            setattr(model, name, L.EmbedID(8, 5, initialW=initializers.Normal(0.5), ignore_label=-1))
        model.W = L.Linear(5, 8)
    story, question, answer = integers(8, 4, 3, 6), integers(8, 4, 6), integers(8, 4)
    story[:, :, 5] = -1

    def loss():
        u = F.sum(model.B(question), axis=1)
        m, c = F.sum(model.A(story), axis=2), F.sum(model.C(story), axis=2)
        p = F.softmax(F.reshape(F.batch_matmul(m, u), (4, 3)))
        o = F.reshape(F.batch_matmul(F.swapaxes(c, 2, 1), p), (4, 5))
        return F.softmax_cross_entropy(model.W(u + o), answer)

    return trained(optimizers.Adam(0.02), model, loss)


def sentiment_by_trees():
    model = chainer.Chain(embed=L.EmbedID(6, 4), l=L.Linear(8, 4), w=L.Linear(4, 3))
    trees = [((0, 1), (2, (3, 4))), (5, (1, 2)), ((3, 3), 0)]

    def traverse(node, found):
        if isinstance(node, int):
            v = model.embed(np.array([node], "i"))
        else:
            left, right = (traverse(child, found) for child in node)
            v = F.tanh(model.l(F.concat((left, right))))
        found.append(F.softmax_cross_entropy(model.w(v), np.array([len(found) % 3], "i")))
        return v

    def loss():
        found = []
        for tree in trees:
            traverse(tree, found)
        return sum(found)

    optimizer = optimizers.AdaGrad(lr=0.1)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer.WeightDecay(0.001))
    losses = []
    for _ in range(STEPS):
        model.cleargrads()
        value = loss()
        value.backward()
        optimizer.update()
        losses.append(float(value.data))
    return losses


def seq2seq_of_many_sequences():
    class Seq2seq(chainer.Chain):
        def __init__(self, n_layers, n_source, n_target, n_units):
            super(Seq2seq, self).__init__()  # noqa: UP008
            with self.init_scope():
                self.embed_x = L.EmbedID(n_source, n_units)
                self.embed_y = L.EmbedID(n_target, n_units)
                self.encoder = L.NStepLSTM(n_layers, n_units, n_units, 0.1)
                self.decoder = L.NStepLSTM(n_layers, n_units, n_units, 0.1)
                self.W = L.Linear(n_units, n_target)

        def __call__(self, *inputs):
            xs, ys = inputs[: len(inputs) // 2], inputs[len(inputs) // 2 :]
            xs = [x[::-1] for x in xs]
            eos = self.xp.array([0], "i")
            ys_in = [F.concat([eos, y], axis=0) for y in ys]
            ys_out = [F.concat([y, eos], axis=0) for y in ys]
            exs, eys = sequence_embed(self.embed_x, xs), sequence_embed(self.embed_y, ys_in)
            batch = len(xs)
            hx, cx, _ = self.encoder(None, None, exs)
            _, _, os = self.decoder(hx, cx, eys)
            concat_os, concat_ys_out = F.concat(os, axis=0), F.concat(ys_out, axis=0)
            loss = F.sum(F.softmax_cross_entropy(self.W(concat_os), concat_ys_out, reduce="no")) / batch
            reporter.report({"loss": loss.data}, self)
            perp = self.xp.exp(loss.data * batch / concat_ys_out.shape[0])
            reporter.report({"perp": perp}, self)
            return loss

    def sequence_embed(embed, xs):
        x_len = [len(x) for x in xs]
        x_section = np.cumsum(x_len[:-1])
        ex = embed(F.concat(xs, axis=0))
        return F.split_axis(ex, x_section, 0)

    model = Seq2seq(2, 7, 8, 5)
    xs = [integers(7, n) for n in (4, 2, 5)]
    ys = [integers(7, n) + 1 for n in (3, 4, 2)]
    return trained(optimizers.Adam(0.02), model, lambda: model(*(xs + ys)))


def tagging_by_conditional_random_fields():
    model = chainer.Chain(feature=L.EmbedID(9, 4), crf=L.CRF1d(4))
    xs, ts = [integers(9, n) for n in (5, 3, 3)], [integers(4, n) for n in (5, 3, 3)]

    def loss():
        inputs = F.transpose_sequence([model.feature(x) for x in xs])
        return model.crf(inputs, F.transpose_sequence(ts))

    losses = trained(optimizers.MomentumSGD(0.05), model, loss)
    _, path = model.crf.argmax(F.transpose_sequence([model.feature(x) for x in xs]))
    assert [len(step) for step in path] == [3, 3, 3, 1, 1]
    return losses


def deep_q_network():
    class Q(chainer.Chain):
        def __init__(self):
            super(Q, self).__init__(l0=L.Linear(4, 8), l1=L.Linear(8, 8), v=L.Linear(8, 3))  # noqa: UP008

        def __call__(self, x):
            return self.v(F.elu(self.l1(F.elu(self.l0(x)))))

    q = Q()
    target = q.copy()
    optimizer = optimizers.RMSpropGraves(lr=1e-2, alpha=0.95, momentum=0.9, eps=1e-2)
    optimizer.setup(q)
    optimizer.add_hook(chainer.optimizer.GradientClipping(1.0), "clip")
    memory, losses = [(normal(4), k % 3, float(k % 2), normal(4)) for k in range(12)], []
    for k in range(STEPS):
        batch = [memory[i] for i in np.random.randint(0, 12, 6)]  # noqa: NPY002
        s, a, r, after = (np.asarray(column, d) for column, d in zip(zip(*batch), "fiff"))
        with chainer.no_backprop_mode(), chainer.using_config("train", False):
            best = F.max(target(after), axis=1)
        loss = F.sum(F.huber_loss(F.select_item(q(s), a)[:, None], (r + 0.9 * best.data).astype("f")[:, None], 1.0))
        q.cleargrads()
        loss.backward()
        optimizer.update()
        if k % 4 == 3:
            target.copyparams(q)
        losses.append(float(loss.data))
    return losses


def advantage_actor_critic():
    model = chainer.Chain(l=L.Linear(4, 8), pi=L.Linear(8, 3), v=L.Linear(8, 1))
    s, a, ret = normal(8, 4), integers(3, 8), normal(8)

    def loss():
        h = F.tanh(model.l(chainer.Variable(s)))
        log_p, v = F.log_softmax(model.pi(h)), F.flatten(model.v(h))
        p = F.softmax(model.pi(h))
        advantage = ret - v.data
        return -F.sum(F.select_item(log_p, a) * advantage) + 0.5 * F.sum((ret - v) ** 2) + 0.01 * F.sum(p * log_p)

    return trained(optimizers.SMORMS3(0.01), model, loss)


def residual_network():
    class Block(chainer.Chain):
        def __init__(self, n):
            super(Block, self).__init__()  # noqa: UP008
            w = initializers.HeNormal()
            with self.init_scope():
                self.conv1, self.bn1 = L.Convolution2D(n, n, 3, 1, 1, nobias=True, initialW=w), L.BatchNormalization(n)
                self.conv2, self.bn2 = L.Convolution2D(n, n, 3, 1, 1, initialW=w, nobias=True), L.BatchNormalization(n)

        def __call__(self, x):
            return F.relu(x + self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x))))))

    model = chainer.Chain(a=L.Convolution2D(None, 4, 3), b=chainer.ChainList(Block(4), Block(4)), fc=L.Linear(None, 3))
    x, t = normal(4, 3, 10, 10), integers(3, 4)

    def loss():
        h = model.a(x)
        for block in model.b:
            h = block(h)
        h = F.average_pooling_2d(F.dropout(h, ratio=0.3), h.data.shape[2:])
        return F.softmax_cross_entropy(model.fc(h), t)

    return trained(optimizers.NesterovAG(0.02), model, loss)


def fast_neural_style():
    net = chainer.Chain(c1=L.Convolution2D(3, 4, 3, stride=2, pad=1), d1=L.Deconvolution2D(4, 3, 4, stride=2, pad=1))
    vgg, x = L.Convolution2D(3, 5, 3, pad=1), normal(2, 3, 8, 8)
    style = normal(1, 3, 8, 8)

    def gram(h):
        b, ch, hh, ww = h.data.shape
        y = F.reshape(h, (b, ch, hh * ww))
        return F.batch_matmul(y, y, transb=True) / np.float32(ch * hh * ww)

    with chainer.no_backprop_mode():
        target, content = gram(F.relu(vgg(style))), F.relu(vgg(x))
    target = np.tile(target.data, (2, 1, 1))

    def loss():
        y = F.tanh(net.d1(F.elu(net.c1(x))))
        f = F.relu(vgg(y))
        xp = cuda.get_array_module(y.data)
        diffh = F.convolution_2d(y, W=xp.ones((3, 3, 1, 2), "f") * xp.array([1, -1], "f"))
        return F.mean_squared_error(f, content) + F.mean_squared_error(gram(f), target) + 1e-3 * F.sum(diffh**2)

    return trained(optimizers.Adam(alpha=1e-2), net, loss)


def siamese_networks():
    model = chainer.Chain(l1=L.Linear(6, 8), l2=L.Linear(8, 2))
    a, b, t = normal(8, 6), normal(8, 6), integers(2, 8)

    def embedded(x):
        return model.l2(F.clipped_relu(model.l1(x), z=4.0))

    return trained(optimizers.RMSprop(0.01), model, lambda: F.contrastive(embedded(a), embedded(b), t, margin=2))


PROGRAMS = (
    variational_autoencoder,
    wasserstein_gan_with_gradient_penalty,
    word2vec_by_negative_sampling,
    word2vec_by_a_tree,
    end_to_end_memory,
    sentiment_by_trees,
    seq2seq_of_many_sequences,
    tagging_by_conditional_random_fields,
    deep_q_network,
    advantage_actor_critic,
    residual_network,
    fast_neural_style,
    siamese_networks,
)


if __name__ == "__main__":
    found = {}
    for program in PROGRAMS + WITH_TRAINERS:
        np.random.seed(0)  # noqa: NPY002
        found[program.__name__] = program()
    print(json.dumps(found))  # noqa: T201 - a command prints
