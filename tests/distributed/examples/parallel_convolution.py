"""Images sorted by a network whose convolutions are shared out among the processes, channel by channel."""

import argparse

import chainer
import chainer.functions as F
import chainer.links as L
import chainermn
import numpy as np
from chainer.training import StandardUpdater, Trainer, extensions


class SharedConvolution(L.Convolution2D):
    """A convolution of which each process has some of the filters; all of them get all channels."""

    def __init__(self, comm, channels, filters, **options):
        self.comm = comm
        first, last = (filters * k // comm.size for k in (comm.rank, comm.rank + 1))
        super().__init__(channels, last - first, ksize=3, pad=1, **options)

    def forward(self, x):
        return F.concat(chainermn.functions.allgather(self.comm, super().forward(x)), axis=1)


class Network(chainer.Chain):
    def __init__(self, comm):
        super().__init__()
        with self.init_scope():
            self.first = SharedConvolution(comm, 3, 8)
            self.second = SharedConvolution(comm, 8, 9, nobias=True)
            self.norm = L.BatchNormalization(9)
            self.last = L.Linear(4)

    def forward(self, x):
        x = F.max_pooling_2d(F.relu(self.first(x)), 2)
        return self.last(F.max_pooling_2d(F.relu(self.norm(self.second(x))), 2))


def quadrants(count, seed):
    """Noise that is brighter in one quadrant, and which one it is."""
    rng = np.random.RandomState(seed)
    images, which = 0.3 * rng.randn(count, 3, 8, 8), rng.randint(0, 4, count)
    for image, (row, column) in zip(images, zip(*divmod(which, 2))):
        image[:, 4 * row : 4 * row + 4, 4 * column : 4 * column + 4] += 1
    return chainer.datasets.TupleDataset(images.astype("f"), which.astype("i"))


options = argparse.ArgumentParser()
options.add_argument("-o", "--out", default="result")
options.add_argument("-e", "--epochs", type=int, default=2)
options = options.parse_args()

comm = chainermn.create_communicator("flat")


def batches(data, **order):
    """The batches of process 0, in all of them."""
    return chainermn.iterators.create_multi_node_iterator(chainer.iterators.SerialIterator(data, 20, **order), comm)


model = L.Classifier(Network(comm))
optimizer = chainer.optimizers.MomentumSGD(0.05).setup(model)
optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(5e-4))
trainer = Trainer(StandardUpdater(batches(quadrants(200, 1)), optimizer), (options.epochs, "epoch"), out=options.out)
trainer.extend(extensions.Evaluator(batches(quadrants(60, 2), repeat=False, shuffle=False), model))
trainer.extend(extensions.ExponentialShift("lr", 0.5), trigger=(1, "epoch"))
if comm.rank == 0:
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.PrintReport(["epoch", "main/loss", "validation/main/accuracy"]))
trainer.run()

if comm.rank == 0:
    print("accuracy", float(trainer.observation["validation/main/accuracy"]))
