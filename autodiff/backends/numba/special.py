"""SciPy's functions of single numbers: kernels call them by the addresses that SciPy gives to code in Cython.

So they have SciPy's values, to the bit for float64. Nothing of SciPy is imported before a kernel needs one of them.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from autodiff.backends.numba.mathematics.plain import define as define_intrinsic
from autodiff.backends.numba.mathematics.plain import floats

PREFIX = "scipy_"
"""How they are called in the text of kernels, and in object code."""

_SIGNATURES = """
    erfi(x); erfcx(x); dawsn(x); erfinv(x); erfcinv(x); ndtri(x); log_ndtr(x); ndtri_exp(x); nrdtrimn(p, std,
    x); nrdtrisd(mn, p, x); owens_t(h, a); loggamma(x); gamma(x); beta(a, b); betaln(a, b); gammainc(a, x);
    gammaincc(a, x); betainc(a, b, x); betaincc(a, b, x); gammaincinv(a, p); gammainccinv(a, p); betaincinv(a,
    b, p); betainccinv(a, b, p); btdtria(p, b, x); btdtrib(a, p, x); rgamma(x); gammasgn(x); poch(z, m);
    binom(n, k); zetac(s); logit(x); rel_entr(x, y); kl_div(x, y); huber(delta, r); pseudo_huber(delta, r);
    exp10(x); cosm1(x); powm1(x, y); radian(d, m, s); cosdg(x); sindg(x); tandg(x); cotdg(x); jv(v, x); yv(v,
    x); iv(v, x); kv(v, x); jve(v, x); yve(v, x); ive(v, x); kve(v, x); j1(x); j0(x); y1(x); y0(x); i1(x);
    i0(x); k1(x); k0(x); i1e(x); i0e(x); k1e(x); k0e(x); struve(v, x); modstruve(v, x); ber(x); bei(x); ker(x);
    kei(x); berp(x); beip(x); kerp(x); keip(x); itstruve0(x); it2struve0(x); itmodstruve0(x); besselpoly(a, lmb,
    nu); chdtr(v, x); chdtrc(v, x); gdtr(a, b, x); gdtrc(a, b, x); pdtr(k, m); pdtrc(k, m); chdtri(v, p);
    chdtriv(p, x); gdtria(p, b, x); gdtrib(a, p, x); gdtrix(a, b, p); pdtrik(p, m); bdtrik(p, n, x); bdtrin(k,
    p, x); nbdtrik(p, n, x); nbdtrin(k, p, x); fdtr(dfn, dfd, x); fdtrc(dfn, dfd, x); stdtr(df, t); fdtri(dfn,
    dfd, p); fdtridfd(dfn, p, x); stdtrit(df, p); stdtridf(p, t); chndtr(x, df, nc); ncfdtr(dfn, dfd, nc, f);
    nctdtr(df, nc, t); chndtrix(p, df, nc); chndtridf(x, p, nc); chndtrinc(x, df, p); ncfdtri(dfn, dfd, nc, p);
    ncfdtridfn(p, dfd, nc, f); ncfdtridfd(dfn, p, nc, f); ncfdtrinc(dfn, dfd, p, f); nctdtrit(df, nc, p);
    nctdtridf(p, nc, t); nctdtrinc(df, p, t); kolmogorov(x); kolmogi(p); tklmbda(x, lmbda); hyp0f1(b, x);
    hyp1f1(a, b, x); hyperu(a, b, x); hyp2f1(a, b, c, x); wright_bessel(a, b, x); log_wright_bessel(a, b, x);
    spence(x); boxcox(x, lmbda); boxcox1p(x, lmbda); inv_boxcox(y, lmbda); inv_boxcox1p(y, lmbda); ellipk(m);
    ellipkm1(p); ellipe(m); ellipkinc(phi, m); ellipeinc(phi, m); elliprd(x, y, z); elliprj(x, y, z, p);
    elliprg(x, y, z); elliprf(x, y, z); elliprc(x, y); agm(a, b); exp1(x); expi(x); voigt_profile(x, sigma,
    gamma); wrightomega(x); eval_jacobi(n, alpha, beta, x); eval_gegenbauer(n, alpha, x); eval_genlaguerre(n,
    alpha, x); eval_laguerre(n, x); eval_legendre(n, x); eval_chebyt(n, x); eval_chebyu(n, x); eval_chebyc(n,
    x); eval_chebys(n, x); eval_sh_legendre(n, x); eval_sh_chebyt(n, x); eval_sh_chebyu(n, x); eval_sh_jacobi(n,
    p, q, x); lpmv(m, v, x); mathieu_a(m, q); mathieu_b(m, q); pro_cv(m, n, c); obl_cv(m, n, c)
"""

OPERANDS: dict[str, tuple[str, ...]] = {
    name: tuple(operands.removesuffix(")").split(","))
    for name, _, operands in (one.partition("(") for one in "".join(_SIGNATURES.split()).split(";"))
}
"""The operands of each, by the name that it has in SciPy and on tapes. What warns of numbers that are not whole is none
of them: a kernel would have to stop for it."""

CALLS: dict[str, int] = {PREFIX + name: len(operands) for name, operands in OPERANDS.items()}
"""How many operands each has, by its name in kernels."""


@functools.cache
def address(name: str) -> int | None:
    """Where a function of doubles is; None if this SciPy has none, or there is no SciPy.

    Args:
        name: SciPy's.
    """
    try:
        from scipy.special import cython_special  # noqa: PLC0415 - an optional extra
    except ImportError:
        return None
    capsules = cython_special.__pyx_capi__
    wanted = f"double ({'double, ' * len(OPERANDS[name])}int __pyx_skip_dispatch)".encode()
    for own, capsule in capsules.items():
        plain = own.removeprefix("__pyx_fuse_").lstrip("_0123456789") if own.startswith("__pyx_fuse_") else own
        if plain == name and _name_of(capsule) == wanted:
            return _pointer_of(capsule, wanted)
    return None


def known(name: str) -> bool:
    """Whether kernels can call the function that an operation of a tape is."""
    return name in OPERANDS and address(name) is not None


def define(symbols: list[str]) -> None:
    """Tell LLVM where functions are that object code asks for; those that are missing stay unknown."""
    import llvmlite.binding as llvm  # noqa: PLC0415 - an optional extra

    for symbol in symbols:
        found = address(symbol.removeprefix(PREFIX)) if symbol in CALLS else None
        if found is not None:
            llvm.add_symbol(symbol, found)


def call(builder: Any, name: str, operands: list[Any]) -> Any:
    """Print the call of a function of doubles."""
    from llvmlite import ir  # noqa: PLC0415 - only where kernels are compiled

    number, integer = ir.DoubleType(), ir.IntType(32)
    function = builder.module.globals.get(name)
    if function is None:
        type_ = ir.FunctionType(number, [*[number] * len(operands), integer])
        function = ir.Function(builder.module, type_, name)
        function.attributes.add("nounwind")
    return builder.call(function, [*operands, ir.Constant(integer, 0)])


@functools.cache
def intrinsics() -> dict[str, Any]:
    """The same for text that Numba compiles."""
    return {name: define_intrinsic(name, arity, _codegen(name), floats) for name, arity in CALLS.items()}


def _codegen(name: str) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, operands: Any) -> Any:
        from llvmlite import ir  # noqa: PLC0415 - only where kernels are compiled

        if signature.return_type.bitwidth == 64:
            return call(builder, name, operands)
        wide = [builder.fpext(operand, ir.DoubleType()) for operand in operands]
        return builder.fptrunc(call(builder, name, wide), ir.FloatType())

    return codegen


def _name_of(capsule: Any) -> bytes:
    """The signature that a capsule is named after."""
    get = ctypes.pythonapi.PyCapsule_GetName
    get.restype, get.argtypes = ctypes.c_char_p, [ctypes.py_object]
    found: bytes = get(capsule)
    return found


def _pointer_of(capsule: Any, name: bytes) -> int:
    """What a capsule holds."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    found: int = get(capsule, name)
    return found
