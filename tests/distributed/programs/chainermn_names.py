"""Run by `mpiexec`: ChainerMN's names, each with several processes."""

import tempfile
import warnings
from itertools import chain
from pathlib import Path

import numpy as np

import autodiff.chainer as chainer
import autodiff.chainer.functions as F
import autodiff.chainer.links as L
from autodiff import chainermn
from autodiff.chainer.training import extensions

comm = chainermn.create_communicator("naive")
rank, size = comm.rank, comm.size


def raised(kind, call):
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError(f"no {kind.__name__} in process {rank}")


def check_messages():
    assert (comm.intra_rank, comm.intra_size, comm.inter_rank, comm.inter_size) == (rank, size, 0, 1)
    x = np.arange(3.0) + rank
    everything = [np.arange(3.0) + k for k in range(size)]
    assert np.array_equal(comm.bcast(x if rank == 1 else None, root=1), everything[1])
    found = comm.gather(np.ones((rank + 1, 2)), 0)
    assert (found is None) == (rank != 0)
    assert rank or [part.shape for part in found] == [(k + 1, 2) for k in range(size)]
    assert all(map(np.array_equal, comm.allgather(x), everything))
    assert np.array_equal(comm.allreduce(x), sum(everything))
    found = comm.alltoall(tuple(x + 10 * k for k in range(size)))
    assert all(np.array_equal(part, everything[k] + 10 * rank) for k, part in enumerate(found))
    assert np.array_equal(comm.scatter(tuple(everything) if rank == 1 else None, 1), x)
    assert np.array_equal(comm.scatter(np.stack(everything), 0), x)
    right, left = (rank + 1) % size, (rank - 1) % size
    comm.send(x, right, 3)
    assert np.array_equal(comm.recv(left, 3), everything[left])
    comm.send((x, x + 1), right, 4)
    assert np.array_equal(comm.recv(left, 4)[1], everything[left] + 1)
    comm.send_obj({"from": rank}, right)
    assert comm.recv_obj(left) == {"from": left}
    assert comm.gather_obj(rank) == (list(range(size)) if rank == 0 else None)
    assert comm.allreduce_obj({"a": rank, "b": 1.0}) == {"a": sum(range(size)), "b": size}
    part = comm.split(rank % 2, rank)
    assert part.size == len(range(rank % 2, size, 2))
    assert part.allreduce_obj(rank) == sum(range(rank % 2, size, 2))
    dtype = np.float32 if rank else np.float64
    assert "all dtypes must be the same" in raised(TypeError, lambda: comm.allgather(np.ones(2, dtype)))
    assert "Message object must be an array" in raised(TypeError, lambda: comm.send([1.0], right))
    assert "has no partner" in raised(ValueError, lambda: comm.recv_obj(rank))
    assert "Unrecognized communicator" in raised(ValueError, lambda: chainermn.create_communicator("pigeon"))
    assert chainermn.create_communicator("pure_nccl", allreduce_grad_dtype=np.float16).size == size


def check_communicators():
    for name in (
        "naive",
        "flat",
        "hierarchical",
        "two_dimensional",
        "single_node",
        "non_cuda_aware",
        "pure_nccl",
        "dummy",
    ):
        assert isinstance(chainermn.create_communicator(name), chainermn.CommunicatorBase)
    other = chainermn.create_communicator("pure_nccl", mpi_comm=comm.mpi_comm)
    assert (other.rank, other.size, other.mpi_comm.Get_size()) == (rank, size, size)
    other.set_config("allreduce_grad_dtype", np.float16)
    assert other.get_config("allreduce_grad_dtype") == np.float16
    assert other.get_config() == {"batched_copy": True, "allreduce_grad_dtype": np.float16}
    assert "Unknown config" in raised(ValueError, lambda: other.set_config("color"))
    chainermn.global_except_hook.add_hook()
    model = Model(rank)
    own = model.l1.W.array.copy()
    (comm.bcast_data if rank == 0 else comm.broadcast_data)(model)
    assert (model.l1.W.array.tobytes() == own.tobytes()) == (rank == 0)
    bits = comm.allgather_obj([parameter.array.tobytes() for _, parameter in sorted(model.namedparams())])
    assert bits == [bits[0]] * size
    for average in (comm.multi_node_mean_grad, comm.allreduce_grad, other.allreduce_grad):
        for parameter in model.params():
            parameter.grad = np.full(parameter.shape, 3.0 * rank, "f")
        average(model)
        for parameter in model.params():
            np.testing.assert_allclose(parameter.grad, 3 * np.mean(range(size)), rtol=1e-3)
    other.finalize()


def check_datasets():
    data = list(range(7))
    first, last = chainermn.scatter_index(7 if rank == 0 else None, comm, force_equal_length=False)
    assert comm.allreduce_obj(list(range(first, last))) == data
    assert issubclass(chainermn.DataSizeError, RuntimeError)
    with warnings.catch_warnings(action="ignore"):
        assert chainermn.datasets.get_n_iterations_for_one_epoch(data, 2, comm) == 4
        assert chainermn.datasets.get_epoch_trigger(3, data, 2, comm) == (12, "iteration")
    own = chainermn.scatter_dataset(data if rank == 0 else None, comm, shuffle=True, seed=0)
    assert len(own) == -(-7 // size)
    assert set().union(*map(set, comm.allgather_obj(list(own[:])))) == set(data)
    own = chainermn.scatter_dataset(data, comm, force_equal_length=False)
    assert list(chain.from_iterable(comm.allgather_obj(list(own[:])))) == data
    assert chainermn.datasets.create_empty_dataset(data) == [()] * 7
    iterator = chainer.iterators.SerialIterator([k + 100 * rank for k in range(5)], 2, repeat=False, shuffle=False)
    shared = chainermn.iterators.create_multi_node_iterator(iterator, comm, 1)
    assert list(shared) == [[100, 101], [102, 103], [104]]
    assert (shared.epoch, shared.is_new_epoch) == (1, True)
    iterator = chainer.iterators.SerialIterator(list(range(20)), 5)
    batches = comm.allgather_obj(next(chainermn.iterators.create_synchronized_iterator(iterator, comm)))
    assert batches == [batches[0]] * size


class Model(chainer.Chain):
    def __init__(self, seed):
        super().__init__()
        with self.init_scope():
            self.l1 = L.Linear(3, 4, initialW=np.random.RandomState(seed).normal(size=(4, 3)).astype("f"))
            self.l2 = L.Linear(4, 1, initialW=np.random.RandomState(seed).normal(size=(1, 4)).astype("f"))

    def __call__(self, x):
        return self.l2(F.tanh(self.l1(x)))


def check_optimizer():
    X = np.random.RandomState(9).normal(size=(4 * size, 3)).astype("f")

    def loss(model, x):
        return lambda: F.mean(F.square(model(x) - 1))

    own = X[4 * rank : 4 * rank + 4]
    model, alone = Model(rank), Model(0)
    optimizer = chainermn.create_multi_node_optimizer(chainer.optimizers.SGD(0.1), comm).setup(model)
    optimizer.update(loss(model, own))
    assert np.array_equal(model.l1.W.array, alone.l1.W.array)  # those of process 0
    single = chainer.optimizers.SGD(0.1).setup(alone)
    for _ in range(5):
        optimizer.update(loss(model, own))
        single.update(loss(alone, X))
    np.testing.assert_allclose(model.l1.W.array, alone.l1.W.array, rtol=1e-5, atol=1e-6)
    assert optimizer.t == 5
    bits = comm.allgather_obj(model.l1.W.array.tobytes())
    assert bits == [bits[0]] * size

    late, alone = Model(0), Model(0)
    nccl = chainermn.create_communicator("pure_nccl")
    buffered = chainermn.create_multi_node_optimizer(chainer.optimizers.SGD(0.1), nccl, double_buffering=True)
    buffered.setup(late)
    single = chainer.optimizers.SGD(0.1).setup(alone)
    gradients = []
    for step in range(4):
        buffered.update(loss(late, own))
        if step == 0:
            continue
        alone.cleargrads()
        loss(alone, X)().backward()
        gradients.append([parameter.grad for parameter in alone.params()])
        if len(gradients) > 1:
            for parameter, gradient in zip(alone.params(), gradients[-2], strict=True):
                parameter.grad = gradient
            single.update()
        np.testing.assert_allclose(late.l1.W.array, alone.l1.W.array, rtol=1e-5, atol=1e-6)
    refuse = lambda: chainermn.create_multi_node_optimizer(chainer.optimizers.SGD(), comm, True)  # noqa: E731
    assert "double buffering" in raised(ValueError, refuse)

    model.cleargrads()
    (model if rank else model.l1).params().__next__().grad = np.ones((4, 3), "f")
    if rank == 1:
        model.l1.W.grad = None
    assert "in some processes only" in raised(RuntimeError, lambda: comm.multi_node_mean_grad(model))
    comm.multi_node_mean_grad(model, zero_fill=True)
    assert model.l2.W.grad is not None


def check_functions():
    CF = chainermn.functions
    x = chainer.Variable(np.arange(3.0) + rank)
    total = sum(k + 1 for k in range(size))
    ys = CF.allgather(comm, x)
    F.sum(sum(y * (rank + 1) * (k + 1) for k, y in enumerate(ys))).backward()
    assert np.array_equal(x.grad, np.full(3, (rank + 1.0) * total))
    x.cleargrad()
    ys = CF.alltoall(comm, [x * (k + 1) for k in range(size)])
    F.sum(sum(ys) * (rank + 1)).backward()
    assert np.array_equal(x.grad, np.full(3, float(sum((k + 1) ** 2 for k in range(size)))))
    x.cleargrad()
    y = CF.bcast(comm, x if rank == 0 else None, 0)
    F.sum(y * (rank + 1)).backward()
    assert np.array_equal(y.array, np.arange(3.0))
    assert x.grad is None if rank else np.array_equal(x.grad, np.full(3, float(total)))
    x.cleargrad()
    y = CF.gather(comm, x, 0)
    if rank == 0:
        y = F.sum(sum(part * (k + 1) for k, part in enumerate(y)))
    y.backward(retain_grad=False) if rank == 0 else backward_from(y)
    assert np.array_equal(x.grad, np.full(3, rank + 1.0))
    x.cleargrad()
    y = CF.scatter(comm, [x * (k + 1) for k in range(size)] if rank == 0 else None, 0)
    F.sum(y * (rank + 1)).backward()
    assert np.array_equal(y.array, np.arange(3.0) * (rank + 1))
    assert x.grad is None if rank else np.array_equal(x.grad, np.full(3, float(sum((k + 1) ** 2 for k in range(size)))))
    x.cleargrad()
    if rank == 0:
        sent = CF.send(x * 2, comm, 1)
        backward_from(CF.recv(comm, 1, delegate_variable=sent) * 5)
        assert np.array_equal(x.grad, np.full(3, 2.0 * 3 * 5))
    if rank == 1:
        received = CF.recv(comm, 0)
        backward_from(CF.send(received * 3, comm, 0))
    assert "must be different" in raised(ValueError, lambda: CF.send(x, comm, rank))
    x.cleargrad()
    if rank == 0:  # what was sent has its gradient by way of what is returned
        delegate = CF.send(x * 2, comm, 1)
        (y,) = CF.pseudo_connect(delegate, x * 3)
        backward_from(y)
        assert np.array_equal(x.grad, np.full(3, 2.0 * 7 + 3))
    if rank == 1:
        backward_from(CF.recv(comm, 0) * 7)


def backward_from(y):
    y.grad = np.ones(y.shape, y.dtype)
    y.backward()


def check_links():
    X = np.random.RandomState(3).normal(size=(6 * size, 2)).astype("f")
    weights = np.linspace(0.5, 2.0, 6 * size, dtype="f")[:, None]
    own = slice(6 * rank, 6 * rank + 6)
    whole, x = L.BatchNormalization(2), chainer.Variable(X)
    whole.cleargrads()
    F.sum(F.square(whole(x)) * x * weights).backward()
    model = chainermn.links.create_mnbn_model(chainer.Sequential(L.BatchNormalization(2)), comm)
    part = chainer.Variable(X[own])
    model.cleargrads()
    y = model(part)
    F.sum(F.square(y) * part * weights[own]).backward()
    link = model[0]
    assert type(link) is chainermn.links.MultiNodeBatchNormalization
    np.testing.assert_allclose(part.grad, x.grad[own], rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(comm.allreduce(link.gamma.grad), whole.gamma.grad, rtol=1e-4)
    np.testing.assert_allclose(link.avg_mean, whole.avg_mean, rtol=1e-5, atol=1e-6)
    with chainer.using_config("train", False):
        assert model(part).shape == part.shape
    link.avg_mean[...] = rank
    chainermn.extensions.AllreducePersistent(model, comm)()
    np.testing.assert_allclose(link.avg_mean, np.mean(range(size)))

    class Chained(chainermn.MultiNodeChainList):
        def __init__(self):
            super().__init__(comm)
            if rank == 0:
                self.add_link(L.Linear(2, 3, initialW=1), rank_out=1)
                self.add_link(L.Linear(3, 1, initialW=2), rank_in=1)
            elif rank == 1:
                self.add_link(L.Linear(3, 3, initialW=np.eye(3) * 4), rank_in=0, rank_out=0)

    chained = Chained()
    chained.cleargrads()
    if rank < 2:
        out = chained(X[:4])
        if rank == 0:
            np.testing.assert_allclose(out.array, X[:4].sum(axis=1, keepdims=True) * 24, rtol=1e-4)
            F.sum(out).backward()
            np.testing.assert_allclose(chained[0].W.grad, np.tile(8 * X[:4].sum(axis=0), (3, 1)), rtol=1e-4)
        else:
            out.backward()
            assert chained[0].b.grad.shape == (3,)
        rnn = L.NStepLSTM(1, 2, 2, 0.0)
        rnn.cleargrads()
        multi = chainermn.links.create_multi_node_n_step_rnn(
            rnn, comm, rank_in=0 if rank else None, rank_out=None if rank else 1
        )
        *_, ys, delegate = multi([np.ones((2, 2), "f")])
        if rank:
            F.sum(ys[0]).backward()
        else:
            delegate.backward()
            assert np.any(rnn[0].w0.grad)


def check_early_stopping():
    """All processes stop at once, when the mean over them gets no better."""
    trigger = chainermn.extensions.MultiNodeEarlyStoppingTrigger(
        comm, check_trigger=(1, "iteration"), monitor="loss", patience=2, max_trigger=(9, "iteration")
    )
    assert trigger.get_training_length() == (9, "iteration")
    fired = []
    for iteration, mean in enumerate([3.0, 2.0, 2.5, 2.25, 2.125], 1):
        trainer = Stopped(iteration, {"loss": mean + rank - (size - 1) / 2})
        fired.append(trigger(trainer))
        np.testing.assert_allclose(trainer.observation["loss_aggregated"], mean)
    stops = comm.allgather_obj(fired)
    assert stops == [stops[0]] * size
    assert fired.index(True) >= 3


class Stopped:
    """As much of a trainer as triggers ask for."""

    def __init__(self, iteration, observation):
        self.updater = self
        self.iteration, self.observation = iteration, observation
        self.epoch, self.epoch_detail, self.previous_epoch_detail, self.is_new_epoch = 0, 0.0, 0.0, False


def check_training():
    folder = Path(comm.bcast_obj(tempfile.mkdtemp() if rank == 0 else None))
    data = chainermn.scatter_dataset(
        [(np.full(2, k, "f"), np.float32(k)) for k in range(12)] if rank == 0 else None, comm
    )

    class Regression(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.l = L.Linear(2, 1, initialW=0.1 * (rank + 1))

        def __call__(self, x, t):
            loss = F.mean_squared_error(self.l(x)[:, 0], t)
            chainer.report({"loss": loss}, self)
            return loss

    def trainer(epochs, load):
        model = Regression()
        optimizer = chainermn.create_multi_node_optimizer(chainer.optimizers.SGD(0.001), comm).setup(model)
        iterator = chainer.iterators.SerialIterator(data, 2, shuffle=False)
        updater = chainer.training.StandardUpdater(iterator, optimizer)
        found = chainer.training.Trainer(updater, (epochs, "epoch"), out=str(folder))
        test = chainer.iterators.SerialIterator(data, 2, repeat=False, shuffle=False)
        found.extend(chainermn.create_multi_node_evaluator(extensions.Evaluator(test, model), comm))
        found.extend(chainermn.extensions.ObservationAggregator(comm, "main/loss"))
        taken = extensions.snapshot(filename="taken_{.updater.iteration}", autoload=load)
        found.extend(chainermn.extensions.multi_node_snapshot(comm, taken, [0]), trigger=(1, "epoch"))
        with warnings.catch_warnings(action="ignore"):
            checkpointer = chainermn.create_multi_node_checkpointer("run", comm)
        found.extend(checkpointer, trigger=(1, "epoch"))
        return found, model, checkpointer

    first, model, _ = trainer(2, False)
    first.run()
    observed = comm.allgather_obj(
        (float(first.observation["main/loss"]), float(first.observation["validation/main/loss"]))
    )
    assert observed == [observed[0]] * size
    bits = comm.allgather_obj(model.l.W.array.tobytes())
    assert bits == [bits[0]] * size
    assert {path.name.rpartition(".")[2] for path in folder.glob("taken_*")} <= {"0", "1"}
    second, again, checkpointer = trainer(2, True)
    second.run()  # loads what the first one saved, and has nothing to do
    assert again.l.W.array.tobytes() == bits[0]
    checkpointer.path = str(folder)
    checkpointer.save(model, 7)
    checkpointer.maybe_load(again)
    assert checkpointer.get_stats().startswith("Snapshot duration")
    checkpointer.finalize()

    class Losses(chainermn.extensions.GenericMultiNodeEvaluator):
        def calc_local(self, x, t):
            return float(t.sum())

    batches = chainer.iterators.SerialIterator(data[: rank + 1], 1, repeat=False, shuffle=False)
    found = Losses(comm, batches, model)(None)
    assert (found is None) == (rank != 0)
    assert rank or len(found) == sum(k + 1 for k in range(size))


def main():
    for check in (
        check_messages,
        check_communicators,
        check_datasets,
        check_optimizer,
        check_functions,
        check_links,
        check_early_stopping,
        check_training,
    ):
        check()
        assert comm.allgather_obj(check.__name__) == [check.__name__] * size
