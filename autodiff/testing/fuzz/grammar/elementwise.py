"""Operations on each element by itself."""

from autodiff.testing.fuzz.grammar.template import templates

FLOATING = [
    *templates(
        """
        np.sin({p})
        np.cos({p})
        np.tanh({p})
        np.exp({p})
        np.exp(-np.abs({p}))
        np.expm1({p})
        np.arctan({p})
        np.sinh({p})
        np.cosh({p})
        np.tan(0.5 * np.tanh({p}))
        np.log(np.abs({p}) + 0.1)
        np.log1p({p} ** 2)
        np.log1p(np.exp({p}))
        np.sqrt(np.abs({p}) + 0.01)
        np.log({p})
        np.log2(np.abs({p}))
        np.log10({p} * {p} + 1)
        np.sqrt({p})
        np.exp2({p})
        np.cbrt({p})
        np.square({p})
        np.reciprocal({p})
        1 / (1 + np.exp(-{p}))
        np.arcsin(np.clip({p}, -0.9, 0.9))
        np.arccos(0.5 * np.sin({p}))
        np.arctanh(0.9 * np.tanh({p}))
        np.arcsinh({p})
        np.arccosh(1.5 + np.abs({p}))
        np.sinc({p})
        np.deg2rad({p})
        {p} ** 2
        {p} ** 3
        {p} ** -1
        {p} ** 0.5
        2.0 ** {p}
        np.abs({p}) ** 1.7
        special.erf({p})
        special.erfc({p})
        special.expit({p})
        special.gammaln(np.abs({p}) + 0.5)
        special.digamma(np.abs({p}) + 0.5)
        special.ndtr({p})
        special.erfinv(np.tanh({p}) * 0.9)
        special.j0({p})
        special.gammaincc(2.5, np.abs({p}) + 0.1)
        np.sinc({p})
        special.entr(np.abs({p}) + 0.01)
        special.log_expit({p})
        """,
        weight=1,
    ),
    *templates(
        """
        {p} + {q}
        {p} - {q}
        {p} * {q}
        {p} / {q}
        """,
        "f fib",
        weight=10,
    ),
    *templates(
        """
        {p} + {number}
        {number} - {p}
        {p} * {number}
        {p} / {number}
        {number} / {p}
        """,
        weight=4,
    ),
    *templates(
        """
        np.hypot({p}, {q})
        np.arctan2({p}, {q})
        np.logaddexp({p}, {q})
        np.power(np.abs({p}) + 0.1, {q})
        {p} * {q} + {number}
        {p} * {q} - {p}
        {p} / (1 + {q} * {q})
        np.sin({p}) * np.cos({q})
        special.xlogy(np.abs({p}), np.abs({q}) + 0.1)
        special.xlog1py({p}, np.abs({q}))
        """,
        "f f",
    ),
    *templates(
        """
        np.maximum({p}, {q})
        np.minimum({p}, {q})
        np.fmax({p}, {q})
        np.fmin({p}, {q})
        np.copysign({p}, np.where(np.isnan({q}), 1, {q}))
        np.heaviside({p}, {q})
        """,
        "f f",
        "exact",
    ),
    *templates(
        """
        -{p}
        np.abs({p})
        np.sign({p})
        np.floor({p})
        np.ceil({p})
        np.rint({p})
        np.trunc({p})
        np.maximum({p}, 0)
        np.maximum({p}, 0.0) * np.sign({p})
        np.clip({p}, -1.0, 1.5)
        np.clip({p}, None, 0.5)
        np.minimum({p}, {number})
        np.nan_to_num({p})
        np.fabs({p})
        {p}.astype({dtype})
        """,
        kind="exact",
    ),
    *templates(
        """
        {p} % 1.5
        np.fmod({p}, 0.7)
        {p} // 0.5
        np.round({p}, 1)
        """,
        weight=1,
    ),
]

WHOLE = [
    *templates(
        """
        {p} + {q}
        {p} - {q}
        {p} * {q}
        np.maximum({p}, {q})
        np.minimum({p}, {q})
        {p} // {q}
        {p} % {q}
        {p} & {q}
        {p} | {q}
        {p} ^ {q}
        """,
        "i i",
        "exact",
    ),
    *templates(
        """
        {p} + {whole}
        {p} * {whole}
        {p} // 3
        {p} % 4
        -{p}
        np.abs({p})
        ~{p}
        {p} >> 1
        ({p} & 7) << 2
        np.sign({p})
        {p} ** 2
        np.clip({p}, 0, 5)
        {p}.astype(np.int32)
        {p}.astype(np.int64)
        {p}.astype({dtype})
        """,
        "i",
        "exact",
    ),
    *templates(
        """
        {p} / {q}
        {p} * 0.5
        np.sqrt(np.abs({p}))
        """,
        "i i",
    ),
    *templates(
        """
        np.floor(np.nan_to_num({p}).clip(-50, 50)).astype(np.int64)
        ({p} > 0).astype(np.int32)
        np.isfinite({p}) * 2
        """,
        kind="exact",
    ),
]

BOOLEAN = [
    *templates(
        """
        {p} > {q}
        {p} <= {q}
        {p} == {q}
        {p} != {q}
        np.less({p}, {q})
        """,
        "fi fi",
        "exact",
        weight=4,
    ),
    *templates(
        """
        {p} > 0
        {p} < 0.5
        {p} >= {number}
        np.isnan({p})
        np.isfinite({p})
        np.isinf({p})
        np.signbit(np.where(np.isnan({p}), 0, {p}))
        """,
        kind="exact",
    ),
    *templates(
        """
        {p} & {q}
        {p} | {q}
        {p} ^ {q}
        np.logical_and({p}, {q})
        np.logical_or({p}, {q})
        """,
        "b b",
        "exact",
    ),
    *templates(
        """
        ~{p}
        np.logical_not({p})
        {p} * 2
        {p}.astype({dtype})
        """,
        "b",
        "exact",
    ),
]

COMPLEX = [
    *templates(
        """
        {p} + {q}
        {p} - {q}
        {p} * {q}
        {p} / ({q} + 3j)
        np.conj({p}) * {q}
        """,
        "c cf",
        weight=6,
    ),
    *templates(
        """
        np.exp({p})
        np.sqrt({p})
        np.sin({p})
        np.abs({p})
        {p} * 1j
        {p} ** 2
        np.angle({p} + 2)
        np.tanh({p})
        np.log({p} + 4)
        """,
        "c",
    ),
    *templates(
        """
        np.real({p})
        np.imag({p})
        {p}.real
        np.conj({p})
        -{p}
        """,
        "c",
        "exact",
        weight=4,
    ),
]

SELECTING = [
    *templates(
        """
        np.where({p}, {q}, {r})
        np.where({p}, {q}, {number})
        np.where({p}, 0.0, {q})
        {q} * {p}
        np.where({p}, {q}, -{r})
        """,
        "b fc f",
        "exact",
        weight=6,
    ),
    *templates(
        """
        np.where({p} > 0, {p}, 0.01 * {p})
        np.where({p} > 0, np.log({p}), 0.0)
        np.where({p} > 0, np.sqrt(np.where({p} > 0, {p}, 1.0)), 0)
        np.where({p} < {q}, {p} * 2, {q})
        np.select([{p} > 1, {p} > 0], [{q}, 0.5 * {p}], -1.0)
        np.clip({p}, {q} - 1, {q} + 1)
        np.where(np.isnan({p}), 0, {p})
        """,
        "f f",
    ),
]
