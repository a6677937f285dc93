"""Functions with rules of the user's own, as ``autograd.extend`` has them: ``primitive``, ``defvjp``, ``defjvp``."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from autodiff.compat.autograd.substitution import subval
from autodiff.compat.autograd.vspace import vspace
from autodiff.compat.autograd.wrap_util import get_name
from autodiff.ops.elementwise import cast
from autodiff.trace.errors import RuleError, described
from autodiff.trace.source import at_user_line
from autodiff.trace.spec import spec_of
from autodiff.trace.traced import Traced
from autodiff.trace.trees.tree import TreeDef, flatten
from autodiff.transforms.custom.call import call_with_rule
from autodiff.transforms.custom.results import result_leaves
from autodiff.transforms.custom.rule import BackwardRule, BatchedBackward, CustomRule, ForwardRule, Leaves
from autodiff.transforms.custom.vjp import custom_vjp

Function = Callable[..., Any]


class primitive:
    """A function that runs on plain values, and is differentiated by the rules that ``defvjp`` and ``defjvp`` give it.

    >>> import math
    >>> import numpy as np
    >>> from autodiff.compat.autograd import grad
    >>> @primitive
    ... def error_function(x):
    ...     return math.erf(x)
    >>> defvjp(error_function, lambda ans, x: lambda g: g * 2 / np.sqrt(np.pi) * np.exp(-(x**2)))
    >>> round(grad(grad(error_function))(1.0), 6)
    -0.830215
    """

    def __init__(self, f_raw: Function) -> None:
        functools.update_wrapper(self, f_raw)
        self.fun = f_raw
        self.vjp: Function | None = None
        self.jvp: Function | None = None
        self.applies_itself = False  # in its rule of forward mode, which then has no transpose
        self.makers: dict[int, Function | None] = {}  # given one at a time by the methods below

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves, structure = flatten((args, kwargs))
        traced = [k for k, leaf in enumerate(leaves) if isinstance(leaf, Traced)]
        if not traced:
            return self.fun(*args, **kwargs)
        layout = CallLayout(self, structure, leaves, traced)
        forward_only = self.vjp is None and self.jvp is not None and not self.applies_itself
        rule = PushedRule(layout) if forward_only else ReverseRule(layout)
        outs = call_with_rule(custom_vjp.call, layout.plain, rule, [leaves[k] for k in traced])
        assert layout.results is not None
        return layout.results.unflatten(outs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self) -> str:
        return f"<primitive {get_name(self.fun)}>"

    def defgrad(self, gradfun: Function, argnum: int = 0) -> None:
        """A reverse rule as autograd 1.0 took it: ``gradfun(ans, *args)(g)`` is the cotangent of one argument."""
        self.given("defgrad", {argnum: gradfun})

    def defvjp(self, vjpmaker: Function, argnum: int = 0) -> None:
        """A reverse rule as autograd 1.1 took it: ``vjpmaker(g, ans, vs, gvs, *args)``.

        Here vs and gvs are the spaces of the argument and of g.
        """

        def maker(ans: Any, *args: Any, **kwargs: Any) -> Function:
            return lambda g: vjpmaker(g, ans, vspace(args[argnum]), vspace(g), *args, **kwargs)

        self.given("defvjp", {argnum: maker})

    def defvjp_is_zero(self, argnums: Sequence[int] = (0,)) -> None:
        """Arguments by which the derivative is zero, as autograd 1.1 took them."""
        self.given("defvjp_is_zero", dict.fromkeys(argnums))

    def given(self, method: str, makers: dict[int, Function | None]) -> None:
        """Take reverse rules beside those that were given before."""
        warnings.warn(
            f"{get_name(self.fun)}.{method}{at_user_line()} is the form of old versions of autograd; "
            "autograd.extend.defvjp takes the rules of all arguments at once",
            DeprecationWarning,
            stacklevel=3,
        )
        self.makers.update(makers)
        argnums = sorted(self.makers)
        defvjp(self, *(self.makers[argnum] for argnum in argnums), argnums=argnums)


class CallLayout:
    """One call: where the traced values stand among its arguments.

    Attributes:
        results: the structure of the result, once it is known.
    """

    def __init__(self, owner: primitive, structure: TreeDef, leaves: Sequence[Any], traced: Sequence[int]) -> None:
        self.owner = owner
        self.structure = structure
        self.leaves = [None if k in traced else leaf for k, leaf in enumerate(leaves)]
        self.traced = list(traced)
        self.results: TreeDef | None = None
        counts = [child.count for child in structure.children[0].children]
        self.places = [(argnum, k) for argnum, count in enumerate(counts) for k in range(count)]

    def arguments(self, values: Leaves) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with other values in the places of the traced ones."""
        full = list(self.leaves)
        for k, value in zip(self.traced, values, strict=True):
            full[k] = value
        return self.structure.unflatten(full)  # type: ignore[no-any-return]

    def call(self, values: Leaves) -> tuple[Any, tuple[Any, ...]]:
        """The result, and its leaves."""
        args, kwargs = self.arguments(values)
        fun = self.owner if any(isinstance(value, Traced) for value in values) else self.owner.fun
        ans = fun(*args, **kwargs)
        outs, self.results = result_leaves(get_name(self.owner.fun), ans)
        return ans, outs

    def plain(self, *values: Any) -> tuple[Any, ...]:
        """The function itself, on leaves."""
        args, kwargs = self.arguments(values)
        outs, self.results = result_leaves(get_name(self.owner.fun), self.owner.fun(*args, **kwargs))
        return outs

    def place(self, position: int) -> tuple[int, int]:
        """The argument in which a traced value stands, and which of its leaves it is.

        Raises:
            NotImplementedError: if it is an argument that was given by its name.
        """
        k = self.traced[position]
        if k >= len(self.places):
            raise NotImplementedError(
                f"{get_name(self.owner.fun)} was given a traced value by name{at_user_line()}, for which no rule "
                "can be given; pass it by position"
            )
        return self.places[k]


class ReverseRule(BackwardRule):
    """The rules of a function on leaves; where there is one for reverse mode alone, the other mode is its transpose."""

    def __init__(self, layout: CallLayout) -> None:
        self.layout = layout

    @property
    def name(self) -> str:
        return get_name(self.layout.owner.fun)

    @property
    def count(self) -> int:
        return len(self.layout.traced)

    def run(self, values: Leaves, positions: Sequence[int]) -> tuple[tuple[Any, ...], Any]:
        if self.layout.owner.vjp is None and positions:
            raise NotImplementedError(f"the VJP of {self.name} is not defined{at_user_line()}; give it one by defvjp")
        ans, outs = self.layout.call(values)
        return outs, (tuple(values), ans)

    def pull(self, kept: Any, g: Leaves, positions: Sequence[int]) -> tuple[Any, ...]:
        values, ans = kept
        args, kwargs = self.layout.arguments(values)
        places = [self.layout.place(p) for p in positions]
        argnums = sorted({argnum for argnum, _ in places})
        assert self.layout.results is not None
        found = self.layout.owner.vjp(argnums, ans, args, kwargs)(self.layout.results.unflatten(g))  # type: ignore[misc]
        cts: dict[int, Any] = {
            argnum: None if ct is None else flatten(ct)[0] for argnum, ct in zip(argnums, found, strict=True)
        }
        return tuple(
            None if cts[argnum] is None else fitted(self.name, argnum, cts[argnum][k], values[p])
            for (argnum, k), p in zip(places, positions, strict=True)
        )

    def push(self, values: Leaves, tangents: Leaves) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        if self.layout.owner.jvp is None:
            return super().push(values, tangents)
        return pushed(self.layout, values, tangents)

    def batched(self, flags: tuple[bool, ...]) -> CustomRule:
        return BatchedBackward(self, flags)


class PushedRule(ForwardRule):
    """The rules of a function of which only those of forward mode are given: reverse mode is their transpose."""

    def __init__(self, layout: CallLayout) -> None:
        self.layout = layout

    @property
    def name(self) -> str:
        return get_name(self.layout.owner.fun)

    @property
    def count(self) -> int:
        return len(self.layout.traced)

    def push(self, values: Leaves, tangents: Leaves) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        return pushed(self.layout, values, tangents)


def pushed(layout: CallLayout, values: Leaves, tangents: Leaves) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The result's leaves and their tangents, by the rules of forward mode."""
    ans, outs = layout.call(values)
    args, kwargs = layout.arguments(values)
    along: dict[int, list[Any]] = {}
    for p, tangent in enumerate(tangents):
        if tangent is not None:
            argnum, k = layout.place(p)
            along.setdefault(argnum, flatten(vspace(args[argnum]).zeros())[0])[k] = tangent
    argnums = sorted(along)
    gs = [flatten(args[argnum])[1].unflatten(along[argnum]) for argnum in argnums]
    found = flatten(layout.owner.jvp(argnums, gs, ans, args, kwargs))[0]  # type: ignore[misc]
    return outs, tuple(found)


def fitted(name: str, argnum: int, ct: Any, value: Any) -> Any:
    """A cotangent that a rule returned, in the dtype of its argument."""
    own, got = spec_of(value), spec_of(ct)
    if got.shape != own.shape:
        raise RuleError(
            f"the VJP of {name} returned {described(ct)} for its argument {argnum}, which is {described(value)}; the "
            "shapes must be equal: unbroadcast_f sums what was broadcast"
        )
    return (
        ct
        if got.dtype == own.dtype or (got.dtype.kind == "c") != (own.dtype.kind == "c")
        else cast(ct, dtype=own.dtype)
    )


RULED = {"numpy", "scipy", "autodiff"}
"""Packages whose functions have rules already."""


def checked(fun: Any, what: str) -> primitive:
    """A function that rules can be given to.

    Those of a plain Python function, which is differentiated through its operations, are never used, as in autograd.

    Raises:
        TypeError: if it is neither made by :class:`primitive` nor a plain Python function.
    """
    if isinstance(fun, primitive):
        return fun
    if isinstance(fun, FunctionType) and fun.__module__.partition(".")[0] not in RULED:
        warnings.warn(
            f"the rules that {what} gives to {get_name(fun)}{at_user_line()} are not used, since it is no primitive; "
            "decorate it with @primitive",
            UserWarning,
            stacklevel=4,
        )
        return primitive(fun)
    raise TypeError(
        f"{what} gives rules to functions made by @primitive, got {get_name(fun)}{at_user_line()}; NumPy's functions "
        "have theirs here"
    )


def defvjp_argnums(fun: Any, vjpmaker: Function) -> None:
    """Give a function its reverse rule: ``vjpmaker(argnums, ans, args, kwargs)(g)`` is a tuple of cotangents."""
    checked(fun, "defvjp_argnums").vjp = vjpmaker


def defvjp_argnum(fun: Any, vjpmaker: Function) -> None:
    """The same, argument by argument: ``vjpmaker(argnum, ans, args, kwargs)(g)`` is a cotangent."""

    def vjp_argnums(argnums: Sequence[int], *call: Any) -> Function:
        vjps = [vjpmaker(argnum, *call) for argnum in argnums]
        return lambda g: tuple(vjp(g) for vjp in vjps)

    checked(fun, "defvjp_argnum").vjp = vjp_argnums


def defvjp(fun: Any, *vjpmakers: Function | None, **kwargs: Any) -> None:
    """Give a function a rule for each argument.

    Args:
        fun: a function made by :class:`primitive`.
        *vjpmakers: ``maker(ans, *args, **kwargs)`` returns a function from the result's cotangent to the argument's;
            None for an argument by which the derivative is zero.
        **kwargs: ``argnums=``, the positions of the arguments; 0, 1, ... unless they are given.
    """
    argnums = kwargs.get("argnums", range(len(vjpmakers)))
    makers = dict(zip(argnums, vjpmakers, strict=False))

    def vjp_argnum(argnum: int, ans: Any, args: Any, kwargs: Any) -> Function:
        if argnum not in makers:
            raise NotImplementedError(
                f"the VJP of {get_name(fun)} by argument {argnum} is not defined; add it to defvjp"
            )
        maker = makers[argnum]
        return (lambda g: None) if maker is None else maker(ans, *args, **kwargs)

    defvjp_argnum(fun, vjp_argnum)


def defjvp_argnums(fun: Any, jvpmaker: Function) -> None:
    """Give a function its forward rule: ``jvpmaker(argnums, gs, ans, args, kwargs)`` is the result's tangent."""
    checked(fun, "defjvp_argnums").jvp = jvpmaker


def defjvp_argnum(fun: Any, jvpmaker: Function) -> None:
    """The same, argument by argument: ``jvpmaker(argnum, g, ans, args, kwargs)``; the parts are added."""

    def jvp_argnums(argnums: Sequence[int], gs: Sequence[Any], *call: Any) -> Any:
        space = vspace(call[0])
        total = space.zeros()
        for argnum, g in zip(argnums, gs, strict=True):
            total = space.add(total, jvpmaker(argnum, g, *call))
        return total

    checked(fun, "defjvp_argnum").jvp = jvp_argnums


def defjvp(fun: Any, *jvpfuns: Any, **kwargs: Any) -> None:
    """Give a function a rule of forward mode for each argument.

    Args:
        fun: a function made by :class:`primitive`.
        *jvpfuns: ``rule(g, ans, *args, **kwargs)`` returns the part of the tangent that comes from one argument; None
            where that is zero, ``"same"`` where the function is linear in it.
        **kwargs: ``argnums=``, the positions of the arguments; 0, 1, ... unless they are given.
    """
    rules = dict(zip(kwargs.get("argnums", range(len(jvpfuns))), jvpfuns, strict=False))
    checked(fun, "defjvp").applies_itself = "same" in rules.values()

    def jvp_argnum(argnum: int, g: Any, ans: Any, args: Any, kwargs: Any) -> Any:
        if argnum not in rules:
            raise NotImplementedError(
                f"the JVP of {get_name(fun)} by argument {argnum} is not defined; add it to defjvp"
            )
        rule = rules[argnum]
        if rule is None:
            return vspace(ans).zeros()
        return fun(*subval(args, argnum, g), **kwargs) if rule == "same" else rule(g, ans, *args, **kwargs)

    defjvp_argnum(fun, jvp_argnum)


def def_linear(fun: Any) -> None:
    """Say that a function is linear in each of its arguments."""
    checked(fun, "def_linear").applies_itself = True
    defjvp_argnum(fun, lambda argnum, g, ans, args, kwargs: fun(*subval(args, argnum, g), **kwargs))
