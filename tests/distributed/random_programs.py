"""Random programs of collective operations, on the array of one process, and on those of all as one."""

import numpy as np

from autodiff import distributed
from tests.distributed import joined

LENGTH = 3


def drawn(rng, size):
    """The steps of a program: pairs of an operation and what it needs."""
    steps = []
    for _ in range(rng.integers(2, 7)):
        name = rng.choice(
            ["local", "all_reduce", "mean", "max", "all_gather", "reduce_scatter", "all_to_all",
             "broadcast", "reduce", "gather", "scatter", "permute", "barrier", "unused", "constant"]
        )  # fmt: skip
        senders, receivers = rng.permutation(size), rng.permutation(size)
        pairs = tuple(zip(map(int, senders), map(int, receivers), strict=True))[: rng.integers(0, size + 1)]
        weights = rng.normal(size=(size, size))
        steps.append((str(name), int(rng.integers(size)), pairs, weights))
    return steps


def of_one(steps, rank):
    """The program as one of several processes runs it."""

    def run(x):
        for name, root, pairs, weights in steps:
            own = weights[rank]
            rows = own[:, None] * x
            if name == "local":
                for _ in range(rank + 1):  # as deep as the rank is high
                    x = np.sin(x) * own[0]
            elif name == "unused":  # by all but one
                total = distributed.all_reduce(x)
                x = total if rank == root else x
            elif name == "constant":
                x = x * distributed.all_reduce(own[0])
            elif name in ("mean", "max"):
                x = distributed.all_reduce(x, op=name) * own[0]
            elif name in ("all_reduce", "barrier"):
                x = getattr(distributed, name)(x) * own[0]
            elif name == "all_gather":
                x = own @ distributed.all_gather(x)
            elif name == "gather":
                x = x + own @ distributed.gather(x, root)
            elif name == "scatter":
                x = distributed.scatter(rows, root)
            elif name == "all_to_all":
                x = own @ distributed.all_to_all(rows)
            elif name == "reduce_scatter":
                x = distributed.reduce_scatter(rows)
            elif name == "permute":
                x = x + np.cos(distributed.permute(x, pairs))
            else:
                x = x * getattr(distributed, name)(x, root)
        return np.sum(x * x)

    return run


def of_all(steps, size):
    """The same program on the arrays of all processes, in one: the sum of what they return."""

    def run(X):
        for name, root, pairs, weights in steps:
            rows = weights[:, :, None] * X[:, None, :]
            first = weights[:, :1]
            if name == "local":
                new = []
                for rank in range(size):
                    x = X[rank]
                    for _ in range(rank + 1):
                        x = np.sin(x) * weights[rank, 0]
                    new.append(x)
                X = np.stack(new)
            elif name == "unused":
                X = np.stack([np.sum(X, axis=0) if rank == root else X[rank] for rank in range(size)])
            elif name == "constant":
                X = X * np.sum(weights[:, 0])
            elif name == "mean":
                X = joined.all_reduce(X) / size * first
            elif name == "max":
                X = np.stack([np.max(X, axis=0)] * size) * first
            elif name == "all_reduce":
                X = joined.all_reduce(X) * first
            elif name == "barrier":
                X = X * first
            elif name == "all_gather":
                X = np.einsum("rk,rkn->rn", weights, joined.all_gather(X))
            elif name == "gather":
                X = X + np.einsum("rk,rkn->rn", weights, joined.gather(X, root))
            elif name == "scatter":
                X = joined.scatter(rows, root)
            elif name == "all_to_all":
                X = np.einsum("rk,rkn->rn", weights, joined.all_to_all(rows))
            elif name == "reduce_scatter":
                X = joined.reduce_scatter(rows)
            elif name == "permute":
                X = X + np.cos(joined.permute(X, pairs))
            else:
                X = X * getattr(joined, name)(X, root)
        return np.sum(X * X)

    return run
