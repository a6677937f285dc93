"""Slices of concatenated datasets of columns, of which Chainer gets some wrong."""

import numpy as np

from autodiff.chainer.dataset import tabular


def table(length, start):
    return tabular.from_data((("a", start + np.arange(length)), ("b", [-start - k for k in range(length)])))


def test_every_slice():
    whole = table(2, 0).concat(table(3, 50), table(0, 70), table(1, 90))
    expected = list(whole)
    assert expected == [(0, 0), (1, -1), (50, -50), (51, -51), (52, -52), (90, -90)]
    bounds = [None, *range(-7, 8)]
    for step in (-7, -3, -2, -1, 1, 2, 3, 7):
        for start in bounds:
            for stop in bounds:
                found = whole.get_examples(slice(start, stop, step), None)
                assert list(zip(*found, strict=True)) == expected[start:stop:step]
                assert list(whole.slice[start:stop:step]) == expected[start:stop:step]
