"""Random numbers of states that are arrays of words: beside other words, in loops, and through them."""

from __future__ import annotations

from dataclasses import replace

from autodiff.testing.fuzz.grammar.template import templates
from autodiff.testing.fuzz.scope import WORD, Scope

DRAWS = (
    "autodiff.random.uniform({state}, {shape}, {dtype})",
    "autodiff.random.uniform({state}, {shape}, {dtype})",
    "autodiff.random.normal({state}, {shape}, {dtype})",
    "autodiff.random.bernoulli({state}, 0.3, {shape})",
)
STATES = ("autodiff.random.state(7)", "autodiff.random.state(2**64 - 5)", "np.array([3, 2**63 + 9], np.uint64)")


def draw(scope: Scope) -> bool:
    """Numbers from a state: a new one, or one that a draw before has left."""
    like = scope.choose("fi")
    if like is None:
        return False
    known = [one for one in scope.seen.values() if one.dtype == WORD and one.shapes == ((2,), (2,))]
    before = scope.random.choice(known) if known and scope.random.random() < 0.7 else None
    state = before.name if before else scope.random.choice(STATES)
    dtype = scope.random.choice(("np.float64", "np.float32"))
    shape = scope.random.choice((f"np.shape({like.name})", "()", "3"))
    text = scope.random.choice(DRAWS).format(state=state, shape=shape, dtype=dtype)
    numbers, after = scope.fresh(), scope.fresh()
    if not scope.add(f"{numbers}, {after} = {text}", (numbers, after)):
        return False
    if before is None or before.plain:  # the text names what it takes the shape of, but depends on no value of it
        scope.seen |= {name: replace(scope.seen[name], plain=True) for name in (numbers, after)}
    return True


def walk(scope: Scope) -> bool:
    """A loop that carries a state."""
    x = scope.choose("f")
    if x is None or x.plain or not x.rank or not all(shape[0] for shape in x.shapes):
        return False
    state = scope.random.choice(STATES)
    how = scope.random.choice(("uniform", "normal"))
    after, last, numbers, found = (scope.fresh() for _ in range(4))
    step = (
        f"lambda a0, a1: (lambda a2: ((a2[1], 0.5 * a0[1] + a2[0] * a1), (a2[1], a0[1])))"
        f"(autodiff.random.{how}(a0[0], np.shape(a1), {x.name}.dtype))"
    )
    text = f"({after}, {last}), ({numbers}, {found}) = autodiff.scan({step}, ({state}, {x.name}[0] * 0), {x.name})"
    return scope.add(text, (after, last, numbers, found))


WORDS = [
    *templates(
        """
        np.concatenate([{p}, {q}], axis={axis})
        np.stack([{p}, {q}])
        np.where({q} > 3, {p}, {q})
        {p} + {q}
        {p} * {q}
        {p} ^ {q}
        {p} % {q}
        np.maximum({p}, {q})
        {p} > {q}
        """,
        "w wif",
    ),
    *templates(
        """
        {p}[{index}]
        {p}.astype(np.float64)
        {p}.astype({dtype})
        {p} >> 40
        {p} & 255
        {p} % 7
        {p} == {p}[..., :1]
        np.sort({p}, axis={axis})
        np.max({p}, axis={axis})
        np.sum({p}, axis={axis})
        np.concatenate([{p}, {p}])
        np.roll({p}, 1)
        """,
        "w",
        "exact",
    ),
]
"""Numbers of 64 bits without a sign, of which floating-point numbers hold 53."""
