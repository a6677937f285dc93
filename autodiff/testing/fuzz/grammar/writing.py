"""Item assignment, views of what is written to, out= and in-place operators."""

from __future__ import annotations

from autodiff.testing.fuzz.grammar.template import NUMBERS, index
from autodiff.testing.fuzz.scope import Scope, Seen

MAKERS = ("{x}.copy()", "np.zeros_like({x})", "{x} * 1.5", "np.full_like({x}, 0.5)", "np.ones_like({x})")
WRITES = ("=", "+=", "-=", "*=", "=", "=")


def write(scope: Scope) -> bool:
    """Make an array of the program's own, and write into it one to three times, perhaps through views."""
    x = scope.choose("fffi")
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
    if choice < 0.2:
        mask = scope.choose("b", shapes=scope.seen[name].shapes)
        condition = mask.name if mask and mask.array else f"{name} > 0.5"
        return scope.add(f"{name}[{condition}] = {random.choice(NUMBERS)}", changes=name)
    if choice < 0.3:
        value = value_of(scope, name)
        return scope.add(f"{name} {random.choice(('+=', '*=', '-='))} {value}", changes=name)
    if choice < 0.4:
        a, b = value_of(scope, name), value_of(scope, name)
        function = random.choice(("add", "multiply", "maximum"))
        return scope.add(f"np.{function}({a}, {b}, out={name})", changes=name)
    places = index(scope, rank) if random.random() < 0.3 else basic(scope, rank)
    return scope.add(f"{name}[{places}] {random.choice(WRITES)} {value_of(scope, name)}", changes=name)


def value_of(scope: Scope, target: str) -> str:
    """A number, or any value that may fit; nothing says which whole number a NaN becomes."""
    x = scope.choose("i" if scope.seen[target].kind == "i" else "fi")
    return x.name if x and scope.random.random() < 0.7 else scope.random.choice(NUMBERS)


def basic(scope: Scope, rank: int) -> str:
    """An index of slices and numbers only."""
    parts = ("::2", "1:", ":-1", "::-1", ":", ":2", "0", "-1", "1:2")
    return ", ".join(scope.random.choice(parts) for _ in range(scope.random.randint(1, max(rank, 1))))
