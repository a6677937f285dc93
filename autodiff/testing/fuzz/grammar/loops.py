"""Loops and branches that carry trees: of mixed dtypes, views of one another, without steps, with an early end."""

from __future__ import annotations

from dataclasses import replace

from autodiff.testing.fuzz.grammar.control import Grow, body, floating_array, probes
from autodiff.testing.fuzz.program import Function, Line
from autodiff.testing.fuzz.scope import Scope

STEPS = ("0", "1", "2", "3", "np.int32(2)", "len({x}) % 3")
"""How many steps a loop takes; of what has no axes it takes none."""

# fmt: off
LOOPS = (
    "autodiff.fori_loop(0, {k}, lambda i, s: (s[1], {g}(s[0])), ({x}, {x} * 0.5))[0]",
    "autodiff.fori_loop(0, {k}, lambda i, s: (s[1], s[0]), ({x}, {g}({x})))[1]",
    "autodiff.fori_loop(1, {k}, lambda i, s: {{'u': {g}(s['u']), 'n': s['n'] + i, 'm': s['m'] | (i > 1)}}, "
    "{{'u': {x}, 'n': np.int64(3), 'm': np.bool_(False)}})['{part}']",
    "autodiff.fori_loop({k}, 3, lambda i, s: [{g}(s[0]), (s[1][0] * 2, ~s[1][1])], "
    "[{x}, (np.uint8(100), {x} > 0)])[1][{bit}]",
    "autodiff.scan(lambda s, r: (({g}(s[0]), s[1] + r, s[2] ^ True), (s[1], s[2])), "
    "({x}, np.int64(0), np.bool_(True)), np.arange(4)[:{k}])[{bit}][0]",
    "autodiff.scan(lambda s, r: ((s[1], {g}(s[0])), np.sum(s[0])), ({x}, {x} * 2), None, length={k})[1]",
    "autodiff.scan(lambda s, r: ({g}(s), {{'a': r['a'] * 2, 'b': np.sum(r['b'])}}), {x}, "
    "{{'a': np.arange(3), 'b': np.ones((3, 2), bool)}}, reverse=True)[1]['{ab}']",
    "autodiff.while_loop(lambda s: (s['n'] < 4) & s['go'], lambda s: {{'n': s['n'] + 1, "
    "'go': np.all(np.abs(s['u']) < {limit}), 'u': {g}(s['u'])}}, "
    "{{'n': 0, 'go': np.bool_(True), 'u': {x}}}, max_steps=6)['{uo}']",
    "autodiff.while_loop(lambda s: (s[0] < 5) & ~np.any(s[1] > {limit}), lambda s: (s[0] + 1, s[2], {g}(s[1])), "
    "(0, {x}, {x} * 0.5), max_steps=6)[{bit}]",
    "autodiff.fori_loop(0, 2, lambda i, s: autodiff.fori_loop(0, i + 1, lambda j, t: {g}(t) + 0.1 * s, s), {x})",
    "autodiff.fori_loop(0, 3, lambda i, s: autodiff.cond(i > {bit}, {g}, lambda t: t, s), {x})",
    "autodiff.fori_loop(0, {k}, lambda i, s: np.where(i < 2, {g}(s), {x}), {x})",
    "autodiff.cond(np.sum({x}) > {limit}, lambda a, b: (b, a), lambda a, b: (a, b), {x}, {g}({x}))[{bit}]",
    "autodiff.cond(np.sum({x}) > 0.2, lambda: {g}({x}), lambda: {x})",
    "autodiff.cond(np.any({x} > {limit}), lambda t: {{'u': t['u'] * 2, 'v': None}}, lambda t: t, "
    "{{'u': {g}({x}), 'v': None}})['u']",
    "autodiff.switch(np.count_nonzero({x} > 0) - 1, [{g}, lambda t: t, lambda t: t * 2], {x})",
)
OF_ROWS = (
    "autodiff.scan(lambda s, r: (0.5 * s + r, s), {x}[0], {x})[{bit}]",
    "autodiff.scan(lambda s, r: (s[::-1] + np.sum(r), r), {x}, {x}[:{k}])[{bit}]",
    "autodiff.scan(lambda s, r: ((s[0] + np.sum(r[0]), s[1]), r[1] * s[1]), (np.sum({x}), {x}[-1]), "
    "({x}, {x}[::-1]))[1]",
    "autodiff.scan(lambda s, r: ((s[1], s[0] * 0.5), np.sum(s[1])), ({x}, {x}[::-1]), None, length={k})[0][{bit}]",
    "autodiff.scan(lambda s, r: (s.T * 0.5, np.sum(s * r)), {x} @ {x}.T, {x}.T[:1, 0])[0]",
    "autodiff.map(lambda r: {{'u': np.sum(r), 'n': np.argmax(r)}}, {x})['{un}']",
    "autodiff.associative_scan(lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1]), (np.tanh({x}), {x}))[{bit}]",
    "autodiff.vmap(lambda r: autodiff.fori_loop(0, 2, lambda i, s: s * 0.5 + r, r))({x})",
    "autodiff.vmap(lambda r: autodiff.while_loop(lambda s: (s[0] < 3) & (np.sum(s[1]) < {limit}), "
    "lambda s: (s[0] + 1, s[1] * 1.5), (0, r), max_steps=4)[1])({x})",
)
# fmt: on


def filled(scope: Scope, text: str, **names: str) -> str:
    """A text with numbers in its gaps."""
    choose = scope.random.choice
    steps = choose(STEPS if scope.seen[names["x"]].rank else STEPS[:-1]).format(**names)
    return text.format(
        k=steps,
        limit=choose(("0.5", "2.0", "100.0", "np.inf")),
        bit=choose((0, 1)),
        part=choose("unm"),
        ab=choose("ab"),
        uo=choose(("u", "u", "n")),
        un=choose("un"),
        **names,
    )


def carried(scope: Scope, grow: Grow) -> bool:
    """A loop or branch that carries a tree."""
    x = floating_array(scope)
    if x is None:
        return False
    function = body(scope, grow, {scope.fresh("a"): probes(scope, x.name)}, x)
    text = filled(scope, scope.random.choice(LOOPS), g=function.name, x=x.name)
    name = scope.fresh()
    return scope.add(f"{name} = {text}", (name,), "exact", (), "", (function,))


def by_rows(scope: Scope, grow: Grow) -> bool:
    """A loop over the rows of an array that it carries, or views of it."""
    x = floating_array(scope, (1, 2, 3))
    if x is None or not x.array or not all(shape[0] for shape in x.shapes):
        return False
    name = scope.fresh()
    text = filled(scope, scope.random.choice(OF_ROWS), x=x.name)
    return scope.add(f"{name} = {text}", (name,), "rounds", (x.name,))


WRITES = (
    "{v}[{i} % {v}.shape[0]] += 1.5",
    "{v}[{i}] = {v}[-1] * 0.5",
    "{v}[::-1] += {a}",
    "{v}[1:] += {v}[:-1]",
    "{v}[:] = {v}[::-1]",
    "{v} *= 0.5",
    "{v}[{v} > 0.5] = 0.25",
    "{v}.T[...] -= 0.5 * {v}.T",
    "np.add({v}, {a}, out={v})",
    "{v}[[0, -1]] *= 2.0",
)


def writing_loop(scope: Scope, grow: Grow) -> bool:
    """A counted loop whose steps write into a copy of the carry, or into what they were given."""
    x = floating_array(scope, (1, 2))
    if x is None or not x.array:
        return False
    i, carry, v = scope.fresh("a"), scope.fresh("a"), scope.fresh()
    lines = [Line(f"{v} = {scope.random.choice(('{0}.copy()', '{0} * 1.0', '{0} + 0.5')).format(carry)}", (v,))]
    texts = scope.random.choices(WRITES, k=scope.random.randint(1, 2))
    lines += [Line(text.format(v=v, a=carry, i=i), (), v) for text in texts]
    step = Function(scope.fresh("g"), (i, carry), tuple(lines), (v,))
    name, steps = scope.fresh(), scope.random.choice(("0", "1", "2", "3"))
    if scope.random.random() < 0.5:
        text = f"{name} = autodiff.fori_loop(0, {steps}, {step.name}, {x.name})"
    else:
        step = replace(step, parameters=(carry, i), results=(v, carry))
        text = f"{name} = autodiff.scan({step.name}, {x.name}, np.arange({steps}) % 2)[{scope.random.choice((0, 1))}]"
    return scope.add(text, (name,), "rounds", (x.name,), "", (step,))


LOOPING = (carried, carried, by_rows, by_rows, writing_loop)
