"""Run by `mpiexec`: sums over processes that take themselves to be on machines with two processes each."""

import os
import sys

import numpy as np

import autodiff
from autodiff import distributed
from autodiff.distributed.communicator import Communicator
from autodiff.distributed.group import Peer

world = distributed.world()
rank, size = world.rank, world.size
HOSTS = [f"machine {k // 2}" for k in range(size)]


def sum_of(parts):
    total = parts[0].copy()
    for part in parts[1:]:
        total = total + part
    return total


def main():
    peers = [
        Peer(k, host, pid) for k, (host, pid) in enumerate(zip(HOSTS, world.gather_objects(os.getpid()), strict=True))
    ]
    comm = Communicator(world.mpi.Dup(), "machines", peers)
    assert (comm.lines.inside.size, comm.lines.across.size) == (2, size // 2)
    for count in (80_001, 3):
        parts = [np.random.default_rng(k).normal(size=count) for k in range(size)]
        machines = [sum_of(parts[k : k + 2]) for k in range(0, size, 2)]
        wanted = sum_of(machines if count > 3 else parts)
        assert distributed.all_reduce(parts[rank], comm=comm).tobytes() == wanted.tobytes()
    assert distributed.all_reduce(np.ones((400, 200)), comm=comm).shape == (400, 200)
    weights, x = [np.ones((300, 300)), np.ones((300, 300))], np.ones((size, 300))
    gradient = autodiff.grad(lambda w, x: np.sum(np.tanh(x @ w[0] / 300) @ w[1]))
    whole = gradient(weights, x)
    for fun, bucket in ((gradient, 1), (gradient, None), (autodiff.jit(gradient, backend="numpy"), 1)):
        found = distributed.data_parallel(fun, comm=comm, bucket=bucket)(weights, x)
        for one, other in zip(found, whole, strict=True):
            np.testing.assert_allclose(one * size, other, rtol=1e-12)
        distributed.check_equal(found, comm)
    uneven = Communicator(world.mpi.Dup(), "uneven", [peer._replace(host=f"{peer.rank == 0}") for peer in peers])
    assert uneven.lines.inside is None
    assert distributed.all_reduce(np.ones(80_001), comm=uneven)[-1] == size
    if rank == 0:
        sys.stdout.write("equal\n")


if __name__ == "__main__":
    main()
