"""A sparse Hessian.

A thousand variables, each of which meets its neighbours only: the Hessian has three diagonals. Variables that are three
apart never meet, so three products with the Hessian hold all of it, whatever its size; Newton's method is cheap.
"""

import numpy as np

from autodiff import grad, hessian, hvp, jit, vmap


def energy(x):
    """Springs between neighbours, each of which is drawn to a place of its own."""
    places = np.arange(len(x)) + 5.0 * np.sin(np.arange(len(x)) / 10.0)
    return np.sum((np.diff(x) - 1.0) ** 2 + (np.diff(x) - 1.0) ** 4) + np.sum(np.sqrt(1.0 + (x - places) ** 2))


@jit
def slope_and_bands(x):
    """The gradient, and the diagonals of the Hessian from three products with sums of unit vectors."""
    colors = (np.arange(len(x)) % 3 == np.arange(3)[:, None]) * 1.0
    products = vmap(lambda v: hvp(energy, (x,), (v,)))(colors)
    places = np.arange(len(x))
    middle = products[places % 3, places]
    upper = products[(places[:-1] + 1) % 3, places[:-1]]
    return grad(energy)(x), middle, upper


def solve(middle, upper, b):
    """The solution of a symmetric system with three diagonals, by elimination."""
    middle, b = middle.copy(), b.copy()
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


def draw(figure, found):
    left, right = figure.subplots(1, 2)
    left.imshow(np.where(found["banded"] == 0, np.nan, found["banded"]), cmap="viridis")
    left.set(title="three products, all entries", xticks=[], yticks=[])
    right.semilogy(found["sizes"], "o-", markersize=3)
    right.set(xlabel="step of Newton's method", ylabel="size of the gradient")


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    draw(plt.figure(figsize=(6.4, 3.6), layout="constrained"), main())
    plt.show()
