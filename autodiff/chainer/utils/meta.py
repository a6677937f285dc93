"""Methods that subclasses must not override."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any


def final(*args: Any, **kwargs: Any) -> Any:
    """A decorator of methods that subclasses must not override; their class is made with :func:`enable_final`.

    Args:
        args: the method, where the decorator is used without parentheses.
        kwargs: ``action``: the class of a warning to give, instead of an error.

    >>> class Base(enable_final()):
    ...     @final
    ...     def run(self): ...
    >>> class Other(Base):
    ...     def run(self): ...
    Traceback (most recent call last):
    TypeError: Other overrides the method 'run', which is final in Base
    """
    if args:
        return mark(args[0], kwargs.get("action"))
    return lambda method: mark(method, kwargs.get("action"))


def mark(method: Callable[..., Any], action: Any) -> Callable[..., Any]:
    """The method, marked as final."""
    method._final_action = (action,)  # type: ignore[attr-defined]
    return method


class FinalMeta(type):
    """The class of classes whose final methods are not overridden."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        for member in namespace:
            refuse_override(name, bases, member)
        return super().__new__(cls, name, bases, namespace)


def refuse_override(name: str, bases: tuple[type, ...], member: str) -> None:
    """Raise, or warn, if one of the bases says that the member is final."""
    for owner in (parent for base in bases for parent in base.__mro__):
        marked = getattr(vars(owner).get(member), "_final_action", None)
        if marked is None:
            continue
        text = f"{name} overrides the method {member!r}, which is final in {owner.__name__}"
        if marked[0] is None:
            raise TypeError(text)
        warnings.warn(text, marked[0], stacklevel=4)


def enable_final(base: tuple[type, ...] = (), meta_base: tuple[type, ...] = ()) -> Any:
    """A base class whose subclasses are checked for overridden :func:`final` methods.

    Args:
        base: its own bases.
        meta_base: further bases of its class.
    """
    others = tuple(other for other in meta_base if other is not type)
    return type("FinalMeta", (FinalMeta, *others), {})("base", base, {})
