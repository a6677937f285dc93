"""Run by `mpiexec`: a transformer block of which each process has some heads, and a pipeline, against one process."""

import numpy as np

from autodiff import distributed, grad, jit

comm = distributed.world()
WIDTH, HEAD, HIDDEN, LENGTH = 4, 3, 5, 6


def normalized(x):
    centered = x - np.mean(x, axis=-1, keepdims=True)
    return centered / np.sqrt(np.mean(centered**2, axis=-1, keepdims=True) + 1e-5)


def block(p, x, total):
    """A transformer block; `total` adds up what the processes have of a sum over heads or hidden units."""
    h = normalized(x)
    q, k, v = (np.einsum("bld,hde->bhle", h, p[name]) for name in ("q", "k", "v"))
    scores = np.einsum("bhle,bhme->bhlm", q, k) / np.sqrt(HEAD)
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = weights / np.sum(weights, axis=-1, keepdims=True)
    x = x + total(np.einsum("bhlm,bhme,hed->bld", weights, v, p["o"]))
    return x + total(np.tanh(normalized(x) @ p["up"]) @ p["down"])


def check_block():
    data = 2 if comm.size == 4 else 1
    mesh = distributed.Mesh({"data": data, "model": comm.size // data})
    parts, own = mesh["model"].size, mesh.position["model"]
    rng = np.random.default_rng(0)
    shapes = dict.fromkeys("qkv", (parts, WIDTH, HEAD)) | {"o": (parts, HEAD, WIDTH)}
    shapes |= {"up": (WIDTH, parts * HIDDEN), "down": (parts * HIDDEN, WIDTH)}
    params = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    x = rng.normal(size=(4, LENGTH, WIDTH))
    wanted = grad(lambda p: np.mean(block(p, x, lambda part: part) ** 2))(params)

    def piece(name, array):
        some = slice(own * HIDDEN, (own + 1) * HIDDEN)
        return array[:, some] if name == "up" else array[some] if name == "down" else array[own : own + 1]

    mine = np.array_split(x, data)[mesh.position["data"]]
    total = lambda part: distributed.all_reduce(part, comm=mesh["model"])  # noqa: E731

    def loss(p):  # all processes of a row return it
        return np.mean(block(p, mine, total) ** 2) / parts

    held = {name: piece(name, array) for name, array in params.items()}
    for fun in (grad(loss), jit(grad(loss), backend="numpy"), grad(jit(loss, backend="numpy"))):
        found = distributed.all_reduce(fun(held), op="mean", comm=mesh["data"])
        for name, array in wanted.items():
            np.testing.assert_allclose(found[name], piece(name, array), rtol=1e-9, atol=1e-12)


def check_pipeline():
    """Microbatches go from process to process; each has one layer."""
    rng = np.random.default_rng(1)
    weights, batches = rng.normal(size=(comm.size, 3, 3)), rng.normal(size=(5, 2, 3))
    forward = [(k, k + 1) for k in range(comm.size - 1)]
    last = comm.rank == comm.size - 1

    def loss(w):
        coming, found = np.zeros((2, 3)), 0.0
        for tick in range(len(batches) + comm.size - 1):
            number = tick - comm.rank  # of the microbatch that is here
            here = batches[tick] if comm.rank == 0 and tick < len(batches) else coming
            out = np.tanh(here @ w)
            if last and 0 <= number < len(batches):
                found = found + np.sum(out**2)
            coming = distributed.permute(out, forward)
        return found + 0.0 * np.sum(w)  # most processes use nothing of what has come

    def whole(all_weights):
        x = batches
        for w in all_weights:
            x = np.tanh(x @ w)
        return np.sum(x**2)

    wanted = grad(whole)(weights)[comm.rank]
    for fun in (grad(loss), jit(grad(loss), backend="numpy"), grad(jit(loss, backend="numpy"))):
        np.testing.assert_allclose(fun(weights[comm.rank]), wanted, rtol=1e-9, atol=1e-12)


def main():
    check_block()
    check_pipeline()
