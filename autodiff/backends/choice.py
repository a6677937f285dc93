"""Who runs programs: what ``jit`` is told, and what that is on the host and on GPUs."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from autodiff.trace.source import at_user_line

if TYPE_CHECKING:
    from autodiff.backends.passes.schedule import Schedule
    from autodiff.trace.tape import Tape


def numba_is_there() -> bool:
    """Whether Numba is installed; it is not imported."""
    return find_spec("numba") is not None


class Backend(NamedTuple):
    """Who runs programs on one kind of device.

    Attributes:
        gpu: whether that is a GPU. Nothing plans the memory of its programs, since CuPy has a pool.
        kernels: whether it makes kernels, where it can.
    """

    gpu: bool = False
    kernels: bool = True

    @property
    def plain(self) -> str:
        """Why it calls one function of NumPy or CuPy after another; empty where it makes kernels."""
        if not self.kernels:
            return "backend='numpy'"
        return "" if self.gpu or numba_is_there() else "Numba is not installed: pip install autodiff[numba]"

    def schedule(self, tape: Tape) -> Schedule:
        """How a tape without constants is run."""
        from autodiff.backends.passes import schedule  # noqa: PLC0415 - the compiler is loaded when something is compiled

        if self.plain:
            return schedule.plain(tape, self.plain)
        if not self.gpu:
            return schedule.schedule(tape)
        from autodiff.backends.cupy.schedule import schedule_for_gpu  # noqa: PLC0415 - programs on CPUs never need it

        return schedule.Schedule(schedule_for_gpu(tape), "")


HOST, NUMPY = Backend(), Backend(kernels=False)
GPU, CUPY = Backend(gpu=True), Backend(gpu=True, kernels=False)


class Choice(NamedTuple):
    """What ``jit`` is told of backends.

    Attributes:
        name: how users call it.
        host: who runs programs whose arrays are on the host; None where nobody does.
        gpu: the same of GPUs.
    """

    name: str
    host: Backend | None
    gpu: Backend | None


AUTO = Choice("auto", HOST, GPU)
CHOICES = {
    choice.name: choice
    for choice in (AUTO, Choice("numba", HOST, None), Choice("numpy", NUMPY, CUPY), Choice("cupy", None, GPU))
}


def checked_choice(name: str) -> Choice:
    """The choice of a name, if it can be used here.

    Args:
        name: ``"auto"`` for the compiler of where the arrays are: CUDA's for arrays of CuPy; for others Numba where it
            is installed, and NumPy's functions elsewhere. ``"numba"``, ``"numpy"``, ``"cupy"``.

    Raises:
        ValueError: if there is none of that name.
        ModuleNotFoundError: if it is Numba, which is not installed.
    """
    if name not in CHOICES:
        raise ValueError(
            f"jit: there is no backend {name!r}{at_user_line()}; choose from {', '.join(map(repr, CHOICES))}"
        )
    if name == "numba" and not numba_is_there():
        raise ModuleNotFoundError(
            f"jit: backend='numba' needs Numba, which is not installed{at_user_line()}: run pip install "
            "autodiff[numba], or take backend='auto', which runs NumPy's functions without it"
        )
    return CHOICES[name]
