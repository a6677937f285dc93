"""The Ising model.

Everything that thermodynamics asks of a magnet is a derivative of the logarithm of its partition function, which a
matrix gives exactly for a strip of spins: its largest eigenvalue. The energy is a first derivative, the heat capacity a
second one; it has its peak where the magnet orders.
"""

import numpy as np

from autodiff import grad, vmap


def rows_of_spins(width):
    """All rows of spins, each +1 or -1."""
    return 1.0 - 2.0 * (np.arange(2**width)[:, None] >> np.arange(width) & 1)


def log_partition(beta, field, width):
    """The logarithm of the partition function of an endless strip, for each spin, at inverse temperature beta."""
    spins = rows_of_spins(width)
    inside = np.sum(spins * np.roll(spins, 1, axis=1), axis=1)
    row = beta * (0.5 * inside + 0.5 * field * np.sum(spins, axis=1))
    between = beta * spins @ spins.T
    largest = 2 * beta * width  # factored out, so that nothing overflows
    transfer = np.exp(row[:, None] + between + row - largest)
    return (np.log(np.linalg.eigvalsh(transfer)[-1]) + largest) / width


def energy(beta, field, width):
    return -grad(log_partition)(beta, field, width)


def heat_capacity(beta, field, width):
    return beta**2 * grad(grad(log_partition))(beta, field, width)


def magnetisation(beta, field, width):
    return grad(log_partition, argnums=1)(beta, field, width) / beta


def over_temperatures(quantity, temperatures, field, width):
    return vmap(lambda beta: quantity(beta, field, width))(1 / temperatures)


CRITICAL = 2 / np.log(1 + np.sqrt(2))


def main(points=60, widths=(3, 4, 5, 6)):
    temperatures = np.linspace(1.2, 4.0, points)
    found = {"temperatures": temperatures, "widths": widths}
    for name, quantity, field in (
        ("energy", energy, 0.0),
        ("heat_capacity", heat_capacity, 0.0),
        ("magnetisation", magnetisation, 0.02),
    ):
        found[name] = [over_temperatures(quantity, temperatures, field, width) for width in widths]
    return found


def draw(figure, found):
    for axes, name in zip(figure.subplots(1, 3), ("energy", "heat_capacity", "magnetisation")):
        for width, values in zip(found["widths"], found[name]):
            axes.plot(found["temperatures"], values, label=f"width {width}")
        axes.axvline(CRITICAL, color="k", linestyle=":")
        axes.set(xlabel="temperature", title=name.replace("_", " "))
    axes.legend(fontsize="small")


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    draw(plt.figure(figsize=(6.4, 3.6), layout="constrained"), main())
    plt.show()
