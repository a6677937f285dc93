"""Random programs with Python loops: steps of a recursion, with rows read and written, lists, lags and odd steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import autodiff.numpy as anp

Random = np.random.Generator
Program = tuple[Callable[..., Any], tuple[Any, ...]]

ELEMENTWISE = (np.tanh, np.sin, np.cos, lambda x: x * x, lambda x: 0.5 * x, lambda x: 1.0 / (2.0 + x * x), np.negative)


def drawn(random: Random) -> Program:
    """A program, and its arguments."""
    steps = int(random.integers(45, 80))
    width = int(random.integers(1, 5))
    dtype = random.choice([np.float64, np.float32])
    scalar = bool(random.integers(2))
    x = random.standard_normal((steps + 3, width)).astype(dtype)
    w = (random.standard_normal((width, width)) / width).astype(dtype)
    b = random.standard_normal(width).astype(dtype)
    if scalar:
        x, w, b = x[:, 0].copy(), w[0, 0], b[0]
    plain = random.standard_normal((steps + 3, *b.shape))
    order = random.permutation(steps + 3)
    choices = [int(c) for c in random.integers(0, 13, size=int(random.integers(3, 9)))]
    strange = {int(t) for t in random.integers(0, steps, size=int(random.integers(1, 5)))}
    functions = [ELEMENTWISE[int(k)] for k in random.integers(len(ELEMENTWISE), size=12)]
    odd, every, lag = int(random.integers(steps)), int(random.integers(2, 9)), int(random.integers(1, 4))
    filled, inner = bool(random.integers(2)), int(random.integers(2, 12))

    def f(x: Any, w: Any, b: Any) -> Any:
        h, total = b, 0.0
        past = [b * (k + 1) for k in range(lag)]
        out = anp.zeros_like(x) if filled else None
        collected = []
        for t in range(steps):
            new = h
            for n, choice in enumerate(choices):
                g = functions[n]
                if choice == 0:
                    new = g(new + x[t])
                elif choice == 1:
                    new = g(new) + (new * w if scalar else new @ w)
                elif choice == 2:
                    new = new + 0.1 * past[-lag]
                elif choice == 3:
                    new = new * plain[t].astype(x.dtype)
                elif choice == 4:
                    new = new + 0.01 * t
                elif choice == 5:
                    new = g(new) * x[order[t]]
                elif choice == 6 and out is not None and t > 1:
                    new = new + 0.3 * out[t - 1] - 0.1 * out[t - 2]
                elif choice == 7 and t % every == 0:
                    new = new - 0.2 * b
                elif choice == 8 and t == odd:
                    new = g(new)
                elif choice == 11:
                    new = g(new) + (b if t in strange else past[-1]) * 0.5 + 0.1 * past[-1] - 0.2 * past[-lag]
                elif choice == 12:
                    new = new * x[0 if t in strange else t] + past[-lag if t in strange else -1] * x[t + 1]
                elif choice == 9:
                    for _ in range(inner):
                        new = g(0.9 * new + b)
                elif choice == 10:
                    new = new + x[steps + 2 - t] * np.exp(-b * b)
                else:
                    new = g(new - h)
            if out is not None:
                if scalar or choices[0] % 2:
                    out[t] = new
                else:
                    out[t + 1, 1:] = new[1:]
            h = new / (1.0 + np.sum(new * new))
            past.append(h)
            collected.append(h)
            if choices[-1] % 3 == 0:
                total = total + np.sum(h * b)
        result = np.sum(np.stack(collected[:: 1 + choices[0] % 2]) ** 2) + total
        return result if out is None else result + np.sum(out * x)

    return f, (x, w, b)
