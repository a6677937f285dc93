"""Functions that users compiled with Numba, where they meet traced values."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced

Run = Callable[[Any, tuple[Any, ...], Any], Any]


def first_traced(value: Any) -> Any:
    """The first traced value in an argument, which may be a tuple or list of others; None where there is none."""
    if isinstance(value, Traced):
        return value
    parts = value if isinstance(value, (tuple, list)) else ()
    return next((found for part in parts if (found := first_traced(part)) is not None), None)


@cache
def meet_traced_values(run: Run) -> None:
    """Let functions of Numba's take traced values from now on.

    A function that has no machine code for the types of its arguments is asked to compile some, and may answer with any
    function, which is called. Where an argument is traced it answers with one that runs its Python; all other calls go
    their own way.

    Args:
        run: takes the function, its arguments and the first traced value among them, and gives the result. Arguments
            stand as parameters do: defaults are filled in, and those that any number is taken of are one tuple.
    """
    import numba  # noqa: PLC0415 - an optional extra, slow to import
    from numba.core import dispatcher  # noqa: PLC0415 - an optional extra, slow to import

    base = dispatcher._DispatcherBase
    needed = "_compile_for_args", "_explain_matching_error"
    if not all(hasattr(base, name) for name in needed):
        raise ImportError(
            f"autodiff.numba does not know Numba {numba.__version__}, whose functions have no {' and '.join(needed)}; "
            "take another version of Numba, and please report this"
        )
    compile_for_args, explain_matching_error = base._compile_for_args, base._explain_matching_error

    def answer(self: Any, *args: Any, **kwargs: Any) -> Any:
        plain = tuple([arg.value if isinstance(arg, dispatcher.OmittedArg) else arg for arg in args])
        traced = first_traced(plain)
        if traced is None:
            return compile_for_args(self, *args, **kwargs)
        return lambda *_: run(self, plain, traced)

    def explain(self: Any, *args: Any, **kwargs: Any) -> Any:
        if first_traced((*args, *kwargs.values())) is not None:
            name = self.py_func.__name__
            raise TypeError(
                f"{name} was compiled by Numba for the types that its decorator names{at_user_line()}, and takes no "
                f"traced values; leave the types away, or call {name}.py_func"
            )
        return explain_matching_error(self, *args, **kwargs)

    base._compile_for_args, base._explain_matching_error = answer, explain
