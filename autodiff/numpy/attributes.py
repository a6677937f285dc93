"""Attributes and methods of arrays that traced values lack, refused by name; and attributes that are assigned to."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import numpy as np

from autodiff.numpy.dispatch import FUNCTIONS, as_operand
from autodiff.numpy.items.assignment import fitted
from autodiff.numpy.items.flat import Flat
from autodiff.numpy.methods import PROPERTIES
from autodiff.ops.elementwise import from_parts
from autodiff.trace.errors import ConcretizationError
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec, spec_of
from autodiff.trace.tracer import Tracer
from autodiff.trace.view import IMAG, REAL, View

INSTEAD = {
    "resize": "use np.resize, or np.reshape",
    "base": "use np.copy where memory must not be shared",
    "byteswap": "use it on plain arrays",
}
ELSEWHERE = {
    "abs": "write abs(x)",
    **{name: f"write np.{name}(x)" for name in ("cos", "exp", "log", "sin", "sqrt", "tanh")},
    "backward": "write grad(f)(x); backward() is a method of Variables",
    "block_until_ready": "leave it out: results are there when a call returns",
    "clone": "write x.copy()",
    "cpu": "leave it out: nothing is moved unasked",
    "cuda": "call the function with arrays of CuPy",
    "detach": "write autodiff.stop_gradient(x)",
    "double": "write x.astype(np.float64)",
    "float": "write x.astype(np.float32)",
    "matmul": "write x @ y",
    "mm": "write x @ y",
    "norm": "write np.linalg.norm(x)",
    "numpy": "leave it out where it is used as an array; return it, by has_aux=True, where a plain one is wanted",
    "permute": "write x.transpose(axes)",
    "pow": "write x ** exponent",
    "relu": "write np.maximum(x, 0)",
    "requires_grad": "arguments are chosen by argnums, and autodiff.stop_gradient(x) cuts",
    "requires_grad_": "arguments are chosen by argnums, and autodiff.stop_gradient(x) cuts",
    "sigmoid": "write scipy.special.expit(x)",
    "softmax": "write autodiff.scipy.special.softmax(x)",
    "unsqueeze": "write np.expand_dims(x, axis)",
}
"""What arrays of other libraries have, which NumPy's do not, and what is written in its place."""
MEMORY = "it would show memory that is not traced; pass autodiff.stop_gradient(x) where no derivative is wanted"


def missing_attribute(self: Tracer, name: str) -> NoReturn:
    """What Python asks for attributes that are nowhere found."""
    if name == "_numba_type_" and "autodiff.numba" not in sys.modules and is_asked_by("numba.core.typing.typeof"):
        raise ConcretizationError(
            f"a function compiled by Numba is called with a traced {self.spec!r}{at_user_line()}, of which Numba has "
            "no type; import autodiff.numba, with which such functions take traced values"
        )
    if name in ELSEWHERE:
        raise AttributeError(
            f"arrays of NumPy have no {name!r}, nor have traced ones{at_user_line()}: {ELSEWHERE[name]}",
            name=name,
            obj=self,
        )
    if name.startswith("__") or not hasattr(np.ndarray, name):
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
    raise AttributeError(
        f"traced arrays have no {name!r}{at_user_line()}: {INSTEAD.get(name, MEMORY)}", name=name, obj=self
    )


def is_asked_by(module: str) -> bool:
    """Whether code of a module asks for the attribute; not from C, where no error can be raised."""
    return sys._getframe(2).f_globals.get("__name__") == module


def set_shape(self: Tracer, shape: Any) -> NoReturn:
    """Refuses another shape for the same array."""
    raise AttributeError(
        f"the shape of a traced array cannot be assigned to{at_user_line()}; write x = x.reshape{shape}", name="shape"
    )


def set_flat(self: Any, value: Any) -> None:
    """x.flat = value: the values one after another, repeated as often as needed."""
    self[...] = FUNCTIONS[np.resize](as_operand(value), self.shape)


def set_real(self: Any, value: Any) -> None:
    """x.real = value."""
    if is_part(self, value, REAL):
        return
    self[...] = from_parts(real_part(self, value), self.imag) if self.dtype.kind == "c" else value


def set_imag(self: Any, value: Any) -> None:
    """x.imag = value.

    Raises:
        TypeError: if the array is real.
    """
    if self.dtype.kind != "c":
        raise TypeError(f"a real array has no imaginary part to assign to{at_user_line()}; make it with dtype=complex")
    if is_part(self, value, IMAG):
        return
    self[...] = from_parts(self.real, real_part(self, value))


def is_part(x: Any, value: Any, key: str) -> bool:
    """Whether a value is the part that it is assigned to: ``x.real += v`` has written through it already."""
    return type(value) is View and value.base is x and value.key == key


def real_part(x: Any, value: Any) -> Any:
    """A value in the shape and precision of the parts of a complex array."""
    return fitted(value, Spec(x.shape, spec_of(x.real).dtype))


def install() -> None:
    """Give traced values these attributes."""
    Tracer.__getattr__ = missing_attribute  # type: ignore[attr-defined]
    Tracer.shape = Tracer.shape.setter(set_shape)  # type: ignore[method-assign, attr-defined]
    Tracer.flat = property(Flat, set_flat)  # type: ignore[attr-defined]
    for name, setter in (("real", set_real), ("imag", set_imag)):
        setattr(Tracer, name, property(PROPERTIES[name], setter))


install()
