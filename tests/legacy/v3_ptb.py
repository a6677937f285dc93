#!/usr/bin/env python
"""A language model in the style of Chainer 3: truncated backpropagation through time, without a Trainer."""

from __future__ import division
from __future__ import print_function

import argparse
import multiprocessing
import os

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import cuda
from chainer import serializers
from chainer import training


class RNNForLM(chainer.Chain):
    def __init__(self, n_vocab, n_units, ratio):
        super(RNNForLM, self).__init__()
        with self.init_scope():
            self.embed = L.EmbedID(n_vocab, n_units)
            self.l1 = L.LSTM(n_units, n_units)
            self.l2 = L.LSTM(n_units, n_units)
            self.l3 = L.Linear(n_units, n_vocab)
        self.ratio = ratio
        for param in self.params():
            param.data[...] = np.random.uniform(-0.1, 0.1, param.data.shape)

    def reset_state(self):
        self.l1.reset_state()
        self.l2.reset_state()

    def __call__(self, x):
        h0 = self.embed(x)
        h1 = self.l1(F.dropout(h0, self.ratio))
        h2 = self.l2(F.dropout(h1, self.ratio))
        return self.l3(F.dropout(h2, self.ratio))


class ParallelSequentialIterator(chainer.dataset.Iterator):
    """Reads the text at equally distant places at once."""

    def __init__(self, dataset, batch_size, repeat=True):
        self.dataset = dataset
        self.batch_size = batch_size
        self.epoch = 0
        self.is_new_epoch = False
        self.repeat = repeat
        length = len(dataset)
        self.offsets = [i * length // batch_size for i in range(batch_size)]
        self.iteration = 0

    def __next__(self):
        length = len(self.dataset)
        if not self.repeat and self.iteration * self.batch_size >= length:
            raise StopIteration
        cur_words = self.get_words()
        self.iteration += 1
        next_words = self.get_words()
        epoch = self.iteration * self.batch_size // length
        self.is_new_epoch = self.epoch < epoch
        if self.is_new_epoch:
            self.epoch = epoch
        return list(zip(cur_words, next_words))

    @property
    def epoch_detail(self):
        return self.iteration * self.batch_size / len(self.dataset)

    def get_words(self):
        return [self.dataset[(offset + self.iteration) % len(self.dataset)] for offset in self.offsets]

    def serialize(self, serializer):
        self.iteration = serializer("iteration", self.iteration)
        self.epoch = serializer("epoch", self.epoch)


class BPTTUpdater(training.StandardUpdater):
    def __init__(self, train_iter, optimizer, bprop_len, device):
        super(BPTTUpdater, self).__init__(train_iter, optimizer, device=device)
        self.bprop_len = bprop_len
        self.last_loss = None

    def update_core(self):
        loss = 0
        train_iter = self.get_iterator("main")
        optimizer = self.get_optimizer("main")
        for i in range(self.bprop_len):
            batch = train_iter.__next__()
            x, t = self.converter(batch, self.device)
            loss += optimizer.target(chainer.Variable(x), chainer.Variable(t))
        optimizer.target.cleargrads()
        loss.backward()
        loss.unchain_backward()
        optimizer.update()
        assert loss.creator is None
        self.last_loss = float(loss.data) / self.bprop_len


def make_text(n_vocab, n, seed):
    """A walk: from each word two words are likely."""
    rng = np.random.RandomState(seed)
    successors = np.random.RandomState(1).randint(0, n_vocab, (n_vocab, 2))
    text = np.zeros(n, np.int32)
    for i in range(1, n):
        if rng.rand() < 0.9:
            text[i] = successors[text[i - 1], rng.randint(2)]
        else:
            text[i] = rng.randint(n_vocab)
    return text


def evaluate(args):
    """The mean loss on a text, in a process of its own."""
    path, n_vocab, n_units, text = args
    model = L.Classifier(RNNForLM(n_vocab, n_units, 0.0))
    model.compute_accuracy = False
    serializers.load_npz(path, model)
    model.predictor.reset_state()
    sum_loss = 0
    with chainer.using_config("train", False), chainer.no_backprop_mode():
        for word, next_word in zip(text[:-1], text[1:]):
            loss = model(np.array([word], np.int32), np.array([next_word], np.int32))
            assert loss.creator is None
            sum_loss += float(loss.data)
    return sum_loss / (len(text) - 1)


def make_updater(args, text):
    model = L.Classifier(RNNForLM(args.vocab, args.unit, 0.2))
    model.compute_accuracy = False
    if args.gpu >= 0:
        cuda.get_device_from_id(args.gpu).use()
        model.to_gpu()
    optimizer = chainer.optimizers.Adam(alpha=0.01)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer.GradientClipping(5.0))
    train_iter = ParallelSequentialIterator(text, 10)
    return BPTTUpdater(train_iter, optimizer, args.bproplen, args.gpu), model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bproplen", "-l", type=int, default=8)
    parser.add_argument("--gpu", "-g", type=int, default=-1)
    parser.add_argument("--out", "-o", default="result")
    parser.add_argument("--unit", "-u", type=int, default=16)
    parser.add_argument("--vocab", "-v", type=int, default=12)
    args = parser.parse_args()
    if not os.path.isdir(args.out):
        os.makedirs(args.out)
    model_path = os.path.join(args.out, "rnnlm.npz")
    updater_path = os.path.join(args.out, "updater.npz")

    np.random.seed(0)
    text = make_text(args.vocab, 1000, 2)
    updater, model = make_updater(args, text)
    losses = []
    for iteration in range(40):
        if iteration == 30:
            # From here on another model continues in the same way.
            serializers.save_npz(model_path, model)
            serializers.save_npz(updater_path, updater)
            model.predictor.reset_state()
            state = np.random.get_state()
        updater.update()
        losses.append(updater.last_loss)
        if updater.iteration % 10 == 0:
            print("epoch {} loss {:.9f}".format(updater.epoch, np.mean(losses[-10:])))
    assert updater.is_new_epoch in (True, False) and updater.epoch == 3

    again, model_again = make_updater(args, text)
    serializers.load_npz(updater_path, again)
    assert again.iteration == 30
    np.random.set_state(state)
    for loss in losses[30:]:
        again.update()
        assert again.last_loss == loss
    for param, param_again in zip(model.params(), model_again.params()):
        assert (param.data == param_again.data).all()
    print("resumed identically")

    serializers.save_npz(model_path, model)
    jobs = [(model_path, args.vocab, args.unit, make_text(args.vocab, 60, seed)) for seed in (10, 11)]
    pool = multiprocessing.Pool(2)
    for value in pool.map_async(evaluate, jobs).get(60):
        print("test loss {:.9f}".format(value))
    pool.close()
    pool.join()


if __name__ == "__main__":
    main()
