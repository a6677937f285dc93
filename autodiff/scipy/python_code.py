"""SciPy's functions that are written in Python, run on traced values: their code as it is, with other names around it.

Much of SciPy is formulas in NumPy's functions. A few names stand in the way: those that make plain arrays of what they
are given, ask an array of which library it is, look at values to check them, or call a formula on selected elements
only. A function is run again with others in the places of these names.
"""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

import autodiff.numpy
from autodiff.numpy.buffers import settled
from autodiff.numpy.dispatch import FUNCTIONS, as_operand, contains_traced
from autodiff.numpy.mathematics import number
from autodiff.numpy.namespace import counterpart as of_numpy
from autodiff.numpy.updates import Places
from autodiff.scipy.mirror import counterpart, holds_traced, mirrored
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced

Function = Callable[..., Any]

NUMPY: Any = autodiff.numpy
HOMES = (
    "scipy.stats", "scipy._lib._array_api", "scipy._lib._util", "scipy.signal", "scipy.spatial", "scipy.constants",
    "scipy.linalg", "scipy.optimize", "scipy.ndimage", "scipy.sparse.csgraph",
)  # fmt: skip
"""Where functions are run again that others call."""

OURS = ("scipy.special", "scipy.linalg", "scipy.stats", "scipy.stats.distributions", "scipy.optimize", "scipy.spatial")
"""Modules whose names are looked up in ours of the same name."""


def apply_where(
    cond: Any, args: Any, f1: Any, f2: Any = None, /, *, fill_value: Any = None, xp: Any = None, kwargs: Any = None
) -> Any:
    """One formula where a condition holds, another one, or a number, elsewhere.

    Both are computed everywhere, so that shapes do not depend on values; derivatives of what is not chosen are masked.
    """
    operands = args if isinstance(args, tuple) else (args,)
    options = kwargs or {}
    chosen = f1(*operands, **options)
    other = fill_value if f2 is None else f2(*operands, **options)
    return FUNCTIONS[np.where](cond, chosen, other)


def select(condlist: Sequence[Any], choicelist: Sequence[Any], arrays: Any, default: Any = 0) -> Any:
    """The first formula whose condition holds."""
    result = default
    for cond, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        result = FUNCTIONS[np.where](cond, as_operand(choice(*arrays)), result)
    return result


class at:
    """Places of an array, changed: ``at(x)[i].set(v)`` or ``at(x, i).set(v)``.

    As of NumPy's arrays, the array itself is written to, and given back: SciPy does not always look at what comes back.
    """

    def __init__(self, array: Any, key: Any = ...) -> None:
        self.array = array
        self.key = key

    def __getitem__(self, key: Any) -> at:
        return at(self.array, key)

    def set(self, values: Any, copy: Any = None, xp: Any = None) -> Any:
        """Put values there."""
        plain = type(self.array) is np.ndarray and not contains_traced((values, self.key))
        if copy is True or not (plain or (isinstance(self.array, Traced) and self.array.shape)):
            return Places(self.array, self.key).set(values)
        self.array[self.key] = values
        return self.array

    def add(self, values: Any, **how: Any) -> Any:
        """Add values."""
        return self.set(self.array[self.key] + values)

    def subtract(self, values: Any, **how: Any) -> Any:
        """Subtract values."""
        return self.set(self.array[self.key] - values)

    def multiply(self, values: Any, **how: Any) -> Any:
        """Multiply by values."""
        return self.set(self.array[self.key] * values)

    def divide(self, values: Any, **how: Any) -> Any:
        """Divide by values."""
        return self.set(self.array[self.key] / values)


def atleast_nd(x: Any, /, *, ndim: int, xp: Any = None) -> Any:
    """An array with at least so many axes, new ones in front."""
    x = NUMPY.asarray(x)
    return NUMPY.reshape(x, (1,) * (ndim - x.ndim) + tuple(x.shape)) if x.ndim < ndim else x


def xp_promote(*args: Any, broadcast: bool = False, force_floating: bool = False, xp: Any = None) -> Any:
    """Arrays of one dtype, of floating-point numbers if that is asked for, and of one shape."""
    given = [arg for arg in args if arg is not None]
    arrays: list[Any] = [arg if isinstance(arg, (int, float)) else NUMPY.asarray(arg) for arg in given]
    dtype = np.result_type(
        *(a if isinstance(a, (int, float)) else a.dtype for a in arrays), *([1.0] if force_floating else [])
    )
    arrays = [NUMPY.asarray(a).astype(dtype) for a in arrays]
    if broadcast:
        shape = np.broadcast_shapes(*(a.shape for a in arrays))
        # the transpose of a broadcast adds up, and what np.where has left out counts as zeros there: zero times NaN
        arrays = [a if a.shape == shape else NUMPY.broadcast_to(a, shape) for a in arrays]
    each = iter(arrays)
    found = [None if arg is None else next(each) for arg in args]
    return found[0] if len(found) == 1 else tuple(found)


def without_nan(a: Any, nan_policy: Any = "propagate", *args: Any, **options: Any) -> bool:
    """NaN is carried on, and not looked for."""
    return False


class Library:
    """A module with some names of ours, and its own else."""

    def __init__(self, own: dict[str, Any], home: ModuleType) -> None:
        self.own = own
        self.home = home

    def __getattr__(self, name: str) -> Any:
        own = self.own.get(name)
        return in_place_of(getattr(self.home, name)) if own is None else own


class OurNames:
    """A module of SciPy's, of which functions and distributions are those of ours that take traced values."""

    def __init__(self, home: ModuleType) -> None:
        self.home = home

    def __getattr__(self, name: str) -> Any:
        public = self.home.__name__.replace("scipy.stats.distributions", "scipy.stats")
        original = getattr(self.home, name)
        own = getattr(import_module(f"autodiff.{public}"), name, original)
        return in_place_of(original) if own is original or "refused" in getattr(own, "__dict__", {}) else own


BY_NAME: dict[str, Any] = {
    "array_namespace": lambda *arrays: NUMPY,
    "_namespace": lambda xp: NUMPY,
    "is_numpy": lambda xp: False,
    "is_lazy_array": lambda x: isinstance(x, Traced),
    "xp_promote": xp_promote,
    "xp_device": lambda x: "cpu",
    "_asarray": lambda array, *args, **options: NUMPY.asarray(array),
    "_contains_nan": without_nan,
    "_lazyselect": select,
}
"""What stands behind names of functions, wherever they are imported."""

EXTRA = {
    "apply_where": apply_where,
    "at": at,
    "atleast_nd": atleast_nd,
    "create_diagonal": lambda x, *, offset=0, xp=None: NUMPY.diag(x, offset),
}
DECORATOR = "scipy.stats._axis_nan_policy"
"""The module that moves axes before it calls a function: it looks at shapes alone."""


@cache
def names_of(module: ModuleType) -> dict[str, Any]:
    """A module's names for functions that shall run on traced values."""
    names = NAMES.setdefault(module, dict(vars(module)))
    for name, value in vars(module).items():
        names[name] = in_table(value) if type(value) is dict and not name.startswith("__") else in_place_of(value)
    names.setdefault("float", FLOAT)
    if module.__name__ == DECORATOR:
        names["is_lazy_array"] = lambda x: False
    return names


def in_table(table: dict[Any, Any]) -> dict[Any, Any]:
    """What stands in the place of a table by which functions are chosen."""
    return {key: list(map(in_place_of, row)) if type(row) is list else in_place_of(row) for key, row in table.items()}


class Float:
    """What stands in the place of Python's ``float``, as a function, a dtype and a class."""

    dtype = np.dtype(float)

    def __call__(self, *args: Any) -> Any:
        """A number, which stays traced."""
        return number(args[0]) if args and isinstance(args[0], Traced) else float(*args)

    def __instancecheck__(self, value: Any) -> bool:
        return isinstance(value, float)

    def __or__(self, other: Any) -> Any:
        return float | other

    def __ror__(self, other: Any) -> Any:
        return other | float

    def __eq__(self, other: object) -> bool:
        return other is self or other is float

    def __hash__(self) -> int:
        return hash(float)


FLOAT = Float()

NAMES: dict[ModuleType, dict[str, Any]] = {}
"""The same while they are being found: modules know each other."""


def in_place_of(value: Any) -> Any:
    """What stands in the place of a name's value."""
    if isinstance(value, ModuleType):
        return in_place_of_module(value)
    name = getattr(value, "__name__", "")
    if isinstance(value, FunctionType) and home_of(value).startswith("scipy."):
        return BY_NAME.get(name) or (running_again(value) if home_of(value).startswith(HOMES) else value)
    if callable(value) and not isinstance(value, type) and getattr(np, name or "-", None) is value:
        return getattr(NUMPY, name)
    if type(value).__module__ == type(np.r_).__module__:  # r_ and its kin, which are objects
        return of_numpy(value)
    if hasattr(value, "_parse_args") and hasattr(value, "cdf"):
        return getattr(import_module("autodiff.scipy.stats"), value.name, value)
    return value


def in_place_of_module(module: ModuleType) -> Any:
    """The same of a module."""
    if module is np or module.__name__.endswith("array_api_compat.numpy"):
        return NUMPY
    if module.__name__ in ("math", "cmath"):
        return of_numpy(module)
    if module.__name__.endswith("array_api_extra"):
        return Library(EXTRA, module)
    return OurNames(module) if module.__name__ in OURS else module


def home_of(function: FunctionType) -> str:
    """The module whose names a function sees; a wrapper calls itself by another one."""
    return str(function.__globals__.get("__name__", ""))


@cache
def running_again(function: FunctionType) -> FunctionType:
    """The same code, which looks up global names, and functions that it closes over, elsewhere."""
    module = sys.modules[home_of(function)]
    names = NAMES[module] if module in NAMES else names_of(module)
    cells = tuple(map(in_place_of_cell, function.__closure__ or ()))
    again = FunctionType(function.__code__, names, function.__name__, function.__defaults__, cells)
    again.__kwdefaults__ = function.__kwdefaults__
    if hasattr(function, "__wrapped__"):  # signatures are asked for
        again.__dict__["__wrapped__"] = function.__wrapped__
    return again


def in_place_of_cell(cell: types.CellType) -> types.CellType:
    """A variable that a function closes over."""
    try:
        value = cell.cell_contents
    except ValueError:  # not assigned yet
        return cell
    own = in_place_of(value) if isinstance(value, FunctionType) else value
    return cell if own is value else types.CellType(own)


def on_traced(original: Function, constant: Sequence[str] = ()) -> Function:
    """What runs a function of SciPy's, written in Python, on traced values.

    NaN is carried on: for other values of ``nan_policy=`` there is an error.

    Args:
        original: the function.
        constant: parameters for some values of which SciPy has another formula, that knows nothing of its
            neighbours; they cannot be traced.
    """
    name = original.__name__
    signature = inspect.signature(original)
    deciding = frozenset(constant).intersection(signature.parameters)

    def call(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        if deciding:
            for parameter in deciding.intersection(given):
                if holds_traced(given[parameter]):
                    raise DifferentiationError(
                        f"{name} of traced values takes a constant {parameter}{at_user_line()}, by which SciPy decides "
                        "what it computes; pass a plain number"
                    )
        if given.get("nan_policy", "propagate") != "propagate":
            raise DifferentiationError(
                f"{name} of traced values has no nan_policy={given['nan_policy']!r}{at_user_line()}; leave it out"
            )
        args, kwargs = settled((tuple(map(operand, args)), {key: operand(arg) for key, arg in kwargs.items()}))
        with np.errstate(all="ignore"):
            return finished(running_again(original)(*args, **kwargs))

    call.__name__ = call.__qualname__ = name
    call.__module__ = __name__
    first = inspect.getdoc(original) or name
    call.__doc__ = f"""{first.partition(chr(10))[0]}

    SciPy's function, whose own Python runs on traced values; what it takes and returns is in SciPy's documentation.
    """
    call.__dict__["__signature__"] = signature
    return call


def operand(arg: Any) -> Any:
    """A list of traced values as an array; several arrays as they are."""
    if not isinstance(arg, (list, tuple)) or not contains_traced(arg):
        return arg
    try:
        return as_operand(arg)
    except ValueError:  # of several shapes
        return arg


def finished(found: Any) -> Any:
    """A result without buffers, which are arrays that were written to."""
    return settled(found) if type(found) not in (tuple, list) else type(found)(map(settled, found))


def with_formulas(module: str, names: str, rest: Function | None = None, constant: Sequence[str] = ()) -> Function:
    """``__getattr__`` of a module some functions of which run on traced values.

    Args:
        module: SciPy's, such as ``"scipy.signal.windows"``.
        names: these functions, with spaces between them; an installed SciPy may lack some.
        rest: finds the others; SciPy's own, which refuse traced values.
        constant: parameters that cannot be traced.
    """
    formulas, others, known = frozenset(names.split()), rest or mirrored(module), dict[str, Any]()

    def find(name: str) -> Any:
        if name not in formulas:
            return others(name)
        if name not in known:
            original = getattr(import_module(module), name)
            known[name] = counterpart(original)(on_traced(original, constant))
        return known[name]

    return find
