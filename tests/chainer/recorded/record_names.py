"""Record the modules of Chainer 7.8.1, their public names, and the public attributes of every class among them.

Run once from the top of the repository, with that interpreter: ``python -m tests.chainer.recorded.record_names``.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import pkgutil
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

FILE = Path(__file__).parent / "data" / "names.json"
Record = dict[str, Any]


def record() -> Record:
    """The public names of all modules, and what the classes and functions among them are.

    ``modules`` has for each module its names, each with the place of its definition, an empty text for plain values;
    ``classes`` and ``functions`` say what is at those places.
    """
    root = importlib.import_module("chainer")
    names = ["chainer", *(found.name for found in pkgutil.walk_packages(root.__path__, "chainer.", onerror=print))]
    found: Record = {"modules": {}, "classes": {}, "functions": {}}
    for name in sorted(name for name in names if "._" not in name):
        module = imported(name)
        if module is not None:
            found["modules"][name] = names_of(module, found)
    return found


def imported(name: str) -> ModuleType | None:
    """The module; None if it needs what is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        print(f"{name} is left out: {error}")  # noqa: T201 - a command prints
        return None


def names_of(module: ModuleType, found: Record) -> dict[str, str]:
    """The public names of a module: what it defines itself, and classes and functions of Chainer's other modules."""
    defined = assigned_names(module)
    package = hasattr(module, "__path__")
    names = {}
    for name, value in sorted(vars(module).items()):
        if name.startswith("_") or type(value).__module__ == "__future__":
            continue
        if inspect.ismodule(value):
            if package and value.__name__.startswith("chainer."):
                names[name] = value.__name__
        elif inspect.isclass(value) or inspect.isroutine(value):
            if str(getattr(value, "__module__", "")).startswith("chainer") or name in defined:
                names[name] = described(value, found)
        elif name in defined or package:
            names[name] = ""
    return names


def place(value: Any) -> str:
    """Where a class or a function was defined."""
    return f"{getattr(value, '__module__', None)}.{getattr(value, '__qualname__', type(value).__name__)}"


def described(value: Any, found: Record) -> str:
    """Take note of what a class, with its bases, or a function is; returns its place."""
    if not inspect.isclass(value):
        found["functions"][place(value)] = signature(value)
        return place(value)
    bases = [base for base in value.__mro__ if base.__module__.startswith("chainer")]
    for base in bases:
        others = [place(each) for each in base.__mro__[1:] if each in bases]
        found["classes"][place(base)] = {"signature": signature(base), "bases": others, "attributes": attributes(base)}
    return place(value)


def attributes(found: type) -> dict[str, str]:
    """The public attributes that a class itself brings: of methods their signatures, of all others an empty text.

    What the methods of a class assign to ``self`` is found in their text.
    """
    names = dict.fromkeys(assigned_to_self(found), "")
    for name, member in vars(found).items():
        method = inspect.isroutine(member) or isinstance(member, (classmethod, staticmethod))
        names[name] = signature(getattr(found, name)) if method else ""
    return {name: text for name, text in sorted(names.items()) if not name.startswith("_")}


def assigned_names(module: ModuleType) -> set[str]:
    """The names that the text of a module assigns at its top level."""
    found = set()
    for statement in ast.parse(Path(module.__file__).read_text()).body:
        targets = getattr(statement, "targets", [])
        found.update(target.id for target in targets if isinstance(target, ast.Name))
    return found


def assigned_to_self(base: type) -> set[str]:
    """The attributes that the methods of a class, without its bases, set on their object."""
    if not base.__module__.startswith("chainer"):
        return set()
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(base)))
    except (OSError, TypeError):
        return set()
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and getattr(node.value, "id", "") == "self"
    }


def signature(value: Any) -> str:
    """The arguments as text, without addresses; an empty text where they are not known."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    shown = [
        parameter.replace(annotation=parameter.empty, default=shown_default(parameter.default))
        for parameter in found.parameters.values()
    ]
    return str(found.replace(parameters=shown, return_annotation=found.empty))


class Shown:
    """A default that prints as a text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def shown_default(value: Any) -> Any:
    """A default that prints as Python's text for it, or as the quoted name of what it is."""
    if value is inspect.Parameter.empty or value is None or isinstance(value, (bool, int, float, str, tuple)):
        return value
    return Shown(repr(getattr(value, "__name__", None) or "object"))


def text_of(found: Record) -> str:
    """JSON with a line for each name, so that a difference can be read."""
    parts = []
    for part, entries in found.items():
        shown = [f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in sorted(entries.items())]
        parts.append(f" {json.dumps(part)}: {{\n" + ",\n".join(shown) + "\n }")
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    whole = record()
    FILE.write_text(text_of(whole))
    print({part: len(entries) for part, entries in whole.items()})  # noqa: T201 - a command prints
