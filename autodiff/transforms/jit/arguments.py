"""The arguments of a call: which are static, and what the leaves of the others are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from autodiff.trace.errors import LeafError, described
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import Spec
from autodiff.trace.traced import Traced
from autodiff.trace.trees.tree import TreeDef
from autodiff.trace.values.foreign import remedy
from autodiff.trace.values.leaves import as_leaf, is_leaf
from autodiff.transforms.jit.constants import refuse_chunks
from autodiff.transforms.jit.options import Options
from autodiff.transforms.jit.signatures import Key, leaf_paths


class Named(Protocol):
    """A function as texts call it."""

    name: str


Split = tuple[dict[int | str, Any], tuple[Any, ...], dict[str, Any]]


def split(options: Options, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Split:
    """The static arguments by position or name, and the other ones.

    Raises:
        TypeError: if a static argument cannot be hashed.
    """
    if not (options.static or options.static_names):
        return {}, args, kwargs
    static: dict[int | str, Any] = {n: args[n] for n in options.static if n < len(args)}
    static |= {key: kwargs[key] for key in options.static_names if key in kwargs}
    for place, value in static.items():
        try:
            hash(value)
        except TypeError:
            refuse_static(name, place, value)
    return (
        static,
        tuple([arg for n, arg in enumerate(args) if n not in static]),
        {key: value for key, value in kwargs.items() if key not in static},
    )


def refuse_static(name: str, place: int | str, value: Any) -> None:
    """Refuse a static argument that cannot be hashed.

    Raises:
        TypeError: always.
    """
    start = f"jit: the static argument {place!r} of {name} is "
    if isinstance(value, Traced):
        raise TypeError(
            f"{start}a traced {described(value)}{at_user_line()}, whose value is not known; make it a static argument "
            "of the function around too, or let it be traced"
        ) from None
    raise TypeError(
        f"{start}{described(value)}, which cannot be hashed{at_user_line()}; pass a tuple in place of a list, or let "
        "it be traced"
    ) from None


def bound(fun: Callable[..., Any], static: dict[int | str, Any]) -> Callable[..., Any]:
    """The function of the arguments that are not static."""
    if not static:
        return lambda args, kwargs: fun(*args, **kwargs)
    by_name = {place: value for place, value in static.items() if isinstance(place, str)}
    by_position = {place: value for place, value in static.items() if isinstance(place, int)}

    def call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given = iter(args)
        count = len(args) + len(by_position)
        positional = [by_position[n] if n in by_position else next(given) for n in range(count)]
        return fun(*positional, **kwargs, **by_name)

    return call


def known_leaves(function: Named, static: tuple[Any, ...], structure: TreeDef, leaves: Sequence[Any]) -> list[Any]:
    """The leaves as they take part: arrays of Python objects as arrays of their numbers.

    Raises:
        TypeError: if one is no array or number.
    """
    try:
        found = list(map(as_leaf, leaves))
    except LeafError:
        paths = leaf_paths(Key(static, structure, ()))
        path, leaf = next((path, leaf) for path, leaf in zip(paths, leaves, strict=True) if not is_leaf(leaf))
        raise TypeError(refusal(function, path, leaf)) from None
    refuse_chunks(function.name, found)
    return found


def refusal(function: Named, path: str, leaf: Any) -> str:
    """The text that refuses a leaf which is no array or number."""
    if path == "args[0]" and is_method_of(function, leaf):
        return method_text(function.name, leaf)
    then = remedy(leaf)
    return (
        f"jit: {function.name} was called with {described(leaf)} at {path}{at_user_line()}, which is no array or number"
        f"{'; ' + then if then else ''}. Make the argument static (static_argnums, static_argnames) if it only says "
        "what to compute; make a list of numbers an array; take apart what else holds arrays, or register its class "
        "with autodiff.register_tree."
    )


def is_method_of(function: Named, value: Any) -> bool:
    """Whether a function is a method of an object, or of a class."""
    kind = value if isinstance(value, type) else type(value)
    own = [found for base in kind.__mro__ for found in vars(base).values()]
    return any(found is function or getattr(found, "__func__", None) is function for found in own)


def method_text(name: str, instance: Any) -> str:
    """What to do where ``self`` is no tree."""
    kind = type(instance).__name__
    return (
        f"jit: {name} is a method, and self is {kind}{at_user_line()}, which is no tree of arrays. Make self static "
        "with @partial(jit, static_argnums=0): its attributes are taken as they are when the method is recorded. Or "
        f"make {kind} a tree, whose arrays are arguments like others: a dataclass, or autodiff.register_tree."
    )


def refuse_specs(name: str, leaves: Sequence[Any]) -> None:
    """Refuse to run on specs.

    Raises:
        TypeError: if there is one.
    """
    for leaf in leaves:
        if type(leaf) is Spec:
            raise TypeError(
                f"jit: {name} was called with a Spec, {leaf!r}{at_user_line()}, which has no values. Pass an array, or "
                "ask for what depends on shapes alone: .tape(...), .source(...), autodiff.eval_shape"
            )
