"""A quantum circuit.

The ground state of a chain of spins in a magnetic field, found by turning the knobs of a small circuit: layers of
rotations and of controlled phases. States are complex, the energy is real, and its gradient is that of any other function.
"""

import numpy as np

from autodiff import grad, jit, value_and_grad

QUBITS, LAYERS, FIELD = 5, 4, 1.0
BITS = np.arange(2**QUBITS)[:, None] >> np.arange(QUBITS)[::-1] & 1
SPINS = 1.0 - 2.0 * BITS
ENTANGLED = (-1.0) ** np.sum(BITS[:, 1:] * BITS[:, :-1], axis=1)  # controlled phases between neighbours
BONDS = np.sum(SPINS[:, 1:] * SPINS[:, :-1], axis=1)


def rotation(angles):
    """A turn of one spin, about the axis y and then about z: a complex matrix of two by two."""
    c, s = np.cos(angles[0] / 2), np.sin(angles[0] / 2)
    phase = np.exp(0.5j * angles[1])
    return np.stack([np.stack([c / phase, -s / phase]), np.stack([s * phase, c * phase])])


def on_qubit(matrix, state, k):
    """A matrix applied to one of the qubits of a state."""
    return np.einsum("ij,ajb->aib", matrix, state.reshape(2**k, 2, -1)).reshape(-1)


def circuit(angles):
    """The state that the circuit makes of spins that all point sideways."""
    state = np.full(2**QUBITS, 2 ** (-QUBITS / 2), complex)
    for layer in range(LAYERS):
        for k in range(QUBITS):
            state = on_qubit(rotation(angles[layer, k]), state, k)
        state = ENTANGLED * state
    return state


def energy(angles):
    """The expected energy: neighbours want to be alike, the field pulls sideways."""
    state = circuit(angles)
    along = np.sum(BONDS * np.abs(state) ** 2)
    flipped = sum(np.flip(state.reshape(2**k, 2, -1), axis=1).reshape(-1) for k in range(QUBITS))
    return -along - FIELD * np.real(np.vdot(state, flipped))


def exact():
    """The lowest eigenvalue of the whole matrix."""
    n = 2**QUBITS
    flips = sum(np.eye(n)[np.arange(n) ^ (1 << k)] for k in range(QUBITS))
    return np.linalg.eigvalsh(-np.diag(BONDS) - FIELD * flips)[0]


def main(steps=300):
    angles = np.random.default_rng(0).normal(0, 0.5, (LAYERS, QUBITS, 2))
    downhill, speed, energies = jit(value_and_grad(energy)), np.zeros_like(angles), []
    for _ in range(steps):
        value, gradient = downhill(angles)
        speed = 0.9 * speed - 0.02 * gradient
        angles = angles + speed
        energies.append(value)
    shift = (np.arange(angles.size) == 0).reshape(angles.shape) * np.pi / 2
    by_shift = (energy(angles + shift) - energy(angles - shift)) / 2  # how a real quantum computer measures it
    return {"energies": energies, "exact": exact(), "slopes": (grad(energy)(angles)[0, 0, 0], by_shift)}


def draw(figure, found):
    axes = figure.subplots()
    axes.semilogy(np.array(found["energies"]) - found["exact"])
    axes.set(xlabel="step", ylabel="energy above the ground state", title=f"{QUBITS} spins, ground state {found['exact']:.4f}")


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    draw(plt.figure(figsize=(6.4, 3.6), layout="constrained"), main())
    plt.show()
