"""scipy.fftpack for plain and traced values alike: transforms, and what is linear in a vector."""

import inspect
from functools import wraps
from typing import Any

import numpy as np
import scipy.fftpack

from autodiff.scipy import fft as current
from autodiff.scipy.linear import linear_counterpart
from autodiff.scipy.mirror import counterpart, mirrored

SAME = frozenset(["fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "fftshift", "ifftshift"]) | frozenset(
    ["dct", "dst", "dctn", "dstn", "idctn", "idstn"]
)
"""Those of which arguments and results are the same."""

LINEAR = frozenset(["idct", "idst", "rfft", "irfft"])
"""Others that are linear along an axis."""

OF_VECTORS = frozenset(
    ["diff", "hilbert", "ihilbert", "tilbert", "itilbert", "cs_diff", "sc_diff", "ss_diff", "cc_diff", "shift"]
)
"""Those that are linear in a vector."""

KNOWN: dict[str, Any] = {}
_rest = mirrored("scipy.fftpack")


def called(name: str) -> Any:
    """The function of ``scipy.fft``, which calls ``shape`` by another name."""
    backwards = name in ("idctn", "idstn")
    own = getattr(current, name[1:] if backwards else name)
    original = getattr(scipy.fftpack, name)
    signature = inspect.signature(original)

    @wraps(own)
    def transform(*args: Any, **kwargs: Any) -> Any:
        options = signature.bind(*args, **kwargs).arguments
        options.pop("overwrite_x", None)  # SciPy may do that, and need not
        if backwards:  # a transform of another type, and not divided by the size
            kind = options.get("type", 2)
            options["type"] = {2: 3, 3: 2}.get(kind, kind)
        if "shape" in options:
            options["s"] = options.pop("shape")
        return own(**options)

    return counterpart(original)(transform)


def of_vector(name: str) -> Any:
    """A function that is linear in a vector."""
    original = getattr(scipy.fftpack, name)

    @wraps(original)
    def along_last(x: Any, *args: Any, **options: Any) -> Any:
        return np.apply_along_axis(lambda row: original(row, *args, **options), -1, x)

    own = linear_counterpart(along_last, f"scipy.fftpack.{name}")
    return counterpart(original)(own)


def __getattr__(name: str) -> Any:
    if name in KNOWN:
        return KNOWN[name]
    if name in LINEAR:
        found = linear_counterpart(getattr(scipy.fftpack, name), f"scipy.fftpack.{name}")
    elif name in OF_VECTORS:
        found = of_vector(name)
    elif name in SAME:
        found = called(name)
    else:
        return _rest(name)
    KNOWN[name] = found
    return found
