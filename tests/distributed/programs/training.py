"""Run by `mpiexec`: data parallelism, shared optimizers, and checkpoints."""

import json
import re
import tempfile
from pathlib import Path

import numpy as np
import pytest

import autodiff
from autodiff import distributed, optimize
from autodiff.chainer import functions as F
from autodiff.distributed import simulation
from autodiff.distributed.compiled_overlap import Gradients
from autodiff.distributed.demo import demo
from autodiff.distributed.overlap import Buckets
from autodiff.trace.trees.tree import flatten

comm = distributed.world()
rank, size = comm.rank, comm.size
rng = np.random.default_rng(0)
X, y = rng.normal(size=(17, 3)), rng.normal(size=17)
PARAMS = {"w": rng.normal(size=3), "b": np.float32(0.5), "deep": [rng.normal(size=(3, 2))]}


def loss(params, x, y):
    found = np.tanh(x @ params["deep"][0]) @ np.ones(2) + x @ params["w"] + params["b"]
    return np.mean((found - y) ** 2)


def refused(kind, call, text):
    with pytest.raises(kind, match=re.escape(text)):
        call()


def check_gradients():
    wanted = autodiff.value_and_grad(loss)(PARAMS, X, y)
    for fun in (autodiff.value_and_grad(loss), autodiff.jit(autodiff.value_and_grad(loss), backend="numpy")):
        value, found = distributed.data_parallel(fun)(PARAMS, X, y)  # parts of 17 examples differ in length
        np.testing.assert_allclose(value, wanted[0], rtol=1e-6)
        np.testing.assert_allclose(found["w"], wanted[1]["w"], rtol=1e-6, atol=1e-7)
        assert found["b"].dtype == np.float32
        distributed.check_equal(found)
    traced = autodiff.jit(distributed.data_parallel(autodiff.grad(loss)), backend="numpy")(PARAMS, X, y)
    np.testing.assert_allclose(traced["w"], wanted[1]["w"], rtol=1e-6, atol=1e-7)
    short = distributed.data_parallel(autodiff.grad(loss), dtype=np.float16)(PARAMS, X, y)
    np.testing.assert_allclose(short["w"], wanted[1]["w"], rtol=1e-2, atol=1e-3)
    assert np.array_equal(short["w"], short["w"].astype(np.float16))
    other = {**PARAMS, "w": PARAMS["w"] + (rank == size - 1)}
    last = f"parameters differ from those of process 0 (training.py:{{line}}): 0/w of process {size - 1}."
    refused(distributed.MismatchError, lambda: distributed.data_parallel(loss)(other, X, y), last[:45])
    refused(distributed.MismatchError, lambda: distributed.check_equal(other), f"w of process {size - 1}. Begin")
    refused(ValueError, lambda: distributed.data_parallel(loss)(PARAMS, X[:1], y[:1]), "1 examples are fewer than")
    refused(ValueError, lambda: distributed.data_parallel(loss)(PARAMS, X, y[:5]), "there must be one")


def layers(params, x, y):
    hidden = x
    for w in params["deep"]:
        hidden = np.tanh(noted(hidden) @ w + params["b"])
    return np.mean((hidden.sum(axis=1) * params["scale"] - y) ** 2), hidden.sum()


STEPS = []


@autodiff.custom_vjp
def noted(x):
    return x * 1.0


noted.defvjp(lambda x: (x * 1.0, None), lambda _, g: (STEPS.append("operation") or g,))


def check_overlap():
    deep = [rng.normal(size=(3, 4)), rng.normal(size=(4, 4)).astype(np.float32), rng.normal(size=(4, 2))]
    params = {"b": np.float32(0.1), "deep": deep, "scale": np.array(0.5), "unused": np.ones(3)}
    plain = {"bucket": None}
    for transform in (autodiff.value_and_grad, autodiff.grad):
        fun = transform(layers, has_aux=True)
        for dtype in (None, np.float16):
            wanted = distributed.data_parallel(fun, dtype=dtype, **plain)(params, X, y)
            for bucket in (1, 100, 1 << 22):
                found = distributed.data_parallel(fun, dtype=dtype, bucket=bucket)(params, X, y)
                assert [type(leaf) for leaf in leaves_of(found)] == [type(leaf) for leaf in leaves_of(wanted)]
                assert all(map(same_bits, leaves_of(found), leaves_of(wanted)))
    check_gradients_leave_early(params)
    check_programs_overlap(params)
    reduced = autodiff.grad(lambda w, x, y: np.sum(distributed.all_reduce(np.sum(x @ w - y) ** 2)))
    once = distributed.data_parallel(reduced, **plain)(PARAMS["w"], X, y)
    assert same_bits(distributed.data_parallel(reduced)(PARAMS["w"], X, y), once)
    if size > 1:
        uneven = distributed.data_parallel(
            autodiff.grad(lambda w, x, y: np.sum(x) * (np.sum(distributed.all_reduce(w)) if rank else np.sum(w)))
        )
        refused(distributed.MismatchError, lambda: uneven(PARAMS["w"], X, y), "do not agree on what comes next")


def check_gradients_leave_early(params):
    if size == 1:
        return
    put = Buckets.put
    Buckets.put = lambda self, place, leaf: (STEPS.append(place), put(self, place, leaf))[1]
    try:
        STEPS.clear()
        distributed.data_parallel(autodiff.grad(lambda *args: layers(*args)[0]), bucket=1)(params, X, y)
    finally:
        Buckets.put = put
    assert STEPS.index(3) < STEPS.index("operation") < STEPS.index(2) < STEPS.index(1)  # the last layer's is complete


def check_programs_overlap(params):
    """Gradients leave a program while it runs, with the bits of sending them at its end."""
    for transform, backend, dtype in (
        (autodiff.value_and_grad, "numpy", None),
        (autodiff.grad, "numpy", np.float16),
        (autodiff.value_and_grad, "auto", None),
    ):
        for has_aux in (True, False):
            gradient = transform(layers if has_aux else lambda *args: layers(*args)[0], has_aux=has_aux)
            fun = autodiff.jit(gradient, backend=backend)
            wanted = distributed.data_parallel(fun, dtype=dtype, bucket=None)(params, X, y)
            for bucket in (1, 100, 1 << 22):
                found = distributed.data_parallel(fun, dtype=dtype, bucket=bucket)(params, X, y)
                assert [type(leaf) for leaf in leaves_of(found)] == [type(leaf) for leaf in leaves_of(wanted)]
                assert all(map(same_bits, leaves_of(found), leaves_of(wanted)))
    large = {"deep": [np.ones((3, 300)), np.ones((300, 4)), np.ones((4, 2))], "scale": np.array(0.5), "b": 0.1}
    fun = autodiff.jit(autodiff.grad(lambda *args: layers(*args)[0]), backend="numpy")
    with pytest.MonkeyPatch.context() as patch:
        told = noted_calls(patch, Gradients, "ready")
        found = distributed.data_parallel(fun, bucket=64)(large, X, y)
    assert size == 1 or told.index(3) < told.index(2) < told.index(1)  # the last layer's is there first
    wanted = distributed.data_parallel(fun, bucket=None)(large, X, y)
    assert all(map(same_bits, leaves_of(found), leaves_of(wanted)))


def noted_calls(patch, owner, name):
    """The first arguments of all calls of a method from here on."""
    calls, method = [], getattr(owner, name)
    patch.setattr(owner, name, lambda self, first, *rest: (calls.append(first), method(self, first, *rest))[1])
    return calls


def leaves_of(tree):
    return flatten(tree)[0]


def same_bits(one, other):
    return np.asarray(one).tobytes() == np.asarray(other).tobytes()


def check_recorded_steps():
    """A step in buckets, as it was recorded, and replayed."""
    weights, x = [np.ones((30, 30)) / 30, np.ones((30, 30)) / 30], np.ones((4 * size, 30))
    gradient = autodiff.jit(autodiff.grad(lambda w, x: np.sum(np.tanh(x @ w[0]) @ w[1])), backend="numpy")
    step = distributed.data_parallel(gradient, bucket=8)
    if size == 1:
        return
    steps = simulation.record_steps(lambda: step(weights, x), times=3, warmup=1)
    assert len(steps) == 3 * size
    wanted = (("all_reduce", 7200, True), ("all_reduce", 7200, True), ("wait", 0, False), ("", 0, False))
    assert {own.kind for own in steps} == {wanted}
    assert all(part.compute >= 0 for own in steps for part in own.parts)
    network = simulation.measure_network(rounds=4)
    distributed.check_equal(list(network[2:4]))
    assert 0 < network.within.latency < 1
    assert network.per_machine == size
    times = [simulation.replay(steps, network, count) for count in (1, size, 64)]
    assert times == sorted(times)
    found = simulation.record_steps(lambda: [distributed.all_reduce(np.ones(2)) for _ in range(2)], times=1)
    assert [part.name for part in found[0].parts] == ["all_reduce", "all_reduce", ""]


def check_sharded_optimizer():
    for make in (lambda: optimize.adam(0.1), lambda: optimize.sgd(0.1, momentum=0.9)):
        whole, part = make(), distributed.shard_optimizer(make())
        params = again = {"w": PARAMS["w"], "deep": PARAMS["deep"]}
        state, own = whole.init(params), part.init(params)
        for step in range(3):
            gradient = optimize_tree(np.cos, params, step)
            updates, state = whole.update(gradient, state, params)
            shared, own = part.update(gradient, own, again)
            params, again = optimize.apply_updates(params, updates), optimize.apply_updates(again, shared)
        assert np.array_equal(params["w"], again["w"])
        assert np.array_equal(params["deep"][0], again["deep"][0])
        largest = max(np.size(leaf) for leaf in autodiff.tree.leaves(own))
        assert largest == -(-9 // size)


def optimize_tree(function, tree, step):
    return autodiff.tree.map(lambda leaf: function(leaf + step), tree)


def check_checkpoints():
    folder = Path(comm.broadcast_object(tempfile.mkdtemp() if rank == 0 else None))
    pieces = {"rows": np.arange(6.0).reshape(3, 2) + 10 * rank, "w": PARAMS["w"], "step": 4, "deep": PARAMS["deep"]}
    distributed.save(folder, pieces, axes={"rows": 0})
    found = distributed.load(folder, pieces)
    assert np.array_equal(found["rows"], pieces["rows"])
    assert (found["step"], type(found["step"])) == (4, int)
    assert found["w"].tobytes() == PARAMS["w"].tobytes()
    alone = distributed.Communicator()
    whole = distributed.load(folder, comm=alone)  # another number of processes
    assert whole["rows"].shape == (3 * size, 2)
    distributed.save(folder, {**pieces, "step": 5}, axes={"rows": 0})
    assert distributed.load(folder, pieces)["step"] == 5
    comm.gather_objects(None)
    assert len(list(folder.glob("part-*"))) == size
    bad = {**pieces, "w": pieces["w"] + rank}
    refused(distributed.MismatchError, lambda: distributed.save(folder, bad, axes={"rows": 0}), "w of process")
    state = distributed.shard_optimizer(optimize.adam(0.1)).init({"w": np.arange(4.0 * size)})
    state = (state[0]._replace(mu=state[0].mu + rank), state[1])  # as after an update
    refused(distributed.MismatchError, lambda: distributed.save(folder / "state", state), "Name those of which each")
    distributed.save(folder / "state", state, axes={"0/mu": 0, "0/nu": 0})
    assert np.array_equal(distributed.load(folder / "state", state)[0].mu, state[0].mu)
    refused(ValueError, lambda: distributed.save(folder, pieces, axes={"cols": 0}), "axes names 'cols'")
    refused(ValueError, lambda: distributed.load(folder, {"w": np.ones(3)}), "differ in deep/0, rows, step")
    refused(ValueError, lambda: distributed.load(folder, {**pieces, "w": np.ones(4)}), "w has shape (3,)")
    refused(TypeError, lambda: distributed.load(folder, {**pieces, "w": np.ones(3, "f")}), "w is float64")
    assert distributed.load(folder, pieces)["step"] == 5  # what was refused has changed nothing
    comm.gather_objects(None)
    part = json.loads((folder / "index.json").read_text())["parts"][1]["file"]
    if rank == 0:
        data = bytearray((folder / part).read_bytes())
        data[len(data) // 2] ^= 1
        (folder / part).write_bytes(data)
    comm.gather_objects(None)
    refused(ValueError, lambda: distributed.load(folder, pieces), f"{part} is damaged")
    half_written(folder / part, lambda: distributed.load(folder, pieces), f"{part} is damaged")
    half_written(folder / "index.json", lambda: distributed.load(folder, pieces), "index.json is damaged")
    comm.gather_objects(None)
    if rank == 0:
        (folder / part).unlink()
    comm.gather_objects(None)
    refused(FileNotFoundError, lambda: distributed.load(folder, pieces), f"no {part}")
    refused(FileNotFoundError, lambda: distributed.load(folder / "nowhere"), "there is no checkpoint")


def half_written(path, load, text):
    """A file of which the end is missing is refused by name; afterwards it is there again."""
    comm.gather_objects(None)
    whole = path.read_bytes()
    comm.gather_objects(None)
    if rank == 0:
        path.write_bytes(whole[: len(whole) // 2])
    comm.gather_objects(None)
    refused(ValueError, load, text)
    comm.gather_objects(None)
    if rank == 0:
        path.write_bytes(whole)
    comm.gather_objects(None)


def check_variables():
    w = autodiff.Parameter(np.ones(2))
    w.grad = np.full(2, float(rank))
    distributed.average_gradients([w])
    assert np.array_equal(w.grad, np.full(2, np.mean(range(size))))
    w.grad = None if rank else np.ones(2)
    refused(distributed.MismatchError, lambda: distributed.average_gradients([w]), "in some processes only")


def check_variables_overlap():
    x, target = X[rank::size], y[rank::size]

    def gradients(average, dtype):
        w, scale, unused = (autodiff.Parameter(np.array(v)) for v in (PARAMS["w"], PARAMS["deep"][0], np.ones(2)))
        average([w, scale, unused], lambda: F.mean((x @ w + F.sum(x @ scale, axis=1) - target) ** 2).backward(), dtype)
        assert unused.grad is None
        return w.grad, scale.grad

    def after(parameters, run, dtype):
        run()
        distributed.average_gradients(parameters, dtype=dtype)

    for dtype in (None, np.float16):
        wanted = gradients(after, dtype)
        for bucket in (1, 1 << 20):

            def along(parameters, run, dtype, bucket=bucket):
                with distributed.averaged_backward(parameters, dtype=dtype, bucket=bucket):
                    run()

            assert all(map(same_bits, gradients(along, dtype), wanted))
    w = autodiff.Parameter(np.ones(2))

    def twice():
        with distributed.averaged_backward([w]):
            for _ in range(2):
                F.sum(w * w).backward()

    def here_only():
        w.cleargrad()
        other = autodiff.Parameter(np.ones(2))
        with distributed.averaged_backward([w, other]):
            F.sum(w * w * (other if rank else 1.0)).backward()

    if size > 1:
        refused(RuntimeError, twice, "averages the gradients of one backward(), and this is the second (training.py:")
        refused(distributed.MismatchError, here_only, "in some processes only")


def main():
    for check in (
        check_gradients,
        check_overlap,
        check_recorded_steps,
        check_sharded_optimizer,
        check_checkpoints,
        check_variables,
        check_variables_overlap,
    ):
        check()
    with tempfile.TemporaryDirectory() as folder, distributed.record_events() as events:
        losses, apart = demo(epochs=1, picture=f"{folder}/demo.png")
        assert Path(folder, "demo.png").exists() == (rank == 0)
    assert apart < 1e-12
    assert {event.name for event in events} == ({"all_reduce"} if size > 1 else set())
    assert all(event.begun <= event.met <= event.done and event.size == size for event in events)
    assert losses[-1] < losses[0] - 0.4
