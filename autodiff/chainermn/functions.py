"""Messages between processes as functions of Variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff.chainer.function import Function
from autodiff.chainer.function_node import FunctionNode
from autodiff.facade import Variable, as_variable
from autodiff.facade.settings.configuration import get_dtype
from autodiff.trace.source import at_user_line

__all__ = ["allgather", "alltoall", "bcast", "gather", "pseudo_connect", "recv", "scatter", "send"]


def nothing() -> Variable:
    """A Variable that holds nothing, through which gradients flow."""
    return Variable(np.zeros(0, np.float32))


class Send(Function):
    """Sends arrays, and receives their gradients."""

    def __init__(self, comm: Any, peer_rank: int, peer_tag: int) -> None:
        self.comm, self.peer_rank, self.peer_tag = comm, peer_rank, peer_tag

    @property
    def label(self) -> str:
        return f"{type(self).__name__} (peer_rank: {self.peer_rank})"

    def forward(self, inputs: Any) -> Any:
        *xs, _ = inputs
        self.comm.send(xs[0] if len(xs) == 1 else tuple(xs), self.peer_rank, self.peer_tag)
        return (np.zeros(0, np.float32),)

    def backward(self, inputs: Any, grad_outputs: Any) -> Any:
        found = self.comm.recv(self.peer_rank, self.peer_tag)
        return (*(found if isinstance(found, tuple) else (found,)), np.zeros(0, np.float32))


class Recv(Function):
    """Receives arrays, and sends their gradients."""

    def __init__(self, comm: Any, peer_rank: int, peer_tag: int) -> None:
        self.comm, self.peer_rank, self.peer_tag = comm, peer_rank, peer_tag

    label = Send.label

    def forward(self, inputs: Any) -> Any:
        found = self.comm.recv(self.peer_rank, self.peer_tag)
        self.like = [(x.shape, x.dtype) for x in (found if isinstance(found, tuple) else (found,))]
        return found if isinstance(found, tuple) else (found,)

    def backward(self, inputs: Any, grad_outputs: Any) -> Any:
        filled = [np.zeros(*own) if g is None else g for g, own in zip(grad_outputs, self.like, strict=True)]
        self.comm.send(tuple(filled), self.peer_rank, self.peer_tag)
        return tuple(map(np.zeros_like, inputs))


def send(x: Any, communicator: Any, rank: int, tag: int = 0) -> Variable:
    """Send Variables to another process, which calls :func:`recv`.

    Args:
        x: a Variable, or a list or tuple of them.
        communicator: the communicator.
        rank: of the receiver.
        tag: of the message.

    Returns:
        a Variable that holds nothing, the *delegate*: backpropagation from it receives the gradients.

    Raises:
        ValueError: if ``rank`` is this process, or none.
    """
    check_partner(communicator, rank)
    return delegate(Send(communicator, rank, tag)(*(x if isinstance(x, (list, tuple)) else (x,)), nothing()))


def delegate(found: Any) -> Variable:
    """A Variable that holds nothing, from which backpropagation can begin."""
    found.name, found.grad = "delegate_variable", np.zeros(0, found.dtype)
    return found  # type: ignore[no-any-return]


def recv(communicator: Any, rank: int, delegate_variable: Any = None, tag: int = 0, force_tuple: bool = False) -> Any:
    """What another process has sent by :func:`send`. Backpropagation through it sends the gradients there.

    Args:
        communicator: the communicator.
        rank: of the sender.
        delegate_variable: what must be backpropagated after this: the delegate of an earlier ``send``.
        tag: of the message.
        force_tuple: whether one array comes as a tuple, too.

    Returns:
        a Variable, or a tuple of them.

    Raises:
        ValueError: if ``rank`` is this process, or none.
    """
    check_partner(communicator, rank)
    if delegate_variable is None:
        delegate_variable = nothing()
    delegate_variable.name = "delegate_variable"
    found = Recv(communicator, rank, tag)(delegate_variable)
    return (found,) if force_tuple and not isinstance(found, tuple) else found


def check_partner(communicator: Any, rank: int) -> None:
    """Refuse a message to oneself."""
    if rank == communicator.rank:
        raise ValueError(f"rank must be different from communicator rank, otherwise deadlock occurs{at_user_line()}")


class PseudoConnect(FunctionNode):
    """Variables as they are, behind which there is one more."""

    def forward(self, inputs: Any) -> Any:
        self.retain_inputs((0,))
        return inputs[1:]

    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        (delegate,) = self.get_retained_inputs()
        return (as_variable(np.zeros_like(delegate.array)), *grad_outputs)


def pseudo_connect(delegate_variable: Any, *actual_variables: Any) -> Any:
    """Variables as they are; backpropagation through them goes on to the delegate as well.

    Args:
        delegate_variable: what :func:`send` has returned; None for nothing.
        *actual_variables: Variables.

    Returns:
        a tuple of Variables.
    """
    if delegate_variable is None:
        delegate_variable = nothing()
    return PseudoConnect().apply((delegate_variable, *actual_variables))


class AllGather(Function):
    """The arrays of all processes; back come the sums of their gradients."""

    def __init__(self, comm: Any) -> None:
        self.comm = comm

    def forward(self, inputs: Any) -> Any:
        found = self.comm.allgather(inputs[0])
        self.like = [(x.shape, x.dtype) for x in found]
        return found

    def backward(self, inputs: Any, grad_outputs: Any) -> Any:
        return (in_order(self.comm.alltoall(complete(grad_outputs, self.like))),)


class AllToAll(AllGather):
    """What each process has for this one; gradients go back the same way."""

    def forward(self, inputs: Any) -> Any:
        found = self.comm.alltoall(inputs)
        self.like = [(x.shape, x.dtype) for x in found]
        return found

    def backward(self, inputs: Any, grad_outputs: Any) -> Any:
        return self.comm.alltoall(complete(grad_outputs, self.like))


class Bcast(Function):
    """The array of one process; back comes the sum of all gradients."""

    def __init__(self, comm: Any, root: int) -> None:
        self.comm, self.root = comm, root

    def forward(self, inputs: Any) -> Any:
        return (self.comm.bcast(inputs[0], root=self.root),)

    def backward(self, inputs: Any, grad_outputs: Any) -> Any:
        found = self.comm.gather(grad_outputs[0], self.root)
        return (np.zeros_like(inputs[0]) if found is None else in_order(found),)


class Gather(Function):
    """The arrays of all processes in one of them; gradients are scattered."""

    def __init__(self, comm: Any, root: int) -> None:
        self.comm, self.root = comm, root

    def forward(self, inputs: Any) -> Any:
        found = self.comm.gather(inputs[0], self.root)
        if found is None:
            return (np.zeros(0, inputs[0].dtype),)
        self.like = [(x.shape, x.dtype) for x in found]
        return found

    def backward(self, inputs: Any, grad_outputs: Any) -> Any:
        here = self.comm.rank == self.root
        return (self.comm.scatter(complete(grad_outputs, self.like) if here else None, self.root),)


class Scatter(Gather):
    """To each process its part of what one has; gradients are gathered."""

    def forward(self, inputs: Any) -> Any:
        return (self.comm.scatter(inputs if self.comm.rank == self.root else None, self.root),)

    def backward(self, inputs: Any, grad_outputs: Any) -> Any:
        found = self.comm.gather(grad_outputs[0], self.root)
        return tuple(map(np.zeros_like, inputs)) if found is None else found


def complete(gradients: Any, like: Any) -> tuple[Any, ...]:
    """Gradients, with zeros for those that are None."""
    return tuple(np.zeros(*own) if g is None else g for g, own in zip(gradients, like, strict=True))


def in_order(arrays: Any) -> Any:
    """The sum of arrays, one after the other."""
    total = np.array(arrays[0])
    for array in arrays[1:]:
        total += array
    return total


def tuple_of(found: Any) -> tuple[Any, ...]:
    """A tuple, also of one Variable."""
    return found if isinstance(found, tuple) else (found,)


def allgather(comm: Any, x: Any) -> tuple[Any, ...]:
    """The arrays of all processes, as a tuple of Variables. The gradient of x is the sum of all gradients of it."""
    return tuple_of(AllGather(comm)(x))


def alltoall(comm: Any, xs: Any) -> tuple[Any, ...]:
    """What each process has for this one; ``xs`` has a Variable for each. Gradients go back the same way.

    Raises:
        ValueError: if there are more or fewer.
    """
    if len(xs) != comm.size:
        raise ValueError(f"The length of xs must be same as communicator size{at_user_line()}: {len(xs)}, {comm.size}")
    return tuple_of(AllToAll(comm)(*xs))


def bcast(comm: Any, x: Any, root: int = 0) -> Variable:
    """The Variable of process ``root``; others give None. Its gradient is the sum of all gradients."""
    return Bcast(comm, root)(Variable(np.zeros(0, get_dtype())) if comm.rank != root or x is None else x)  # type: ignore[no-any-return]


def gather(comm: Any, x: Any, root: int = 0) -> Any:
    """The arrays of all processes, as a tuple of Variables in process ``root``; a delegate in the others."""
    found = Gather(comm, root)(x)
    return tuple_of(found) if comm.rank == root else delegate(found)


def scatter(comm: Any, xs: Any, root: int = 0) -> Variable:
    """To each process its own of the Variables that process ``root`` has; others give None."""
    here = comm.rank == root
    return Scatter(comm, root)(*(xs if here else (Variable(np.zeros(0, get_dtype())),)))  # type: ignore[no-any-return]
