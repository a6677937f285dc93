"""The kernels of a program as one module: one text that is compiled once, and loaded on every GPU that runs it."""

from __future__ import annotations

import re
import threading
from typing import Any

from autodiff.backends.cupy.kernels.kernel import DeviceKernel
from autodiff.backends.cupy.prelude import prelude
from autodiff.backends.cupy.runtime.compiling import device_code
from autodiff.backends.cupy.runtime.device import on_device
from autodiff.backends.gpu import require
from autodiff.trace.caching import cached_property

Functions = dict[str, Any]
"""What can be launched, by the names in the module."""

_loaded: dict[tuple[Any, int, str], Functions] = {}
"""By the class that loads them, the GPU, and the text."""
_lock = threading.RLock()


class KernelModule:
    """The kernels of a program.

    Kernels whose texts are the same are one: their functions get names that end in a number, the same for all functions
    of a text.

    Attributes:
        texts: the text of each kernel with the names in the module.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.numbers: dict[str, int] = {}

    def add(self, kernel: DeviceKernel, source: str = "") -> tuple[str, ...]:
        """Take a kernel in.

        Args:
            kernel: the kernel.
            source: ``file.py:12``, the user's line, to which tools for GPUs ascribe it.

        Returns:
            the names of the functions that are launched, in their order.
        """
        number = self.numbers.get(kernel.text)
        if number is None:
            number = self.numbers[kernel.text] = len(self.numbers) + 1
            self.texts.append(of_line(renamed(kernel.text, number), source))
        return tuple(f"{launch.function}_{number}" for launch in kernel.launches)

    @cached_property
    def source(self) -> str:
        """What is compiled; no kernel is added any more."""
        return "\n".join((prelude(), *self.texts))

    def functions(self, device: int) -> Functions:
        """The functions on a GPU."""
        if not self.texts:
            return {}
        key = require().cuda.function.Module, device, self.source
        found = _loaded.get(key)
        if found is None:
            with _lock:
                found = _loaded.get(key)
                if found is None:
                    found = _loaded[key] = self.load(device)
        return found

    def load(self, device: int) -> Functions:
        """The functions on a GPU that has not met this module."""
        code = device_code(self.source, device, "\n".join(self.texts))
        with on_device(device):
            module = require().cuda.function.Module()
            module.load(code)
            return {name: module.get_function(name) for text in self.texts for name in defined(text)}


FUNCTION = re.compile(r"__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\s*\(")
"""The head of a function that can be launched."""


def defined(text: str) -> list[str]:
    """The names of the functions of a text that can be launched."""
    return FUNCTION.findall(text)


def renamed(text: str, number: int) -> str:
    """A text whose functions have a number in their names."""
    names = "|".join(sorted(defined(text), key=len, reverse=True))
    return re.sub(rf"\b({names})\b(?=\s*\()", rf"\1_{number}", text)


def of_line(text: str, source: str) -> str:
    """A text of which the compiler takes every line for one line of the user's."""
    file, _, number = source.rpartition(":")
    if not file or not number.isdecimal():
        return text
    written = "".join(c if c.isprintable() else "?" for c in file.replace("\\", "/").replace('"', "'"))
    lines: list[str] = []
    for line in text.splitlines():
        pragma = line.lstrip().startswith("#pragma")
        if not (lines and lines[-1].lstrip().startswith("#pragma")):  # nothing comes between a pragma and its loop
            lines.append(f'#line {int(number) - pragma} "{written}"')
        lines.append(line)
    return "\n".join((*lines, '#line 1 "autodiff"', ""))


def forget_modules() -> None:
    """Forget what is loaded; programs that use it keep it."""
    with _lock:
        _loaded.clear()
