"""Dtypes that are asked for, what reductions start with and leave out, and arithmetic of truth values and integers."""

from autodiff.testing.fuzz.grammar.template import templates

ASKED = [
    *templates(
        """
        np.sum({p}, axis={axes}{keep}, dtype={any_dtype})
        np.prod({p}, axis={axes}, dtype={any_dtype})
        np.cumsum({p}, axis={axis}, dtype={any_dtype})
        np.cumprod({p}, axis={axis}, dtype={any_dtype})
        np.add.reduce({p}, axis={axis}, dtype={any_dtype}{keep})
        np.add.accumulate({p}, axis={axis}, dtype={any_dtype})
        {p}.astype({any_dtype})
        np.multiply({p}, 3, dtype={any_dtype})
        """,
        "ib",
        "exact",
    ),
    *templates(
        """
        np.mean({p}, axis={axes}{keep}, dtype={dtype})
        np.var({p}, axis={axis}, dtype={dtype})
        np.cumsum({p}, axis={axis}, dtype={dtype})
        np.prod(np.tanh({p}), axis={axis}{keep}, dtype={dtype})
        np.add.reduce({p}, axis={axis}, dtype={dtype})
        np.sum({p}, axis={axes}{keep}, dtype=np.complex128)
        """,
        "fib",
        mixes=True,
    ),
    *templates(
        """
        np.add({p}, {number}, dtype={dtype})
        np.divide({p}, 3, dtype={dtype})
        np.cumprod(np.tanh({p}), axis={axis}, dtype={dtype})
        """,
        "fi",
    ),
]
"""Reductions, running sums and casts to a dtype."""

STARTED = [
    *templates(
        """
        np.sum({p}, axis={axes}{keep}, initial={number})
        np.sum({p}, axis={axes}, where={p} < 1, initial=2)
        np.mean({p}, axis={axes}{keep}, where=np.abs({p}) < 2)
        np.var({p}, axis={axis}, where={p} > -1)
        np.add.reduce({p}, axis={axis}, initial=0.5, where={p} > 0)
        np.prod(np.tanh({p}), axis={axis}, initial=2, where={p} > 0{keep})
        np.multiply.reduce(np.tanh({p}), axis={axis}{keep})
        """,
        mixes=True,
        weight=1,
    ),
    *templates(
        """
        np.sum({p}, axis={axes}{keep}, where={q})
        np.mean({p}, axis={axis}, where={q})
        np.std({p} * 1.5, axis={axis}, where={q}{keep})
        np.prod({p}, axis={axis}, where={q}, initial=0.5)
        """,
        "fc b",
        mixes=True,
        weight=1,
    ),
    *templates(
        """
        np.max({p}, axis={axes}{keep}, initial=1, where={q})
        np.min({p}, axis={axes}, initial=-1, where={q})
        np.maximum.reduce({p}, axis={axis}, initial=0, where={q})
        np.sum({p}, axis={axes}{keep}, where={q}, initial=3)
        np.any({p}, axis={axes}{keep}, where={q})
        np.all({p}, axis={axes}, where={q})
        """,
        "ib b",
        "exact",
        weight=1,
    ),
    *templates(
        """
        np.logical_or.reduce({p}, axis={axis}{keep})
        np.logical_xor.reduce({p}, axis={axis})
        np.maximum.accumulate({p}, axis={axis})
        np.max({p}, axis={axes}{keep})
        np.cumsum({p}, axis={axis})
        np.cumprod({p}, axis={axis})
        np.prod({p}, axis={axes}{keep})
        np.sort({p}, axis={axis})
        np.argsort({p}, axis={axis}, kind="stable")
        np.argmin({p}, axis={axis})
        np.diff({p}, axis={axis})
        """,
        "ib",
        "exact",
        weight=1,
    ),
]
"""Reductions that start with a number or leave elements out, and those of NumPy's other functions."""

TRUTHS = [
    *templates(
        """
        {p} + {q}
        {p} * {q}
        {p} | {q}
        {p} & {q}
        {p} ^ {q}
        {p} < {q}
        {p} == {q}
        {p} // {q}
        {p} % {q}
        {p} << ({q} & True)
        {p} ** ({q} & 3)
        np.maximum({p}, {q})
        np.logical_xor({p}, {q})
        np.where({p}, {q}, {p})
        np.where({q} > 0, {p}, {q})
        np.add.outer({p}, {q})
        np.sum({p} * {q}, axis={axes})
        np.dot({p}, {q})
        {p} @ {q}
        np.concatenate([np.ravel({p}), np.ravel({q})])
        """,
        "b bi",
        "exact",
    ),
    *templates(
        """
        {p} + True
        {p} * 3
        {p} - 1
        {p} + 0.5
        {p} ** 2
        ~{p} + {p}
        {p} + {p}
        np.minimum({p}, 0)
        np.sum({p}) - 2
        {p} > 0
        {p}.astype(np.int8) * 100
        {p} / 2
        1 - {p}
        np.multiply({p}, {p})
        """,
        "b",
        "exact",
        weight=1,
    ),
    *templates(
        """
        {p} > {q}
        {p} == {q}
        {p} != {q}
        np.greater_equal({p}, {q})
        np.logical_and({p}, {q})
        np.maximum({p}, {q})
        """,
        "fiwb fiwb",
        "exact",
    ),
]
"""Truth values in arithmetic, and comparisons of any two dtypes."""

WRAPPING = [
    *templates(
        """
        np.divmod({p}, {q})[0]
        np.divmod({p}, {q})[1]
        np.fmod({p}, {q})
        np.floor_divide({p}, {q} % 3)
        np.remainder({p}, {q} % 3 - 1)
        {p} << ({q} & 7)
        {p} >> ({q} & 7)
        {p} ** ({q} & 3)
        np.gcd({p}, {q})
        {p} @ {q}
        np.dot({p}, {q})
        np.where({p} > {q}, {p}, {q})
        """,
        "i i",
        "exact",
        weight=1,
    ),
    *templates(
        """
        {p} // -3
        {p} % -3
        {p} // 0
        {p} % 0
        7 // {p}
        -7 % {p}
        np.fmod({p}, -4)
        {p} * {p} * {p}
        {p} + np.uint8(200)
        {p} * np.int8(100)
        {p} - np.uint64(3)
        {p}.astype(np.int8) * {p}.astype(np.int8)
        {p}.astype(np.uint8) - 7
        {p}.astype(np.uint64) * 2
        ({p} % 5).astype(np.uint64) - 9
        -({p}.astype(np.uint8))
        np.abs({p}.astype(np.int8) - 120)
        {p} > -1
        {p} == 300
        {p} < 2 ** 40
        np.square({p})
        np.clip({p}, 1, 3)
        np.invert({p})
        {p} << 3
        np.bitwise_count({p})
        np.sign({p}) * {p}
        """,
        "i",
        "exact",
        weight=1,
    ),
]
"""Whole numbers that wrap around, and quotients and remainders of negative numbers and by zero."""
