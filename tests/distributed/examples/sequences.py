"""Sequences turned around: one process reads them, the other one writes them, backwards."""

import argparse

import chainer
import chainer.functions as F
import chainer.links as L
import chainermn
import numpy as np
from chainer.training import StandardUpdater, Trainer, extensions

END, LETTERS, UNITS = 0, 8, 16


class Half(chainer.Chain):
    """Letters, and an LSTM whose states come from another process, or go there."""

    def __init__(self, comm, **ranks):
        super().__init__()
        with self.init_scope():
            self.embed = L.EmbedID(LETTERS, UNITS)
            self.lstm = chainermn.links.create_multi_node_n_step_rnn(L.NStepLSTM(2, UNITS, UNITS, 0.1), comm, **ranks)

    def run(self, words):
        ends = np.cumsum([len(word) for word in words])[:-1]
        rows = self.embed(np.concatenate(words))
        return self.lstm(F.split_axis(rows, ends, axis=0))


class Reader(Half):
    def forward(self, words):
        return self.run(words)[-1]  # from which backpropagation waits for the writer


class Writer(Half):
    def __init__(self, comm, **ranks):
        super().__init__(comm, **ranks)
        with self.init_scope():
            self.score = L.Linear(UNITS, LETTERS)

    def forward(self, words):
        end = np.array([END], "i")
        before = [np.concatenate([end, word[::-1]]) for word in words]
        wanted = np.concatenate([np.concatenate([word[::-1], end]) for word in words])
        states = F.concat(self.run(before)[2], axis=0)
        loss = F.softmax_cross_entropy(self.score(states), wanted)
        chainer.report({"loss": loss, "perplexity": float(np.exp(loss.array))}, self)
        return loss


def drawn(count):
    rng = np.random.RandomState(7)
    return [rng.randint(1, LETTERS, rng.randint(2, 6)).astype("i") for _ in range(count)]


options = argparse.ArgumentParser()
options.add_argument("-o", "--out", default="result")
options.add_argument("-e", "--epochs", type=int, default=6)
options = options.parse_args()

comm = chainermn.create_communicator("naive")
reads = comm.rank == 0
model = Reader(comm, rank_in=None, rank_out=1) if reads else Writer(comm, rank_in=0, rank_out=None)
optimizer = chainer.optimizers.Adam(alpha=0.02).setup(model)
optimizer.add_hook(chainer.optimizer_hooks.GradientClipping(5.0))

batches = chainermn.iterators.create_multi_node_iterator(chainer.iterators.SerialIterator(drawn(100), 10), comm)
updater = StandardUpdater(batches, optimizer, converter=lambda batch, device: {"words": batch})
trainer = Trainer(updater, (options.epochs, "epoch"), out=options.out)
if not reads:
    trainer.extend(extensions.LogReport(trigger=(1, "epoch")))
    trainer.extend(extensions.PrintReport(["epoch", "main/loss", "main/perplexity"]))
trainer.run()

if not reads:
    print("perplexity", float(trainer.observation["main/perplexity"]))
