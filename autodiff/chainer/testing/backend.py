"""Tests on several devices."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

from autodiff.chainer.backend import Device, get_device, using_device
from autodiff.chainer.testing import attr
from autodiff.chainer.testing._bundle import make_decorator, tests_of
from autodiff.facade.settings.configuration import using_config

DEFAULTS = {
    "use_chainerx": False,
    "chainerx_device": None,
    "use_cuda": False,
    "cuda_device": None,
    "use_cudnn": "never",
    "cudnn_deterministic": False,
    "autotune": False,
    "cudnn_fast_batch_normalization": False,
    "use_ideep": "never",
}
CONFIGURED = ("use_cudnn", "cudnn_deterministic", "autotune", "cudnn_fast_batch_normalization", "use_ideep")


class BackendConfig:
    """A device, and the entries of the configuration that concern it; they hold in a ``with`` block.

    Args:
        params: values of ``use_cuda``, ``cuda_device``, ``use_cudnn``, ``use_ideep``, ``use_chainerx``,
            ``chainerx_device``, ``cudnn_deterministic``, ``autotune``, ``cudnn_fast_batch_normalization``.

    Raises:
        TypeError: if it is no dict.
        ValueError: if there is another name.

    >>> BackendConfig({}).device
    <CpuDevice (numpy)>
    """

    def __init__(self, params: Mapping[str, Any]) -> None:
        if not isinstance(params, Mapping):
            raise TypeError(f"params must be a dict, got {type(params).__name__}")
        unknown = sorted(set(params) - set(DEFAULTS))
        if unknown:
            raise ValueError(f"a BackendConfig has no {unknown[0]}; it has {', '.join(DEFAULTS)}")
        self.__dict__.update(DEFAULTS, **params)
        if self.use_cuda and self.cuda_device is None:
            self.cuda_device = 0
        self._entered: list[ExitStack] = []

    use_chainerx: bool
    chainerx_device: str | None
    use_cuda: bool
    cuda_device: int | None
    use_cudnn: str
    use_ideep: str

    @property
    def device(self) -> Device:
        """The device.

        Raises:
            RuntimeError: if it is not available.
        """
        if self.use_chainerx:
            return get_device(self.chainerx_device)
        if self.use_cuda:
            return get_device(f"@cupy:{self.cuda_device}")
        return get_device("@numpy" if self.use_ideep == "never" else "@intel64")

    @property
    def xp(self) -> Any:
        """The module of the device's arrays."""
        return self.device.xp

    def get_array(self, np_array: Any) -> Any:
        """An array on the device; None stays None."""
        return None if np_array is None else self.device.send(np_array)

    def get_func_str(self) -> str:
        """All values as part of the name of a class."""
        return "__".join(f"{name}_{lowered(getattr(self, name))}" for name in DEFAULTS)

    def get_pytest_marks(self) -> list[Callable[..., Any]]:
        """The decorators of tests on this device."""
        marks: list[Callable[..., Any]] = [attr.chainerx] if self.use_chainerx else []
        if self.use_cuda:
            marks.append(attr.gpu)
            marks += [attr.cudnn] if self.use_cudnn != "never" else []
            marks += [attr.multi_gpu(self.cuda_device + 1)] if self.cuda_device else []
        return [*marks, attr.ideep] if self.use_ideep != "never" else marks

    def __enter__(self) -> BackendConfig:
        stack = ExitStack()
        for name in CONFIGURED:
            stack.enter_context(using_config(name, getattr(self, name)))
        stack.enter_context(using_device(self.device))
        self._entered.append(stack)
        return self

    def __exit__(self, typ: Any, value: Any, traceback: Any) -> None:
        self._entered.pop().close()

    def __repr__(self) -> str:
        return f"<BackendConfig {' '.join(f'{name}={getattr(self, name)!r}' for name in DEFAULTS)}>"


def lowered(value: Any) -> str:
    """A value as part of a name."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def inject_backend_tests(method_names: list[str] | None, params: list[Any]) -> Callable[[Any], Any]:
    """A decorator of test classes: one class for each device, whose tests get it as their first argument.

    Tests that are not named get nothing and run once, in a class of their own.

    Args:
        method_names: the tests; all if None.
        params: for each device a dict of which a :class:`BackendConfig` is made.

    Raises:
        TypeError: if these are no lists.
    """
    if not (method_names is None or isinstance(method_names, list)):
        raise TypeError(f"method_names must be either None or a list, got {type(method_names).__name__}")
    if not (isinstance(params, list) and all(isinstance(param, dict) for param in params)):
        raise TypeError(f"params must be a list of dicts, got {params!r}")
    configs = [BackendConfig(param) for param in params]

    def variants(base: type) -> Iterator[tuple[str, dict[str, Any]]]:
        tests = tests_of(base)
        chosen = set(tests) if method_names is None else set(method_names)
        if not chosen.issuperset(tests):
            yield f"{base.__name__}_without_backend", dict.fromkeys(chosen)
        for config in configs:
            members = {name: on_backend(test, config) if name in chosen else None for name, test in tests.items()}
            yield f"{base.__name__}_{config.get_func_str()}", {**members, "backend_config": config}

    return make_decorator(variants)


def on_backend(test: Callable[..., Any], config: BackendConfig) -> Callable[..., Any]:
    """The test for one device, with its marks."""

    @functools.wraps(test)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        return test(self, config, *args, **kwargs)

    del run.__wrapped__  # pytest would take the first argument for a fixture
    marked: Callable[..., Any] = run
    for mark in config.get_pytest_marks():
        marked = mark(marked)
    return marked
