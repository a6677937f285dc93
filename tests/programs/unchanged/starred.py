"""A program that imports all names of NumPy, as notebooks do."""

# ruff: noqa: F403, F405
from numpy import *


def recurrent(w):
    h = zeros(3)
    W = array([[w[0], w[1], 0], [0, w[0], w[1]], [w[1], 0, w[0]]])
    states = []
    for x in [0.1, -0.3, 0.7]:
        h = tanh(W @ h + x)
        states.append(h)
    return mean(array(states)) + sum(h)
