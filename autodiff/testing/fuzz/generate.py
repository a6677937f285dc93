"""Programs from seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from random import Random
from typing import Any

import numpy as np

from autodiff.testing.fuzz.drawing import draw_argument
from autodiff.testing.fuzz.grammar.control import CONTROL
from autodiff.testing.fuzz.grammar.elementwise import BOOLEAN, COMPLEX, FLOATING, SELECTING, WHOLE
from autodiff.testing.fuzz.grammar.moving import INDEXING, MOVING
from autodiff.testing.fuzz.grammar.reducing import CUMULATIVE, PRODUCTS, REDUCING
from autodiff.testing.fuzz.grammar.rows import ROWS
from autodiff.testing.fuzz.grammar.template import Template
from autodiff.testing.fuzz.grammar.writing import write
from autodiff.testing.fuzz.program import Function, Input, Program
from autodiff.testing.fuzz.scope import PROBES, Scope, described, empty_spaces

Group = Sequence[Template] | Sequence[Callable[..., bool]]

# fmt: off
GROUPS: tuple[tuple[Group, float], ...] = (
    (FLOATING,   30),
    (REDUCING,   12),
    (SELECTING,   8),
    (INDEXING,    8),
    (BOOLEAN,     6),
    (PRODUCTS,    8),
    (MOVING,      6),
    (WHOLE,       5),
    (ROWS,        5),
    (CUMULATIVE,  4),
    (COMPLEX,     5),
    ((write,),    7),
    (CONTROL,     6),
)
DIMS: tuple[tuple[tuple[str | int, ...], int], ...] = (
    (("n",),          8),
    (("n", "m"),      8),
    (("m",),          6),
    ((),              4),
    (("m", "k"),      3),
    (("k", "n"),      2),
    (("n", 1),        2),
    ((1, "m"),        2),
    (("k", "n", "m"), 2),
    (("n", "n"),      1),
    ((2, "n", "m"),   1),
)
# fmt: on
CUMULATED = {
    id(group): list(accumulate(one.weight for one in group if isinstance(one, Template))) for group, _ in GROUPS
}
FORMS = ("array", "array", "numpy scalar", "python scalar")


def generate(seed: int) -> Program:
    """The program of a seed: always the same one."""
    random = Random(seed)
    scope = Scope(random, empty_spaces(), {}, [100])
    main = random.choice(("float32", "float64"))
    number = random.choice((1, 2, 2, 3, 3, 4))
    inputs = [_input(random, f"x{k}", main, first=k == 0) for k in range(number)]
    constants = [_input(random, f"c{k}", main) for k in range(random.choice((0, 0, 0, 1, 2)))]
    constants = [one for one in constants if one.form == "array"]
    values = np.random.default_rng(seed)
    for one in (*inputs, *constants):
        probes = [draw_argument(one, sizes, values, "plain").laid_out() for sizes in PROBES]
        for space, value in zip(scope.spaces, probes, strict=True):
            space[one.name] = value
        known = described(one.name, probes[0], probes[1], plain=one in constants)
        if known is not None:
            scope.seen[one.name] = known
    grow(scope, random.choice((2, 3, 4, 5, 6, 8, 11)))
    results = _results(scope)
    function = Function("f", tuple(one.name for one in inputs), tuple(scope.lines), results)
    return Program(seed, tuple(inputs), tuple(constants), function)


def _input(random: Random, name: str, main: str, first: bool = False) -> Input:
    kinds = [main] * 12 + ["int64", "int32", "bool", "uint8", "float64", "float32", "complex128", "complex64"]
    dtype = main if first else random.choice(kinds)
    if first:
        dims: tuple[str | int, ...] = random.choice((("n",), ("n", "m"), ("n", "m"), ("m",), ("k", "n")))
    else:
        dims = random.choices([dims for dims, _ in DIMS], [weight for _, weight in DIMS])[0]
    form = random.choice(FORMS) if not dims else "array"
    return Input(name, dims, dtype, form)


def grow(scope: Scope, count: int) -> None:
    """Add so many statements; fewer where nothing fits."""
    wanted, groups, weights = len(scope.lines) + count, [g for g, _ in GROUPS], [w for _, w in GROUPS]
    for _ in range(12 * count):
        if len(scope.lines) >= wanted:
            return
        group = scope.random.choices(groups, weights)[0]
        production: Any
        if isinstance(group[0], Template):
            production = scope.random.choices(group, cum_weights=CUMULATED[id(group)])[0]
        else:
            production = scope.random.choice(group)
        if group is CONTROL:
            if scope.depth < 2:
                production(scope, grow)
        elif isinstance(production, Template):
            production.add(scope)
        else:
            production(scope)


def _results(scope: Scope) -> tuple[str, ...]:
    """One to three of the names: the last of them, those that nothing reads first."""
    made = [name for line in scope.lines for name in line.makes] or list(scope.seen)
    read = {name for line in scope.lines for name in line.names() - set(line.makes)}
    unread = [name for name in made if name not in read]
    smooth = [name for name in reversed(made) if scope.seen[name].kind in "fc"][:1]
    count = scope.random.choice((1, 1, 2, 3))
    return tuple(dict.fromkeys([*smooth, *reversed(unread), *reversed(made)]))[:count]
