"""A sparse Hessian, by JAX."""

import jax.numpy as jnp
import numpy as np
from jax import grad, hessian, jit, jvp, vmap


def energy(x):
    """Springs between neighbours, each of which is drawn to a place of its own."""
    places = jnp.arange(len(x)) + 5.0 * jnp.sin(jnp.arange(len(x)) / 10.0)
    return jnp.sum((jnp.diff(x) - 1.0) ** 2 + (jnp.diff(x) - 1.0) ** 4) + jnp.sum(jnp.sqrt(1.0 + (x - places) ** 2))


@jit
def slope_and_bands(x):
    """The gradient, and the diagonals of the Hessian from three products with sums of unit vectors."""
    colors = (jnp.arange(len(x)) % 3 == jnp.arange(3)[:, None]) * 1.0
    products = vmap(lambda v: jvp(grad(energy), (x,), (v,))[1])(colors)
    places = jnp.arange(len(x))
    middle = products[places % 3, places]
    upper = products[(places[:-1] + 1) % 3, places[:-1]]
    return grad(energy)(x), middle, upper


def solve(middle, upper, b):
    """The solution of a symmetric system with three diagonals, by elimination."""
    middle, upper, b = np.array(middle), np.array(upper), np.array(b)
    for k in range(1, len(b)):
        factor = upper[k - 1] / middle[k - 1]
        middle[k] -= factor * upper[k - 1]
        b[k] -= factor * b[k - 1]
    x = b / middle
    for k in range(len(b) - 2, -1, -1):
        x[k] -= upper[k] / middle[k] * x[k + 1]
    return x


def newton(x, steps):
    """Steps of Newton's method, none of them longer than 1 in any variable."""
    sizes = []
    for _ in range(steps):
        slope, middle, upper = slope_and_bands(x)
        change = solve(middle, upper, slope)
        x = x - change / max(1.0, np.max(np.abs(change)))
        sizes.append(np.linalg.norm(slope))
    return x, sizes


def main(n=1000, steps=20):
    x, sizes = newton(1.0 * np.arange(n), steps)
    _, middle, upper = slope_and_bands(x[:12])
    banded = np.diag(middle) + np.diag(upper, 1) + np.diag(upper, -1)
    return {"x": x, "sizes": sizes, "banded": banded, "dense": hessian(energy)(x[:12])}
