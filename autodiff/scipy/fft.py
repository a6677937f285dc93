"""scipy.fft for plain and traced values alike.

Once this module is imported, the functions of ``scipy.fft`` itself take traced values: SciPy lets other libraries
register what computes them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.fft

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.scipy.linear import along
from autodiff.scipy.mirror import counterpart, holds_traced, mirrored
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line

OF_NUMPY = (
    "fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "rfft2", "irfft2", "rfftn", "irfftn",
    "hfft", "ihfft",
)  # fmt: skip


def of_numpy(name: str) -> Callable[..., Any]:
    """NumPy's function of the same name; what says how SciPy computes is left out."""
    own = FUNCTIONS[getattr(np.fft, name)]

    def transform(x: Any, *args: Any, **options: Any) -> Any:
        for how in ("overwrite_x", "workers", "plan"):
            options.pop(how, None)
        for several in {"s", "axes"}.intersection(options):  # one number is as good as a list of one
            options[several] = None if options[several] is None else np.atleast_1d(options[several]).tolist()
        return own(as_operand(x), *args[:3], **options)

    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = own.__doc__
    return counterpart(getattr(scipy.fft, name))(transform)


OWN: dict[str, Callable[..., Any]] = {name: of_numpy(name) for name in OF_NUMPY}

OTHER_WAY = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}
"""What scales a transform as ``norm`` scales its inverse."""


def other_way(norm: Any) -> Any:
    """The ``norm`` of the inverse; one that SciPy does not know is left to what refuses it."""
    return OTHER_WAY.get(norm, norm) if norm is None or isinstance(norm, str) else norm


def hermitian(name: str, axes: Any) -> Callable[..., Any]:
    """The transforms of Hermitian arrays over several axes: those of real ones the other way round, conjugated."""
    inverse = name.startswith("ihfft")
    real = OWN["rfftn" if inverse else "irfftn"]

    def transform(x: Any, s: Any = None, axes: Any = axes, norm: Any = None, *args: Any, **options: Any) -> Any:
        if inverse:
            return np.conj(real(x, s=s, axes=axes, norm=other_way(norm)))
        return real(np.conj(as_operand(x)), s=s, axes=axes, norm=other_way(norm))

    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = f"SciPy's {name}, which is linear."
    return counterpart(getattr(scipy.fft, name))(transform)


OWN |= {name: hermitian(name, None) for name in ("hfftn", "ihfftn")}
OWN |= {name: hermitian(name, (-2, -1)) for name in ("hfft2", "ihfft2")}


def cosine_or_sine(name: str) -> Callable[..., Any]:
    """The discrete cosine and sine transforms and their inverses, along one axis."""
    original = getattr(scipy.fft, name)

    def transform(
        x: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None, *args: Any, **options: Any
    ) -> Any:
        orthogonalize = options.get("orthogonalize")
        return along(lambda own: original(own, type, n, norm=norm, orthogonalize=orthogonalize), x, axis)

    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = f"SciPy's {name}, which is linear."
    return counterpart(original)(transform)


def along_axes(name: str) -> Callable[..., Any]:
    """The same along several axes."""
    single = cosine_or_sine(name.removesuffix("n"))

    def transform(
        x: Any, type: int = 2, s: Any = None, axes: Any = None, norm: Any = None, *args: Any, **options: Any
    ) -> Any:
        if s is not None:
            raise DifferentiationError(f"scipy.fft.{name} of traced values has no s={s!r}{at_user_line()}; pad them")
        x = as_operand(x)
        for axis in range(len(x.shape)) if axes is None else np.atleast_1d(axes):
            x = single(x, type, None, int(axis), norm, orthogonalize=options.get("orthogonalize"))
        return x

    transform.__name__ = transform.__qualname__ = name
    transform.__doc__ = f"SciPy's {name}, which is linear."
    return counterpart(getattr(scipy.fft, name))(transform)


OWN |= {name: cosine_or_sine(name) for name in ("dct", "idct", "dst", "idst")}
OWN |= {name: along_axes(name) for name in ("dctn", "idctn", "dstn", "idstn")}
OWN |= {
    name: counterpart(getattr(scipy.fft, name))(FUNCTIONS[getattr(np.fft, name)]) for name in ("fftshift", "ifftshift")
}


class Backend:
    """What SciPy asks before it computes a transform itself."""

    __ua_domain__ = "numpy.scipy.fft"

    @staticmethod
    def __ua_function__(method: Any, args: Any, kwargs: Any) -> Any:
        if not holds_traced(args) and not holds_traced(kwargs):
            return NotImplemented
        own = OWN.get(method.__name__)
        return NotImplemented if own is None else own(*args, **kwargs)


scipy.fft.register_backend(Backend)
_rest = mirrored("scipy.fft")


def __getattr__(name: str) -> Any:
    return OWN[name] if name in OWN else _rest(name)
