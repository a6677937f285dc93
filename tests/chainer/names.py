"""Chainer's modules, names, classes and attributes, as they were recorded, and what stands for them here."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import json
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from autodiff.chainer.functions.function_class import FunctionClass

FILE = Path(__file__).parent / "recorded" / "data" / "names.json"
RECORD: dict[str, dict[str, Any]] = json.loads(FILE.read_text())
MODULES, CLASSES, FUNCTIONS = RECORD["modules"], RECORD["classes"], RECORD["functions"]
OWN_GRADIENTS = ("chainer.function_node.FunctionNode", "chainer.function.Function")


@dataclass(frozen=True)
class Name:
    """A public name of Chainer.

    Args:
        module: the module that has it.
        name: what it is called there; an empty text for the module itself.
        place: where what it means is defined; an empty text if that is a plain value.
    """

    module: str
    name: str
    place: str

    @property
    def path(self) -> str:
        """The dotted name."""
        return f"{self.module}.{self.name}" if self.name else self.module

    @property
    def there(self) -> bool:
        """Whether something has that name here: a module where Chainer has one."""
        module = own_module(self.module)
        if module is None or not self.name:
            return module is not None
        found = getattr(module, self.name, None)
        return hasattr(module, self.name) and (self.place not in MODULES or inspect.ismodule(found))

    @property
    def object(self) -> Any:
        """What has that name here."""
        module = own_module(self.module)
        return getattr(module, self.name) if self.name else module


def names() -> list[Name]:
    """All names, each module among them; all modules here are imported, so that each is an attribute of its package."""
    found = []
    for module in MODULES:
        own_module(module)
    for module, content in MODULES.items():
        found.append(Name(module, "", module))
        found += [Name(module, name, place) for name, place in content.items()]
    return found


@cache
def own_module(name: str) -> ModuleType | None:
    """The module here; None if there is none."""
    if importlib.util.find_spec("autodiff." + name.rpartition(".")[0]) is None and "." in name:
        return None
    with warnings.catch_warnings(action="ignore"):
        try:
            return importlib.import_module(f"autodiff.{name}")
        except ModuleNotFoundError:
            return None


def attributes(place: str) -> dict[str, str]:
    """The public attributes of a class of Chainer, those of its bases among them: signatures of methods, or nothing."""
    found: dict[str, str] = {}
    for base in [place, *CLASSES[place]["bases"]]:
        for name, signature in CLASSES[base]["attributes"].items():
            found.setdefault(name, signature)
    return found


def has_own_gradient(place: str) -> bool:
    """Whether a name means a function with a gradient of its own, as all of Chainer's functions have."""
    return place in CLASSES and any(base in OWN_GRADIENTS for base in CLASSES[place]["bases"])


def missing_attributes(place: str, found: Any) -> Iterator[str]:
    """The public attributes of a class of Chainer that the class here does not have."""
    own = own_attributes(found)
    yield from (name for name in attributes(place) if name not in own and not hasattr(found, name))


def own_attributes(found: Any) -> set[str]:
    """The attributes that a class says its objects have, or that its methods set."""
    if not inspect.isclass(found):
        return set()
    names: set[str] = set()
    for base in found.__mro__:
        if base.__module__.startswith("autodiff"):
            names.update(inspect.get_annotations(base), set_by_methods(base))
    if issubclass(found, FunctionClass):
        names.update(inspect.signature(found).parameters, found.computed)
    return names


@cache
def set_by_methods(base: type) -> frozenset[str]:
    """The attributes that the methods of a class set on their object; none of a class that no text has made."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(base)))
    except OSError:
        return frozenset()
    return frozenset(
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and getattr(node.value, "id", "") == "self"
    )
