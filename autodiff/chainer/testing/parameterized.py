"""Test classes for several parameters."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from autodiff.chainer.testing._bundle import make_decorator, tests_of

Parameters = Mapping[str, Any]


def parameterize(*params: Parameters) -> Callable[[Any], Any]:
    """A decorator of test classes: one class for each set of parameters, which are its attributes.

    Args:
        params: dicts of names and values.
    """

    def variants(base: type) -> Iterator[tuple[str, dict[str, Any]]]:
        for number, param in enumerate(params):
            values = {name: plain(value) for name, value in param.items()}
            yield class_name(base.__name__, number, param), {**values, **named_tests(base, param)}

    return make_decorator(variants)


def plain(value: Any) -> Any:
    """A value as it stays where it is an attribute of a class: functions do not become methods."""
    return staticmethod(value) if inspect.isfunction(value) else value


LONGEST_VALUE, LONGEST_LIST = 100, 5000
"""How many characters names of classes have at most for a value, and for all of them."""


def class_name(base: str, number: int, param: Parameters) -> str:
    """The name of the class for one set of parameters.

    >>> class_name("TestSum", 0, {"axis": None, "kind": "C", "shape": (2, 3)})
    "TestSum_param_0_{axis=None, kind='C', shape=(2, 3)}"
    """
    texts = ", ".join(f"{name}={shortened(shown(param[name]), LONGEST_VALUE)}" for name in sorted(param))
    return f"{base}_param_{number}_{{{shortened(texts, LONGEST_LIST)}}}"


def shown(value: Any) -> str:
    """A parameter as text: the name of what has one."""
    name = getattr(value, "__name__", None)
    if isinstance(name, str):
        return name
    with np.printoptions(legacy="1.25"):  # numbers without their types, as in names that are written down somewhere
        return repr(value)


def shortened(text: str, length: int) -> str:
    """The text, with three dots in the place of its middle if it is too long.

    >>> shortened("abcdefghijkl", 8)
    'ab...jkl'
    """
    if len(text) <= length:
        return text
    first = (length - 3) // 2
    return f"{text[:first]}...{text[first + 3 - length :]}"


def named_tests(base: type, param: Parameters) -> dict[str, Any]:
    """The test methods, whose errors say the parameters."""
    return {name: noting(test, param) for name, test in tests_of(base).items()}


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


def product(parameter: Mapping[str, Iterable[Any]] | list[list[Parameters]]) -> list[dict[str, Any]]:
    """All combinations of parameters.

    Args:
        parameter: for each name its values, for several names, separated by commas, tuples of theirs; or lists of sets
            of parameters.

    Raises:
        TypeError: if it is something else.

    >>> product({"a": [1, 2], "b": [3]})
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    >>> product({"a,b": [(1, 2), (3, 4)]})
    [{'a': 1, 'b': 2}, {'a': 3, 'b': 4}]
    """
    if isinstance(parameter, Mapping):
        return product_dict(*(from_pytest_parameterize(names, parameter[names]) for names in sorted(parameter)))
    if not isinstance(parameter, list):
        raise TypeError(f"parameter must be either a dict or a list, got {type(parameter).__name__}")
    if not all(isinstance(each, list) and all(isinstance(param, Mapping) for param in each) for each in parameter):
        raise TypeError(f"parameter must be a list of lists of dicts, got {parameter!r}")
    return product_dict(*parameter)


def product_dict(*parameters: Iterable[Parameters]) -> list[dict[str, Any]]:
    """All combinations of sets of parameters.

    Args:
        parameters: lists of sets of parameters.

    >>> product_dict([{"a": 1}, {"a": 2}], [{"b": 3}])
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    """
    return [{name: param[name] for param in row for name in param} for row in itertools.product(*parameters)]
