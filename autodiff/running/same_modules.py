"""``import`` of another library gives modules of ours themselves, under both names."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class SameModule(Loader):
    """Loads a module by importing another one, and gives that very object.

    Args:
        name: the name of the other one.
        finder: who found it.
    """

    def __init__(self, name: str, finder: SameModules) -> None:
        self.name = name
        self.finder = finder
        self.spec: Any = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(self.name)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # the import system has just put the other name's there
        self.finder.share()


class SameModules(MetaPathFinder):
    """Finds a library's modules here, before anybody looks for an installed one.

    Args:
        stands_for: the names of packages, and of the modules that stand for them.
        moved: names here, as older versions of the library had modules, and the names of today.
    """

    def __init__(self, stands_for: Mapping[str, str], moved: Mapping[str, str] | None = None) -> None:
        self.stands_for = dict(stands_for)
        self.moved = dict(moved or {})

    def own_name(self, name: str) -> str | None:
        """The name of a module here that stands for one of the library's; None for all others.

        >>> SameModules({"chainer": "autodiff.chainer"}).own_name("chainer.functions.activation")
        'autodiff.chainer.functions.activation'
        """
        top, dot, rest = name.partition(".")
        if top in self.stands_for:
            name = self.stands_for[top] + dot + rest
            return self.moved.get(name, name)
        return self.moved.get(name)  # asked for by ``from package import module``: the package knows its name here

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        name = self.own_name(fullname)
        if name is None or not exists(name):
            return None
        return ModuleSpec(fullname, SameModule(name, self), is_package=hasattr(sys.modules.get(name), "__path__"))

    def share(self) -> None:
        """Enter all modules that are loaded under their other names too.

        Imported again, a module would take its name in its parent, where that may mean a function of the same name.
        """
        for name, module in list(sys.modules.items()):
            for top, own in self.stands_for.items():
                if name.startswith(f"{own}."):
                    sys.modules.setdefault(f"{top}{name.removeprefix(own)}", module)
        for old, new in self.moved.items():
            package, _, last = old.rpartition(".")
            if new in sys.modules and package in sys.modules:  # the package has it as an attribute, without an import
                vars(sys.modules[package]).setdefault(last, sys.modules[new])

    def install(self) -> None:
        """Be asked for modules first, in this process."""
        if not any(
            isinstance(finder, SameModules) and finder.stands_for == self.stands_for for finder in sys.meta_path
        ):
            sys.meta_path.insert(0, self)


def exists(name: str) -> bool:
    """Whether there is a module of this name."""
    return name in sys.modules or importlib.util.find_spec(name) is not None
