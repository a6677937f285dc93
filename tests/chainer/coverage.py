"""Which of Chainer's public names are there, and whose signatures differ.

``python -m tests.chainer.coverage`` writes ``docs/chainer-coverage.md`` from ``inventory.txt``.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "chainer-coverage.md"
INVENTORY = Path(__file__).parent / "inventory.txt"
UNKNOWN = ("", "(...)", "(*args, **kwargs)")
KINDS = ("implemented", "differs", "refused", "missing")


@dataclass
class Name:
    """One public name of Chainer.

    Args:
        module: where it is.
        name: how it is called.
        signature: its arguments as text.
        used: in how many programs it was found.
        members: for each method its signature; an empty text for properties.
    """

    module: str
    name: str
    signature: str
    used: int
    members: dict[str, str] = field(default_factory=dict)

    @property
    def object(self) -> Any:
        """What has that name here; None if nothing has."""
        return getattr(importlib.import_module(f"autodiff.{self.module}"), self.name, None)


def inventory() -> list[Name]:
    """All names."""
    names: list[Name] = []
    module = ""
    for line in INVENTORY.read_text().splitlines():
        if line.startswith("["):
            module = line[1:-1]
        elif member := re.match(r"    \.(\w+)(\(.*\))?", line):
            names[-1].members[member[1]] = member[2] or ""
        elif found := re.match(r"(?:class|def|value) (\w+)(\(.*\))?(?:  # (\d+))?$", line):
            names.append(Name(module, found[1], found[2] or "", int(found[3] or 0)))
    return names


def status(name: Name) -> str:
    """implemented, differs (in its signature or members), refused (raises NotImplementedError), or missing."""
    found = name.object
    if found is None:
        return "missing"
    if refuses(found):
        return "refused"
    return "differs" if differences(name) else "implemented"


def refuses(found: Any) -> bool:
    """Whether all that a function does, or a class when it is made, is to raise NotImplementedError."""
    function = found.__dict__.get("__init__") if inspect.isclass(found) else found
    if not inspect.isfunction(function):
        return False
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    body = [
        line
        for line in getattr(tree, "body", [])
        if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))
    ]
    error = body[0].exc if body and isinstance(body[0], ast.Raise) else None
    return isinstance(error, ast.Call) and getattr(error.func, "id", "") == "NotImplementedError"


def differences(name: Name) -> list[str]:
    """What differs from Chainer: arguments of the name and of its members, and members that are missing."""
    found, texts = name.object, []
    own = own_signature(found)
    if own is not None and name.signature not in UNKNOWN and not agree(parameters(name.signature), own):
        texts.append(f"`{name.name}{name.signature}` is `{shown(own)}`")
    for member, signature in name.members.items():
        method = getattr(found, member, None)
        if method is None and member not in attributes_of(found):
            texts.append(f"`{name.name}.{member}` is missing")
        elif signature and not callable(method):
            texts.append(f"`{name.name}.{member}` is no method")
        elif signature and member != "__exit__":  # which nobody calls
            own, expected = own_signature(method), parameters(signature)
            bound = not inspect.isfunction(method) or expected[:1] not in ([("self", None)], [("x", None)])
            start = 0 if bound else 1  # the name of the first argument of a method does not matter
            if own is not None and signature not in UNKNOWN and not agree(expected[start:], own[start:]):
                texts.append(f"`{name.name}.{member}{signature}` is `{shown(own)}`")
    return texts


def attributes_of(found: Any) -> set[str]:
    """The attributes that the methods of a class set."""
    if not inspect.isclass(found):
        return set()
    sources = [inspect.getsource(base) for base in found.__mro__ if base.__module__.startswith("autodiff")]
    return {attribute for source in sources for attribute in re.findall(r"self\.(\w+)\b[^=\n(]*=[^=]", source)}


def own_signature(found: Any) -> list[tuple[str, Any]] | None:
    """Pairs of a parameter, with its stars, and of its default; None if that is not known."""
    if not callable(found):
        return None
    try:
        parameters = inspect.signature(found).parameters.values()
    except ValueError:
        return None
    listed: list[tuple[str, Any]] = []
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not any(name.startswith("*") for name, _ in listed):
            listed.append(("*", parameter.empty))
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        listed.append((stars + parameter.name, parameter.default))
    return listed


def agree(expected: list[tuple[str, str | None]], own: list[tuple[str, Any]]) -> bool:
    """Whether parameters have the same names, order and defaults as in Chainer.

    Keywords that Chainer collects in ``**kwargs`` may have names of their own here.
    """
    if any(name.startswith("**") for name, _ in expected):
        known = {name for name, _ in expected}
        star = next((place for place, (name, _) in enumerate(own) if name.startswith("*")), len(own))
        rest = [pair for pair in own[star:] if pair[0] in known or (pair[0].startswith("*") and pair[0] != "*")]
        own = own[:star] + rest
    wanted, given = ([pair for pair in pairs if not pair[0].startswith("**")] for pairs in (expected, own))
    if [starless(name) for name, _ in wanted] != [starless(name) for name, _ in given]:
        return False
    return all(same_default(text, value) for (_, text), (_, value) in zip(wanted, given, strict=True))


def starless(name: str) -> str:
    """The name of a parameter; the star alone of what collects the rest."""
    return "*" if name.startswith("*") else name


def parameters(signature: str) -> list[tuple[str, str | None]]:
    """Pairs of a parameter, with its stars, and of its default as text."""
    arguments = ast.parse(f"def f{signature}: pass").body[0].args  # type: ignore[attr-defined]
    plain = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
    listed = [(a.arg, d and ast.unparse(d)) for a, d in zip(plain, defaults, strict=True)]
    if arguments.vararg or arguments.kwonlyargs:
        listed.append((f"*{arguments.vararg.arg if arguments.vararg else ''}", None))
    listed += [(a.arg, d and ast.unparse(d)) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    return listed + ([(f"**{arguments.kwarg.arg}", None)] if arguments.kwarg else [])


def same_default(text: str | None, value: Any) -> bool:
    """Whether a default is the one that is written in the inventory."""
    if text is None or value is inspect.Parameter.empty:
        return text is None and value is inspect.Parameter.empty
    if text in ("'object'", "'stdout'"):
        return True  # functions, and files that are looked up when they are needed
    if isinstance(value, type):
        return text.strip("'").split(".")[-1] == value.__name__
    try:
        return bool(ast.literal_eval(text) == value)
    except ValueError:
        return text == repr(value)


def shown(own: list[tuple[str, Any]]) -> str:
    """A signature as text."""
    texts = [name if default is inspect.Parameter.empty else f"{name}={default_text(default)}" for name, default in own]
    return f"({', '.join(texts)})"


def default_text(value: Any) -> str:
    """A default as text, without addresses."""
    return getattr(value, "__name__", None) or ("object" if " at 0x" in repr(value) else repr(value))


def page() -> str:
    """The page of the documentation."""
    names = inventory()
    found = [(name, status(name)) for name in names]
    modules = list(dict.fromkeys(name.module for name in names))
    lines = [
        "# What there is of Chainer 7.8.1",
        "",
        "Written by `python -m tests.chainer.coverage` from the list of all public names of Chainer,",
        "`tests/chainer/inventory.txt`. Behaviour that differs is in [chainer-differences.md](chainer-differences.md).",
        "",
        "| module | names | implemented | signature differs | raises NotImplementedError | missing |",
        "|---|---|---|---|---|---|",
        *(f"| {row[0]} | {' | '.join(map(str, row[1:]))} |" for row in [counts("all", found)]),
    ]
    for module in modules:
        row = counts(f"`{module}`", [(name, kind) for name, kind in found if name.module == module])
        lines.append(f"| {row[0]} | {' | '.join(map(str, row[1:]))} |")
    lines += ["", "## Raise NotImplementedError", "", *listed(found, "refused"), "", "## Missing", ""]
    lines += [*listed(found, "missing"), "", "## Signatures that differ", ""]
    lines += [f"- {name.module}: {text}" for name, kind in found if kind == "differs" for text in differences(name)]
    for module in modules:
        own = [f"`{name.name}`" for name, kind in found if name.module == module and kind in ("implemented", "differs")]
        lines += ["", f"## {module}", "", " ".join(own) or "Nothing."]
    return "\n".join(lines) + "\n"


def counts(title: str, found: list[tuple[Name, str]]) -> tuple[Any, ...]:
    """A row of the table."""
    kinds = [kind for _, kind in found]
    return (title, len(found), *(kinds.count(kind) for kind in KINDS))


def listed(found: list[tuple[Name, str]], wanted: str) -> list[str]:
    """The names of one kind."""
    return [f"- `{name.module}.{name.name}`" for name, kind in found if kind == wanted] or ["None."]


if __name__ == "__main__":
    PAGE.write_text(page())
