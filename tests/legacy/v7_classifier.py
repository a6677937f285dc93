#!/usr/bin/env python
"""A classifier in the style of Chainer 7: Trainer, extensions, workers that load the data, snapshots."""

import argparse
import json
import os

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import training
from chainer.training import extensions


class Glyphs(chainer.dataset.DatasetMixin):
    """Noisy pictures of ten random glyphs. Each example is made when it is asked for, by a worker."""

    def __init__(self, n, seed):
        self.glyphs = np.random.RandomState(7).uniform(0, 1, (10, 1, 8, 8)).astype(np.float32)
        self.n = n
        self.seed = seed

    def __len__(self):
        return self.n

    def get_example(self, i):
        rng = np.random.RandomState(self.seed + i)
        label = rng.randint(10)
        noise = rng.normal(0, 0.3, (1, 8, 8)).astype(np.float32)
        return self.glyphs[label] + noise, np.int32(label)


class ConvNet(chainer.Chain):
    def __init__(self, n_out):
        super(ConvNet, self).__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(None, 8, ksize=3, pad=1)
            self.bn = L.BatchNormalization(8)
            self.l1 = L.Linear(None, 32)
            self.l2 = L.Linear(None, n_out)

    def forward(self, x):
        h = F.max_pooling_2d(F.relu(self.bn(self.conv(x))), 2)
        return self.l2(F.relu(self.l1(h)))


def make_trainer(args, device, train_iter, test_iter):
    model = L.Classifier(ConvNet(10))
    model.to_device(device)

    optimizer = chainer.optimizers.MomentumSGD(lr=0.05)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(1e-4))

    updater = training.updaters.StandardUpdater(train_iter, optimizer, device=device)
    trainer = training.Trainer(updater, (args.epoch, "epoch"), out=args.out)

    trainer.extend(extensions.Evaluator(test_iter, model, device=device))
    trainer.extend(extensions.DumpGraph("main/loss"))
    trainer.extend(extensions.ExponentialShift("lr", 0.5), trigger=(1, "epoch"))
    trainer.extend(extensions.observe_lr())
    trainer.extend(extensions.snapshot(), trigger=(args.frequency, "iteration"))
    trainer.extend(extensions.LogReport())
    trainer.extend(
        extensions.PrintReport(
            [
                "epoch",
                "iteration",
                "main/loss",
                "validation/main/loss",
                "main/accuracy",
                "validation/main/accuracy",
                "lr",
            ]
        )
    )
    return trainer, model


def train(args, device, resume=None):
    np.random.seed(args.seed)
    train_iter = chainer.iterators.MultiprocessIterator(Glyphs(args.n_train, 0), args.batchsize, n_processes=2)
    test_iter = chainer.iterators.SerialIterator(
        Glyphs(args.n_train // 2, 100000), args.batchsize, repeat=False, shuffle=False
    )
    trainer, model = make_trainer(args, device, train_iter, test_iter)
    if resume is not None:
        chainer.serializers.load_npz(resume, trainer)
    try:
        trainer.run()
    finally:
        train_iter.finalize()
    with open(os.path.join(args.out, "log")) as f:
        return model, json.load(f)


def main():
    parser = argparse.ArgumentParser(description="Chainer example: glyphs")
    parser.add_argument("--batchsize", "-b", type=int, default=20)
    parser.add_argument("--epoch", "-e", type=int, default=3)
    parser.add_argument("--frequency", "-f", type=int, default=25)
    parser.add_argument("--n-train", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", "-d", type=str, default="-1")
    parser.add_argument("--out", "-o", default="result")
    args = parser.parse_args()

    device = chainer.get_device(args.device)
    print("Device: {}".format(device))
    device.use()

    model, log = train(args, device)

    # The snapshot in the middle of the last epoch, taken up again, ends with the same parameters.
    snapshot = os.path.join(args.out, "snapshot_iter_{}".format(args.frequency))
    again, log_again = train(args, device, resume=snapshot)
    for (name, p), (_, q) in zip(sorted(model.namedparams()), sorted(again.namedparams())):
        np.testing.assert_array_equal(p.array, q.array, err_msg=name)
    assert log[-1]["main/loss"] == log_again[-1]["main/loss"]
    assert log[-1]["validation/main/loss"] == log_again[-1]["validation/main/loss"]
    print("resumed identically")
    for entry in log:
        print("loss {:.9f} {:.9f}".format(entry["main/loss"], entry["validation/main/loss"]))


if __name__ == "__main__":
    main()
