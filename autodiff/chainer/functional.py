"""Models as pure functions of their parameters, to which the transformations apply."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from autodiff.chainer.link import Link
from autodiff.facade.parameter import Parameter
from autodiff.facade.variable import Variable
from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced
from autodiff.trace.tree import flatten

Tree = dict[str, Any]


def functional(link: Link) -> tuple[Functional, Tree]:
    """A model as a pure function of its parameters.

    Args:
        link: the model, a link or a chain whose parameters all have arrays.

    Returns:
        ``(f, params)``. ``params`` is the tree of the parameters' arrays: a dict with an entry for each parameter and
        each child that has some, ``{"l1": {"W": ..., "b": ...}, ...}``. ``f(params, *args, **kwargs)`` is
        ``link(*args, **kwargs)`` with these parameters, with arrays where the link returns Variables. It changes
        nothing: what the link does to its own state, such as running statistics, is undone. ``f.write(params)`` is the
        way back.

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
        self.lock = threading.RLock()

    def __repr__(self) -> str:
        return f"<function of the parameters of a {type(self.link).__name__}>"

    def read(self) -> Tree:
        """The tree of the parameters' arrays, in copies of their own."""
        tree: Tree = {}
        for path, parameter in self.places():
            if parameter.array is None:
                raise ValueError(
                    f"the parameter {path} has no array yet{at_user_line()}; call the link once, or give it the size "
                    "of its input"
                )
            place(tree, path)[path.rpartition("/")[2]] = parameter.array.copy()
        return tree

    def write(self, params: Tree) -> None:
        """Copy a tree of arrays into the parameters of the link.

        Raises:
            ValueError: if the tree or a shape does not fit.
        """
        for path, parameter in self.places():
            parameter.array[...] = checked(found(params, path), path, parameter)

    def places(self) -> list[tuple[str, Parameter]]:
        """Paths and parameters; one that stands in several places once."""
        seen: dict[int, tuple[str, Parameter]] = {}
        for path, parameter in self.link.namedparams():
            seen.setdefault(id(parameter), (path.lstrip("/"), parameter))
        return list(seen.values())

    def __call__(self, params: Tree, *args: Any, **kwargs: Any) -> Any:
        with self.lock, undone(self.link):
            stand_in(self.link, {id(p): self.new(params, path, p) for path, p in self.places()})
            leaves, structure = flatten(self.link(*args, **kwargs))
            return structure.unflatten(leaf.array if isinstance(leaf, Variable) else leaf for leaf in leaves)

    def new(self, params: Tree, path: str, parameter: Parameter) -> Parameter:
        """A parameter that holds the array of the tree."""
        made = Parameter(checked(found(params, path), path, parameter), name=parameter.name)
        made.update_rule, made.initializer = parameter.update_rule, parameter.initializer
        return made


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


def checked(array: Any, path: str, parameter: Parameter) -> Any:
    """The array, which fits the parameter.

    Raises:
        ValueError: if it does not.
    """
    array = array if isinstance(array, Traced) else parameter.xp.asarray(array)
    if array.shape != parameter.shape:
        raise ValueError(f"{path} has shape {array.shape}, but the parameter {parameter.shape}{at_user_line()}")
    return array


def stand_in(link: Link, parameters: dict[int, Parameter]) -> None:
    """Put other parameters in the places of a link's, and copies in those of arrays that it may change."""
    for each in link.links():
        for name, value in list(vars(each).items()):
            if isinstance(value, Parameter):
                vars(each)[name] = parameters.get(id(value), value)
            elif isinstance(value, np.ndarray) or hasattr(value, "__cuda_array_interface__"):
                vars(each)[name] = value.copy()


@contextmanager
def undone(link: Link) -> Iterator[None]:
    """Whatever is done to the attributes of a link and of its children inside is undone."""
    before = [(each, dict(vars(each))) for each in link.links()]
    try:
        yield
    finally:
        for each, attributes in before:
            vars(each).clear()
            vars(each).update(attributes)
