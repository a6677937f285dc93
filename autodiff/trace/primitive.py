"""What an operation is: how it is evaluated, what it returns, and how it is differentiated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from sys import modules
from typing import Any, Literal

import numpy as np

from autodiff.trace.facts import NO_FACTS, Facts
from autodiff.trace.link import Link, Rule
from autodiff.trace.parameters import NO_PARAMS, Params
from autodiff.trace.recording import bodies, innermost_body
from autodiff.trace.spec import Kind, Spec, broadcast_shapes, dtype_or_python, spec_of, weakened
from autodiff.trace.spec import spec as make_spec
from autodiff.trace.traced import Traced
from autodiff.trace.values.arrays import any_on_gpu
from autodiff.trace.values.chunked import any_chunked, evaluate

Family = Literal["elementwise", "linear", "multilinear", "general"]

PRIMITIVES: dict[str, Primitive] = {}
"""Every primitive by its name."""

ORDERED: set[str] = set()
"""The names of those that are done in their turn: while there are none nobody needs to look for them."""


class Primitive:
    """One operation of the tape.

    A primitive is called like the function it stands for. With plain values it is evaluated; with traced values
    it is recorded by the newest recording among them.

    Args:
        name: its name on a tape.
        family: the mathematical kind, which decides what is derived from the rules:
            *elementwise* (the Jacobian is diagonal, so that one rule serves both modes, and operands broadcast),
            *linear* (jointly in all operands that have a rule; the forward mode is the operation itself),
            *multilinear* (linear in each operand that has a rule; the forward mode is the product rule),
            *general* (``forward`` gives the forward mode, or it is derived as the transpose of the rules).
        operands: their names; ``("*xs",)`` for any number.
        evaluate: the function on plain values; parameters come as keywords.
        spec: the same on specs.
        rules: for each operand the derivative rule, or None where the result does not depend smoothly on it. See
            :mod:`autodiff.trace.link` for what a rule can ask for.
        forward: ``forward(tangents, values, out, params)``, linear in the tangents, which may be None: of a *general*
            primitive, or where it takes fewer steps than what the family gives.
        batch: ``batch(values, batched, params)`` on values whose batch axis comes first; None where leading axes
            are left alone anyway, because the operation counts its axes from the end.
        view: whether the result may share memory with the first operand.
        moves: whether the operation and its transpose only move elements (then what is masked stays masked).
        adds: whether each element of the result is a sum of elements of the operands that have a rule (then what is
            masked stays masked, where not all that is added up is masked out). ``"selected"``: also what a selection
            has left out; elsewhere that becomes zeros, because most selections are relus, which need no mask there.
        relative: how it takes derivatives that are relative to a value (:mod:`autodiff.ops.relative`).
        on_gpu: the function on arrays of CuPy, where ``evaluate`` asks for what CuPy does not have.
        on_chunks: ``on_chunks(primitive, *operands, **params)`` where operands are arrays of Dask; where it is None
            elementwise operations are done block by block, and others are refused.
        ordered: whether it is done for what it does, as a message to another process is: always, once, and in its turn
            among all that are ordered (:func:`autodiff.trace.tape.ordered`).
        params: the domain of each parameter, by its name (:mod:`autodiff.trace.parameters`); None for what a compiler
            makes, whose parameters are its own: tapes with it are not saved and not loaded.
        check: ``check(*specs, **params)`` raises ValueError where operands and parameters, each of which is possible by
            itself, do not go together.
        facts: what compilers, reports and drawings ask about it (:mod:`autodiff.trace.facts`).

    Attributes:
        operator: Python's operator that is recorded as this primitive; None for most.
    """

    __slots__ = (
        "adds", "batch", "check", "evaluate", "facts", "family", "forward", "links", "moves", "name", "on_chunks",
        "on_gpu", "operands", "operator", "ordered", "params", "relative", "rules", "spec", "variadic", "view",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        family: Family,
        operands: tuple[str, ...],
        evaluate: Callable[..., Any],
        spec: Callable[..., Any],
        rules: Mapping[str, Rule | None],
        *,
        forward: Callable[..., Any] | None = None,
        batch: Callable[..., Any] | None = None,
        view: bool = False,
        moves: bool = False,
        adds: bool | Literal["selected"] = False,
        relative: Any = None,
        on_gpu: Callable[..., Any] | None = None,
        on_chunks: Callable[..., Any] | None = None,
        ordered: bool = False,
        params: Params | None = NO_PARAMS,
        check: Callable[..., None] | None = None,
        facts: Facts = NO_FACTS,
        register: bool = True,
    ) -> None:
        reserved = {"out", "index"}.intersection(operands)
        if reserved:
            raise ValueError(f"{name}: rules know {reserved.pop()!r} by another meaning; give the operand another name")
        self.name = name
        self.family = family
        self.variadic = operands[-1].startswith("*")
        self.operands = tuple(operand.removeprefix("*") for operand in operands)
        self.evaluate = evaluate
        self.spec = spec
        self.rules = tuple(rules.get(operand) for operand in self.operands)
        self.forward = forward
        self.batch = batch
        self.view = view
        self.moves = moves
        self.adds = adds
        self.relative = relative
        self.on_gpu = on_gpu
        self.on_chunks = on_chunks
        self.ordered = ordered
        if ordered:
            ORDERED.add(name)
        self.operator: Callable[..., Any] | None = None
        self.params = params
        self.check = check
        self.facts = facts
        self.links: dict[tuple[int, ...], Link] = {}
        if register:
            if name in PRIMITIVES:
                raise ValueError(f"a primitive named {name!r} exists already; choose another name")
            PRIMITIVES[name] = self

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return find_primitive, (self.name,)

    @property
    def notes_numbers(self) -> bool:
        """Whether a plain number beside the one differentiated operand is kept, though no rule needs it."""
        return getattr(self.relative, "notes_numbers", False)

    def rule(self, position: int) -> Rule | None:
        """The derivative rule of the operand at a position."""
        return self.rules[0] if self.variadic else self.rules[position]

    def positions_of(self, name: str) -> tuple[int, ...]:
        """Positions of the operand of that name: none where it is not an operand, all of them for ``*xs``."""
        if name not in self.operands:
            return ()
        return (-1,) if self.variadic else (self.operands.index(name),)

    def link(self, positions: tuple[int, ...]) -> Link:
        """The primitive with the operands at these positions differentiated."""
        found = self.links.get(positions)
        if found is None:
            found = self.links[positions] = Link(self, positions)
        return found

    def __call__(self, *operands: Any, **params: Any) -> Any:
        newest = newest_traced(operands)
        if newest is None:
            if self.on_gpu is not None and any_on_gpu(operands):
                return self.on_gpu(*operands, **params)
            if "dask.array" in modules and any_chunked(operands):
                return evaluate(self, operands, params)
            return self.evaluate(*operands, **params)
        if bodies:
            body = innermost_body()
            if body is not None and body.level > newest.level:
                return body.record(self, operands, params)
        return newest.record(self, operands, params)


def newest_traced(operands: tuple[Any, ...]) -> Traced | None:
    """The traced operand that was made last, by its level: it decides who records the operation."""
    newest = None
    for operand in operands:
        if isinstance(operand, Traced) and (newest is None or operand.level > newest.level):
            newest = operand
    return newest


def level_of(values: Iterable[Any]) -> int:
    """The level of the newest recording of some values; -1 where all are plain."""
    newest = newest_traced(tuple(values))
    return -1 if newest is None else newest.level


def find_primitive(name: str) -> Primitive:
    """The primitive of a name, as saved tapes refer to it."""
    try:
        return PRIMITIVES[name]
    except KeyError:
        raise KeyError(f"no primitive is named {name!r}; import the module that defines it first") from None


def elementwise(
    name: str,
    evaluate: Callable[..., Any],
    *,
    dtype: Callable[..., Any] | None = None,
    kind: Callable[..., Kind] | None = None,
    view: bool = False,
    forward: Callable[..., Any] | None = None,
    relative: Any = None,
    on_gpu: Callable[..., Any] | None = None,
    params: Params = NO_PARAMS,
    check: Callable[..., None] | None = None,
    facts: Facts = NO_FACTS,
    register: bool = True,
    **rules: Rule | None,
) -> Primitive:
    """An operation on each element by itself, with NumPy's broadcasting.

    Args:
        name: its name on a tape.
        evaluate: a NumPy ufunc, or any function that broadcasts like one.
        dtype: for functions that are no ufunc: the dtype of the result from the operands' specs and parameters.
        kind: what a result without axes is, from the operands' specs: by default a scalar, as ufuncs return.
        view: whether the result may share memory with the first operand.
        forward: the tangent of the result, where that takes fewer steps than the rules one by one.
        relative: how it takes derivatives that are relative to a value (:mod:`autodiff.ops.relative`).
        on_gpu: the function on arrays of CuPy, where ``evaluate`` asks for what CuPy does not have.
        params: the domains of its parameters.
        check: refuses operands that do not go together, besides those that do not broadcast.
        facts: what compilers, reports and drawings ask about it.
        register: whether it is known by its name, so that tapes from files may have it.
        rules: ``dx=``, ``dy=``, ...: the derivative with respect to operand ``x``, ``y``, ... times the first
            argument; None where it is zero almost everywhere.
    """
    operands = tuple(key.removeprefix("d") for key in rules)
    if dtype is None:
        if not isinstance(evaluate, np.ufunc):
            raise TypeError(f"{name}: a function that is no ufunc needs dtype=, the dtype of its result")
        dtype = ufunc_dtype(evaluate)

    def spec(*specs: Spec, **params: Any) -> Spec:
        shape = broadcast_shapes(*(s.shape for s in specs))
        return make_spec(shape, dtype(*specs, **params), "array" if shape else kind(*specs) if kind else "scalar")

    own = {key.removeprefix("d"): rule for key, rule in rules.items()}
    options: dict[str, Any] = {"forward": forward, "view": view, "relative": relative, "on_gpu": on_gpu}
    options |= {"params": params, "check": check, "facts": facts, "register": register}
    return Primitive(name, "elementwise", operands, evaluate, spec, own, **options)


def ufunc_dtype(ufunc: np.ufunc) -> Callable[..., np.dtype[Any]]:
    """A function from specs to the dtype of a ufunc's result; Python numbers are weak."""

    def dtype(*specs: Spec) -> np.dtype[Any]:
        if all(s.kind == "python" for s in specs):
            return ufunc.resolve_dtypes((*(s.dtype for s in specs), *[None] * ufunc.nout))[-1]
        return ufunc.resolve_dtypes((*(dtype_or_python(s) for s in weakened(specs)), *[None] * ufunc.nout))[-1]

    return dtype


def linear(
    name: str,
    operands: tuple[str, ...],
    evaluate: Callable[..., Any],
    spec: Callable[..., Any],
    transpose: Mapping[str, Rule],
    **options: Any,
) -> Primitive:
    """An operation that is jointly linear in the operands that ``transpose`` names."""
    return Primitive(name, "linear", operands, evaluate, spec, transpose, **options)


def multilinear(
    name: str,
    operands: tuple[str, ...],
    evaluate: Callable[..., Any],
    spec: Callable[..., Any],
    transpose: Mapping[str, Rule],
    **options: Any,
) -> Primitive:
    """An operation that is linear in each operand that ``transpose`` names, the others held fixed."""
    return Primitive(name, "multilinear", operands, evaluate, spec, transpose, **options)


def general(
    name: str,
    operands: tuple[str, ...],
    evaluate: Callable[..., Any],
    spec: Callable[..., Any],
    vjp: Mapping[str, Rule],
    **options: Any,
) -> Primitive:
    """Any other smooth operation, by its vector-Jacobian products."""
    return Primitive(name, "general", operands, evaluate, spec, vjp, **options)


__all__ = ["PRIMITIVES", "Primitive", "elementwise", "find_primitive", "general", "linear", "multilinear", "spec_of"]
