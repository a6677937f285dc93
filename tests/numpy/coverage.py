"""What is not differentiated of NumPy's namespace, and why; and the table that says what is.

``python -m tests.numpy.coverage`` writes ``docs/numpy-coverage.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from autodiff.numpy.refused import REASONS
from tests.numpy.programs import PROGRAMS

PAGE = Path(__file__).parents[2] / "docs" / "numpy-coverage.md"

CONSTANT = {
    "the result is true or false": """
        all any allclose array_equal array_equiv equal not_equal less less_equal greater greater_equal isclose
        iscomplex iscomplexobj isfinite isin isinf isnan isneginf isposinf isreal isrealobj logical_and logical_not
        logical_or logical_xor signbit shares_memory may_share_memory can_cast isfortran iterable isscalar""",
    "the result is made of integers: positions, counts, sizes": """
        argmax argmin argpartition argsort argwhere count_nonzero digitize flatnonzero lexsort nanargmax nanargmin
        ndim nonzero ravel_multi_index searchsorted shape size unravel_index linalg.matrix_rank""",
    "piecewise constant: the derivative is zero, at the jumps too": """
        around ceil fix floor floor_divide rint round sign spacing trunc""",
    "the result depends on shapes and dtypes only": """
        broadcast_shapes common_type einsum_path min_scalar_type result_type empty_like""",
    "operands are integers or booleans": """
        bitwise_and bitwise_count bitwise_invert bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
        bitwise_xor gcd invert lcm left_shift right_shift""",
    "text": "array2string array_repr array_str",
}
NOT_ASKED = {
    "NumPy does not ask its argument; of a traced one autodiff.numpy.array makes an array, and like=x of a traced x": """
        array asanyarray asarray asarray_chkfinite ascontiguousarray asfortranarray asmatrix require""",
    "calls Python once for every element with a plain number": "frompyfunc",
}
OUTSIDE = {
    "makes arrays from sizes, text or other programs": """
        arange bartlett blackman diag_indices diag_indices_from empty eye from_dlpack frombuffer fromfunction fromiter
        fromstring full hamming hanning identity indices ix_ kaiser mask_indices ones tri tril_indices
        tril_indices_from triu_indices triu_indices_from zeros fft.fftfreq fft.rfftfreq bmat packbits unpackbits""",
    "reads and writes files": """
        fromfile fromregex genfromtxt load loadtxt save savetxt savez savez_compressed""",
    "types, settings and information": """
        base_repr binary_repr busday_count busday_offset datetime_as_string datetime_data format_float_positional
        format_float_scientific get_include get_printoptions getbufsize geterr geterrcall info is_busday isdtype isnat
        issubdtype mintypecode nested_iters printoptions promote_types set_printoptions setbufsize seterr seterrcall
        show_config show_runtime typename test linalg.test fft.test""",
}


def functions() -> Iterator[tuple[str, Any]]:
    """NumPy's public functions: np, np.linalg, np.fft."""
    for module, prefix in ((np, ""), (np.linalg, "linalg."), (np.fft, "fft.")):
        for name in sorted(dir(module)):
            found = None if name.startswith("_") or name == "row_stack" else getattr(module, name)
            if callable(found) and not isinstance(found, type):
                yield prefix + name, found


def status() -> dict[str, tuple[str, str]]:
    """For every function its status (differentiable, constant, refused, outside, missing) and the reason."""
    reasons = {
        name: (kind, reason)
        for kind, groups in (("constant", CONSTANT), ("refused", REASONS | NOT_ASKED), ("outside", OUTSIDE))
        for reason, names in groups.items()
        for name in names.split()
    }
    return {
        name: ("differentiable", "") if name in PROGRAMS else reasons.get(name, ("missing", ""))
        for name, _ in functions()
    }


def share(table: dict[str, tuple[str, str]]) -> float:
    """Which part of the functions that have a derivative is differentiated."""
    kinds = [kind for kind, _ in table.values()]
    wanted = kinds.count("differentiable") + kinds.count("missing") + kinds.count("refused")
    return kinds.count("differentiable") / wanted


def page() -> str:
    """The table as a page of the documentation."""
    table = status()
    lines = [
        "# Which of NumPy's functions can be differentiated",
        "",
        "Written by `python -m tests.numpy.coverage` from NumPy's own namespace; the tests differentiate one program",
        "for each function of the first group and compare with numerical derivatives.",
        "",
        f"{share(table):.0%} of the functions that have a derivative (NumPy {np.__version__}).",
    ]
    for kind in ("differentiable", "constant", "refused", "missing", "outside"):
        names = [name for name, (its, _) in table.items() if its == kind]
        lines += ["", f"## {kind.capitalize()} ({len(names)})", ""]
        if kind in ("differentiable", "missing"):
            lines.append(" ".join(f"`{name}`" for name in names) or "None.")
            continue
        for reason in dict.fromkeys(reason for its, reason in table.values() if its == kind):
            own = " ".join(f"`{name}`" for name, found in table.items() if found == (kind, reason))
            lines.append(f"- {reason}: {own}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
