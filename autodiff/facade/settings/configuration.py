"""What a program can set: for all threads on ``global_config``, for this thread alone on ``config``.

A few entries change what happens to every operation. Ordinary operations do not read them: while none of them has an
unusual value, and no hook is there, :data:`deviations` is empty, and that is all they check.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ContextDecorator
from typing import Any, TextIO

import numpy as np

from autodiff.trace.source import at_user_line
from autodiff.trace.surroundings import Surrounding, changed, surroundings

deviations: set[Any] = set()
"""Everything that makes operations of Variables unusual, in all threads."""

USUAL = {"enable_backprop": True, "debug": False, "type_check": True}
"""The entries that operations depend on, with the values at which they need not look."""

BRANCHED_ON = ("train", "dtype", "enable_backprop")
"""The entries that functions and links branch on: recordings hold for one value of each."""

apart: set[Any] = set()
"""Those of them that threads have for themselves."""

compile_eager_changed: list[Callable[[], None]] = []
"""What is called after ``compile_eager`` was set, or has become what it was before."""


class Store:
    """Values by name; those that operations depend on are counted while they are unusual.

    Args:
        own: whether they are one thread's.
    """

    def __init__(self, own: bool = False) -> None:
        self.values: dict[str, Any] = {}
        self.own = own

    def put(self, name: str, value: Any) -> None:
        if name == "compile_eager":
            check_compile_eager(value)
        self.values[name] = value
        if name in USUAL:
            (deviations.discard if bool(value) is USUAL[name] else deviations.add)((id(self), name))
        if name in BRANCHED_ON:
            if self.own:
                apart.add((id(self), name))
            changed()
        if name == "compile_eager":
            tell_of_compile_eager()

    def remove(self, name: str) -> None:
        del self.values[name]
        deviations.discard((id(self), name))
        if name in BRANCHED_ON:
            apart.discard((id(self), name))
            changed()
        if name == "compile_eager":
            tell_of_compile_eager()

    def __del__(self) -> None:  # a thread has ended
        for name in USUAL:
            deviations.discard((id(self), name))
        for name in BRANCHED_ON:
            apart.discard((id(self), name))


def check_compile_eager(value: Any) -> None:
    """See that it is one of the values of ``compile_eager``.

    Raises:
        ValueError: if it is not.
    """
    if value is not True and value is not False and value != "auto":
        raise ValueError(f"config.compile_eager must be False, True or 'auto', got {value!r}{at_user_line()}")


def tell_of_compile_eager() -> None:
    """Let those know who keep to it."""
    for tell in compile_eager_changed:
        tell()


class Configuration:
    """What both configurations can do."""

    def names(self) -> list[str]:
        """The names of all entries."""
        raise NotImplementedError

    def show(self, file: TextIO | None = None) -> None:
        """Print all entries, one in a line, sorted by name.

        Args:
            file: where to; standard output if None.
        """
        names = sorted(self.names())
        width = max(map(len, names))
        for name in names:
            print(f"{name:<{width}} {getattr(self, name)}", file=sys.stdout if file is None else file)


class GlobalConfig(Configuration):
    """Entries of the configuration that all threads see unless they have their own.

    Entries are attributes. New ones may be added.
    """

    def __init__(self, **values: Any) -> None:
        object.__setattr__(self, "_store", Store())
        for name, value in values.items():
            setattr(self, name, value)

    _store: Store

    def __getattr__(self, name: str) -> Any:
        try:
            return self._store.values[name]
        except KeyError:
            raise AttributeError(
                f"the configuration has no entry {name!r}{at_user_line()}; config.show() lists them, an "
                "assignment adds one"
            ) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self._store.put(name, value)

    def __delattr__(self, name: str) -> None:
        getattr(self, name)
        self._store.remove(name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.names()]

    def names(self) -> list[str]:
        return list(self._store.values)


class _Thread(threading.local):
    def __init__(self) -> None:
        self.store = Store(own=True)


class LocalConfig(Configuration):
    """This thread's view of the configuration: its own entries, and the global ones behind them.

    Args:
        global_config: what is behind.
    """

    def __init__(self, global_config: GlobalConfig) -> None:
        object.__setattr__(self, "_global", global_config)
        object.__setattr__(self, "_thread", _Thread())

    _global: GlobalConfig
    _thread: _Thread

    def __getattr__(self, name: str) -> Any:
        values = self._thread.store.values
        if name not in values:
            values = self._global._store.values
        return values[name] if name in values else getattr(self._global, name)  # says what there is

    def __setattr__(self, name: str, value: Any) -> None:
        self._thread.store.put(name, value)

    def __delattr__(self, name: str) -> None:
        if name not in self._thread.store.values:
            raise AttributeError(
                f"this thread has no configuration entry {name!r} of its own{at_user_line()}; those of all threads are "
                "entries of global_config"
            )
        self._thread.store.remove(name)

    def names(self) -> list[str]:
        return list({*self._thread.store.values, *self._global.names()})

    def own(self, name: str) -> Iterator[Any]:
        """The value that this thread has for itself: one, or none."""
        values = self._thread.store.values
        if name in values:
            yield values[name]


def switched_on(variable: str) -> bool:
    """Whether an environment variable holds a number other than zero."""
    return bool(int(os.environ.get(variable) or "0"))


def environment_dtype() -> Any:
    """The dtype that ``CHAINER_DTYPE`` names: float16, float32 (the default), float64 or mixed16."""
    name = os.environ.get("CHAINER_DTYPE", "float32")
    if name == "mixed16":
        return mixed16
    if name not in ("float16", "float32", "float64"):
        raise TypeError(f"CHAINER_DTYPE is {name!r}; it must be float16, float32, float64 or mixed16")
    return np.dtype(name)


def environment_compile_eager() -> Any:
    """What ``AUTODIFF_COMPILE_EAGER`` says: 0, 1 or auto (the default)."""
    text = os.environ.get("AUTODIFF_COMPILE_EAGER") or "auto"
    if text not in ("0", "1", "auto"):
        raise ValueError(f"AUTODIFF_COMPILE_EAGER is {text!r}; it must be 0, 1 or auto")
    return text if text == "auto" else text == "1"


class Mixed16:
    """The dtype that stands for float16 data with float32 parameters: :data:`mixed16`."""

    dtype = np.dtype(np.float16)
    name = "mixed16"

    def __repr__(self) -> str:
        return "dtype('mixed16')"

    __str__ = name.__str__


mixed16 = Mixed16()

global_config = GlobalConfig(
    autotune=False,
    compile_eager=environment_compile_eager(),
    compute_mode=None,
    cudnn_deterministic=False,
    cudnn_fast_batch_normalization=switched_on("CHAINER_CUDNN_FAST_BATCH_NORMALIZATION"),
    debug=switched_on("CHAINER_DEBUG"),
    dtype=environment_dtype(),
    enable_backprop=True,
    in_recomputing=False,
    keep_graph_on_report=switched_on("CHAINER_KEEP_GRAPH_ON_REPORT"),
    lazy_grad_sum=switched_on("CHAINER_LAZY_GRAD_SUM"),
    schedule_func=None,
    train=True,
    type_check=switched_on("CHAINER_TYPE_CHECK") if "CHAINER_TYPE_CHECK" in os.environ else True,
    use_cudnn=os.environ.get("CHAINER_USE_CUDNN", "auto"),
    use_cudnn_tensor_core="auto",
    use_ideep=os.environ.get("CHAINER_USE_IDEEP", "never"),
    use_static_graph=True,
    warn_nondeterministic=False,
    _will_recompute=False,
)
"""The entries that all threads see.

>>> global_config.train, global_config.dtype
(True, dtype('float32'))
"""

config = LocalConfig(global_config)
"""This thread's configuration.

>>> with using_config("train", False):
...     config.train
False
>>> config.train
True
"""


class using_config(ContextDecorator):
    """A context in which an entry of the configuration has another value.

    Args:
        name: the entry.
        value: its value inside.
        config: the configuration; this thread's by default.

    It may be entered again, and decorate functions.

    >>> with using_config("enable_backprop", False):
    ...     config.enable_backprop
    False
    """

    def __init__(self, name: str, value: Any, config: Any = config) -> None:
        self.name, self.value, self.config = name, value, config
        self.before: list[list[Any]] = []

    def __enter__(self) -> None:
        config, name = self.config, self.name
        if isinstance(config, LocalConfig):
            self.before.append(list(config.own(name)))
        else:
            self.before.append([getattr(config, name)] if hasattr(config, name) else [])
        setattr(config, name, self.value)

    def __exit__(self, *_: object) -> None:
        before = self.before.pop()
        if before:
            setattr(self.config, self.name, before[0])
        else:
            delattr(self.config, self.name)


def get_dtype(dtype: Any = None, map_mixed16: Any = None) -> Any:
    """The dtype to use: the given one, or the one of the configuration.

    Args:
        dtype: a dtype, :data:`mixed16`, or None for ``config.dtype``.
        map_mixed16: what :data:`mixed16` becomes; float16 if None.

    >>> get_dtype(), get_dtype(mixed16), get_dtype(mixed16, map_mixed16=np.float32)
    (dtype('float32'), dtype('float16'), dtype('float32'))
    """
    if dtype is None:
        dtype = config.dtype
    if dtype is mixed16:
        dtype = mixed16.dtype if map_mixed16 is None else map_mixed16
    try:
        return np.dtype(dtype)
    except TypeError:
        raise TypeError(f"{dtype!r} is no dtype{at_user_line()}; for example np.float32, or chainer.mixed16") from None


def branched_on() -> tuple[Any, ...]:
    """The entries that functions and links branch on."""
    own, everybodys = config._thread.store.values, global_config._store.values
    return tuple([own[name] if name in own else everybodys[name] for name in BRANCHED_ON])


surroundings.append(Surrounding(tuple(f"config.{name}" for name in BRANCHED_ON), branched_on, lambda: not apart))
