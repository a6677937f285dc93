"""What to do where a traced value would become a plain number or array: it depends on who asks for one."""

from __future__ import annotations

from collections.abc import Callable

from autodiff.trace.source import asked_by, asking_library, asking_module, is_rewritten

ARRAY = "a plain NumPy array"

COLLECT = (
    "Make an array of traced values with autodiff.numpy.array([[a, b], [c, d]]), np.array(..., like=x) of a traced x, "
    "np.stack, np.concatenate or np.block, or assign them into np.zeros_like(x) or np.zeros(n, like=x). "
)
CONVERTED = (
    "A traced array needs no np.asarray(x), though isinstance(x, np.ndarray) is False for it; pass an argument that is "
    "a list of numbers as an array. "
)
COMPUTED = "Call NumPy's functions in place of those of math; print with f'{x:.3f}' in place of '%.3f' % x. "
MASKED = "Masked arrays are not traced: select with np.where(mask, 0.0, x), or sum with np.sum(x, where=~mask). "
STRIDED = (
    "np.lib.stride_tricks.as_strided shows memory, which traced arrays have none of: take windows with "
    "np.lib.stride_tricks.sliding_window_view(x, length), every other one by [::2], and repeat with np.broadcast_to. "
)
MATRIX = "np.matrix is not traced: work with arrays of two axes, and write @ for products. "
PARTS_OF_NUMPY = {
    "numpy.ma": MASKED,
    "numpy.lib._stride_tricks_impl": STRIDED,
    "numpy.lib.stride_tricks": STRIDED,
    "numpy.matrixlib": MATRIX,
}
"""What to do in place of parts of NumPy's that make plain arrays, by their modules."""

OF_SCIPY = (
    "{module} makes plain arrays of what it is given: call autodiff.{module}, whose functions have the same names and "
    "take traced values, or say that they cannot; give others a rule with custom_vjp or custom_jvp. "
)
OF_SPARSE = (
    "SciPy's sparse matrices take traced values in A @ x, A * x and A / x alone: write A @ x for A.dot(x), and make "
    "matrices with autodiff.scipy.sparse, whose classes have the same names; or give the product a rule with "
    "custom_vjp. "
)
OF_LIBRARY = (
    "{library} makes plain arrays of what it is given: {first}take the numbers of its objects, such as x.to_numpy() or "
    "x.magnitude, before they meet traced values, and give what it computes itself a rule with custom_vjp or "
    "custom_jvp. "
)
REWRITE = 'autodiff.differentiable("{library}") rewrites its modules, of which {place} asks here, and often suffices; '
REWRITTEN = "{place} is rewritten, and needs a plain value; "
SWITCH = (
    "To run a program as it stands put @autodiff.differentiable on the function, or run python -m autodiff script.py. "
)
STOPPED = "Where no derivative is wanted, wrap the value in autodiff.stop_gradient."


def remedy_of_loss(wanted: str) -> str:
    """What to do in place of letting a traced value become ``wanted``."""
    found = remedy_by_library() or COLLECT + (CONVERTED if wanted == ARRAY else COMPUTED) + switch_remedy()
    return found + STOPPED


def switch_remedy() -> str:
    """How a program is run as it stands; empty where it is already."""
    return "" if is_rewritten() else SWITCH


def remedy_of_unknown(wanted: str, otherwise: Callable[[str], str]) -> str:
    """What to do where only shapes are known, unless a library asks for the array: as what the recording says."""
    return (wanted == ARRAY and remedy_by_library().rstrip()) or otherwise(wanted) + unchanged_remedy(wanted)


def unchanged_remedy(wanted: str) -> str:
    """How a program runs as it stands where only shapes are known; empty where nothing helps, or it is rewritten."""
    if wanted not in (ARRAY, "float", "complex") or is_rewritten():
        return ""
    collect = " autodiff.numpy.array([[a, b], [c, d]]) makes an array of traced values." if wanted == ARRAY else ""
    return (
        collect
        + " With @autodiff.differentiable on the function, np.array, math, float and array[index] take them, too."
    )


def remedy_by_library() -> str:
    """What to do where a library asks for the plain value, or a part of NumPy's that is never traced; else empty."""
    for part, then in PARTS_OF_NUMPY.items():
        if asked_by(part):
            return then
    if asked_by("scipy.sparse"):
        return OF_SPARSE
    module = asking_module()
    library = module.partition(".")[0]
    if library == "scipy":
        return OF_SCIPY.format(module=".".join(module.split(".")[:2])) + switch_remedy()
    inner, place, rewritten = asking_library()
    if inner in ("", "scipy"):
        return OF_LIBRARY.format(library=library, first="") if library else ""
    first = (REWRITTEN if rewritten else REWRITE).format(library=inner, place=place)
    return OF_LIBRARY.format(library=inner, first=first)
