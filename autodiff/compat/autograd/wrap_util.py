"""Operators of functions of one argument, as operators of functions of several: the meaning of ``argnum``."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from autodiff.compat.autograd.substitution import subvals

Function = Callable[..., Any]


def get_name(f: Any) -> str:
    """The name of a function."""
    return getattr(f, "__name__", "[unknown name]")


def get_doc(f: Any) -> str:
    """The documentation of a function."""
    return getattr(f, "__doc__", None) or ""


def wraps(fun: Any, namestr: str = "{fun}", docstr: str = "{doc}", **kwargs: Any) -> Callable[[Any], Any]:
    """Give a function a name and documentation made of those of another one."""

    def named(f: Any) -> Any:
        name, doc = get_name(fun), get_doc(fun)
        f.__name__ = namestr.format(fun=name, **kwargs)
        f.__doc__ = docstr.format(fun=name, doc=doc, **kwargs)
        return f

    return named


def wrap_nary_f(fun: Any, op: Any, argnum: Any) -> Callable[[Any], Any]:
    """Give a function the name of an operator of another one."""
    return wraps(
        fun,
        "{op}_of_{fun}_wrt_argnum_{argnum}",
        "{op} of {fun} by its argument {argnum}: a function of the same arguments.",
        op=get_name(op),
        argnum=argnum,
    )


def unary_to_nary(unary_operator: Function) -> Function:
    """An operator ``(fun, x, ...)`` as one that takes ``argnum``: a position, or a tuple or list of several.

    The operator then makes a function of the arguments of ``fun``, and ``x`` is the argument at the position, or the
    tuple of those at the positions.
    """

    @functools.wraps(unary_operator)
    def nary_operator(fun: Function, argnum: Any = 0, *options: Any, **named: Any) -> Function:
        if not isinstance(argnum, int | tuple | list):
            raise TypeError(f"{get_name(unary_operator)}: argnum must be an int, a tuple or a list, got {argnum!r}")

        def nary_f(*args: Any, **kwargs: Any) -> Any:
            @wraps(fun)
            def unary_f(x: Any) -> Any:
                changed = [(argnum, x)] if isinstance(argnum, int) else zip(argnum, x, strict=True)
                return fun(*subvals(args, changed), **kwargs)

            x = args[argnum] if isinstance(argnum, int) else tuple(args[i] for i in argnum)
            return unary_operator(unary_f, x, *options, **named)

        return wrap_nary_f(fun, unary_operator, argnum)(nary_f)  # type: ignore[no-any-return]

    return nary_operator
