"""Models as pure functions of their parameters, to which the transformations apply."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodiff.chainer.link import Link
from autodiff.chainer.reporter import unreported
from autodiff.facade.settings.mode import Cutting
from autodiff.facade.variables.parameter import Parameter
from autodiff.facade.variables.variable import Variable
from autodiff.trace.forking import lock_of
from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced
from autodiff.trace.trees.tree import flatten

Tree = dict[str, Any]
one_at_a_time = lock_of(sys.modules[__name__], "one_at_a_time")
"""Held while links have other parameters; one for all, since links may share children."""


def functional(link: Link) -> tuple[Functional, Tree]:
    """A model as a pure function of its parameters.

    Args:
        link: the model, a link or a chain whose parameters all have arrays.

    Returns:
        ``(f, params)``. ``params`` is the tree of the parameters' arrays: a dict with an entry for each parameter and
        each child that has some, ``{"l1": {"W": ..., "b": ...}, ...}``. ``f(params, *args, **kwargs)`` is
        ``link(*args, **kwargs)`` with these parameters, with arrays where the link returns Variables. It changes
        nothing: what the link does to its own state, such as running statistics, is undone, and it reports nothing.
        Arrays that it takes out of Variables (``h.array``, ``W.grad``) are constants, as they are for ``backward()``.
        Threads call it one after the other. ``f.write(params)`` is the way back.

    Raises:
        ValueError: if a parameter has no array yet, or is no link's own.

    >>> import autodiff, numpy as np
    >>> from autodiff.chainer.links import Linear
    >>> f, params = functional(Linear(3, 1, initialW=2.0))
    >>> x = np.ones((5, 3), np.float32)
    >>> autodiff.grad(lambda params: np.sum(f(params, x)))(params)
    {'W': array([[5., 5., 5.]], dtype=float32), 'b': array([5.], dtype=float32)}
    """
    return (f := Functional(link)), f.read()


class Functional:
    """What :func:`functional` returns.

    Args:
        link: the model.
    """

    def __init__(self, link: Link) -> None:
        if not isinstance(link, Link):
            raise TypeError(f"functional needs a link, got {type(link).__name__}{at_user_line()}")
        self.link = link

    def __repr__(self) -> str:
        return f"<function of the parameters of a {type(self.link).__name__}>"

    def read(self) -> Tree:
        """The tree of the parameters' arrays, in copies of their own."""
        tree: Tree = {}
        with one_at_a_time:
            for path, parameter in self.places():
                if parameter.array is None:
                    raise ValueError(
                        f"the parameter {path} has no array yet{at_user_line()}; call the link once, or give it the "
                        "size of its input"
                    )
                place(tree, path)[path.rpartition("/")[2]] = parameter.array.copy()
        return tree

    def write(self, params: Tree) -> None:
        """Copy a tree of arrays into the parameters of the link; nothing is written if one of them does not fit.

        Raises:
            ValueError: if the tree or a shape does not fit.
        """
        with one_at_a_time:
            for parameter, array in self.matched(params):
                parameter.array[...] = array

    def places(self) -> list[tuple[str, Parameter]]:
        """Paths and parameters; one that stands in several places once."""
        seen: dict[int, tuple[str, Parameter]] = {}
        for path, parameter in self.link.namedparams():
            seen.setdefault(id(parameter), (path.lstrip("/"), parameter))
        return list(seen.values())

    def matched(self, params: Tree) -> list[tuple[Parameter, Any]]:
        """Parameters with their arrays in a tree."""
        places = self.places()
        check_paths(params, [path for path, _ in places])
        return [(parameter, checked(found(params, path), path, parameter)) for path, parameter in places]

    def __call__(self, params: Tree, *args: Any, **kwargs: Any) -> Any:
        with (
            one_at_a_time,
            Cutting(),
            holding([*states(self.link), *self.matched(params)]),
            undone(self.link),
            unreported(),
        ):
            leaves, structure = flatten(self.link(*args, **kwargs))
            return structure.unflatten(leaf._array if isinstance(leaf, Variable) else leaf for leaf in leaves)


def place(tree: Tree, path: str) -> Tree:
    """The dict in which the last part of a path stands."""
    for name in path.split("/")[:-1]:
        tree = tree.setdefault(name, {})
    return tree


def found(params: Any, path: str) -> Any:
    """What stands at a path.

    Raises:
        ValueError: if there is nothing.
    """
    for name in path.split("/"):
        if not isinstance(params, Mapping) or name not in params:
            raise ValueError(f"the tree of parameters has nothing at {path}{at_user_line()}")
        params = params[name]
    return params


def check_paths(tree: Any, paths: Collection[str], above: str = "") -> None:
    """See that a tree has nothing but what the link has parameters for.

    Raises:
        ValueError: if it has more.
    """
    for name, below in tree.items() if isinstance(tree, Mapping) else ():
        path = f"{above}{name}"
        if path not in paths:
            if not any(known.startswith(f"{path}/") for known in paths):
                raise ValueError(
                    f"the tree of parameters has {path}, but the link has no such parameter{at_user_line()}"
                )
            check_paths(below, paths, f"{path}/")


def checked(array: Any, path: str, parameter: Parameter) -> Any:
    """The array, which fits the parameter.

    Raises:
        TypeError: if it is a Variable.
        ValueError: if it does not fit.
    """
    if isinstance(array, Variable):
        raise TypeError(f"{path} is a {type(array).__name__}{at_user_line()}; the tree holds arrays: take its .array")
    array = array if isinstance(array, Traced) else parameter.xp.asarray(array)
    if array.shape != parameter.shape:
        raise ValueError(f"{path} has shape {array.shape}, but the parameter {parameter.shape}{at_user_line()}")
    return array


def states(link: Link) -> Iterator[tuple[Variable, Any]]:
    """The Variables that a link and its children keep, such as the state of an LSTM, with their arrays."""
    for each in link.links():
        for value in vars(each).values():
            parts = value if isinstance(value, (list, tuple)) else value.values() if type(value) is dict else [value]
            yield from ((part, part._array) for part in parts if isinstance(part, Variable) and part._array is not None)


@contextmanager
def holding(pairs: Sequence[tuple[Variable, Any]]) -> Iterator[None]:
    """Variables hold other arrays and have no past inside: the same objects, wherever a model refers to them from."""
    before = [(variable, variable._array, variable._node, dict(vars(variable))) for variable, _ in pairs]
    try:
        for variable, array in pairs:
            variable.cleargrad()
            vars(variable).pop("_shared", None)
            Variable.__init__(variable, array, name=variable.name, requires_grad=variable.requires_grad)
        yield
    finally:
        for variable, variable._array, variable._node, attributes in reversed(before):
            replace(variable, attributes)


@contextmanager
def undone(link: Link) -> Iterator[None]:
    """Whatever is done inside to the attributes of a link and of its children is undone."""
    before = [(each, dict(vars(each))) for each in link.links()]
    try:
        for each, attributes in before:
            vars(each).update({name: value.copy() for name, value in attributes.items() if changeable(value)})
        yield
    finally:
        for each, attributes in before:
            replace(each, attributes)


def changeable(value: Any) -> bool:
    """Whether it is an array, a list or the like, which a link may change in place."""
    return type(value) in (list, dict, set, np.ndarray) or hasattr(value, "__cuda_array_interface__")


def replace(owner: Any, attributes: dict[str, Any]) -> None:
    """Give an object back the attributes that it had."""
    vars(owner).clear()
    vars(owner).update(attributes)
