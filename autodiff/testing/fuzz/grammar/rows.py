"""Patterns of several statements that work along the last axis: softmax, losses, normalisation."""

from __future__ import annotations

from collections.abc import Callable

from autodiff.testing.fuzz.program import Kind
from autodiff.testing.fuzz.scope import Scope, Seen

Step = tuple[str, Kind, str]


def pattern(*steps: Step) -> Callable[[Scope], bool]:
    """A production of these statements: text, kind, and which of the names it mixes.

    In the texts ``x`` in braces is the first operand, and a digit the result of an earlier statement.
    """

    def add(scope: Scope) -> bool:
        x = rows(scope)
        if x is None:
            return False
        names = {"x": x.name}
        axis = scope.random.choice((-1, -1, -1, 0))
        for number, (text, kind, mixed) in enumerate(steps):
            name = scope.fresh()
            known = {**{f"s{key}" if key.isdigit() else key: value for key, value in names.items()}, "axis": str(axis)}
            if not scope.add(f"{name} = {text.format_map(known)}", (name,), kind, (names[mixed],) if mixed else ()):
                return number > 0
            names[str(number)] = name
        return True

    return add


def rows(scope: Scope) -> Seen | None:
    """An array of at least one axis."""
    for _ in range(4):
        x = scope.choose("f")
        if x is not None and x.rank:
            return x
    return None


softmax = pattern(
    ("{x} - np.max({x}, axis={axis}, keepdims=True)", "rounds", ""),
    ("np.exp({s0})", "rounds", ""),
    ("{s1} / np.sum({s1}, axis={axis}, keepdims=True)", "rounds", "1"),
)
log_softmax = pattern(
    ("np.max({x}, axis={axis}, keepdims=True)", "exact", ""),
    ("np.log(np.sum(np.exp({x} - {s0}), axis={axis}, keepdims=True)) + {s0}", "rounds", "x"),
    ("{x} - {s1}", "rounds", ""),
    ("-np.mean({s2}[..., 0])", "rounds", "2"),
)
cross_entropy = pattern(
    ("{x}.reshape(-1, {x}.shape[-1])", "view", ""),
    ("special.log_softmax({s0}, axis=-1)", "rounds", "0"),
    ("{s1}[np.arange({s1}.shape[0]), np.arange({s1}.shape[0]) % {s1}.shape[1]]", "exact", ""),
    ("-np.mean({s2})", "rounds", "2"),
)
layer_norm = pattern(
    ("np.mean({x}, axis={axis}, keepdims=True)", "rounds", "x"),
    ("{x} - {s0}", "rounds", ""),
    ("np.mean({s1} * {s1}, axis={axis}, keepdims=True)", "rounds", "1"),
    ("{s1} / np.sqrt({s2} + 1e-2)", "rounds", ""),
    ("{s3} * 1.5 + 0.25", "rounds", ""),
)
normalise = pattern(
    ("np.sqrt(np.sum({x} ** 2, axis={axis}, keepdims=True) + 0.1)", "rounds", "x"),
    ("{x} / {s0}", "rounds", ""),
)
running = pattern(
    ("np.cumsum(np.exp(-np.abs({x})), axis={axis})", "rounds", "x"),
    ("np.log({s0}) - {x}", "rounds", ""),
    ("np.maximum.accumulate({s1}, axis={axis})", "exact", ""),
)
library = pattern(
    ("special.softmax({x}, axis={axis})", "rounds", "x"),
    ("-np.sum({s0} * np.log({s0} + 1e-3), axis={axis})", "rounds", "0"),
)
attention = pattern(
    ("{x}.reshape(-1, {x}.shape[-1])", "view", ""),
    ("{s0} @ {s0}.T / np.sqrt({x}.shape[-1]).astype({x}.dtype)", "rounds", "0"),
    ("special.softmax({s1}, axis=-1)", "rounds", "1"),
    ("{s2} @ {s0}", "rounds", "2"),
)
filtered = pattern(
    ("autodiff.scan(lambda a, b: (0.5 * a + b, a * b), {x}[0] * 0, {x})[1]", "rounds", "x"),
    ("{s0} * np.exp(-np.abs({x}))", "rounds", ""),
)
"""A loop over an axis, and elementwise operations along the same one."""
chained = pattern(
    ("np.concatenate([np.exp(-np.abs({x})), {x}], axis=0)", "exact", ""),
    ("np.tanh({s0} * np.concatenate([np.sin({x}), {x}], axis=0))", "rounds", ""),
    ("{s1} + np.concatenate([{x}, np.cos({x})], axis=0)", "rounds", ""),
)
ROWS = [filtered, chained, softmax, log_softmax, cross_entropy, layer_norm, normalise, running, library, attention]
