"""A communicator with ChainerMN's methods."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.distributed import Communicator, MismatchError, all_reduce, broadcast
from autodiff.distributed.calls import Call
from autodiff.distributed.data_parallel import average_gradients, packed_sum
from autodiff.distributed.meetings import agree
from autodiff.distributed.waiting import wait
from autodiff.trace.source import at_user_line


class CommunicatorBase:
    """Some processes, with ChainerMN's methods.

    Methods of arrays take and give arrays of NumPy, of any shapes unless it is said otherwise; those whose names end
    with ``_obj`` whatever can be pickled. All processes have to call them, but for ``send`` and ``recv``.

    Args:
        comm: the processes.
        name: of the kind that was asked for.

    Attributes:
        rank: the number of this process; ``size`` is how many there are.
        intra_rank: its number among those of its machine; ``intra_size`` is how many these are.
        inter_rank: the number of its machine; ``inter_size`` is how many machines there are.

    >>> from autodiff.distributed import world
    >>> comm = CommunicatorBase(world())
    >>> comm.allreduce(np.ones(2)), comm.gather_obj("here"), comm.bcast_obj(3)
    (array([1., 1.]), ['here'], 3)
    """

    def __init__(self, comm: Communicator, name: str = "naive") -> None:
        self.comm, self.name = comm, name
        self.rank, self.size = comm.rank, comm.size
        hosts = [peer.host for peer in comm.peers] or ["here"]
        machines, own = list(dict.fromkeys(hosts)), hosts[self.rank if comm.peers else 0]
        self.intra_rank, self.intra_size = hosts[: self.rank].count(own), hosts.count(own)
        self.inter_rank, self.inter_size = machines.index(own), len(machines)
        self._config: dict[str, Any] = {"batched_copy": True}

    def __deepcopy__(self, memo: Any) -> CommunicatorBase:
        return self  # copies of links have the same processes

    @property
    def mpi_comm(self) -> Any:
        """mpi4py's communicator; None where this process is alone."""
        return self.comm.mpi

    def set_config(self, name: str, value: Any = True, **kwargs: Any) -> None:
        """Set ``allreduce_grad_dtype`` or ``batched_copy``."""
        if name not in ("allreduce_grad_dtype", "batched_copy"):
            raise ValueError(f"Unknown config: {name}{at_user_line()}")
        self._config[name] = value

    def get_config(self, name: str | None = None) -> Any:
        """What was set."""
        if name is None:
            return dict(self._config)
        if name not in self._config:
            raise ValueError(f"Unknown config: {name}{at_user_line()}")
        return self._config[name]

    def split(self, color: int, key: int) -> CommunicatorBase:
        """The communicator of the processes of one color, in the order of keys."""
        part = self.comm.split(color, key)
        assert part is not None
        found = CommunicatorBase(part, self.name)
        found._config = dict(self._config)
        return found

    def finalize(self) -> None:
        """Nothing to do: the communicator goes with the last who has it."""

    # Objects.

    def _exchange(self, method: str, value: Any, root: int | None = None) -> Any:
        """What mpi4py's method gives, once all processes have agreed that they call it."""
        if self.size == 1:
            if method in ("gather", "allgather"):
                return [value]
            return value[0] if method == "scatter" else value
        rest = () if root is None else (("root", root),)
        agree(self.comm, method, rest)
        return getattr(self.mpi_comm, method)(value, *([] if root is None else [root]))

    def bcast_obj(self, obj: Any, max_buf_len: int | None = None, root: int = 0) -> Any:
        """What process ``root`` has."""
        return self._exchange("bcast", obj, root)

    def gather_obj(self, obj: Any, root: int = 0) -> Any:
        """The list of what all processes have, in process ``root``; None in the others."""
        return self._exchange("gather", obj, root)

    def allgather_obj(self, obj: Any) -> list[Any]:
        """The list of what all processes have."""
        return list(self._exchange("allgather", obj))

    def allreduce_obj(self, obj: Any) -> Any:
        """The sum of what all processes have, in the order of ranks: numbers, arrays, lists, dicts of them."""
        first, *others = self.allgather_obj(obj)
        for other in others:
            first = _sum(first, other)
        return first

    def send_obj(self, obj: Any, dest: int, tag: int = 0) -> None:
        """Send something to one process, which calls ``recv_obj``."""
        self._check_partner(dest)
        sent = self.mpi_comm.isend(obj, dest, tag)
        wait(self.comm, [sent], Call("send", rest=(("dest", dest),)), together=False)

    def recv_obj(self, source: int, status: Any = None, tag: int = -1) -> Any:
        """What process ``source`` has sent, with this tag; with any tag if it is negative."""
        self._check_partner(source)
        incoming = Incoming(self.mpi_comm, source, tag)
        wait(self.comm, [incoming], Call("recv", rest=(("source", source),)), together=False)
        return incoming.message.recv(status)

    def _check_partner(self, rank: int) -> None:
        if not 0 <= rank < self.size or rank == self.rank:
            raise ValueError(
                f"process {self.rank} of {self.size} has no partner {rank}{at_user_line()}: messages go to another one"
            )

    # Arrays.

    def send(self, data: Any, dest: int, tag: int = 0) -> None:
        """Send an array, or a tuple of arrays, to one process, which calls ``recv``."""
        self.send_obj(tuple(map(_array, data)) if isinstance(data, (tuple, list)) else _array(data), dest, tag)

    def recv(self, source: int, tag: int = 0) -> Any:
        """The array, or tuple of arrays, that process ``source`` has sent."""
        return self.recv_obj(source, tag=tag)

    def bcast(self, data: Any, max_buf_len: int | None = None, root: int = 0) -> Any:
        """The array of process ``root``; that of others does not count."""
        return self.bcast_obj(_array(data) if self.rank == root else None, root=root)

    def gather(self, data: Any, root: int = 0) -> Any:
        """The tuple of the arrays of all processes, in process ``root``; None in the others."""
        found = self.gather_obj(_array(data), root)
        return None if found is None else _same_dtype("gather", found)

    def allgather(self, x: Any) -> tuple[Any, ...]:
        """The tuple of the arrays of all processes."""
        return _same_dtype("allgather", self.allgather_obj(_array(x)))

    def alltoall(self, xs: Any) -> tuple[Any, ...]:
        """What each process has for this one, of a tuple with an array for each."""
        if len(xs) != self.size:
            raise ValueError(f"alltoall needs {self.size} arrays, one for each process, got {len(xs)}{at_user_line()}")
        return _same_dtype("alltoall", self._exchange("alltoall", list(map(_array, xs))))

    def scatter(self, xs: Any, root: int = 0) -> Any:
        """What process ``root`` has for this one, of a tuple or array with a row for each."""
        if self.rank == root and len(xs) != self.size:
            raise ValueError(f"scatter needs {self.size} arrays, one for each process, got {len(xs)}{at_user_line()}")
        return self._exchange("scatter", list(map(_array, xs)) if self.rank == root else None, root)

    def allreduce(self, data: Any) -> Any:
        """The sum of the arrays of all processes, which have one shape."""
        return all_reduce(_array(data), comm=self.comm)

    # Models.

    def bcast_data(self, model: Any) -> None:
        """Give the parameters of process 0 to all."""
        found = [(name, p) for name, p in sorted(model.namedparams()) if p.array is not None]
        names = self.comm.gather_objects([(name, p.array.shape, str(p.array.dtype)) for name, p in found])
        differing = [rank for rank, own in enumerate(names) if own != names[0]]
        if differing:
            raise MismatchError(
                f"bcast_data: the parameters of processes {differing} have other names, shapes or dtypes than those of "
                f"process 0{at_user_line()}"
            )
        for _, parameter in found:
            parameter.array[...] = broadcast(parameter.array, comm=self.comm)

    broadcast_data = bcast_data

    def multi_node_mean_grad(self, model: Any, zero_fill: bool = False) -> None:
        """Replace the gradients of a model by their means over all processes.

        Args:
            model: a link.
            zero_fill: whether gradients that are None become zeros; otherwise they stay so, in all processes.
        """
        found = [parameter for _, parameter in sorted(model.namedparams()) if parameter.array is not None]
        for parameter in found if zero_fill else ():
            if parameter.grad is None:
                parameter.grad = np.zeros_like(parameter.array)
        average_gradients(found, self.comm, self._config.get("allreduce_grad_dtype"))

    allreduce_grad = multi_node_mean_grad

    def _multi_node_mean(self, sendbuf: Any, recvbuf: Any) -> None:
        """Put the mean of the arrays of all processes into ``recvbuf``, whose own counts where ``sendbuf`` is None."""
        own = recvbuf if sendbuf is None else sendbuf
        recvbuf[...] = packed_sum([own / self.size], None, self.comm)[0]


class Incoming:
    """A message that has not come yet.

    Args:
        mpi: mpi4py's communicator.
        source: who sends it.
        tag: of the message; any if it is negative.
    """

    def __init__(self, mpi: Any, source: int, tag: int) -> None:
        self.mpi, self.source, self.tag = mpi, source, (tag,) if tag >= 0 else ()
        self.message: Any = None

    def Test(self) -> bool:
        """Whether it is there, as mpi4py's requests say it."""
        self.message = self.mpi.improbe(self.source, *self.tag)
        return self.message is not None


def _array(data: Any) -> Any:
    """An array, as it is sent."""
    if not isinstance(data, np.ndarray):
        raise TypeError(
            f"Message object must be an array of NumPy, or a tuple of them, got {type(data).__name__}{at_user_line()}; "
            "methods whose names end with _obj send other things"
        )
    return data


def _same_dtype(name: str, arrays: Any) -> tuple[Any, ...]:
    """Arrays of one dtype."""
    dtypes = [str(array.dtype) for array in arrays]
    if len(set(dtypes)) > 1:
        raise TypeError(f"{name}: all dtypes must be the same, and are {', '.join(dtypes)}{at_user_line()}")
    return tuple(arrays)


def _sum(one: Any, other: Any) -> Any:
    """The sum of two objects: of dicts key by key, of others by ``+``."""
    if isinstance(one, dict):
        return {key: _sum(one[key], other[key]) if key in one and key in other else one.get(key, other.get(key))
                for key in (*one, *(key for key in other if key not in one))}  # fmt: skip
    return one + other
