"""Signatures: Chainer's as text, autodiff's as Python knows them, and whether they agree."""

from __future__ import annotations

import ast
import inspect
from typing import Any

UNKNOWN = ("", "()", "(...)", "(*args, **kwargs)")


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
    """Whether a default is the one that is recorded."""
    if text is None or value is inspect.Parameter.empty:
        return text is None and value is inspect.Parameter.empty
    if text in ("'object'", "'stdout'"):
        return True  # functions, and files that are looked up when they are needed
    if callable(value):
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
