"""SciPy's functions of single numbers that kernels may call, by the addresses that SciPy gives to code in Cython."""

from __future__ import annotations

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
