"""The switch: functions, classes, modules and packages of the user that run on traced values as they stand."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import cached_property
from types import FunctionType, MethodType, ModuleType
from typing import Any, TypeVar, overload

from autodiff.programs.calls import NAMES
from autodiff.programs.compiling import code_of, with_code
from autodiff.programs.counterparts import is_a
from autodiff.programs.dispatching import choices_of, dispatcher_of, teach
from autodiff.programs.importing import Switch
from autodiff.trace.errors import DifferentiationError
from autodiff.trace.source import at_user_line

T = TypeVar("T")


@overload
def differentiable(program: str) -> Switch: ...
@overload
def differentiable(program: T) -> T: ...
def differentiable(program: Any) -> Any:
    """A program with traced values wherever NumPy would have plain ones, unchanged: ``np.array([[c, -s], [s, c]])``.

    Inside of it, and of what it defines, ``np.array`` and ``np.asarray`` of lists, arrays that are made first and
    filled later, ``np.r_``, ``np.c_``, ``np.vectorize``, ``np.frompyfunc``, ``math``, ``cmath``, ``float(x)``,
    ``np.float64(x)``, ``isinstance(x, np.ndarray)``, plain arrays indexed by traced integers, lists given to NumPy's
    functions, and ``scipy`` do what they do with plain values. ``int(x)`` of a traced number stays an error. Where
    nothing is traced NumPy's own functions run.

    The syntax tree is changed, never the file: errors show the lines as they are written. NumPy is not changed either,
    so that other modules do not notice.

    Args:
        program: a function, as a decorator too: the result is a new one. A class or a module, whose functions are
            replaced where they are. A name of a module or package, which stands for all modules below it: those that
            are loaded are replaced, and others when they are imported.

    Returns:
        the function, the class or the module; for a name a :class:`Switch`, whose ``off()``, or the end of a ``with``
        block, stops it for modules that are imported later.

    Raises:
        DifferentiationError: if the source is not there: of functions made by ``exec``, for example.
        TypeError: if it is none of these.

    >>> import autodiff
    >>> import numpy as np
    >>> @differentiable
    ... def length(angle):
    ...     turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    ...     out = np.zeros(2)
    ...     out[:] = turn @ [2.0, 0.0]
    ...     return out[0]
    >>> autodiff.grad(length)(np.pi / 2)
    -2.0
    """
    if isinstance(program, FunctionType):
        return with_code(program, code_of(program))
    if isinstance(program, MethodType) and isinstance(program.__func__, FunctionType):
        return MethodType(with_code(program.__func__, code_of(program.__func__)), program.__self__)
    if isinstance(program, type):
        for function in functions_of(program):
            replace_code(function)
        teach_all(program)
        return program
    if isinstance(program, ModuleType):
        replace_module(program)
        return program
    if isinstance(program, str):
        switch = Switch(program)
        for module in switch.loaded():
            replace_module(module, needed=module.__name__ == program)
        return switch
    raise TypeError(
        f"differentiable takes a function, a class, a module or its name, got {type(program).__name__}"
        f"{at_user_line()}; put it below other decorators: @jit, then @differentiable, then def"
    )


def replace_code(function: FunctionType) -> None:
    """Let a function run its code rewritten."""
    function.__code__ = code_of(function)


def functions_of(kind: type) -> Iterator[FunctionType]:
    """The functions that a class body has defined, inside of properties, decorators and classes too."""
    for value in list(vars(kind).values()):
        yield from functions_in(value, kind)
    for field in vars(kind).get("__dataclass_fields__", {}).values():
        yield from functions_in(field.default_factory, kind)


def functions_in(value: Any, kind: type) -> Iterator[FunctionType]:
    """The functions of a class's module behind one of its attributes."""
    if dispatcher_of(value) is not None:
        for choice in choices_of(value):
            yield from functions_in(choice, kind)
    elif isinstance(value, FunctionType):
        wrapped = getattr(value, "__wrapped__", None)
        if value.__module__ == kind.__module__ and not value.__code__.co_filename.startswith("<string"):
            yield value
        if wrapped is not None:
            yield from functions_in(wrapped, kind)
    elif isinstance(value, (staticmethod, classmethod)):
        yield from functions_in(value.__func__, kind)
    elif isinstance(value, property):
        for part in (value.fget, value.fset, value.fdel):
            yield from functions_in(part, kind)
    elif isinstance(value, cached_property):
        yield from functions_in(value.func, kind)
    elif isinstance(value, type) and value.__module__ == kind.__module__ and value is not kind:
        yield from functions_of(value)


def replace_module(module: ModuleType, needed: bool = True) -> None:
    """Let all functions that a module has defined run their code rewritten; there must be some if it is needed."""
    own = functions_in_module(module)
    if needed and getattr(module, "__file__", None) is None and not own:
        raise DifferentiationError(
            f"the module {module.__name__} has no function whose source is known{at_user_line()}; it may be compiled"
        )
    vars(module).update(NAMES)
    for function in own:
        replace_code(function)
    teach_all(module)


def functions_in_module(module: ModuleType) -> list[FunctionType]:
    """All functions that a module has defined, but those that Numba compiles."""
    names = vars(module)
    file = getattr(module, "__file__", None)
    found = [one for one in gc.get_referrers(names) if isinstance(one, FunctionType) and one.__globals__ is names]
    compiled = set(map(id, compiled_functions(module)))
    return [one for one in found if (file is None or one.__code__.co_filename == file) and id(one) not in compiled]


def compiled_functions(module: ModuleType) -> Iterator[FunctionType]:
    """The functions that Numba compiles when they are called, by ``njit`` or ``vectorize``: they stay as they are."""
    for value in list(vars(module).values()):
        if type(value).__module__.startswith("numba."):
            yield getattr(getattr(value, "_dispatcher", value), "py_func", value)


def teach_all(owner: type | ModuleType) -> None:
    """Let the functions of a class or module that choose by the class of their argument know of traced values."""
    for value in list(vars(owner).values()):
        teach(value)
        if is_a(value, type) and value is not owner and value.__module__ == getattr(owner, "__name__", None):
            teach_all(value)
