"""The scalar language as C++: every operation on every dtype, on the host, against NumPy."""

import numpy as np
import pytest

import autodiff.ops.rectifier
import autodiff.ops.special.gamma  # noqa: F401 - enters its primitives
from autodiff.backends.cupy.kernels.expressions import expression, typename
from autodiff.backends.cupy.kernels.kernel import Launch
from autodiff.backends.cupy.prelude import prelude
from autodiff.backends.kernels import scalars
from autodiff.trace.primitive import PRIMITIVES
from autodiff.trace.spec import spec
from tests.backends.cupy.hosting import ORDERS, Hosted, needs_compiler
from tests.backends.cupy.nvrtc import checked, compiled, needs_nvrtc
from tests.backends.llvm.mathematics_inputs import last_place, specials

pytestmark = needs_compiler

COUNT = 256
ALL = tuple(scalars.DTYPES)
PAIRS = [(d, d) for d in ALL] + [
    tuple(map(np.dtype, pair)) for pair in ("?i", "?f", "Bi", "Bq", "iq", "qf", "if", "qd", "fd", "df", "B?", "q?")
]
NAMES = [name for name, primitive in PRIMITIVES.items() if primitive.facts.element is not None]
WITH_PARAMETERS = {"cast", "python_number", "clip", "where"}  # these come below
ROUNDED = {
    "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "logistic", "softplus", "logaddexp", "logaddexp2", "sin", "cos",
    "tan", "arcsin", "arccos", "arctan", "arctan2", "hypot", "deg2rad", "rad2deg", "sinh", "cosh", "tanh", "arcsinh",
    "arccosh", "arctanh", "erf", "erfc", "gammaln", "digamma", "power", "expit", "log_expit", "ndtr", "xlogy",
    "xlog1py", "entr", "special_exp2", "special_cbrt", "special_log1p", "special_expm1",
}  # fmt: skip
"""Operations whose results are rounded in several ways; all others give NumPy's bits."""


def numbers(dtype, seed):
    """Numbers of a dtype: its ends, what lies beside zero, and others."""
    rng = np.random.default_rng(seed)
    if dtype.kind == "b":
        return rng.random(COUNT) < 0.5
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        ends = np.array([info.min, info.max, 0, 1, info.max - 1, info.min + 1, 2, 3], dtype)
        small = rng.integers(max(info.min, -20), 21, 80).astype(dtype)
        any_ = rng.integers(info.min, info.max, COUNT, dtype=dtype, endpoint=True)
        return rng.permutation(np.concatenate([ends, small, any_]))[:COUNT]
    own = specials(dtype.type)
    spread = rng.standard_normal(90) * 10.0 ** rng.uniform(-8, 8, 90)
    rest = [own, own[np.argsort(rng.random(own.size))], np.floor(spread[:20]), spread, rng.uniform(-4, 4, COUNT)]
    return np.concatenate(rest).astype(dtype)[rng.permutation(COUNT)]


class Case:
    """One operation on operands of some dtypes."""

    def __init__(self, name, dtypes, **params):
        self.name, self.dtypes, self.params = name, dtypes, params
        self.primitive = PRIMITIVES[name]
        self.specs = [spec((COUNT,), dtype) for dtype in dtypes]
        with np.errstate(all="ignore"):
            self.out = self.primitive.spec(*self.specs, **params)

    @property
    def text(self):
        names = ("x", "y", "z")[: len(self.specs)]
        return expression(scalars.expression(self.primitive, self.specs, names, self.out))

    def expected(self, arrays):
        with np.errstate(all="ignore"):
            found = self.primitive.evaluate(*arrays, **self.params)
            if self.name not in ROUNDED:
                return found
            wide = [a.astype(np.float64) for a in arrays]
            return self.primitive.evaluate(*wide, **self.params).astype(found.dtype)


def cases(dtypes):
    """The operations that kernels can do on such operands."""
    for name in dict.fromkeys((*NAMES, "power")):
        if name in WITH_PARAMETERS or len(PRIMITIVES[name].operands) != len(dtypes):
            continue
        try:
            case = Case(name, dtypes)
        except TypeError:  # NumPy has no such operation
            continue
        if not scalars.unsupported(PRIMITIVES[name], case.specs, case.out) and (name, dtypes) != ("rectifier", (bool,)):
            yield case
    if len(dtypes) == 1:
        yield from (Case("cast", dtypes, dtype=dtype) for dtype in ALL)
    if len(dtypes) == 3:
        yield Case("where" if dtypes[0].kind == "b" else "clip", dtypes)


def kernel(name, dtypes, made):
    """A function that does all operations, each to an array of its own."""
    kinds = list(map(typename, dtypes))
    heads = [f"const {kind}* {array}s" for kind, array in zip(kinds, "xyz")]
    heads += [f"{typename(case.out.dtype)}* out{k}" for k, case in enumerate(made)]
    lines = [f"const {kind} {array} = {array}s[threadIdx.x];" for kind, array in zip(kinds, "xyz")]
    lines += [f"out{k}[threadIdx.x] = {case.text};" for k, case in enumerate(made)]
    return f'extern "C" __global__ void {name}({", ".join(heads)}) {{\n  ' + "\n  ".join(lines) + "\n}\n"


OPERANDS = [(d,) for d in ALL] + PAIRS + [(d,) * 3 for d in ALL[1:]] + [(np.dtype(bool), d, d) for d in ALL]
CASES = {"of_" + "_".join(d.name for d in dtypes): (dtypes, list(cases(dtypes))) for dtypes in OPERANDS}
TEXT = prelude() + "".join(kernel(name, *given) for name, given in CASES.items())


@pytest.fixture(scope="module")
def host():
    return Hosted(TEXT)


def in_range(array, dtype):
    """What all machines cast to an integer the same way."""
    if array.dtype.kind != "f" or dtype.kind not in "iu":
        return np.ones(array.shape, bool)
    info = np.iinfo(np.int64 if dtype == np.uint8 else dtype)
    wide = array.astype(np.float64)
    return (wide > float(info.min)) & (wide < float(info.max))


def alike(case, found, expected, arrays):
    assert found.dtype == expected.dtype
    if case.name in ("cast", "gammaln"):
        known = (
            in_range(arrays[0], case.out.dtype) if case.name == "cast" else np.abs(arrays[0]) != 5e-324
        )  # SciPy's: inf
        arrays, found, expected = [a[known] for a in arrays], found[known], expected[known]
    if found.dtype.kind != "f" or case.name not in ROUNDED:
        np.testing.assert_array_equal(found, expected)
        if found.dtype.kind == "f" and case.name not in ("maximum", "minimum", "fmax", "fmin", "clip"):
            numbers = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(expected[numbers]))
        return
    if case.name == "hypot":  # CUDA's is off by two units at most: numbers next to the largest may be infinite
        known = np.isfinite(found) | (
            np.abs(expected) < np.finfo(found.dtype).max * (1 - 2 * np.finfo(found.dtype).eps)
        )
        known |= ~np.isfinite(expected)
        found, expected = found[known], expected[known]
    finite = np.isfinite(expected) & np.isfinite(found)
    np.testing.assert_array_equal(found[~finite], expected[~finite])
    unit = last_place(np.abs(expected[finite])).astype(np.float64)
    if case.name in ("gammaln", "digamma"):  # SciPy's are less exact near zeros, and below zero near poles
        unit = np.maximum(unit, np.finfo(found.dtype).eps) * np.where(arrays[0][finite] < 0, 64, 1)
    if case.name in ("logaddexp", "logaddexp2"):  # a sum that may be near zero
        unit = np.maximum(unit, np.finfo(found.dtype).eps)
    if case.name in (
        "erfc",
        "ndtr",
    ):  # SciPy's is less exact than the host's, and zero where numbers are no longer normal
        unit = np.maximum(40 * unit, np.finfo(found.dtype).tiny)
    off = np.abs(found[finite].astype(np.float64) - expected[finite]) / unit
    assert np.max(off, initial=0) <= 8, (arrays[0][finite][off > 8], found[finite][off > 8], expected[finite][off > 8])


@pytest.mark.parametrize("name", CASES)
def test_operations(host, name):
    dtypes, made = CASES[name]
    arrays = [numbers(dtype, seed) for seed, dtype in enumerate(dtypes)]
    order = ORDERS[len(made) % 3]
    found = [np.zeros(COUNT, case.out.dtype) for case in made]
    host.run(Launch(name, (1, 1), COUNT), [*arrays, *found], order, constant=range(len(arrays)))
    for case, one in zip(made, found):
        try:
            alike(case, one, case.expected(arrays), arrays)
        except AssertionError as error:
            raise AssertionError(f"{case.name}: {case.text}\n{error}") from None


def test_every_operation_is_there():
    done = {case.name for _, made in CASES.values() for case in made}
    assert set(NAMES) - done == {"python_number", "bitwise_and", "bitwise_or", "bitwise_xor", "invert"} - done


@needs_nvrtc
def test_operations_compile_for_all_architectures():
    text = ""
    for name, (dtypes, made) in CASES.items():
        if len({*dtypes}) == 1:  # what computes in a wider dtype does so by a cast
            text += kernel(name, dtypes, [case for case in made if case.name not in ROUNDED or dtypes[0].kind == "f"])
    checked(prelude() + text)


@needs_nvrtc
def test_operations_of_floats_compute_in_no_other_width():
    floats = [name for name in CASES if set(name.split("_")) <= {"of", "float32", "bool"}]
    made = {
        name: [
            case for case in CASES[name][1] if case.out.dtype != np.float64 and case.name not in ("sin", "cos", "tan")
        ]
        for name in floats
    }
    text = "".join(kernel(name, CASES[name][0], own) for name, own in made.items())
    assert b".f64" not in compiled(prelude() + text, "compute_80")[0]
