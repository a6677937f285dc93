#!/usr/bin/env python
"""A perceptron in the style of Chainer 1: FunctionSet, volatile Variables, train= and a loop written by hand."""

from __future__ import print_function

import argparse
import multiprocessing
import os

import numpy as np

import chainer
from chainer import cuda
import chainer.functions as F
import chainer.links as L
from chainer import optimizers
from chainer import serializers

parser = argparse.ArgumentParser(description="Chainer example: digits")
parser.add_argument("--gpu", "-g", default=-1, type=int, help="GPU ID (negative value indicates CPU)")
parser.add_argument("--net", "-n", choices=("simple", "chain"), default="simple")
parser.add_argument("--out", "-o", default="result")
args = parser.parse_args()

batchsize = 50
n_epoch = 4
n_units = 30
N = 500


def make_digits(n, seed):
    prototypes = np.random.RandomState(3).uniform(0, 1, (10, 36))
    rng = np.random.RandomState(seed)
    y = rng.randint(0, 10, n).astype(np.int)
    x = prototypes[y] + rng.normal(0, 0.4, (n, 36))
    return x.astype(np.float).astype(np.float32), y.astype(np.int32)


class Perceptron(chainer.Chain):
    """The same network as a Chain with today's links."""

    def __init__(self):
        super(Perceptron, self).__init__(
            l1=L.Linear(36, n_units, wscale=2, bias=0.1),
            bn=L.BatchNormalization(n_units),
            l3=L.Linear(n_units, 10),
        )
        self.train = True

    def __call__(self, x):
        h = F.relu(self.bn(self.l1(x), test=not self.train), use_cudnn=False)
        return self.l3(F.dropout(h, ratio=0.2, train=self.train))


def make_model():
    if args.net == "chain":
        return Perceptron()
    return chainer.FunctionSet(l1=F.Linear(36, n_units), l2=F.Linear(n_units, n_units), l3=F.Linear(n_units, 10))


def forward(model, x_data, y_data, train=True):
    x, t = chainer.Variable(x_data, volatile=not train), chainer.Variable(y_data, volatile=not train)
    if args.net == "chain":
        model.train = train
        y = model(x)
    else:
        h1 = F.Dropout(0.2)(F.relu(model.l1(x))) if train else F.relu(model.l1(x))
        h2 = F.dropout(F.relu(model.l2(h1)), 0.2, train)
        y = model.l3(h2)
    assert len(y) == y.data.size and y.volatile == (not train)
    return F.softmax_cross_entropy(y, t), F.accuracy(y, t)


def evaluate(job):
    """Loss and accuracy of a saved model, in a process of its own."""
    path, seed = job
    model = make_model()
    serializers.load_npz(path, model)
    x, y = make_digits(100, seed)
    loss, accuracy = forward(model, x, y, train=False)
    assert loss.volatile == chainer.ON and loss.creator is None
    return float(loss.data), float(accuracy.data)


def train_epoch(model, optimizer, x_train, y_train):
    perm = np.random.permutation(N)
    sum_loss = 0
    for i in range(0, N, batchsize):
        x_batch = x_train[perm[i : i + batchsize]]
        y_batch = y_train[perm[i : i + batchsize]]
        optimizer.zero_grads()
        loss, accuracy = forward(model, x_batch, y_batch)
        loss.backward()
        optimizer.weight_decay(1e-5)
        optimizer.update()
        sum_loss += float(cuda.to_cpu(loss.data)) * batchsize
    return sum_loss / N


def main():
    if not os.path.isdir(args.out):
        os.makedirs(args.out)
    model_path, state_path = os.path.join(args.out, "mlp.model"), os.path.join(args.out, "mlp.state")
    np.random.seed(1)
    x_train, y_train = make_digits(N, 5)
    model = make_model()
    if args.gpu >= 0:
        cuda.init(args.gpu)
        model.to_gpu()
    optimizer = optimizers.Adam()
    optimizer.setup(model.collect_parameters() if args.net == "simple" else model)

    for epoch in range(n_epoch):
        if epoch == n_epoch - 1:
            serializers.save_npz(model_path, model)
            serializers.save_npz(state_path, optimizer)
            state = np.random.get_state()
        loss = train_epoch(model, optimizer, x_train, y_train)
        print("epoch {} loss {:.9f}".format(epoch + 1, loss))

    again = make_model()
    serializers.load_npz(model_path, again)
    optimizer_again = optimizers.Adam()
    optimizer_again.setup(again)
    serializers.load_npz(state_path, optimizer_again)
    np.random.set_state(state)
    assert train_epoch(again, optimizer_again, x_train, y_train) == loss
    for param, param_again in zip(model.params(), again.params()):
        assert (param.data == param_again.data).all()
    print("resumed identically")

    serializers.save_npz(model_path, model)
    pool = multiprocessing.Pool(2)
    for loss, accuracy in pool.map_async(evaluate, [(model_path, 100), (model_path, 101)]).get(60):
        print("test loss {:.9f} accuracy {:.4f}".format(loss, accuracy))
    pool.close()
    pool.join()


if __name__ == "__main__":
    main()
