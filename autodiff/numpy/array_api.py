"""What the array API standard asks of arrays, on traced ones: libraries that follow it take them.

See `the standard <https://data-apis.org/array-api/latest/>`_. Its functions are those of :mod:`autodiff.numpy`.
"""

from __future__ import annotations

import sys
from typing import Any, NoReturn

from autodiff.trace.source import at_user_line
from autodiff.trace.tracer import Tracer, concrete
from autodiff.trace.values.arrays import on_gpu


def namespace_of(self: Tracer, /, *, api_version: str | None = None) -> Any:
    """The module whose functions take the array."""
    return sys.modules["autodiff.numpy"]


def device_of(self: Tracer) -> Any:
    """Where the array lies: ``"cpu"``, or CuPy's device."""
    return concrete(self).device if on_gpu(self) else "cpu"


def to_device(self: Tracer, device: Any, /, *, stream: Any = None) -> Tracer:
    """The array itself, where it lies there already.

    Raises:
        ValueError: if it lies elsewhere: nothing is moved while it is traced.
    """
    if device != device_of(self):
        raise ValueError(
            f"a traced array lies on {device_of(self)!r} and not on {device!r}{at_user_line()}; move arrays before "
            "they are traced"
        )
    return self


def refuse_exchange(self: Tracer, **options: Any) -> NoReturn:
    """Refuse to hand the memory over to another library.

    Raises:
        BufferError: always.
    """
    raise BufferError(
        f"a traced {self.spec!r} would be handed to another library{at_user_line()}, and its derivative would be lost; "
        "pass autodiff.stop_gradient(x) where no derivative is wanted, or give what is computed there a rule with "
        "custom_vjp"
    )


def install() -> None:
    """Give traced arrays what the standard asks for."""
    for name, own in {
        "__array_namespace__": namespace_of,
        "__dlpack__": refuse_exchange,
        "__dlpack_device__": refuse_exchange,
        "device": property(device_of),
        "to_device": to_device,
    }.items():
        setattr(Tracer, name, own)


install()
