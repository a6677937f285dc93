"""Random functions of a vector at points where derivatives are infinite, by operations that pick, move, mix and select."""

import numpy as np
from scipy import special as sp

SINGULAR = [
    "np.sqrt({})",
    "np.log({})",
    "1 / {}",
    "np.cbrt({})",
    "np.abs({}) ** 0.5",
    "np.arcsin({})",
    "sp.xlogy({}, 2.0)",
]
SMOOTH = ["np.exp({})", "np.sin({})", "{} * 2.0", "-{}", "{} ** 2", "np.tanh({})", "np.abs({})"]
CHOOSING = [
    "np.where({} > 0, {}, 1.0)", "np.where({} > 0, 0.0, {})", "np.maximum({}, {})", "np.clip({}, 0.5, {})",
    "np.minimum({}, 1.0 + 0.0 * {})",
]  # fmt: skip
JOINING = ["{} * {}", "{} + {}", "{} - {}", "{} / {}", "np.abs({}) ** {}", "np.hypot({}, {})", "np.logaddexp({}, {})"]
MOVING = [
    "{}[::-1]", "np.roll({}, 1)", "np.concatenate([{}[1:], {}[:1]])", "np.stack([{}, {}])[1]", "{}[[2, 0, 1]]",
    "np.broadcast_to({}[0], (3,)) + 0.0 * {}", "np.sort({})", "{}.reshape(3, 1)[:, 0]", "np.take({}, [0, 0, 2])",
]  # fmt: skip
MIXING = ["np.sum({}) + {}", "np.cumsum({})", "np.max({}) * {}", "np.repeat(np.mean({}), 3)", "np.outer({}, {}).sum(1)"]
POINTS = [[0.0, 1.0, 2.0], [0.0, 0.0, 1.0], [1.0, 0.0, -1.0], [0.5, 1.0, 0.0], [1.0, 2.0, 3.0]]


def singular_program(seed):
    """A function of a vector of three numbers as text, and a point."""
    rng = np.random.default_rng(seed)
    values = ["v"]
    for _ in range(rng.integers(2, 7)):
        table = [SINGULAR, SMOOTH, CHOOSING, JOINING, MOVING, MIXING][rng.choice(6, p=[0.25, 0.1, 0.2, 0.2, 0.15, 0.1])]
        template = table[rng.integers(len(table))]
        operands = [values[-1], *(values[rng.integers(len(values))] for _ in range(template.count("{}") - 1))]
        rng.shuffle(operands)
        values.append(f"({template.format(*operands)})")
    return values, np.array(POINTS[rng.integers(len(POINTS))])


def function_of(text):
    """The function that a text says."""
    return eval(f"lambda v: {text}", {"np": np, "sp": sp})


def has_nan(values, point):
    """Whether a value on the way is NaN: derivatives there are NaN, or nothing, as operations come."""
    with np.errstate(all="ignore"):
        return any(np.isnan(function_of(text)(point)).any() for text in values)
