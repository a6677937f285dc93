"""Records what the installed CuPy has: names, parameters, types. Run as ``python -m tests.standin.record``.

No GPU is needed: CuPy can be imported without one, and arrays over memory that is never read show which methods of
ufuncs exist. The stand-in (see :mod:`tests.standin.module`) offers exactly what stands in the file that is written.
"""

import inspect
import json
import re
from importlib import import_module
from pathlib import Path

import numpy as np

NAMES = Path(__file__).with_name("names.json")
MODULES = ["cupy", "cupy.linalg", "cupy.fft", "cupy.random", "cupy.lib.stride_tricks", "cupyx", "cupyx.scipy.special"]
C_TYPES = re.compile(r"\b(?:Py_ssize_t|int|bool|bint|str|tuple|list|dict|_ndarray_base|ndarray|object) +(?=[a-z_])")


def main():
    """Write the file."""
    import cupy

    found = {"version": cupy.__version__, "modules": {name: public(import_module(name)) for name in MODULES}}
    found["ufuncs"] = {
        module: {key: ufunc(value) for key, value in members(import_module(module)) if is_ufunc(value)}
        for module in MODULES
    }
    found["methods"] = methods(cupy.ndarray)
    NAMES.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


def members(module):
    """The public names of a module and what they stand for."""
    return [(name, getattr(module, name)) for name in dir(module) if not name.startswith("_")]


def is_ufunc(value):
    """Whether it is one of CuPy's ufuncs."""
    return type(value).__name__ == "ufunc"


def public(module):
    """The functions of a module that are no ufuncs, by name, with their parameters as text; None where unknown."""
    return {
        name: parameters(value)
        for name, value in members(module)
        if callable(value) and not isinstance(value, type) and not is_ufunc(value)
    }


def parameters(function):
    """The parameters of a function as text that Python reads."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return documented(function)
    return ", ".join(described(signature))


def described(signature):
    """Each parameter as text, with the marks ``/`` and ``*`` between them."""
    before = None
    star = False
    for parameter in signature.parameters.values():
        if before is parameter.POSITIONAL_ONLY and parameter.kind is not before:
            yield "/"
        star = star or parameter.kind is parameter.VAR_POSITIONAL
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            yield "*"
            star = True
        before = parameter.kind
        mark = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        yield mark + parameter.name + ("" if parameter.default is parameter.empty else "=None")
    if before is inspect.Parameter.POSITIONAL_ONLY:
        yield "/"


def documented(function):
    """The parameters that the first line of a compiled function's documentation names."""
    line = (function.__doc__ or "").partition("\n")[0]
    inner = re.fullmatch(r"[\w.]+\((.*)\).*", line)
    if inner is None:
        return None
    text = re.sub(r"=[^,)]+", "=None", C_TYPES.sub("", inner[1]))
    try:
        compile(f"def f({text}): pass", "", "exec")
    except SyntaxError:
        return None
    return text


def ufunc(function):
    """The loops of a ufunc, and which of its methods do something."""
    return {
        "name": function.name,
        "nin": function.nin,
        "nout": function.nout,
        "types": function.types,
        "methods": [name for name in ("at", "reduce", "accumulate", "reduceat") if does(function, name)],
    }


def does(function, method):
    """Whether a method of a ufunc is there: it fails for want of a device, not because nobody wrote it."""
    import cupy

    memory = cupy.cuda.MemoryPointer(cupy.cuda.UnownedMemory(4096, 4096, None, 0), 0)
    array = cupy.ndarray((3,), np.float64, memptr=memory)
    operands = (array,) if method in ("reduce", "accumulate") else (array, array)
    try:
        getattr(function, method)(*operands)
    except NotImplementedError:
        return False
    except Exception:  # whatever happens later
        return True
    return True


def methods(kind):
    """The methods of the array class with their parameters, and its attributes with None."""
    return {
        name: parameters(value) if callable(value) else None
        for name, value in members(kind)
        if name != "device_callback"
    }


if __name__ == "__main__":
    main()
