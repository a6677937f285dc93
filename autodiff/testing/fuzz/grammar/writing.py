"""Item assignment, views of what is written to, out= and in-place operators."""

from __future__ import annotations

from autodiff.testing.fuzz.grammar.template import NUMBERS, WHOLE, index
from autodiff.testing.fuzz.scope import Scope, Seen

MAKERS = ("{x}.copy()", "np.zeros_like({x})", "{x} * 1.5", "np.full_like({x}, 0.5)", "np.ones_like({x})")
WRITES = ("=", "+=", "-=", "*=", "=", "=")
OF_FLOATS = ("/= 1.5", "**= 2", "%= 1.5", "//= 0.5")
OF_WHOLE = ("//= 3", "%= -4", "|= 5", "&= 6", "^= 3", "<<= 2", ">>= 1", "**= 2", "//= 0", "+= 100", "*= 100")
OF_TRUTHS = ("|= True", "&= {q}", "^= {q}", "|= {q} > 0", "+= {q}", "*= {q}")
"""What changes arrays in place, beside sums and products, by the kind of their elements."""

IN_PLACE = (
    "{x}[1:] += {x}[:-1]",
    "{x}[::-1] *= {x}",
    "{x}[...] = {x}[::-1]",
    "{x}.T[...] += {x}.T * 2",
    "{x}[[0, -1]] += {q}",
    "{x}[[0, 0, -1]] -= 2",
    "{x}[..., [-1, 0]] = {x}[..., [0, -1]]",
    "np.add.at({x}, [0, 0, -1], {q})",
    "np.multiply.at({x}, 0, 2)",
    "np.add({x}, {q}, out={x}, where={x} > 1)",
    "np.multiply({x}, 2, out={x}[::-1])",
    "np.cumsum({x}, axis=0, out={x})",
    "np.clip({x}, 0, 2, out={x})",
    "np.copyto({x}, {q}, where={x} > 0)",
    "np.copyto({x}, {q})",
    "np.putmask({x}, {x} > 1, 0)",
    "np.fill_diagonal({x}, 2)",
    "np.sum({x}, axis=0, out={x}[0])",
    "np.negative({x}, out={x})",
    "{x}.fill(2)",
    "{x}.sort(axis=0)",
    "{x}.flat[0] = 3",
    "{x}[{x} < 0] = {x}[0].sum()",
    "{x}[..., 0] += {x}[..., -1]",
    "{x}[0], {x}[-1] = {x}[-1].copy(), {x}[0].copy()",
)
"""Statements that read and write one array: overlapping parts, rows picked by index, where a condition says."""


def write(scope: Scope) -> bool:
    """Make an array of the program's own, and write into it one to three times, perhaps through views."""
    x = scope.choose("fffibc")
    if x is None or not x.rank or x.plain:
        return False
    target = own(scope, x)
    if target is None:
        return False
    for _ in range(scope.random.randint(1, 3)):
        name = target
        if scope.random.random() < 0.2:
            view = scope.fresh()
            shown = random_view(scope, target, x.rank)
            if scope.add(f"{view} = {shown}", (view,), "view") and scope.seen[view].array:
                name = view
        for _ in range(4):
            if one_write(scope, name):
                break
    return True


VIEWS = ("{x}.T", "{x}[..., None]", "np.flip({x})", "np.swapaxes({x}, 0, -1)", "np.split({x}, [1])[-1]")


def random_view(scope: Scope, target: str, rank: int) -> str:
    """A view of an array: mostly a basic index; no reshaped one, since there memory decides whether it is one."""
    if scope.random.random() < 0.7:
        return f"{target}[{basic(scope, rank)}]"
    return scope.random.choice(VIEWS).format(x=target)


def own(scope: Scope, x: Seen) -> str | None:
    """A name whose array the function may write into: a new one, or one made before."""
    mine = [name for name in scope.own if scope.seen[name].rank == x.rank]
    if mine and scope.random.random() < 0.3:
        return scope.random.choice(mine)
    name = scope.fresh()
    if not scope.add(f"{name} = {scope.random.choice(MAKERS).format(x=x.name)}", (name,), "rounds"):
        return None
    if not scope.seen[name].array:
        return None
    scope.own.append(name)
    return name


def one_write(scope: Scope, name: str) -> bool:
    """One statement that writes into the array."""
    random, rank = scope.random, scope.seen[name].rank
    choice = random.random()
    number = scope.choose("i", rank=0)
    if number is not None and random.random() < 0.3:
        place = random.choice(("{i} % len({x})", "..., {i} % {x}.shape[-1]", "-1 - {i} % len({x})"))
        place = place.format(i=number.name, x=name)
        return scope.add(f"{name}[{place}] {random.choice(WRITES)} {value_of(scope, name)}", changes=name)
    if choice < 0.2:
        mask = scope.choose("b", shapes=scope.seen[name].shapes)
        condition = mask.name if mask and mask.array else f"{name} > 0.5"
        return scope.add(f"{name}[{condition}] = {random.choice(numbers(scope, name))}", changes=name)
    if choice < 0.3:
        value = value_of(scope, name)
        return scope.add(f"{name} {random.choice(('+=', '*=', '-='))} {value}", changes=name)
    if choice < 0.4:
        a, b = value_of(scope, name), value_of(scope, name)
        function = random.choice(("add", "multiply", "maximum"))
        return scope.add(f"np.{function}({a}, {b}, out={name})", changes=name)
    if choice < 0.6:
        return scope.add(in_place(scope, name), changes=name)
    places = index(scope, rank) if random.random() < 0.3 else basic(scope, rank)
    return scope.add(f"{name}[{places}] {random.choice(WRITES)} {value_of(scope, name)}", changes=name)


def in_place(scope: Scope, name: str) -> str:
    """A statement that changes an array by what its elements are."""
    random, kind = scope.random, scope.seen[name].kind
    own = {"i": OF_WHOLE, "b": OF_TRUTHS}.get(kind, OF_FLOATS)
    text = f"{{x}} {random.choice(own)}" if random.random() < 0.4 else random.choice(IN_PLACE)
    return text.format(x=name, q=value_of(scope, name))


def value_of(scope: Scope, target: str) -> str:
    """A number, or any value that may fit; nothing says which whole number a NaN becomes."""
    kinds = {"i": "ib", "b": "b", "c": "cfi"}.get(scope.seen[target].kind, "fib")
    x = scope.choose(kinds)
    return x.name if x and scope.random.random() < 0.7 else scope.random.choice(numbers(scope, target))


def numbers(scope: Scope, target: str) -> tuple[str, ...]:
    """Numbers that an array holds: which whole number of no sign -1.25 becomes, the processor says."""
    return WHOLE if scope.seen[target].kind == "i" else NUMBERS


def basic(scope: Scope, rank: int) -> str:
    """An index of slices and numbers only."""
    parts = ("::2", "1:", ":-1", "::-1", ":", ":2", "0", "-1", "1:2")
    return ", ".join(scope.random.choice(parts) for _ in range(scope.random.randint(1, max(rank, 1))))
