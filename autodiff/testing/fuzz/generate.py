"""Programs from seeds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from random import Random
from types import MappingProxyType
from typing import Any

import numpy as np

from autodiff.testing.fuzz.drawing import draw_argument
from autodiff.testing.fuzz.grammar.control import CONTROL
from autodiff.testing.fuzz.grammar.drawing import WORDS, draw, walk
from autodiff.testing.fuzz.grammar.elementwise import BOOLEAN, COMPLEX, FLOATING, SELECTING, WHOLE
from autodiff.testing.fuzz.grammar.loops import LOOPING
from autodiff.testing.fuzz.grammar.matrices import MATRICES
from autodiff.testing.fuzz.grammar.moving import INDEXING, MOVING
from autodiff.testing.fuzz.grammar.reducing import CUMULATIVE, PRODUCTS, REDUCING
from autodiff.testing.fuzz.grammar.rows import ROWS
from autodiff.testing.fuzz.grammar.template import Template
from autodiff.testing.fuzz.grammar.typed import ASKED, STARTED, TRUTHS, WRAPPING
from autodiff.testing.fuzz.grammar.writing import write
from autodiff.testing.fuzz.operations import Operation
from autodiff.testing.fuzz.program import Function, Input, Program, every_line
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
    (MATRICES,    4),
    (ASKED,       3),
    (STARTED,     3),
    (TRUTHS,      3),
    (WRAPPING,    3),
    (WORDS,       2),
    ((draw, walk), 2),
    ((write,),    7),
    (CONTROL,     6),
    (LOOPING,     3),
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
OWN = 40
"""How often an operation of a user is called, against the weights of the others."""

REST = 0.5
TRIES = 20

REAL = ("float32", "float64")
MAIN = (*REAL * 4, "complex64", "complex128")
"""The dtype of most inputs of a program; a real one where it calls operations of users, few of which take others."""

MAIN_SHARE = 0.6
OTHERS = (
    *("int64", "int32", "bool", "uint8", "float64", "float32", "complex128", "complex64") * 4,
    *("int8", "int16", "uint16", "uint32", "float16"),
    *("uint64",) * 3,
)
"""How many of the other inputs have the main dtype, and the dtypes of the rest."""

FORMS = ("array", "array", "numpy scalar", "python scalar")


def generate(seed: int, operations: Mapping[str, Operation] = MappingProxyType({})) -> Program:
    """The program of a seed: always the same one.

    Args:
        seed: decides everything.
        operations: functions of users by their names. A program calls one of them wherever one takes what there is.
    """
    random = Random(seed)
    scope = Scope(random, empty_spaces(), {}, [100])
    for space in scope.spaces:
        space.update({name: one.fun for name, one in operations.items()})
    scope.own_calls += [one.template(name) for name, one in operations.items()]
    main = random.choice(REAL if operations else MAIN)
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
    if operations:
        _call_one(scope, operations)
    results = _results(scope)
    function = Function("f", tuple(one.name for one in inputs), tuple(scope.lines), results)
    named = tuple((name, one.fun) for name, one in operations.items())
    return Program(seed, tuple(inputs), tuple(constants), function, named)


def _call_one(scope: Scope, operations: Mapping[str, Operation]) -> None:
    """A call of an operation on something new, unless there are some already and others came after them."""
    if scope.random.random() < REST and calls(Function("f", (), tuple(scope.lines), ()), operations):
        return
    for _ in range(TRIES):
        if scope.random.choice(scope.own_calls).add(scope):
            return


def calls(function: Function, names: Iterable[str]) -> set[str]:
    """Those of the names that a function calls."""
    texts = [line.text for line in every_line(function)]
    return {name for name in names if any(re.search(rf"\b{name}\b", text) for text in texts)}


def _input(random: Random, name: str, main: str, first: bool = False) -> Input:
    dtype = main if first or random.random() < MAIN_SHARE else random.choice(OTHERS)
    if first:
        dims: tuple[str | int, ...] = random.choice((("n",), ("n", "m"), ("n", "m"), ("m",), ("k", "n")))
    else:
        dims = random.choices([dims for dims, _ in DIMS], [weight for _, weight in DIMS])[0]
    form = random.choice(FORMS) if not dims else "array"
    return Input(name, dims, dtype, form)


def grow(scope: Scope, count: int) -> None:
    """Add so many statements; fewer where nothing fits."""
    weighted = GROUPS
    if scope.own_calls:  # loops that carry trees say nothing more of a user's operation, and do not shrink
        weighted = (*(pair for pair in GROUPS if pair[0] is not LOOPING), (scope.own_calls, OWN))
    wanted, groups, weights = len(scope.lines) + count, [g for g, _ in weighted], [w for _, w in weighted]
    for _ in range(12 * count):
        if len(scope.lines) >= wanted:
            return
        group = scope.random.choices(groups, weights)[0]
        production: Any
        if isinstance(group[0], Template):
            production = scope.random.choices(group, cum_weights=CUMULATED.get(id(group)))[0]
        else:
            production = scope.random.choice(group)
        if group is CONTROL or group is LOOPING:
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
