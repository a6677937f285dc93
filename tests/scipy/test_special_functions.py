"""Every ufunc of scipy.special that has a smooth derivative, in all of its real operands: a row each, and all laws."""

import numpy as np
import pytest
import scipy.special as sp

from autodiff.numpy.dispatch import UFUNCS, late_ufunc
from tests.scipy.rows import between, check_row, rough, row

late_ufunc(sp.erf)
u = sp._ufuncs
any_ = between(-2.0, 2.0)
pos = between(0.4, 3.0)
far = between(1.2, 4.0)
unit = between(0.1, 0.9)
small = between(-0.8, 0.8)


def index(fun, *fixed):
    """A function whose first operands are whole numbers."""
    return lambda *operands: fun(*fixed, *operands)


def real_parts(fun):
    """A function with complex results as two real ones."""

    def parts(*operands):
        outs = fun(*operands)
        outs = outs if isinstance(outs, tuple) else (outs,)
        return tuple(part for out in outs for part in (np.real(out), np.imag(out)))

    return parts


# fmt: off
ROWS = [
    # Gamma and beta.
    row("gammainc", sp.gammainc, pos, pos), row("gammaincc", sp.gammaincc, pos, pos),
    row("gammaincinv", sp.gammaincinv, pos, unit), row("gammainccinv", sp.gammainccinv, pos, unit),
    row("betainc", sp.betainc, pos, pos, unit), row("betaincc", sp.betaincc, pos, pos, unit),
    row("betaincinv", sp.betaincinv, pos, pos, unit), row("betainccinv", sp.betainccinv, pos, pos, unit),
    row("btdtria", sp.btdtria, unit, pos, unit), row("btdtrib", sp.btdtrib, pos, unit, unit),
    row("rgamma", sp.rgamma, any_), row("poch", sp.poch, pos, pos), row("binom", sp.binom, far, unit),
    row("lgam1p", u._lgam1p, unit), row("zeta", sp.zeta, far, pos),
    row("riemann_zeta", lambda s: sp.zeta(s), far), row("zetac", sp.zetac, far),
    # Normal, logarithms, degrees.
    row("ndtri_exp", sp.ndtri_exp, between(-4.0, -0.2)), row("nrdtrimn", sp.nrdtrimn, between(0.6, 0.9), pos, pos),
    row("nrdtrisd", sp.nrdtrisd, between(0.0, 1.0), between(0.6, 0.9), far), row("owens_t", sp.owens_t, any_, any_),
    row("huber", sp.huber, between(0.5, 1.0), between(1.1, 3.0)), row("huber inside", sp.huber, between(1.0, 2.0), small),
    row("pseudo_huber", sp.pseudo_huber, pos, any_), row("powm1", sp.powm1, pos, any_),
    row("log1mexp", u._log1mexp, between(-3.0, -0.2)), row("log1pmx", u._log1pmx, between(-0.5, 2.0)),
    row("radian", sp.radian, any_, any_, any_), row("cosdg", sp.cosdg, any_), row("sindg", sp.sindg, any_),
    row("tandg", sp.tandg, any_), row("cotdg", sp.cotdg, between(20.0, 80.0)),
    row("sinpi", u._sinpi, any_), row("cospi", u._cospi, any_),
    # Distribution functions.
    row("chdtr", sp.chdtr, pos, pos), row("chdtrc", sp.chdtrc, pos, pos), row("chdtri", sp.chdtri, pos, unit),
    row("chdtriv", sp.chdtriv, unit, pos), row("gdtr", sp.gdtr, pos, pos, pos), row("gdtrc", sp.gdtrc, pos, pos, pos),
    row("gdtria", sp.gdtria, unit, pos, pos), row("gdtrib", sp.gdtrib, pos, unit, pos),
    row("gdtrix", sp.gdtrix, pos, pos, unit), row("pdtr", index(sp.pdtr, 2.0), pos),
    row("pdtrc", index(sp.pdtrc, 2.0), pos), row("pdtri", index(sp.pdtri, 2), unit), row("pdtrik", sp.pdtrik, between(0.6, 0.9), far),
    row("bdtr", index(sp.bdtr, 2.0, 5), unit), row("bdtrc", index(sp.bdtrc, 2.0, 5), unit),
    row("bdtri", index(sp.bdtri, 2.0, 5), unit), row("nbdtr", index(sp.nbdtr, 2, 5), unit),
    row("nbdtrc", index(sp.nbdtrc, 2, 5), unit), row("nbdtri", index(sp.nbdtri, 2, 5), unit),
    row("bdtrik", sp.bdtrik, between(0.5, 0.9), between(6.0, 9.0), between(0.4, 0.7)),
    row("bdtrin", sp.bdtrin, between(2.0, 4.0), between(0.2, 0.6), between(0.4, 0.6)),
    row("nbdtrik", sp.nbdtrik, between(0.6, 0.9), between(2.0, 4.0), between(0.3, 0.5)),
    row("nbdtrin", sp.nbdtrin, between(2.0, 4.0), between(0.2, 0.6), between(0.4, 0.6)),
    row("fdtr", sp.fdtr, far, far, pos), row("fdtrc", sp.fdtrc, far, far, pos), row("fdtri", sp.fdtri, far, far, unit),
    row("fdtridfd", sp.fdtridfd, far, between(0.45, 0.55), between(1.0, 1.2)), row("stdtr", sp.stdtr, far, any_),
    row("stdtrit", sp.stdtrit, far, between(0.6, 0.9)), row("stdtridf", sp.stdtridf, between(0.78, 0.82), between(0.95, 1.05)),
    row("chndtr", sp.chndtr, far, far, pos), row("chndtrix", sp.chndtrix, unit, far, pos),
    row("chndtridf", sp.chndtridf, far, between(0.2, 0.4), pos), row("chndtrinc", sp.chndtrinc, between(8.0, 9.0), far, between(0.4, 0.6)),
    row("ncfdtr", sp.ncfdtr, far, far, pos, pos), row("ncfdtri", sp.ncfdtri, far, far, pos, unit),
    row("nctdtr", sp.nctdtr, far, small, any_), row("nctdtrit", sp.nctdtrit, far, small, unit),
    rough("nctdtrinc", sp.nctdtrinc, far, unit, any_),
    rough("ncfdtrinc", sp.ncfdtrinc, far, far, between(0.3, 0.4), between(1.4, 1.6)),
    rough("ncfdtridfd", lambda p: sp.ncfdtridfd(3.0, p, 1.0, 3.0), between(0.70, 0.78)),
    rough("ncfdtridfn", lambda p: sp.ncfdtridfn(p, 4.0, 1.0, 0.5), between(0.10, 0.20)),
    rough("nctdtridf", lambda p: sp.nctdtridf(p, 0.5, 2.0), between(0.84, 0.87)),
    row("kolmogorov", sp.kolmogorov, between(0.9, 1.5)), row("kolmogc", u._kolmogc, between(0.9, 1.5)),
    row("kolmogi", sp.kolmogi, unit), row("kolmogci", u._kolmogci, unit), row("kolmogp", u._kolmogp, between(0.9, 1.5)),
    row("smirnov", index(sp.smirnov, 4), between(0.3, 0.45)), row("smirnovc", index(u._smirnovc, 4), between(0.3, 0.45)),
    row("smirnovp", index(u._smirnovp, 4), between(0.3, 0.45)),
    row("smirnovi", index(sp.smirnovi, 4), between(0.2, 0.5)), row("smirnovci", index(u._smirnovci, 4), between(0.6, 0.8)),
    row("tklmbda", sp.tklmbda, small, between(-0.5, 0.5)), row("cosine_cdf", u._cosine_cdf, any_), row("cosine_invcdf", u._cosine_invcdf, unit),
    # Hypergeometric functions and powers.
    row("hyp0f1", sp.hyp0f1, pos, any_), row("hyp1f1", sp.hyp1f1, any_, pos, any_), row("hyp2f1", sp.hyp2f1, any_, any_, pos, small),
    row("hyperu", sp.hyperu, pos, between(0.2, 0.8), pos), row("wright_bessel", sp.wright_bessel, pos, pos, pos),
    row("log_wright_bessel", sp.log_wright_bessel, pos, pos, pos), row("spence", sp.spence, pos),
    row("boxcox", sp.boxcox, pos, any_), row("boxcox1p", sp.boxcox1p, pos, any_),
    row("inv_boxcox", sp.inv_boxcox, unit, small), row("inv_boxcox1p", sp.inv_boxcox1p, unit, small),
    # Elliptic functions.
    row("ellipk", sp.ellipk, between(-2.0, 0.9)), row("ellipkm1", sp.ellipkm1, between(0.02, 2.0)), row("ellipe", sp.ellipe, between(-2.0, 0.9)),
    row("ellipkinc", sp.ellipkinc, any_, small), row("ellipeinc", sp.ellipeinc, any_, small),
    row("elliprc", sp.elliprc, pos, pos), row("elliprd", sp.elliprd, pos, pos, pos), row("elliprf", sp.elliprf, pos, pos, pos),
    row("elliprg", sp.elliprg, pos, pos, pos), row("elliprj", sp.elliprj, pos, pos, pos, pos),
    row("ellipj", sp.ellipj, any_, between(0.1, 0.8)), row("agm", sp.agm, pos, pos),
    # Integrals.
    row("exp1", sp.exp1, pos), row("expi", sp.expi, pos), row("expn", index(sp.expn, 2), pos), row("expn 0", index(sp.expn, 0), pos),
    row("scaled_exp1", u._scaled_exp1, pos), row("sici", sp.sici, pos), row("shichi", sp.shichi, pos), row("fresnel", sp.fresnel, any_),
    row("modfresnelp", real_parts(sp.modfresnelp), pos), row("modfresnelm", real_parts(sp.modfresnelm), pos),
    row("wofz", real_parts(sp.wofz), any_), row("voigt_profile", sp.voigt_profile, any_, pos, pos),
    row("wrightomega", sp.wrightomega, any_), row("lambertw", real_parts(sp.lambertw), pos),
    # Bessel functions.
    row("jv", sp.jv, any_, pos), row("yv", sp.yv, any_, pos), row("iv", sp.iv, any_, pos), row("kv", sp.kv, any_, pos),
    row("jve", sp.jve, any_, pos), row("yve", sp.yve, any_, pos), row("ive", sp.ive, any_, pos), row("kve", sp.kve, any_, pos),
    row("hankel1", real_parts(sp.hankel1), any_, pos), row("hankel2", real_parts(sp.hankel2), any_, pos),
    row("hankel1e", real_parts(sp.hankel1e), any_, pos), row("hankel2e", real_parts(sp.hankel2e), any_, pos),
    row("yn", index(sp.yn, 2), pos), row("kn", index(sp.kn, 2), pos),
    row("struve", sp.struve, pos, pos), row("modstruve", sp.modstruve, pos, pos),
    row("ber", sp.ber, pos), row("bei", sp.bei, pos), row("ker", sp.ker, pos), row("kei", sp.kei, pos),
    row("berp", sp.berp, pos), row("beip", sp.beip, pos), row("kerp", sp.kerp, pos), row("keip", sp.keip, pos),
    row("kelvin", real_parts(sp.kelvin), pos), row("airy", sp.airy, any_), row("airye", sp.airye, pos),
    row("itj0y0", sp.itj0y0, pos), row("iti0k0", sp.iti0k0, pos), row("it2j0y0", sp.it2j0y0, pos), row("it2i0k0", sp.it2i0k0, pos),
    rough("itairy", sp.itairy, any_), row("itstruve0", sp.itstruve0, pos), row("it2struve0", sp.it2struve0, pos),
    row("itmodstruve0", sp.itmodstruve0, pos), row("besselpoly", sp.besselpoly, pos, pos, pos),
    # Orthogonal polynomials, of real degree where SciPy has that.
    row("eval_jacobi", sp.eval_jacobi, pos, pos, pos, small), row("eval_gegenbauer", sp.eval_gegenbauer, pos, pos, small),
    row("eval_genlaguerre", sp.eval_genlaguerre, pos, pos, pos), row("eval_laguerre", sp.eval_laguerre, pos, pos),
    row("eval_legendre", sp.eval_legendre, pos, small), row("eval_legendre 3", index(sp.eval_legendre, 3), small),
    row("eval_chebyt", sp.eval_chebyt, pos, small), row("eval_chebyt 0", index(sp.eval_chebyt, 0), small), row("eval_chebyu", sp.eval_chebyu, pos, small),
    row("eval_chebyc", sp.eval_chebyc, pos, small), row("eval_chebys", sp.eval_chebys, pos, small),
    row("eval_hermite", index(sp.eval_hermite, 3), any_), row("eval_hermitenorm", index(sp.eval_hermitenorm, 3), any_),
    row("eval_sh_legendre", sp.eval_sh_legendre, pos, unit), row("eval_sh_chebyt", sp.eval_sh_chebyt, pos, unit),
    row("eval_sh_chebyu", sp.eval_sh_chebyu, pos, unit), row("eval_sh_jacobi", sp.eval_sh_jacobi, pos, far, between(0.3, 0.9), unit),
    row("lpmv", index(sp.lpmv, 1.0), pos, small),
    # Waves.
    row("pbdv", sp.pbdv, any_, pos), row("pbvv", sp.pbvv, any_, pos), row("pbwa", sp.pbwa, small, pos),
    row("mathieu_a", index(sp.mathieu_a, 2), pos), row("mathieu_b", index(sp.mathieu_b, 2), pos),
    row("mathieu_cem", index(sp.mathieu_cem, 2), pos, between(10.0, 80.0)), row("mathieu_sem", index(sp.mathieu_sem, 2), pos, between(10.0, 80.0)),
    rough("mathieu_modcem1", index(sp.mathieu_modcem1, 2), pos, pos), rough("mathieu_modsem1", index(sp.mathieu_modsem1, 2), pos, pos),
    rough("mathieu_modcem2", index(sp.mathieu_modcem2, 2), pos, pos), rough("mathieu_modsem2", index(sp.mathieu_modsem2, 2), pos, pos),
    row("pro_cv", index(sp.pro_cv, 1, 2), pos), row("obl_cv", index(sp.obl_cv, 1, 2), pos),
    row("pro_ang1", index(sp.pro_ang1, 1, 2), pos, unit), row("obl_ang1", index(sp.obl_ang1, 1, 2), pos, unit),
    row("pro_rad1", index(sp.pro_rad1, 1, 2), pos, far), rough("pro_rad2", index(sp.pro_rad2, 1, 2), far, far),
    row("obl_rad1", index(sp.obl_rad1, 1, 2), pos, far), row("obl_rad2", index(sp.obl_rad2, 1, 2), pos, far),
    row("pro_ang1_cv", lambda x: sp.pro_ang1_cv(1, 2, 1.5, sp.pro_cv(1, 2, 1.5), x), unit),
    row("pro_rad1_cv", lambda x: sp.pro_rad1_cv(1, 2, 1.5, sp.pro_cv(1, 2, 1.5), x), far),
    rough("pro_rad2_cv", lambda x: sp.pro_rad2_cv(1, 2, 1.5, sp.pro_cv(1, 2, 1.5), x), between(2.5, 4.0)),
    row("obl_ang1_cv", lambda x: sp.obl_ang1_cv(1, 2, 1.5, sp.obl_cv(1, 2, 1.5), x), unit),
    row("obl_rad1_cv", lambda x: sp.obl_rad1_cv(1, 2, 1.5, sp.obl_cv(1, 2, 1.5), x), far),
    row("obl_rad2_cv", lambda x: sp.obl_rad2_cv(1, 2, 1.5, sp.obl_cv(1, 2, 1.5), x), far),
]
# fmt: on


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of SciPy's, where it scales
@pytest.mark.parametrize("case", ROWS, ids=str)
def test_laws(case):
    check_row(case)


def test_every_ufunc_has_a_rule():
    ufuncs = {name: each for name, each in vars(sp).items() if isinstance(each, np.ufunc)}
    assert sorted(name for name, each in ufuncs.items() if each not in UFUNCS) == []
