"""A case of the tables: what is run under Chainer and under autodiff.chainer, and what of it is recorded."""

from __future__ import annotations

import re
import warnings
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.chainer.recorded.arrays import Input
from tests.chainer.recorded.names import Missing, Name, chainer

Facts = "dict[str, Any]"  # what is recorded: arrays, texts, numbers and None by name


def seed(text: str) -> int:
    return zlib.crc32(text.encode())


def random(text: str) -> np.random.RandomState:
    return np.random.RandomState(seed(text))


@dataclass
class Case:
    """One row: `function(*inputs)` for every dtype; the name is the key of its record."""

    name: str
    function: Callable[..., Any]
    inputs: tuple[Input, ...] = ()
    dtypes: str = "fd"
    tolerance: float = 1.0  # times the tolerance of the dtype
    settings: dict[str, Any] = field(default_factory=dict)  # configuration entries, such as train=False

    def evaluate(self, dtype: str, method: str = "facts") -> Facts:
        """Run the case in one dtype, with NumPy's global random numbers at a fixed state."""
        np.random.seed(seed(self.name) % 2**32)  # noqa: NPY002 - the generator that Chainer draws from
        previous = [(name, getattr(chainer.config.value(), name)) for name in self.settings]
        try:
            for name, value in self.settings.items():
                setattr(chainer.config.value(), name, value)
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                return getattr(self, method)(dtype)
        finally:
            for name, value in previous:
                setattr(chainer.config.value(), name, value)

    def facts(self, dtype: str) -> Facts:
        raise NotImplementedError

    def arrays(self, dtype: str | None) -> list[np.ndarray]:
        draws = random(self.name)
        return [spec.array(draws, dtype) for spec in self.inputs]

    def variables(self, dtype: str | None) -> list[Any]:
        pairs = zip(self.inputs, self.arrays(dtype))
        return [chainer.Variable(array) if spec.differentiable else array for spec, array in pairs]


class ErrorCase(Case):
    """A call with wrong inputs: the type and the text of what is raised."""

    def facts(self, dtype: str) -> Facts:
        try:
            self.function(*self.variables(None))
        except Missing:
            raise
        except Exception as error:
            return {"error": type(error).__name__, "text": str(error)}
        return {"error": None}


class ScriptCase(Case):
    """A short program that returns what is to be recorded, by name."""

    def facts(self, dtype: str) -> Facts:
        return {name: as_fact(value) for name, value in self.function(*self.variables(dtype)).items()}


def as_fact(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    return np.array(getattr(value, "array", value))


def row_name(function: Any, keywords: dict[str, Any], note: str) -> str:
    words = [function.path[-1]] + [f"{key}={text(value)}" for key, value in keywords.items()] + [note]
    return " ".join(word for word in words if word)


def text(value: Any) -> str:
    if isinstance(value, Name):
        return value.path[-1]
    return re.sub(r"\s+", "", repr(value))


def numbered(cases: list[Case]) -> list[Case]:
    """Cases that would share a name are numbered in the order of the table."""
    seen: dict[str, int] = {}
    for case in cases:
        seen[case.name] = seen.get(case.name, 0) + 1
        if seen[case.name] > 1:
            case.name += f" #{seen[case.name]}"
    return cases
