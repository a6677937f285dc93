"""Run by `mpiexec`: collective operations against the same program in one process, under every transformation.

`mpiexec -n 3 python -m tests.distributed.programs.collectives 500` tries as many random programs.
"""

import itertools
import sys
import time
from contextlib import suppress
from functools import partial

import numpy as np
import pytest

import autodiff
from autodiff import distributed, grad, hvp, jit, jvp, linearize, vmap
from autodiff.distributed import sums, windows
from autodiff.distributed.meetings import MeetingByMessages
from autodiff.distributed.primitives import COLLECTIVES
from autodiff.distributed.waiting import ABANDONED, arrived
from autodiff.distributed.windows import LINE, REGION, REGIONS, has_room
from tests.distributed.random_programs import LENGTH, drawn, of_all, of_one

comm = distributed.world()


def close(found, wanted, what):
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9, err_msg=f"{what} in process {comm.rank}")


def check_program(number):
    rng = np.random.default_rng(number)
    steps = drawn(rng, comm.size)
    X, V = rng.normal(size=(2, comm.size, LENGTH))
    x, v = X[comm.rank], V[comm.rank]
    own, whole = of_one(steps, comm.rank), of_all(steps, comm.size)
    wanted = grad(whole)(X)[comm.rank]
    close(np.sum(comm.gather_objects(own(x))), whole(X), f"the value of {steps}")
    close(grad(own)(x), wanted, f"the gradient of {steps}")
    tangents = comm.gather_objects(jvp(own, (x,), (v,))[1])
    close(np.sum(tangents), np.sum(wanted_tangent(whole, X, V)), f"the tangent of {steps}")
    if number % 8 == 0:
        close(hvp(own, (x,), (v,)), hvp(whole, (X,), (V,))[comm.rank], f"the second derivative of {steps}")
        batch = np.stack([x, 2 * x])
        close(vmap(grad(own))(batch)[1], grad(whole)(2 * X)[comm.rank], f"the batch of {steps}")
        close(linearize(own, x)[1](v), jvp(own, (x,), (v,))[1], f"the linear map of {steps}")
        backend = "auto" if number == 0 else "numpy"
        close(jit(grad(own), backend=backend)(x), wanted, f"the program of {steps}")
        close(grad(jit(own, backend=backend))(x), wanted, f"the gradient of the program of {steps}")


def wanted_tangent(whole, X, V):
    return jvp(whole, (X,), (V,))[1]


def check_large():
    """Arrays of several sizes and dtypes: bits are equal everywhere, in the order of ranks."""
    dtypes = (np.float64, np.float32, np.float16, np.complex128, np.int32)
    for size, dtype in itertools.product((0, 5, 2001, 70_001), dtypes):
        parts = [np.random.default_rng(k).normal(size=size).astype(dtype) for k in range(comm.size)]
        x = parts[comm.rank]
        half = np.dtype(dtype) == np.float16
        total = parts[0].astype(np.float32) if half else parts[0].copy()
        for part in parts[1:]:
            total = total + part
        found = distributed.all_reduce(x)
        assert found.dtype == dtype
        assert found.tobytes() == total.astype(dtype).tobytes()
        stack = np.stack(parts)
        assert np.array_equal(distributed.all_gather(x), stack)
        assert np.array_equal(distributed.broadcast(x, comm.size - 1), parts[-1])
        zeros = np.zeros_like(x)
        assert np.array_equal(distributed.reduce(x, 0), found if comm.rank == 0 else zeros)
        assert np.array_equal(distributed.gather(x, 0), stack if comm.rank == 0 else np.zeros_like(stack))
        rows = np.stack([x + k for k in range(comm.size)])
        others = [part + np.asarray(comm.rank, dtype) for part in parts]
        assert np.array_equal(distributed.all_to_all(rows), np.stack(others).astype(dtype))
        assert np.array_equal(distributed.scatter(rows, 0), (parts[0] + comm.rank).astype(dtype))
        near = {"rtol": 1e-2, "atol": 1e-2} if half else {"rtol": 1e-6, "atol": 1e-5}
        np.testing.assert_allclose(distributed.reduce_scatter(rows), sum(others), **near)
        around = [(k, (k + 1) % comm.size) for k in range(comm.size)]
        assert np.array_equal(distributed.permute(x, around), parts[comm.rank - 1])


def check_windows():
    """Arrays of several turns in memory that the processes share: the bits are those of messages."""
    lines = comm.lines
    assert (lines.window is not None) == has_room(2 * comm.size * (LINE + REGIONS * REGION))
    for size, dtype in itertools.product((65_537, REGION // 4 + 1, 3_000_000), (np.float32, np.float16, np.int32)):
        parts = [(100 * np.random.default_rng(k).normal(size=size)).astype(dtype) for k in range(comm.size)]
        x = parts[comm.rank]
        for weights in ((), (0.25,) * comm.size, tuple(0.3 + 0.1 * k for k in range(comm.size))):
            if weights and dtype == np.int32:
                continue
            own = [x.copy(), x.copy()]
            found = COLLECTIVES["all_reduce"].evaluate(own[0], comm=comm, weights=weights, reuse=size % 2 == 0)
            try:
                comm.lines = lines._replace(window=None)
                wanted = COLLECTIVES["all_reduce"].evaluate(own[1], comm=comm, weights=weights, reuse=False)
            finally:
                comm.lines = lines
            assert found.tobytes() == wanted.tobytes()
            assert size % 2 == 0 or own[0].tobytes() == x.tobytes()
    assert np.array_equal(distributed.all_reduce(np.ones((900, 2000)).T), np.full((2000, 900), comm.size))
    assert np.array_equal(distributed.all_reduce(np.arange(2e6)[::2]), comm.size * np.arange(2e6)[::2])


def check_weights():
    """Sums of weighted arrays: bits are those of a formula, and the array of a process is used again only if allowed."""
    for size, dtype, reuse in itertools.product((3, 20_000, 70_001), (np.float32, np.float64), (False, True)):
        parts = [np.random.default_rng(k).normal(size=size).astype(dtype) for k in range(comm.size)]
        for weights in ((1 / comm.size,) * comm.size, tuple(0.3 + 0.1 * k for k in range(comm.size))):
            equal, x = len(set(weights)) == 1, parts[comm.rank].copy()
            rows = parts if equal else [part * weight for part, weight in zip(parts, weights, strict=True)]
            wanted = rows[0] + rows[1]
            for row in rows[2:]:
                wanted = wanted + row
            found = COLLECTIVES["all_reduce"].evaluate(x, comm=comm, weights=weights, reuse=reuse)
            assert found.tobytes() == (wanted * weights[0] if equal else wanted).tobytes()
            assert reuse or x.tobytes() == parts[comm.rank].tobytes()


def check_interrupted():
    """An operation that one process has left, as by Ctrl-C, leaves its messages alone: the next ones are right."""
    total = [sum(range(comm.size + 1))] * 3
    for late, leaver in itertools.product((0.0, 0.01), (0, comm.size - 1)):
        if comm.rank == leaver:
            comm.meeting.begin(comm.meeting.turn("all_reduce", (3,), np.dtype(float)))
        else:
            time.sleep(late)
            distributed.all_reduce(np.ones(3))
        for _ in range(3):
            assert np.array_equal(distributed.all_reduce(np.full(3, comm.rank + 1.0)), total)


class Interrupted(Exception):
    """In the place of Ctrl-C."""


def left_after(steps, run):
    """Run an operation, and leave it after so many of its steps, or sooner, with messages under way."""

    def leave(comm, begun, call):
        requests, end = (), time.monotonic() + 0.3  # others may have left before
        for _ in range(steps):
            while not arrived(requests) and time.monotonic() < end:
                time.sleep(0)
            requests = next(begun, requests) if arrived(requests) else requests
        ABANDONED.append(requests)  # as those do that wait for them: the others still read what they send
        raise Interrupted

    before, sums.waited_for = sums.waited_for, leave
    try:
        with pytest.raises(Interrupted):
            run()
    finally:
        sums.waited_for = before


def check_interrupted_sums():
    """The same of large arrays, whose sums processes have left at different steps, whoever has begun them."""
    every = list(itertools.product((0, 1), repeat=comm.size))
    cases = [(300_000, float, ahead) for ahead in every] + [(3_000_000, np.float32, every[1])]
    for size, dtype, ahead in cases:
        x = np.arange(size, dtype=dtype) % 1000
        left_after(ahead[comm.rank], lambda x=x: distributed.all_reduce(-x))
        for _ in range(3):
            found = distributed.all_reduce(x * (comm.rank + 1))
            assert np.array_equal(found, x * sum(range(comm.size + 1)))


def refused_after(leaver, run, what):
    """The others cannot end what one process has left."""
    text = (
        rf"^process {leaver} of world\S* has left what process {comm.rank} waits for, by an exception: {what} "
        r"\(collectives.py:\d+\)\. Catch it in all processes, or in none\.$"
    )
    with pytest.raises(distributed.DistributedError, match=text):
        run()


def check_interrupted_by_one():
    """One process leaves a large sum before its last messages, for which the others wait, or after them."""
    x, part = np.arange(200_000.0), comm.split(0)
    part.lines = part.lines._replace(window=None)  # messages, as on several machines
    for leaver, steps in itertools.product((0, comm.size - 1), (1, 2)):
        run = lambda: distributed.all_reduce(-x, comm=part)  # noqa: E731
        if comm.rank == leaver:
            left_after(steps, run)
        elif steps == 1:
            refused_after(leaver, run, r"all_reduce of float64\[200000\]")
        else:
            assert np.array_equal(run(), -comm.size * x)
        for k in range(3):
            found = distributed.all_reduce(x * (comm.rank + 1) + k, comm=part)
            assert np.array_equal(found, x * sum(range(comm.size + 1)) + k * comm.size)
            assert np.array_equal(distributed.all_gather(x + comm.rank, comm=part)[-1], x + comm.size - 1)


def check_interrupted_at_random(count=10):
    """Any of the processes leave sums of several sizes at any of their steps: what comes next is right."""
    window, messages = comm.split(0), comm.split(0)
    messages.lines = messages.lines._replace(window=None)
    for number in range(count):
        rng = np.random.default_rng(number)
        own, size = (window, messages)[rng.integers(2)], rng.choice([70_001, 300_000, 1_500_000])
        leave = rng.integers(-2, 3, comm.size)[comm.rank]  # -2 and -1: it stays
        time.sleep(rng.uniform(0, 0.01, comm.size)[comm.rank])
        x = np.arange(1.0 * size)
        run = partial(distributed.all_reduce, -x, comm=own)
        if leave >= 0:
            left_after(leave, run)
        else:
            with suppress(distributed.DistributedError):  # somebody has left
                assert np.array_equal(run(), -comm.size * x), number
        for k, length in enumerate(rng.choice([3, 20_000, 600_000], 2)):
            x = np.arange(1.0 * length) + k
            found = distributed.all_reduce(x * (comm.rank + 1), comm=own)
            assert np.array_equal(found, x * sum(range(comm.size + 1))), number
            assert np.array_equal(distributed.all_gather(x + comm.rank, comm=own)[-1], x + comm.size - 1), number


def check_interrupted_overlap():
    """A backward pass that an error ends in some processes, after some of its gradients have left."""
    weights, x, fail = [np.full((300, 300), 1e-3) for _ in range(4)], np.ones((comm.size, 300)), [False]

    def loss(weights, x):
        for k, w in enumerate(weights):
            x = broken(x) if fail[-1] and k == 2 else x
            x = np.tanh(x @ w)
        return np.sum(x)

    @autodiff.custom_vjp
    def broken(x):
        return 1.0 * x

    def refuse(residuals, g):
        raise Interrupted

    broken.defvjp(lambda x: (1.0 * x, None), refuse)
    gradient = grad(loss)
    wanted = gradient(weights, x)
    step = distributed.data_parallel(gradient, bucket=1)
    for failing in ([0], [comm.size - 1], list(range(comm.size))):
        fail.append(comm.rank in failing)
        if fail[-1]:
            with pytest.raises(Interrupted):
                step(weights, x)
        else:
            refused_after(failing[0], lambda: step(weights, x), "gradients in buckets, leaves=.*")
        fail.append(False)
        for _ in range(3):
            for one, other in zip(step(weights, x), wanted, strict=True):
                close(comm.size * one, other, "gradients after an error")


def check_messages_beside():
    """Messages of the user's own that are under way while processes wait for each other at a meeting."""
    for count in (1, 3_000_000):
        x = np.full(count, comm.rank + 1.0)
        if comm.rank == 0:
            sends = [comm.mpi.Isend(x, k) for k in range(1, comm.size)]
        else:
            time.sleep(0.01)  # the sender is at the meeting before the message is asked for
            comm.mpi.Recv(x, 0)
            assert np.array_equal(x, np.ones(count))
        distributed.barrier()
        if comm.rank == 0:
            for send in sends:
                send.Wait()


def check_no_room():
    """Where one machine has no room for memory in common, processes meet by messages."""
    try:
        windows.has_room = lambda nbytes: comm.rank > 0
        part = comm.split(0)
    finally:
        windows.has_room = has_room
    assert isinstance(part.meeting, MeetingByMessages)
    assert part.lines.window is None
    for size in (3, 20_000, 70_001, REGION // 4 + 1):
        wanted = np.sum([np.random.default_rng(k).normal(size=size) for k in range(comm.size)], axis=0)
        found = distributed.all_reduce(np.random.default_rng(comm.rank).normal(size=size), comm=part)
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)


def check_order():
    """Ranks of which the local programs differ: order, number and partners of messages stay the same."""
    deep = comm.rank

    def differing(x):
        first = x
        for _ in range(3 * deep):
            first = np.tanh(first)
        one = distributed.all_reduce(first * (1.0 if deep else 2.0))
        two = distributed.all_gather(np.exp(x))
        three = distributed.all_reduce(x * (1.0 if deep else 2.0))
        four = distributed.all_reduce(x)  # one of the latter two is the other where the factor is one
        unused = distributed.broadcast(np.sin(x))
        if deep == 1:
            one = one + 0 * unused[0]
        return np.sum(three * four) + np.sum(two * one[0])

    x = np.arange(1.0, 4.0) + deep
    wanted = differing(x)
    for backend in ("numpy", "auto"):
        close(jit(differing, backend=backend)(x), wanted, "order")
    distributed.barrier()

    def both(x):
        one = x
        for _ in range(3 * deep):
            one = np.tanh(one)
        one, two = distributed.all_reduce(one), distributed.all_reduce(np.exp(x))
        return np.sum(one) + np.sum(two * two)

    wanted = grad(both)(x)
    for backend in ("numpy", "auto"):
        close(jit(grad(both), backend=backend)(x), wanted, "order of gradients")
        close(grad(jit(both, backend=backend))(x), wanted, "order of gradients of programs")


def check_control():
    """Collective operations in loops and branches, where only shapes are known, and in checkpoints."""

    def looped(x):
        def step(carry, row):
            carry = np.tanh(distributed.all_reduce(carry * row) / comm.size)
            return carry, np.sum(carry)

        last, sums = autodiff.scan(step, x, np.arange(1.0, 4.0))
        return np.sum(last) + np.sum(sums)

    x = np.arange(1.0, 4.0) * (comm.rank + 1)
    wanted = grad(looped)(x)
    close(jit(grad(looped))(x), wanted, "a loop")
    close(grad(jit(looped))(x), wanted, "the gradient of a loop")
    close(grad(autodiff.checkpoint(looped))(x), wanted, "a checkpoint")
    chosen = lambda x, flag: autodiff.cond(flag, lambda: distributed.all_reduce(x), lambda: 2 * x)  # noqa: E731
    close(jit(chosen)(x, True), distributed.all_reduce(x), "a branch")
    close(jit(chosen)(x, False), 2 * x, "the other branch")


def check_parts():
    """Sub-communicators, meshes, trees, numbers."""
    part = comm.split(comm.rank % 2, key=-comm.rank)
    members = [rank for rank in range(comm.size) if rank % 2 == comm.rank % 2][::-1]
    assert part.gather_objects(comm.rank) == members
    assert distributed.all_reduce(1.0 * comm.rank, comm=part) == sum(members)
    assert comm.split(None if comm.rank else 5) is None or comm.rank == 0
    mesh = distributed.Mesh({"data": 1, "model": comm.size})
    assert (mesh["data"].size, mesh["model"].size) == (1, comm.size)
    assert mesh["model"].gather_objects(mesh.position["model"]) == list(range(comm.size))
    tree = {"a": 1.0, "b": [np.ones(2), np.float32(comm.rank)]}
    found = distributed.all_reduce(tree)
    assert found["a"] == comm.size
    assert found["b"][1].dtype == np.float32
    assert comm.broadcast_object({"from": comm.rank}, 1) == {"from": 1}
    assert distributed.all_reduce(2.0, op="prod") == 2.0**comm.size
    assert distributed.all_reduce(comm.rank, op="min") == 0
    variable = autodiff.Variable(np.ones(3) * (comm.rank + 1))
    loss = np.sum(distributed.all_reduce(variable * variable) * (comm.rank + 1))
    loss.backward()
    close(variable.grad, 2 * variable.array * sum(range(1, comm.size + 1)), "Variables")


def check_disagreement():
    """All processes get the same error, and go on."""
    last = comm.size - 1
    others = ", ".join(str(k) for k in range(last))
    several = f"process{'es' if last > 1 else ''} {others}"
    odd = comm.rank == last

    def refused(call, first, second):
        try:
            call()
        except distributed.MismatchError as error:
            lines = str(error).split("\n")
        assert lines[0] == "the processes of world do not agree on what comes next:", lines
        assert lines[1].startswith(f"  {several}: {first} (collectives.py:"), lines
        assert lines[2].startswith(f"  process {last}: {second} (collectives.py:"), lines

    refused(lambda: distributed.all_reduce(np.ones(3 + odd)), "all_reduce of float64[3]", "all_reduce of float64[4]")
    refused(
        lambda: distributed.all_reduce(np.ones(300, "f" if odd else "d")),
        "all_reduce of float64[300]",
        "all_reduce of float32[300]",
    )
    refused(
        lambda: distributed.broadcast(np.ones(3), 1 if odd else 0),
        "broadcast of float64[3], root=0",
        "broadcast of float64[3], root=1",
    )
    refused(
        lambda: distributed.all_reduce({"b" if odd else "a": 1.0, "c": 1.0}),
        "all_reduce of float64[], leaf a of 2",
        "all_reduce of float64[], leaf b of 2",
    )
    refused(
        lambda: distributed.barrier() if odd else distributed.all_gather(1.0),
        "all_gather of float64[]",
        "barrier of float64[]",
    )
    refused(lambda: comm.split(0) if odd else comm.gather_objects(0), "gather_objects", "split")
    branched = jit(lambda x: distributed.all_reduce(x) if odd else distributed.all_gather(x))
    refused(lambda: branched(np.ones(2)), "all_gather of float64[2]", "all_reduce of float64[2]")
    distributed.debug()
    here = lambda: distributed.all_reduce(1.0)  # noqa: E731
    there = lambda: distributed.all_reduce(1.0)  # noqa: E731
    refused(there if odd else here, "all_reduce of float64[]", "all_reduce of float64[]")
    distributed.debug(False)


def check_programs(count):
    for number in range(count):
        check_program(number)


def main(programs):
    check_programs(programs)
    for check in (
        check_large, check_windows, check_weights, check_interrupted, check_interrupted_sums, check_interrupted_by_one,
        check_interrupted_at_random, check_interrupted_overlap, check_messages_beside, check_no_room, check_order, check_control, check_parts,
        check_disagreement,
    ):  # fmt: skip
        check()
    assert comm.gather_objects("done") == ["done"] * comm.size


if __name__ == "__main__":
    check_programs(int(sys.argv[1]))
    done = comm.gather_objects(int(sys.argv[1]))
    if comm.rank == 0:
        sys.stdout.write(f"{done[0]} random programs of collective operations agree with one process\n")
