"""A network cut in two: pairs of processes have half of it each, and each pair has a part of the data."""

import argparse

import chainer
import chainer.functions as F
import chainer.links as L
import chainermn
import numpy as np
from chainer.training import StandardUpdater, Trainer, extensions

CENTRES = np.random.RandomState(0).rand(10, 64)


class Below(chainer.Chain):
    """The first layer."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.layer = L.Linear(64, 32)

    def forward(self, x):
        return F.tanh(self.layer(x))


class Above(Below):
    """The other layers."""

    def __init__(self):
        chainer.Chain.__init__(self)
        with self.init_scope():
            self.layer = L.Linear(32, 32)
            self.last = L.Linear(32, 10)

    def forward(self, x):
        return self.last(super().forward(x))


class Same(chainer.Chain):
    """What comes back, as it is."""

    def forward(self, scores):
        return scores


def ends(comm):
    """The process that has the data and the loss."""
    chain = chainermn.MultiNodeChainList(comm)
    chain.add_link(Below(), rank_in=None, rank_out=1)
    chain.add_link(Same(), rank_in=1, rank_out=None)
    return L.Classifier(chain)


def middle(comm):
    """The process that has the rest of the network."""
    chain = chainermn.MultiNodeChainList(comm)
    chain.add_link(Above(), rank_in=0, rank_out=0)
    return chain


def clouds(count, seed):
    """Points around ten centres, and which one it is."""
    rng = np.random.RandomState(seed)
    which = rng.randint(0, 10, count)
    points = CENTRES[which] + 0.2 * rng.randn(count, 64)
    return list(zip(points.astype("f"), which.astype("i")))


options = argparse.ArgumentParser()
options.add_argument("-o", "--out", default="result")
options.add_argument("-e", "--epochs", type=int, default=6)
options = options.parse_args()

comm = chainermn.create_communicator("naive")
pair = comm.split(comm.rank // 2, comm.rank)
peers = comm.split(comm.rank % 2, comm.rank)  # those who have the same half
model = ends(pair) if pair.rank == 0 else middle(pair)
optimizer = chainermn.create_multi_node_optimizer(chainer.optimizers.Adam(alpha=0.003), peers)
optimizer.setup(model)

train, test = clouds(400, 1), clouds(100, 2)
if pair.rank == 1:  # as many examples, of which it needs nothing
    train, test = map(chainermn.datasets.create_empty_dataset, (train, test))
train = chainermn.scatter_dataset(train, peers, shuffle=True, seed=5)
test = chainermn.scatter_dataset(test, peers)

batches = chainer.iterators.SerialIterator(train, 20, shuffle=False)
trainer = Trainer(StandardUpdater(batches, optimizer), (options.epochs, "epoch"), out=options.out)
once = chainer.iterators.SerialIterator(test, 20, repeat=False, shuffle=False)
trainer.extend(chainermn.create_multi_node_evaluator(extensions.Evaluator(once, model), peers))
if comm.rank == 0:
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.PrintReport(["epoch", "main/loss", "main/accuracy", "validation/main/accuracy"]))
trainer.run()

if comm.rank == 0:
    print("accuracy", float(trainer.observation["validation/main/accuracy"]))
