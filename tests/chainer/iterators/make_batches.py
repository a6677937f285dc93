"""Makes batches_of_chainer.json. Run it with Chainer 7.8.1, in this folder: ``python make_batches.py``."""

import itertools
import json

import chainer
import numpy as np


def rows(iterator):
    for _ in range(6):
        try:
            batch = iterator.next()
        except StopIteration:
            yield None
            return
        detail = iterator.epoch_detail, iterator.previous_epoch_detail
        yield [batch, iterator.epoch, iterator.is_new_epoch, *detail, iterator.current_position]


cases = []
for size, batch_size, shuffle, repeat in itertools.product((1, 3, 7), (1, 2, 3, 7, 10), (False, True), (False, True)):
    np.random.seed(100 * size + batch_size)  # noqa: NPY002 - the random numbers that Chainer takes
    iterator = chainer.iterators.SerialIterator(list(range(size)), batch_size, repeat=repeat, shuffle=shuffle)
    cases.append([size, batch_size, shuffle, repeat, list(rows(iterator))])

with open("batches_of_chainer.json", "w") as file:
    json.dump(cases, file)
