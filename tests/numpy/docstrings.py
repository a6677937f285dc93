"""The examples in NumPy's docstrings as programs, whose arrays of numbers may be traced."""

from __future__ import annotations

import ast
import copy
import doctest
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

MODULES = {"np": np, "np.linalg": np.linalg, "np.fft": np.fft, "np.emath": np.emath}
CLASSES = {"ndarray": np.ndarray, "ufunc": np.ufunc, "flatiter": np.flatiter, "poly1d": np.poly1d}
CREATORS = frozenset(
    ["array", "arange", "linspace", "logspace", "geomspace", "ones", "zeros", "full", "eye", "identity"]
)
LEFT_OUT = {
    "array2string", "array_repr", "array_str", "asmatrix", "bmat", "fromfile", "info", "load", "matrix", "memmap",
    "printoptions", "save", "savetxt", "savez", "set_printoptions", "seterr", "seterrcall", "setbufsize", "show_config",
    "asarray", "ascontiguousarray", "asfortranarray", "atleast_1d", "atleast_3d", "empty_like", "median", "nanmedian",
    "percentile", "quantile", "nanpercentile", "nanquantile", "nditer", "nested_iters", "shares_memory", "histogram",
    "isscalar", "recarray", "resize", "setflags", "getfield", "setfield", "byteswap", "any", "all", "std", "var", "fill", "typing",
}  # fmt: skip
"""Texts, files, settings and times; what asks whose memory it is, and what NumPy leaves in it."""


def sources() -> dict[str, list[str]]:
    """The examples of all public functions and methods, by their names."""
    found: dict[str, list[str]] = {}
    for home, value in {**MODULES, **CLASSES}.items():
        for name in sorted(dir(value)):
            text = getattr(getattr(value, name, None), "__doc__", None)
            if name.startswith("_") or name in LEFT_OUT or not isinstance(text, str) or ">>>" not in text:
                continue
            examples = [example.source for example in doctest.DocTestParser().get_examples(text)]
            if examples not in found.values() and not any("matplotlib" in example for example in examples):
                found[f"{home}.{name}"] = [example.replace("default_rng()", "default_rng(7)") for example in examples]
    return found


class Space(ModuleType):
    """NumPy, whose functions that make arrays of numbers hand these to somebody, and give what comes back."""

    def __init__(self, home: Any, given: Callable[[Any], Any]) -> None:
        super().__init__("numpy")
        self.home, self.given = home, given

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.home, name)
        return self.made_by(name, found) if name in CREATORS else found

    def made_by(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function that makes an array, of integers as of floating-point numbers."""

        def make(*args: Any, **kwargs: Any) -> Any:
            try:
                made = getattr(np, name)(*args, **kwargs)
            except Exception:  # of traced values
                return function(*args, **kwargs)
            if type(made) is not np.ndarray or made.dtype.kind not in "ifc" or "dtype" in kwargs:
                return made
            return self.given(made.astype(float) if made.dtype == int else made)

        return make


def run(examples: list[str], space: Space, before: list[dict[str, Any]] | None = None) -> Iterator[Any]:
    """Run examples one after another: each gives its results, by names, or its error.

    Args:
        examples: the sources.
        space: what they know as NumPy.
        before: the variables after each example in an earlier run, with which an example that fails is left.
    """
    names: dict[str, Any] = {"np": space, "numpy": space, "__name__": "examples"}
    np.random.seed(7)  # noqa: NPY002 - what examples draw from
    for number, example in enumerate(examples):
        results: dict[str, Any] = {}
        names["print"] = lambda *values, into=results: into.update({f"printed {k}": v for k, v in enumerate(values)})
        try:
            for node in ast.parse(example).body:
                step(node, names, results)
        except Exception as error:
            names.update(copy.deepcopy(before[number]) if before else {})
            yield error
        else:
            yield results


def step(node: ast.stmt, names: dict[str, Any], results: dict[str, Any]) -> None:
    """Run one statement; what it assigns to, and the value of an expression, are results."""
    if isinstance(node, ast.Import) and node.names[0].name == "numpy":
        return
    if isinstance(node, ast.Expr):
        results["value"] = eval(compile(ast.Expression(node.value), "<example>", "eval"), names)
        return
    exec(compile(ast.Module([node], []), "<example>", "exec"), names)
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
    for name in (n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)):
        results[name] = names[name]
