"""Branches, loops and transformed functions, whose bodies are made of the same statements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autodiff.testing.fuzz.program import Function
from autodiff.testing.fuzz.scope import Scope, Seen

Grow = Callable[[Scope, int], None]
"""Adds so many statements to a scope."""


def floating_array(scope: Scope, ranks: tuple[int, ...] = (0, 1, 2)) -> Seen | None:
    """An operand of a body: NumPy's own kinds only, since carries cannot be weak."""
    for _ in range(5):
        x = scope.choose("f")
        if x is not None and not x.plain and x.rank in ranks:
            return x
    return None


def body(scope: Scope, grow: Grow, parameters: dict[str, tuple[Any, Any]], like: Seen, extra: bool = False) -> Function:
    """A function of these parameters that returns a value of the form of ``like``, perhaps with another one."""
    inner = scope.inner(parameters)
    first = next(iter(parameters))
    grow(inner, scope.random.randint(1, 3))
    made = [line.makes[0] for line in inner.lines if line.makes]
    alike = [name for name in made if inner.seen[name].form == like.form and name not in inner.own]
    last = alike[-1] if alike else next((p for p in reversed(parameters) if inner.seen[p].form == like.form), first)
    name = inner.fresh()
    text = scope.random.choice(("0.5 * {0} + {1}", "np.tanh({0}) - 0.25 * {1}", "{0}"))
    others = [n for n in made if inner.seen[n].kind == "f"] or [first]
    meet = f"np.mean({others[-1]}).astype({last}.dtype)"
    if not inner.add(f"{name} = {text.format(last, meet)}", (name,)) or inner.seen[name].form != like.form:
        inner.lines = [line for line in inner.lines if name not in line.makes]
        name = last
    results = [name]
    if extra:
        results.append(scope.random.choice([*(n for n in made if n not in inner.own), name]))
    return Function(scope.fresh("g"), tuple(parameters), tuple(inner.lines), tuple(results))


def probes(scope: Scope, name: str) -> tuple[Any, Any]:
    """What a name stands for in both sizes."""
    return scope.spaces[0][name], scope.spaces[1][name]


def cond(scope: Scope, grow: Grow) -> bool:
    """One of two or three functions of a value."""
    x, test = floating_array(scope), scope.choose("fib")
    if x is None or test is None:
        return False
    count = scope.random.choice((2, 2, 3))
    bodies = [body(scope, grow, {scope.fresh("a"): probes(scope, x.name)}, x) for _ in range(count)]
    name, names = scope.fresh(), ", ".join(one.name for one in bodies)
    if count == 2:
        predicate = f"np.any({test.name})" if test.kind == "b" else f"np.sum({test.name}) > 0.3"
        return scope.add(
            f"{name} = autodiff.cond({predicate}, {names}, {x.name})", (name,), "exact", (), "", tuple(bodies)
        )
    text = f"{name} = autodiff.switch(np.count_nonzero({test.name}) % 3, [{names}], {x.name})"
    return scope.add(text, (name,), "exact", (), "", tuple(bodies))


def scan(scope: Scope, grow: Grow) -> bool:
    """A loop over the slices of an array."""
    xs, init = floating_array(scope, (1, 2, 3)), floating_array(scope)
    if xs is None or init is None or not xs.array or not all(shape[0] for shape in xs.shapes):
        return False
    carry, row = scope.fresh("a"), scope.fresh("a")
    slices = tuple(value[0] for value in probes(scope, xs.name))
    step = body(scope, grow, {carry: probes(scope, init.name), row: (slices[0], slices[1])}, init, extra=True)
    options = scope.random.choice(("", "", ", reverse=True", ", checkpoint=2", ", unroll=2"))
    last, rows = scope.fresh(), scope.fresh()
    text = f"{last}, {rows} = autodiff.scan({step.name}, {init.name}, {xs.name}{options})"
    return scope.add(text, (last, rows), "exact", (), "", (step,))


def fori_loop(scope: Scope, grow: Grow) -> bool:
    """A counted loop, by a number or by a value that is traced, whose body may see the counter."""
    init = floating_array(scope)
    if init is None:
        return False
    i, carry = scope.fresh("a"), scope.fresh("a")
    step = body(scope, grow, {carry: probes(scope, init.name), i: (1, 1)}, init)
    step = Function(step.name, (i, carry), step.lines, step.results)
    whole = scope.choose("i", rank=0)
    upper = f"{whole.name} % 4" if whole and scope.random.random() < 0.5 else str(scope.random.randint(0, 3))
    name = scope.fresh()
    text = f"{name} = autodiff.fori_loop(0, {upper}, {step.name}, {init.name})"
    return scope.add(text, (name,), "exact", (), "", (step,))


def while_loop(scope: Scope, grow: Grow) -> bool:
    """A loop until a value is small or steps have run out."""
    init = floating_array(scope)
    if init is None:
        return False
    carry = scope.fresh("a")
    step = body(scope, grow, {carry: probes(scope, init.name)}, init)
    limit = scope.random.choice((0.5, 2.0, 100.0))
    options = scope.random.choice(("", "", ", max_steps=9"))
    name, count = scope.fresh(), scope.fresh()
    text = (
        f"{count}, {name} = autodiff.while_loop(lambda s: (s[0] < 4) & (np.sum(np.abs(s[1])) < {limit}), "
        f"lambda s: (s[0] + 1, {step.name}(s[1])), (0, {init.name}){options})"
    )
    return scope.add(text, (count, name), "exact", (), "", (step,))


def called(scope: Scope, grow: Grow) -> bool:
    """A function of one's own, called as it is or transformed."""
    x = floating_array(scope, (0, 1, 2, 3))
    if x is None:
        return False
    text = scope.random.choice(CALLS)
    value = probes(scope, x.name)
    if "vmap" in text or "map(" in text:
        if not x.rank or not all(map(len, value)):
            return False
        value = (value[0][0], value[1][0])
    parameter = scope.fresh("a")
    like = Seen(x.name, (np.shape(value[0]), np.shape(value[1])), x.dtype, x.kind, isinstance(value[0], np.ndarray))
    function = body(scope, grow, {parameter: value}, like)
    name = scope.fresh()
    made = f"{name} = {text.format(g=function.name, x=x.name)}"
    return scope.add(made, (name,), "rounds" if "grad" in text else "exact", (), "", (function,))


CALLS = (
    "{g}({x})",
    "{g}({g}({x}))",
    "autodiff.jit({g})({x})",
    "autodiff.checkpoint({g})({x})",
    "autodiff.vmap({g})({x})",
    "autodiff.map({g}, {x})",
    "autodiff.grad(lambda a0: np.sum({g}(a0)))({x})",
    "autodiff.associative_scan(lambda a0, a1: a0 + 0.5 * {g}(a1) * a0, {x})",
    "autodiff.jvp({g}, ({x},), ({x},))[1]",
    "autodiff.linearize({g}, {x})[1]({x})",
    "autodiff.jit(autodiff.jit({g}))({x})",
    "autodiff.jit(lambda a0: {g}(a0) + autodiff.jit({g})(0.5 * a0))({x})",
    "autodiff.vmap(autodiff.jit({g}))({x})",
    "autodiff.jit(autodiff.vmap({g}))({x})",
    "autodiff.vmap({g}, out_axes=-1)({x})",
    "autodiff.jvp(autodiff.jit({g}), ({x},), ({x},))[1]",
    "autodiff.linearize(autodiff.jit({g}), {x})[1]({x})",
    "autodiff.grad(lambda a0: np.sum(autodiff.jit({g})(a0)))({x})",
    "autodiff.jacfwd(lambda a0: np.sum({g}(a0)))({x})",
    "autodiff.jacrev(lambda a0: np.sum(autodiff.jit({g})(a0)))({x})",
    "autodiff.hessian(lambda a0: np.sum({g}({x} * a0)))(np.ones(2, {x}.dtype)[0] * 1.0)",
)
CONTROL = (cond, scan, fori_loop, while_loop, called, called)
