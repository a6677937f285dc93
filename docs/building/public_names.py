"""The public names of the package, found by looking: a new module or name is there without being entered anywhere."""

from __future__ import annotations

import ast
import doctest
import inspect
import pkgutil
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, get_origin

import autodiff

ROOT = Path(__file__).parents[2]
INTERNAL = {
    "backends",
    "demo",
    "einops",
    "facade",
    "info",
    "ops",
    "programs",
    "running",
    "saving",
    "trace",
    "transforms",
}
"""Layers; what is public of them is a name of `autodiff` itself. And what is imported for what it does alone."""
OF_OTHERS = {"chainer", "chainermn", "compat", "numpy"}
"""Modules whose names and meanings are another library's. A page of coverage lists them all."""
PYTHON = re.compile(r"^[ ]*```python\n(.*?)^[ ]*```$", re.MULTILINE | re.DOTALL)


class PublicName(NamedTuple):
    """A name as users write it.

    Attributes:
        module: where it is public, such as ``autodiff.random``.
        name: the name itself.
        value: what it stands for.
    """

    module: str
    name: str
    value: Any

    @property
    def kind(self) -> str:
        """What Sphinx calls it: function, class, exception or data, as the name of a type with arguments is."""
        if inspect.isclass(self.value):
            return "exception" if issubclass(self.value, BaseException) else "class"
        return "function" if callable(self.value) and get_origin(self.value) is None else "data"

    @property
    def docstring(self) -> str:
        """Its own documentation; of data what its class says is none of its own."""
        if isinstance(self.value, ModuleType):
            return inspect.getdoc(self.value) or ""
        return "" if self.kind == "data" else inspect.getdoc(self.value) or ""


@cache
def public_modules() -> list[str]:
    """All modules whose names are ours and public, `autodiff` first."""
    return [autodiff.__name__, *sorted(below(autodiff))]


def below(package: ModuleType) -> Iterator[str]:
    """The public modules inside of a package: those that declare names of ours."""
    for found in pkgutil.iter_modules(package.__path__):
        if found.name.startswith("_") or found.name in INTERNAL | OF_OTHERS:
            continue
        module = import_module(f"{package.__name__}.{found.name}")
        if names_of(module):
            yield module.__name__
            yield from public_parts(module)
        elif found.ispkg:
            yield from below(module)


def public_parts(module: ModuleType) -> Iterator[str]:
    """The modules among the public names of a module that declare names themselves."""
    parts = [getattr(module, name) for name in names_of(module)]
    yield from [part.__name__ for part in parts if isinstance(part, ModuleType) and hasattr(part, "__all__")]


def names_of(module: ModuleType) -> list[str]:
    """The public names of a module: what `__all__` says, and what `autodiff` re-exports beside it."""
    declared = [name for name in getattr(module, "__all__", ()) if not is_foreign(getattr(module, name))]
    beside = [name for name, value in vars(module).items() if not name.startswith("_") and is_own(module, value)]
    return sorted({*declared, *beside}, key=lambda name: (name.lower(), name))


def is_foreign(value: Any) -> bool:
    """Whether a value is another library's, as SciPy's own functions are in `autodiff.scipy`."""
    where = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or ""
    return (callable(value) or isinstance(value, ModuleType)) and not where.startswith("autodiff")


def is_own(module: ModuleType, value: Any) -> bool:
    """Whether it is a value of the package that `autodiff` re-exports."""
    where = getattr(value, "__module__", None) or ""
    return module is autodiff and not isinstance(value, ModuleType) and where.startswith("autodiff")


@cache
def public_names() -> list[PublicName]:
    """All public names, module by module."""
    return [
        PublicName(module, name, getattr(import_module(module), name))
        for module in public_modules()
        for name in names_of(import_module(module))
    ]


@cache
def chainer_names() -> list[PublicName]:
    """The public names of `autodiff.chainer`, each where it is first met from above."""
    ours = {id(name.value) for name in public_names()}
    found: dict[int, PublicName] = {}
    for module in map(import_module, chainer_modules()):
        for name in names_of(module):
            value = getattr(module, name)
            if callable(value) and id(value) not in ours:
                found.setdefault(id(value), PublicName(module.__name__, name, value))
    return list(found.values())


def chainer_modules() -> list[str]:
    """The packages of `autodiff.chainer` that declare public names, those above before those inside."""
    package = import_module("autodiff.chainer")
    inside = [found.name for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.") if found.ispkg]
    shown = [name for name in inside if not any(part.startswith("_") for part in name.split("."))]
    return sorted([package.__name__, *shown], key=lambda name: (name.count("."), name))


@cache
def files_of_tests() -> dict[str, list[tuple[int, str]]]:
    """For each word the files of the tests in which it stands: pairs of how often, and the path."""
    return files_by_word((path, path.read_text(encoding="utf-8")) for path in sorted((ROOT / "tests").rglob("*.py")))


@cache
def pages_that_use() -> dict[str, list[str]]:
    """For each name, written in full, the pages in whose Python, which the tests run, it is used."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "docs").rglob("*.md")):
        if "_generated" not in path.parts and "_build" not in path.parts:
            for name in names_used(code_of(path.read_text(encoding="utf-8"))):
                found.setdefault(name, []).append(path.relative_to(ROOT).as_posix())
    return found


def code_of(page: str) -> str:
    """The Python of a page, sessions without what they print."""
    blocks = [textwrap.dedent(block) for block in PYTHON.findall(page)]
    return "\n".join(code_of_session(block) if ">>>" in block else block for block in blocks)


def code_of_session(text: str) -> str:
    """What is typed after the prompts of a session."""
    return "".join(example.source for example in doctest.DocTestParser().get_examples(text))


def names_used(code: str) -> set[str]:
    """What a program uses of the modules that it imports, written in full: ``autodiff.scipy.linalg.inv``.

    A word alone is not enough: ``np.linalg.inv`` is another function.
    """
    nodes, meant, used = list(ast.walk(ast.parse(code))), {}, set()
    for node in nodes:
        if isinstance(node, ast.Import):
            for name in node.names:
                first = name.name.partition(".")[0]
                meant[name.asname or first] = name.name if name.asname else first
        elif isinstance(node, ast.ImportFrom):
            for name in node.names:
                meant[name.asname or name.name] = f"{node.module}.{name.name}"

    def in_full(node: ast.AST) -> str:
        if isinstance(node, ast.Attribute):
            owner = in_full(node.value)
            return owner and f"{owner}.{node.attr}"
        return meant.get(node.id, "") if isinstance(node, ast.Name) else ""

    used.update(in_full(node) for node in nodes)
    return used - {""}


def files_by_word(texts: Iterable[tuple[Path, str]]) -> dict[str, list[tuple[int, str]]]:
    """For each word how often it stands in which file."""
    found: dict[str, list[tuple[int, str]]] = {}
    for path, text in texts:
        for word, count in Counter(re.findall(r"\w+", text)).items():
            found.setdefault(word, []).append((count, path.relative_to(ROOT).as_posix()))
    return found


def page_with(name: PublicName) -> str:
    """A page whose code uses a name; "" where none does."""
    return min(pages_that_use().get(f"{name.module}.{name.name}", [""]))


def test_of(name: PublicName) -> str:
    """The file of the tests that has most to do with a name, or the page whose code they run; "" where there is none.

    The file is called as the name, or lies in the folder of the name's module, or has the name more often than others.
    """
    parts = [*name.module.split(".")[1:], name.name]

    def close(found: tuple[int, str]) -> tuple[bool, int, int]:
        count, path = found
        words = re.split(r"[/_.]", path)
        return name.name in Path(path).stem, sum(part in words for part in parts), count

    files = files_of_tests().get(name.name, [])
    return max(files, key=close)[1] if files else page_with(name)
