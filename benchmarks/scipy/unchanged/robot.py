"""An arm of six joints follows a path: frames of turns, made by `np.array` and filled into `np.zeros`."""

import math

import numpy as np

LENGTHS = [0.5, 0.4, 0.4, 0.3, 0.2, 0.1]
PATH = np.array([[0.9 + 0.2 * math.cos(t), 0.3 * math.sin(t), 0.4] for t in np.linspace(0, 3, 20)])


def frame(angle, length, twist):
    ca, sa, ct, st = math.cos(angle), math.sin(angle), math.cos(twist), math.sin(twist)
    return np.array(
        [[ca, -sa * ct, sa * st, length * ca], [sa, ca * ct, -ca * st, length * sa], [0, st, ct, 0], [0, 0, 0, 1]]
    )


def hand(angles):
    whole = np.eye(4)
    for k in range(6):
        whole = whole @ frame(angles[k], LENGTHS[k], math.pi / 2 if k % 2 else -math.pi / 2)
    return whole[:3, 3]


def loss(p):
    places = np.zeros((20, 3))
    for k in range(20):
        places[k] = hand(p[k])
    return np.sum((places - PATH) ** 2) + 0.01 * np.sum(np.diff(p, axis=0) ** 2)


def start():
    return 0.3 * np.random.default_rng(0).normal(size=(20, 6))
