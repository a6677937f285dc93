"""What stands in :mod:`autodiff.chainer.backends.cuda` for CuPy's objects where there is no CuPy."""

from __future__ import annotations

from typing import Any, NoReturn, Self

from autodiff.backends import gpu
from autodiff.trace.source import at_user_line


class ndarray:
    """The type of CuPy's arrays; there are none.

    Attributes:
        shape: the lengths of the axes.
        device: the GPU that it is on.
    """

    shape: tuple[int, ...]
    device: Device

    def get(self, stream: Stream | None = None) -> NoReturn:
        """A copy on the host."""
        gpu.require()
        raise AssertionError("CuPy was found after all")

    def set(self, arr: Any, stream: Stream | None = None) -> None:
        """Copy an array of the host to it."""
        gpu.require()


class Device:
    """The type of GPUs; there are none.

    Args:
        device: a number.
    """

    def __init__(self, device: int | None = None) -> None:
        self.id = device

    def __enter__(self) -> NoReturn:
        gpu.require()
        raise AssertionError("CuPy was found after all")

    def __exit__(self, *_: object) -> None:
        """Never reached."""

    def use(self) -> None:
        """Say that there is no GPU."""
        gpu.require()


class Event:
    """The type of CUDA events; there are none."""


class Stream:
    """The type of CUDA streams; there are none."""


class Missing:
    """The module that is not there."""

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"there is no cupy.{name}: CUDA is not correctly set up ({gpu.found()[1]}){at_user_line()}"
        )

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "<no cupy>"


cupy = Missing()


class DummyDeviceType:
    """The CPU in the place of a GPU: number -1; using it does nothing.

    >>> with DummyDeviceType() as device:
    ...     int(device)
    -1
    """

    id = -1
    __hash__ = None  # type: ignore[assignment]

    def __int__(self) -> int:
        return -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to leave."""

    def use(self) -> None:
        """Nothing."""

    def synchronize(self) -> None:
        """Nothing."""

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, DummyDeviceType)
