"""The inner loops of NumPy's functions of matrices and transforms, which kernels call.

A generalized ufunc of NumPy is a loop of C for each combination of dtypes, which takes addresses, lengths and strides,
and needs neither Python nor its lock. So kernels have NumPy's own results, to the bit, and pay for nothing but LAPACK
or the transform.
"""

from __future__ import annotations

from dataclasses import dataclass

PREFIX = "numpy_"
"""How they are called in the text of kernels, and in object code."""

MATRICES, TRANSFORMS = "numpy.linalg._umath_linalg", "numpy.fft._pocketfft_umath"


@dataclass(frozen=True)
class NumpyLoop:
    """A loop of a generalized ufunc.

    Attributes:
        module: where the ufunc is.
        name: of the ufunc.
        types: the letters of the dtypes of its operands and of its results.
        axes: of each operand and result the names of its own axes; equal names are equal lengths.
        inputs: how many of them are operands.
        written: which operand it overwrites, or None.
    """

    module: str
    name: str
    types: tuple[str, str]
    axes: tuple[tuple[str, ...], ...]
    inputs: int
    written: int | None = None

    @property
    def letters(self) -> str:
        """The letters of all dtypes."""
        return "".join(self.types)

    @property
    def lengths(self) -> tuple[str, ...]:
        """The names of its axes, in the order in which it takes their lengths."""
        return tuple(dict.fromkeys(name for axes in self.axes for name in axes))


def _loop(module: str, signature: str, *types: str, written: int | None = None) -> dict[str, NumpyLoop]:
    """The loops of a ufunc, by their names in kernels.

    Args:
        module: where it is.
        signature: its name and its axes, as in ``eigh_lo:mm-m,mm``.
        types: the letters of the dtypes, as in ``d-dd``.
        written: which operand it overwrites.
    """
    name, _, axes = signature.partition(":")
    given, made = (tuple(tuple(one) for one in side.split(",")) for side in axes.split("-"))
    found = {}
    for each in types:
        left, right = each.split("-")
        found[f"{PREFIX}{name}_{left}_{right}"] = NumpyLoop(
            module, name, (left, right), given + made, len(given), written
        )
    return found


LOOPS: dict[str, NumpyLoop] = {
    **_loop(MATRICES, "eigh_lo:mm-m,mm", "d-dd"),
    **_loop(MATRICES, "eigh_up:mm-m,mm", "d-dd"),
    **_loop(MATRICES, "eigvalsh_lo:mm-m", "d-d"),
    **_loop(MATRICES, "eigvalsh_up:mm-m", "d-d"),
    **_loop(MATRICES, "svd:mn-p", "d-d"),
    **_loop(MATRICES, "svd_s:mn-mp,p,pn", "d-ddd"),
    **_loop(MATRICES, "svd_f:mn-mm,p,nn", "d-ddd"),
    **_loop(MATRICES, "qr_r_raw:mn-p", "d-d", written=0),
    **_loop(MATRICES, "qr_reduced:mn,k-mk", "dd-d"),
    **_loop(TRANSFORMS, "fft:n,-m", "Dd-D", "Ff-F"),
    **_loop(TRANSFORMS, "ifft:m,-n", "Dd-D", "Ff-F"),
    **_loop(TRANSFORMS, "rfft_n_even:n,-m", "dd-D", "ff-F"),
    **_loop(TRANSFORMS, "rfft_n_odd:n,-m", "dd-D", "ff-F"),
    **_loop(TRANSFORMS, "irfft:m,-n", "Dd-d", "Ff-f"),
}
"""The loops that kernels call, by their names there."""


def has_data(loop: NumpyLoop) -> bool:
    """Whether a loop is handed data of its own."""
    return loop.name in ("fft", "ifft")  # the direction
