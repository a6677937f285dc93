"""A perceptron trained by all processes, each on its part of the data, with evaluation, reports and checkpoints."""

import argparse

import chainer
import chainer.functions as F
import chainer.links as L
import chainermn
import numpy as np
from chainer.training import StandardUpdater, Trainer, extensions

CENTRES = np.random.RandomState(0).rand(10, 64)


class Perceptron(chainer.ChainList):
    def __init__(self, *widths):
        super().__init__(*[L.Linear(None, width) for width in widths])

    def forward(self, x):
        *hidden, last = self
        for layer in hidden:
            x = F.relu(layer(x))
        return last(x)


def clouds(count, seed):
    """Points around ten centres, and which one it is."""
    rng = np.random.RandomState(seed)
    which = rng.randint(0, 10, count)
    points = CENTRES[which] + 0.2 * rng.randn(count, 64)
    return list(zip(points.astype("f"), which.astype("i")))


options = argparse.ArgumentParser()
options.add_argument("-o", "--out", default="result")
options.add_argument("-e", "--epochs", type=int, default=8)
options.add_argument("--communicator", default="pure_nccl")
options = options.parse_args()

comm = chainermn.create_communicator(options.communicator)
root = comm.rank == 0
model = L.Classifier(Perceptron(32, 32, 10))
optimizer = chainermn.create_multi_node_optimizer(chainer.optimizers.Adam(alpha=0.003), comm).setup(model)
model.predictor(np.zeros((1, 64), "f"))

train = chainermn.scatter_dataset(clouds(400, 1) if root else None, comm, shuffle=True)
test = chainermn.scatter_dataset(clouds(100, 2) if root else None, comm)
batches = chainer.iterators.SerialIterator(train, 20)
trainer = Trainer(StandardUpdater(batches, optimizer), (options.epochs, "epoch"), out=options.out)

once = chainer.iterators.SerialIterator(test, 50, repeat=False, shuffle=False)
trainer.extend(chainermn.create_multi_node_evaluator(extensions.Evaluator(once, model), comm))
trainer.extend(chainermn.extensions.ObservationAggregator(comm, "main/loss", "mean_loss"))
checkpointer = chainermn.create_multi_node_checkpointer(name="perceptron", comm=comm)
checkpointer.maybe_load(trainer, optimizer)
trainer.extend(checkpointer, trigger=(3, "epoch"))
if root:
    trainer.extend(extensions.DumpGraph("main/loss"))
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.PrintReport(["epoch", "main/loss", "mean_loss", "validation/main/accuracy"]))
    trainer.extend(extensions.ProgressBar(update_interval=50))
trainer.run()

if root:
    print("accuracy", float(trainer.observation["validation/main/accuracy"]))
