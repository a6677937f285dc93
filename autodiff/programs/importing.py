"""Modules that are rewritten when they are imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from autodiff.programs.calls import NAMES
from autodiff.programs.compiling import compiled
from autodiff.programs.counterparts import is_a
from autodiff.trace.source import USERS, owner


class RewritingLoader(SourceFileLoader):
    """Loads a module from its source, rewritten; compiled files are neither read nor written."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return compiled(self.get_data(path), path)

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__.update(NAMES)
        super().exec_module(module)


class Finder(MetaPathFinder):
    """Finds modules as others do, and has some of them rewritten.

    Attributes:
        loader: the class of what loads them.
    """

    loader: type[SourceFileLoader] = RewritingLoader

    def wants(self, spec: ModuleSpec) -> bool:
        """Whether a module is rewritten."""
        raise NotImplementedError

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        others = (finder for finder in sys.meta_path if not isinstance(finder, Finder))
        found = (finder.find_spec(fullname, path, target) for finder in others if hasattr(finder, "find_spec"))
        spec = next((one for one in found if one is not None), None)
        if spec is not None and type(spec.loader) is SourceFileLoader and self.wants(spec):
            spec.loader = self.loader(fullname, spec.loader.path)
            return spec
        return None


class Switch(Finder):
    """A module or package by its name, and all modules below it: they are rewritten when they are imported.

    Attributes:
        name: of the module or package.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        sys.meta_path.insert(0, self)

    def wants(self, spec: ModuleSpec) -> bool:
        return self.covers(spec.name)

    def covers(self, name: str) -> bool:
        """Whether a module is the one that was named, or below it."""
        return name == self.name or name.startswith(self.name + ".")

    def loaded(self) -> list[ModuleType]:
        """The modules of it that are loaded by now."""
        return [module for name, module in list(sys.modules.items()) if self.covers(name) and is_a(module, ModuleType)]

    def off(self) -> None:
        """Leave modules that are imported from now on as they are."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def __enter__(self) -> Switch:
        return self

    def __exit__(self, *_: object) -> None:
        self.off()

    def __repr__(self) -> str:
        return f"<differentiable {self.name}>"


class Folder(Finder):
    """The modules that lie in a folder, and are the user's own."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.abspath(folder) + os.sep

    def wants(self, spec: ModuleSpec) -> bool:
        origin = os.path.abspath(spec.origin or "")
        return origin.startswith(self.folder) and owner(origin) == USERS
