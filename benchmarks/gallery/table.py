"""What must agree between the two writings of each program, and how closely."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Found = Mapping[str, Any]
CLOSE = 1e-7


@dataclass(frozen=True)
class Row:
    """How results are compared.

    Attributes:
        compared: which arrays, of what a program found; None is everything.
        tolerance: the largest difference, in proportion to the largest element of an array.
        note: why it is not everything to rounding.
    """

    compared: Callable[[Found], list[Any]] | None = None
    tolerance: float = CLOSE
    note: str = ""

    def arrays(self, found: Found) -> list[Any]:
        """The arrays that are compared."""
        return [found[name] for name in sorted(found)] if self.compared is None else self.compared(found)

    def mismatch(self, ours: Found, theirs: Found) -> str | None:
        """Where results differ by more than they may, or None."""
        left, right = self.arrays(ours), self.arrays(theirs)
        if len(left) != len(right):
            return f"{len(left)} results, and {len(right)} by the other library"
        return next(filter(None, (difference(a, b, self.tolerance) for a, b in zip(left, right, strict=True))), None)


def difference(a: Any, b: Any, tolerance: float) -> str | None:
    """How far two arrays are apart, where that is too far."""
    if np.shape(a) != np.shape(b):
        return f"shape {np.shape(a)}, and {np.shape(b)} by the other library"
    if np.asarray(a).dtype.kind == "U":
        return None if np.array_equal(a, b) else f"{a!s}, and {b!s} by the other library"
    apart = np.max(np.abs(np.subtract(a, b, dtype=np.result_type(a, b, float))), initial=0.0)
    largest = np.max(np.abs(a), initial=0.0)
    return None if apart <= tolerance * largest else f"{apart:.1e} apart, of numbers as large as {largest:.1e}"


SINGLE = "in single precision small differences grow: the first losses, and what comes out"
OWN_NUMBERS = "each library has random numbers of its own: averages"
ROWS = {
    "bundle_adjustment": Row(),
    "cnn_digits": Row(lambda f: [f["losses"][:10], np.round(f["accuracy"], 1)], 1e-5, SINGLE),
    "fixed_point": Row(),
    "gaussian_process": Row(),
    "hamiltonian_monte_carlo": Row(
        lambda f: [f["rate"], np.std(f["samples"][:, 0]), np.mean(f["samples"][:, 1])], 0.25, OWN_NUMBERS
    ),
    "heat_equation": Row(),
    "ising": Row(
        lambda f: [f["energy"], f["magnetisation"]],
        CLOSE,
        "JAX's second derivative of eigenvalues is NaN where some of them are equal: not the heat capacity",
    ),
    "kalman_filter": Row(),
    "meta_learning": Row(),
    "mini_gpt": Row(lambda f: [f["losses"][:10], f["written"]], 1e-5, SINGLE),
    "molecular_dynamics": Row(
        lambda f: [f[name][:500] for name in ("x", "potential", "kinetic")],
        CLOSE,
        "motion of many atoms is chaotic: the first 500 steps",
    ),
    "neural_ode": Row(),
    "normalizing_flow": Row(
        lambda f: [f["costs"][:20]],
        1e-6,
        "optax computes rates in single precision, and training enlarges differences: the first costs",
    ),
    "optics": Row(),
    "option_greeks": Row(),
    "orbit": Row(),
    "portfolio": Row(),
    "quantum_circuit": Row(),
    "robot_arm": Row(lambda f: [f["path"], f["angles"]], CLOSE, "what is missed is rounding errors alone: the angles"),
    "sparse_hessian": Row(),
    "spline_fit": Row(),
    "survival": Row(),
    "tomography": Row(
        lambda f: [f["shadows"], f["costs"][:20]],
        CLOSE,
        "steps as long as these enlarge rounding errors: the first costs",
    ),
    "vae": Row(lambda f: [np.mean(f["losses"][-500:])], 0.05, OWN_NUMBERS),
}
"""By the name of the program in `docs/gallery`."""
