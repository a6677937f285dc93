"""``import chainer`` gives the modules of autodiff.chainer themselves, under both names."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

HERE = "autodiff.chainer"
STANDS_FOR = {
    "chainer": HERE,
    "chainerx": f"{HERE}.running.chainerx",
    "chainermn": "autodiff.chainermn",
}


def own_name(name: str) -> str | None:
    """The name of a module here that stands for one of Chainer's; None for all others.

    >>> own_name("chainer.functions.activation")
    'autodiff.chainer.functions.activation'
    """
    top, dot, rest = name.partition(".")
    return None if top not in STANDS_FOR else STANDS_FOR[top] + dot + rest


class SameModule(Loader):
    """Loads a module by importing another one, and gives that very object.

    Args:
        name: the name of the other one.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.spec: Any = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self.name)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # the import system has just put the other name's there
        share()


def share() -> None:
    """Enter all modules of Chainer that are loaded under their other names too.

    Imported again, a module would take its name in its parent, where that means a function of the same name by now.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{HERE}."):
            sys.modules.setdefault(f"chainer{name.removeprefix(HERE)}", module)


class Finder(MetaPathFinder):
    """Finds Chainer's modules here, before anybody looks for an installed Chainer."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        name = own_name(fullname)
        if name is None or not exists(name):
            return None
        return ModuleSpec(fullname, SameModule(name), is_package=hasattr(sys.modules.get(name), "__path__"))


def exists(name: str) -> bool:
    """Whether there is a module of this name."""
    return name in sys.modules or importlib.util.find_spec(name) is not None


def install() -> None:
    """Let ``import chainer``, ``chainerx`` and ``chainermn`` find the modules here, in this process."""
    if not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder())
