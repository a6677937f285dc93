"""Record what optax and PyTorch give: `python -m tests.optimize.record`, in an environment that has both.

The numbers go to `recorded.npz`, which the tests read. Nothing else here needs the two libraries.
"""

from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from tests.optimize.problem import CASES, MASK, SCHEDULES, START, STEPS, TORCH, gradient

WARM_UP = "warmup_cosine_decay_schedule"
FILE = Path(__file__).parent / "recorded.npz"


def vector(params: Any) -> Any:
    """All parameters as one vector, by their names."""
    return np.concatenate([np.ravel(np.asarray(params[name])) for name in sorted(params)])


def run_optax(expression: str) -> Any:
    """The parameters after steps 1, 2, 5, 10, 20, 30, 40 and 50."""
    import jax
    import optax

    jax.config.update("jax_enable_x64", True)
    factorized = optax._src.factorized
    factorized.scale_by_factored_rms = partial(factored_rms(), decay_rate_fn=decay_rate)
    optimizer = eval(expression, vars(optax) | {"MASK": MASK, WARM_UP: in_float64(getattr(optax, WARM_UP))})
    if isinstance(optimizer, optax.MultiSteps):
        optimizer = optax.MultiSteps(optax.adam(0.1), every_k_schedule=4, accumulator_dtype=np.float64)
    params = {name: jax.numpy.asarray(p) for name, p in START.items()}
    state = optimizer.init(params)
    found, update = [], jax.jit(optimizer.update)
    for step in range(STEPS):
        updates, state = update(gradient(params, step, jax.numpy), state, params)
        params = optax.apply_updates(params, updates)
        found.append(vector(params))
    return np.stack(found)[[0, 1, 4, 9, 19, 29, 39, 49]]


@cache
def factored_rms() -> Any:
    """Optax's function, before its rate was replaced."""
    import optax

    return optax.scale_by_factored_rms


def decay_rate(count: Any, exponent: float) -> Any:
    """Adafactor's rate, which optax rounds to float32."""
    import jax

    return 1.0 - jax.numpy.float64(count + 1) ** (-exponent)


def in_float64(schedule: Any) -> Any:
    """A schedule that counts in float64: of integers optax makes float32."""
    return lambda *given: lambda count: schedule(*given)(count.astype(np.float64))


def run_torch(name: str, options: dict[str, Any]) -> Any:
    """The same of an optimizer of PyTorch."""
    import torch

    params = {key: torch.tensor(p, dtype=torch.float64) for key, p in START.items()}
    optimizer = getattr(torch.optim, name)(list(params.values()), **options)
    found = []
    for step in range(STEPS):
        for key, own in gradient(params, step, torch).items():
            params[key].grad = own
        optimizer.step()
        found.append(vector({key: p.detach().numpy() for key, p in params.items()}))
    return np.stack(found)[[0, 1, 4, 9, 19, 29, 39, 49]]


def run_schedule(expression: str) -> Any:
    """The values of a schedule of optax."""
    import jax
    import optax

    jax.config.update("jax_enable_x64", True)
    schedule = eval(expression, vars(optax))
    return np.array([float(schedule(np.float64(n))) for n in range(STEPS)])


def main() -> None:
    """Record all cases."""
    recorded = {f"optax/{name}": run_optax(expression) for name, expression in CASES.items()}
    recorded |= {f"torch/{name}": run_torch(*case[:2]) for name, case in TORCH.items()}
    recorded |= {f"schedule/{name}": run_schedule(expression) for name, expression in SCHEDULES.items()}
    np.savez_compressed(FILE, **recorded)


if __name__ == "__main__":
    main()
