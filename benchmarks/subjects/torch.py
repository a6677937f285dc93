"""PyTorch, eager, on the CPU with one thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from benchmarks.subjects.subject import Subject

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]


class Torch(Subject):
    """Tensors and `backward(seed)`."""

    name = "torch"
    distribution = "torch"
    multiply = staticmethod(torch.mul)
    add = staticmethod(torch.add)
    tanh = staticmethod(torch.tanh)

    def __init__(self) -> None:
        torch.set_num_threads(1)

    def constant(self, array: Array) -> Any:
        """A tensor on the same memory."""
        return torch.from_numpy(array)

    def leaf(self, array: Array) -> Any:
        """A tensor that requires its gradient."""
        return torch.from_numpy(array).requires_grad_()

    def plain(self, array: Any) -> Array:
        """The tensor's memory as an array."""
        plain: Array = array.detach().numpy()
        return plain

    def settings(self) -> dict[str, Any]:
        """Threads in use."""
        return {"threads": torch.get_num_threads()}
