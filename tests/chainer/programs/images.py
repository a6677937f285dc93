"""Classification of images, and what is made of images."""

from __future__ import annotations

import tempfile

from tests.chainer.programs.table import integers, normal, program, updates
from tests.chainer.recorded.names import namespace as chainer

F, L = chainer.functions, chainer.links
optimizers, training = chainer.optimizers, chainer.training
X, T = (8, 3, 8, 8), 5


class Block(chainer.Chain):
    """Convolution, batch normalization, rectifier."""

    def __init__(self, inputs, outputs, ksize=3, stride=1, pad=1):
        super().__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(
                inputs, outputs, ksize, stride, pad, nobias=True, initialW=chainer.initializers.HeNormal()
            )
            self.bn = L.BatchNormalization(outputs)

    def forward(self, x):
        return F.relu(self.bn(self.conv(x)))


def classified(model, optimizer, x=None, t=None):
    """Losses of a classifier."""
    x = normal(*X) if x is None else x
    t = integers(T, len(x)) if t is None else t
    model = L.Classifier(model)
    optimizer.setup(model)
    return updates(optimizer, lambda: model(x, t))


@program
def mnist_with_a_trainer():
    class MLP(chainer.Chain):
        def __init__(self, units, out):
            super().__init__()
            with self.init_scope():
                self.l1, self.l2, self.l3 = L.Linear(None, units), L.Linear(None, units), L.Linear(None, out)

        def forward(self, x):
            return self.l3(F.relu(self.l2(F.relu(self.l1(x)))))

    model = L.Classifier(MLP(12, T))
    optimizer = optimizers.Adam()
    optimizer.setup(model)
    data = chainer.datasets.TupleDataset(normal(40, 10), integers(T, 40))
    updater = training.StandardUpdater(chainer.iterators.SerialIterator(data, 8), optimizer)
    trainer = training.Trainer(updater, (10, "iteration"), out=tempfile.mkdtemp())
    losses = []
    trainer.extend(lambda t: losses.append(t.observation["main/loss"]), name="seen", trigger=(1, "iteration"))
    trainer.run()
    return losses


@program
def vgg_of_cifar():
    layers = [
        Block(3, 8),
        lambda x: F.dropout(x, 0.3),
        Block(8, 8),
        lambda x: F.max_pooling_2d(x, 2, 2),
        L.Linear(None, T),
    ]
    optimizer = optimizers.MomentumSGD(0.05)
    return classified(chainer.Sequential(*layers), optimizer)


@program
def vgg_with_weight_decay_and_shifted_rates():
    model = L.Classifier(chainer.Sequential(Block(3, 6), L.Linear(None, T)))
    optimizer = optimizers.MomentumSGD(0.003)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(5e-4))
    x, t = normal(*X), integers(T, 8)

    def loss():
        optimizer.lr *= 0.9
        return model(x, t)

    return updates(optimizer, loss)


@program
def residual_network():
    class Bottleneck(chainer.Chain):
        def __init__(self, inputs, outputs):
            super().__init__()
            with self.init_scope():
                self.a, self.b = Block(inputs, 4, 1, 1, 0), Block(4, outputs)
                self.short = L.Convolution2D(inputs, outputs, 1, nobias=True)

        def forward(self, x):
            return F.relu(self.b(self.a(x)) + self.short(x))

    class ResNet(chainer.ChainList):
        def __init__(self):
            super().__init__(Bottleneck(3, 8), Bottleneck(8, 8), L.Linear(8, T))

        def forward(self, x):
            for block in self[:2]:
                x = block(x)
            return self[2](F.average_pooling_2d(x, x.shape[2:]))

    return classified(ResNet(), optimizers.CorrectedMomentumSGD(0.05))


@program
def alexnet():
    class Alex(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.conv1 = L.Convolution2D(None, 6, 3, pad=1)
                self.conv2 = L.Convolution2D(None, 6, 3, pad=1, groups=2)
                self.fc = L.Linear(None, T)

        def forward(self, x):
            h = F.max_pooling_2d(F.local_response_normalization(F.relu(self.conv1(x))), 3, stride=2)
            h = F.max_pooling_2d(F.relu(self.conv2(h)), 3, stride=2)
            return self.fc(F.dropout(h))

    return classified(Alex(), optimizers.NesterovAG(0.05))


@program
def network_in_network():
    model = chainer.Sequential(
        L.MLPConvolution2D(3, (6, 6, T), 3, stride=1, pad=1),
        lambda x: F.average_pooling_2d(x, 8),
        lambda x: F.reshape(x, (8, T)),
    )
    return classified(model, optimizers.AdaGrad(0.05))


@program
def inception():
    model = chainer.Sequential(
        L.Inception(3, 2, 2, 3, 2, 3, 2), L.InceptionBN(10, 2, 2, 3, 2, 3, "avg", 2), L.Linear(None, T)
    )
    return classified(model, optimizers.RMSprop(0.0003))


@program
def siamese_networks():
    model = chainer.Sequential(L.Linear(6, 8), F.tanh, L.Linear(8, 2))
    a, b, t = normal(8, 6), normal(8, 6), integers(2, 8)
    optimizer = optimizers.Adam(0.01).setup(model)
    return updates(
        optimizer, lambda: F.contrastive(model(a), model(b), t) + F.triplet(model(a), model(b), model(a + b))
    )


@program
def fast_neural_style():
    """An image moves towards the Gram matrices of another one."""
    features = chainer.Sequential(L.Convolution2D(3, 6, 3, pad=1), F.relu, L.Convolution2D(6, 6, 3, pad=1), F.relu)
    style, content = normal(1, 3, 8, 8), normal(1, 3, 8, 8)

    def gram(x):
        b, c, h, w = x.shape
        flat = F.reshape(x, (b, c, h * w))
        return F.matmul(flat, flat, transb=True) / (c * h * w)

    with chainer.no_backprop_mode():
        wanted, kept = gram(features(style)), features(content)
    image = L.Parameter(normal(1, 3, 8, 8))
    optimizer = optimizers.Adam(0.1).setup(image)

    def loss():
        x = image()
        h = features(x)
        total = F.sum(abs(x[:, :, 1:] - x[:, :, :-1])) + F.sum(abs(x[:, :, :, 1:] - x[:, :, :, :-1]))
        return 10 * F.mean_squared_error(gram(h), wanted) + F.mean_squared_error(h, kept) + 1e-3 * total

    return updates(optimizer, loss)


@program
def segmentation_by_upsampling():
    model = chainer.Sequential(
        Block(3, 6), lambda x: F.max_pooling_2d(x, 2), Block(6, 6), L.Deconvolution2D(6, 4, 4, stride=2, pad=1)
    )
    x, t = normal(4, 3, 8, 8), integers(5, 4, 8, 8) - 1
    optimizer = optimizers.AdaDelta().setup(model)
    return updates(
        optimizer, lambda: F.softmax_cross_entropy(model(x), t, ignore_label=-1, class_weight=normal(4) * 0 + 0.5)
    )


@program
def unet_with_skips():
    down, up, out = Block(3, 4), Block(4, 4), L.Convolution2D(8, 1, 3, pad=1)
    model = chainer.ChainList(down, up, out)
    x, t = normal(2, 3, 8, 8), integers(2, 2, 1, 8, 8)

    def loss():
        h = down(x)
        g = F.unpooling_2d(up(F.max_pooling_2d(h, 2)), 2, outsize=(8, 8))
        return F.sigmoid_cross_entropy(out(F.concat((h, g), axis=1)), t)

    return updates(optimizers.SMORMS3(0.01).setup(model), loss)


@program
def spatial_transformer():
    class Model(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.where = L.Linear(None, 6, initialW=0.01)
                self.out = L.Linear(None, T)

        def forward(self, x):
            theta = F.reshape(self.where(x) + normal(1, 6) * 0.1, (-1, 2, 3))
            grid = F.spatial_transformer_grid(theta, (6, 6))
            return self.out(F.spatial_transformer_sampler(x, grid))

    return classified(Model(), optimizers.SGD(0.0005))


@program
def super_resolution():
    model = chainer.Sequential(
        L.Convolution2D(3, 12, 3, pad=1), lambda x: F.depth2space(x, 2), L.PReLU((3,)), L.Convolution2D(3, 3, 3, pad=1)
    )
    x, t = normal(2, 3, 4, 4), normal(2, 3, 8, 8)
    optimizer = optimizers.AMSGrad(0.01).setup(model)
    return updates(
        optimizer, lambda: F.mean_absolute_error(model(x), t) + F.mean_squared_error(F.resize_images(x, (8, 8)), t)
    )
