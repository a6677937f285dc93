"""Objects that are no arrays and numbers of ours, however much they look like it: what to say of them.

A class of its own may keep anything behind a shape and a dtype, and may do anything in its operators. Taken for a
constant, it would hide a derivative; taken for its numbers, it would lose what its class is there for: masks, units,
labels by which operands are aligned.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced

ARRAY_NAMES = frozenset(dir(np.ndarray))

HARMLESS = frozenset({
    "__array_finalize__", "__array_priority__", "__class_getitem__", "__copy__", "__deepcopy__", "__dir__", "__doc__",
    "__format__", "__getstate__", "__hash__", "__init__", "__init_subclass__", "__module__", "__new__", "__reduce__",
    "__reduce_ex__", "__repr__", "__setstate__", "__sizeof__", "__str__", "dump", "dumps",
})  # fmt: skip
"""What a subclass of NumPy's array may have of its own and still compute as arrays do."""

KNOWN = frozenset((np.ndarray, np.memmap, np.recarray))
"""Classes of NumPy's that compute as arrays do."""

REMEDIES = (
    ("filled", "fill what is masked, x.filled(0.0), or select with np.where(mask, 0.0, x.data)"),
    ("to_numpy", "take its numbers, x.to_numpy()"),
    ("magnitude", "take its numbers, x.magnitude, in a unit that you choose"),
    ("to_value", "take its numbers, x.value, in a unit that you choose"),
    ("compute", "compute its numbers, x.compute()"),
    ("toarray", "make an array of it, x.toarray()"),
    ("todense", "make an array of it, np.asarray(x.todense())"),
    ("numpy", "take its numbers, x.numpy()"),
    ("__array__", "take its numbers, np.asarray(x)"),
    ("shape", "take the array out of it"),
    ("__float__", "make a Python number of it, float(x)"),
)
"""What to do with objects, by an attribute that they have."""

TELLING = ("__array_ufunc__", "__array_function__", "__mul__")
"""What is told first of what a subclass does in a way of its own."""

HOLDER = "to make it a tree, make its class a dataclass, or give it to autodiff.tree.register"
"""What to do with an instance of a class that may hold arrays in attributes."""

OBJECTS = "make numbers of them, x.astype(float)"
TRACED_OBJECTS = "make a traced array of them, autodiff.numpy.array(x)"


def is_array_type(kind: type) -> bool:
    """Whether the instances of a class are arrays of NumPy or CuPy that compute as those do."""
    if issubclass(kind, np.ndarray):
        return kind is np.ndarray or not overrides(kind)
    cupy = sys.modules.get("cupy")
    return cupy is not None and issubclass(kind, cupy.ndarray)


_overrides: WeakKeyDictionary[type, tuple[str, ...]] = WeakKeyDictionary()


def overrides(kind: type) -> tuple[str, ...]:
    """What a subclass of NumPy's array does in a way of its own, by the names of methods."""
    found = _overrides.get(kind)
    if found is None:
        before = kind.__mro__[: kind.__mro__.index(np.ndarray)]
        own = {name for base in before if base not in KNOWN for name in vars(base)} & ARRAY_NAMES - HARMLESS
        found = _overrides[kind] = tuple(sorted(own))
    return found


def type_name(value: Any) -> str:
    """The class of an object by the name under which its users know it."""
    kind = type(value)
    if kind.__module__ in ("builtins", "__main__"):
        return kind.__qualname__
    root = kind.__module__.partition(".")[0]
    public = getattr(sys.modules.get(root), kind.__name__, None) is kind
    return f"{root if public else kind.__module__}.{kind.__qualname__}"


def remedy(value: Any) -> str:
    """What to do with an object in place of handing it over; empty where there is nothing to say."""
    kind = type(value)
    if isinstance(value, (int, float, complex, np.generic, Traced)):
        return ""
    if is_array_type(kind):
        return objects_remedy(value) if value.dtype.kind == "O" else ""
    if isinstance(value, np.matrix):
        return "pass np.asarray(x), and write @ for products"
    if hasattr(kind, "to_numpy") and hasattr(kind, "data"):
        return "take its array, x.data"
    own = getattr(value, "__dict__", None)
    holder = own is not None and not callable(value) and not isinstance(value, ModuleType)
    return next(
        (text for name, text in REMEDIES if hasattr(kind, name) or name in (own or ())), HOLDER if holder else ""
    )


def refusal(value: Any) -> str:
    """The text that refuses an object."""
    kind = type(value)
    if kind.__module__.startswith("autodiff.") and hasattr(kind, "refuse"):
        value.refuse()  # which knows why
    own = overrides(kind) if isinstance(value, np.ndarray) else ()
    shown = next((name for name in TELLING if name in own), own[0] if own else "")
    why = f", a subclass of numpy.ndarray with {shown} of its own," if shown else ""
    then = remedy(value)
    return (
        f"an object of type {type_name(value)}{why} came in where arrays and numbers are traced{at_user_line()}, and "
        f"what it computes would not be recorded{'; ' + then if then else ''}"
    )


def holds_traced(value: Any) -> bool:
    """Whether it is an array of Python objects that holds traced values."""
    return (
        isinstance(value, np.ndarray)
        and value.dtype.kind == "O"
        and any(isinstance(element, Traced) for element in value.ravel().tolist())
    )


def objects_remedy(array: np.ndarray[Any, Any]) -> str:
    """What to do with an array of Python objects."""
    return TRACED_OBJECTS if holds_traced(array) else OBJECTS


def objects_refusal(what: str = "Python objects", then: str = OBJECTS) -> str:
    """The text that refuses an array of dtype object."""
    return f"an array of dtype object holds {what}{at_user_line()}, where arrays of numbers are traced; {then}"
