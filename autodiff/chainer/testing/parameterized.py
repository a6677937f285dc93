"""Test classes for several parameters."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from autodiff.chainer.testing._bundle import make_decorator

Parameters = Mapping[str, Any]


def parameterize(*params: Parameters) -> Callable[[Any], Any]:
    """A decorator of test classes: one class for each set of parameters, which are its attributes.

    Args:
        params: dicts of names and values.
    """

    def variants(base: type) -> Iterator[tuple[str, dict[str, Any]]]:
        for number, param in enumerate(params):
            yield class_name(base.__name__, number, param), {**param, **named_tests(base, param)}

    return make_decorator(variants)


def class_name(base: str, number: int, param: Parameters) -> str:
    """The name of the class for one set of parameters.

    >>> class_name("TestSum", 0, {"axis": None, "shape": (2, 3)})
    'TestSum_param_0_{axis=None, shape=(2, 3)}'
    """
    texts = ", ".join(f"{name}={shown(param[name])[:64]}" for name in sorted(param))
    return f"{base}_param_{number}_{{{texts}}}"


def shown(value: Any) -> str:
    """A parameter as text."""
    return value.__name__ if isinstance(value, type) else str(value)


def named_tests(base: type, param: Parameters) -> dict[str, Any]:
    """The test methods, whose errors say the parameters."""
    tests = ((name, getattr(base, name)) for name in dir(base) if name.startswith("test"))
    return {name: noting(test, param) for name, test in tests if inspect.isfunction(test)}


def noting(test: Callable[..., Any], param: Parameters) -> Callable[..., Any]:
    """The test, whose errors say the parameters."""

    @functools.wraps(test)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return test(self, *args, **kwargs)
        except Exception as error:
            error.add_note(
                "Test parameters:" + "".join(f"\n  {name}: {value}" for name, value in sorted(param.items()))
            )
            raise

    return run


def from_pytest_parameterize(names: str | Sequence[str], values: Iterable[Any]) -> list[dict[str, Any]]:
    """Parameters in the notation of ``pytest.mark.parametrize``.

    Args:
        names: names, separated by commas.
        values: for each set of parameters a tuple; the value itself if there is one name.

    >>> from_pytest_parameterize("a, b", [(1, 2), (3, 4)])
    [{'a': 1, 'b': 2}, {'a': 3, 'b': 4}]
    """
    found = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    rows = [(value,) if len(found) == 1 and isinstance(names, str) else value for value in values]
    return [dict(zip(found, row, strict=True)) for row in rows]


def parameterize_pytest(names: str | Sequence[str], values: Iterable[Any]) -> Callable[[Any], Any]:
    """:func:`parameterize` in the notation of ``pytest.mark.parametrize``.

    Args:
        names: names, separated by commas.
        values: for each set of parameters a tuple.
    """
    return parameterize(*from_pytest_parameterize(names, values))


def product(parameter: Mapping[str, Iterable[Any]] | Iterable[Iterable[Parameters]]) -> list[dict[str, Any]]:
    """All combinations of parameters.

    Args:
        parameter: for each name its values; or lists of sets of parameters.

    >>> product({"a": [1, 2], "b": [3]})
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    """
    if isinstance(parameter, Mapping):
        names = sorted(parameter)
        return [dict(zip(names, row, strict=True)) for row in itertools.product(*(parameter[name] for name in names))]
    return product_dict(*parameter)


def product_dict(*parameters: Iterable[Parameters]) -> list[dict[str, Any]]:
    """All combinations of sets of parameters.

    Args:
        parameters: lists of sets of parameters.

    >>> product_dict([{"a": 1}, {"a": 2}], [{"b": 3}])
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    """
    return [{name: param[name] for param in row for name in param} for row in itertools.product(*parameters)]
