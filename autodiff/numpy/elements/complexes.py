"""The parts of complex numbers. A gradient of a real function of z = x + iy is df/dx - i df/dy."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np

from autodiff.numpy.dispatch import FUNCTIONS, as_operand, implements, peeled
from autodiff.numpy.elements.elementwise import is_complex
from autodiff.ops import elementwise as ew
from autodiff.trace.spec import spec_of


@implements(np.real)
def real(val: Any) -> Any:
    """The real part; real numbers as they are."""
    val = as_operand(val)
    return ew.real(val) if is_complex(val) else val


@implements(np.imag)
def imag(val: Any) -> Any:
    """The imaginary part."""
    return ew.imag(as_operand(val))


@implements(np.angle)
def angle(z: Any, deg: bool = False) -> Any:
    """The angle from the positive real axis, in (-pi, pi]; at 0 it is 0, and so is its derivative."""
    z = as_operand(z)
    found = ew.arctan2(ew.imag(z), ew.real(z)) if is_complex(z) else ew.arctan2(0, z)
    return found * (180 / pi) if deg else found


@implements(np.real_if_close)
def real_if_close(a: Any, tol: float = 100) -> Any:
    """The real part, where no imaginary part is larger than so many machine epsilons; the value decides."""
    a = as_operand(a)
    if not is_complex(a):
        return a
    bound = np.finfo(spec_of(a).dtype).eps * tol if tol > 1 else tol
    return FUNCTIONS[np.real](a) if np.all(np.absolute(np.imag(peeled(a))) < bound) else a


@implements(np.iscomplex)
def iscomplex(x: Any) -> Any:
    """Whether the imaginary part is not zero."""
    return ew.not_equal(ew.imag(as_operand(x)), 0)


@implements(np.isreal)
def isreal(x: Any) -> Any:
    """Whether the imaginary part is zero."""
    return ew.equal(ew.imag(as_operand(x)), 0)


@implements(np.iscomplexobj)
def iscomplexobj(x: Any) -> bool:
    """Whether the dtype is complex."""
    return is_complex(x)


@implements(np.isrealobj)
def isrealobj(x: Any) -> bool:
    """Whether the dtype is not complex."""
    return not is_complex(x)
