"""Reductions, cumulative operations, sorting, norms and products."""

from autodiff.testing.fuzz.grammar.template import templates

REDUCING = [
    *templates(
        """
        np.sum({p}, axis={axes}{keep})
        np.mean({p}, axis={axes}{keep})
        {p}.sum(axis={axis})
        np.sum({p})
        """,
        "fc",
        mixes=True,
        weight=8,
    ),
    *templates(
        """
        np.var({p}, axis={axes}{keep})
        np.std({p}, axis={axes}{keep}) + 0.1
        np.var({p}, axis={axis}, ddof=1)
        np.sqrt(np.sum({p} ** 2, axis={axes}{keep}) + 0.01)
        np.linalg.norm({p}, axis={axis})
        np.linalg.norm({p})
        np.linalg.norm({p}, ord=1, axis={axis})
        np.nansum({p}, axis={axes})
        np.nanmean({p}, axis={axes}{keep})
        special.logsumexp({p}, axis={axes}{keep})
        np.add.reduce({p}, axis={axis})
        np.logaddexp.reduce({p}, axis={axis})
        np.trapezoid({p}, axis={axis})
        np.average({p}, axis={axis})
        np.sum({p}, axis={axes}, where={p} > 0)
        np.sum({p}, axis={axes}{keep}, dtype=np.float64)
        """,
        mixes=True,
    ),
    *templates(
        """
        np.prod({p}, axis={axes}{keep})
        np.prod(np.tanh({p}) + 1.5, axis={axis})
        """,
    ),
    *templates(
        """
        np.max({p}, axis={axes}{keep})
        np.min({p}, axis={axes}{keep})
        {p}.max(axis={axis})
        np.nanmax({p}, axis={axes})
        np.maximum.reduce({p}, axis={axis})
        """,
        "fi",
        "exact",
        weight=5,
    ),
    *templates(
        """
        np.ptp({p}, axis={axis})
        np.median({p}, axis={axis})
        np.quantile({p}, 0.3, axis={axis})
        """,
        weight=1,
    ),
    *templates(
        """
        np.any({p}, axis={axes}{keep})
        np.all({p}, axis={axes}{keep})
        np.sum({p}, axis={axes}{keep})
        np.count_nonzero({p}, axis={axis})
        np.argmax({p}, axis={axis})
        np.cumsum({p}, axis={axis})
        """,
        "bi",
        "exact",
    ),
    *templates(
        """
        np.argmax({p}, axis={axis})
        np.argmin({p}, axis={axis})
        np.argmax({p})
        np.argsort({p}, axis={axis}, kind="stable")
        np.any({p} > 0, axis={axes})
        np.count_nonzero({p} > 0)
        """,
        kind="exact",
    ),
    *templates("np.mean({p}, axis={axes}{keep})", "bi"),
]

CUMULATIVE = [
    *templates(
        """
        np.cumsum({p}, axis={axis})
        np.cumsum({p}[..., ::-1], axis={axis})
        np.cumsum({p})
        np.logaddexp.accumulate({p}, axis={axis})
        np.gradient({p}, axis={axis})
        """,
        mixes=True,
        weight=3,
    ),
    *templates(
        """
        np.cumprod(np.tanh({p}) + 1.2, axis={axis})
        np.amax({p}, axis={axis}, initial=0.5)
        np.diff({p}, axis={axis})
        """,
    ),
    *templates(
        """
        np.maximum.accumulate({p}, axis={axis})
        np.minimum.accumulate({p}, axis={axis})
        np.sort({p}, axis={axis})
        np.take_along_axis({p}, np.argsort({p}, axis={axis}, kind="stable"), -1)
        """,
        kind="exact",
    ),
]

PRODUCTS = [
    *templates(
        """
        {p} @ {q}
        {p} @ {q}.swapaxes(-1, -2)
        {p}.swapaxes(-1, -2) @ {q}
        np.matmul({p}, {q})
        np.dot({p}, {q})
        {p} @ {p}.T
        np.dot({p}, {p})
        np.einsum("...i,...i->...", {p}, {q})
        np.einsum("ij,kj->ik", {p}, {q})
        np.einsum("ij,ij->j", {p}, {q})
        np.einsum("...ij->...j", {p})
        np.einsum("i,j->ij", {p}, {q})
        np.inner({p}, {q})
        np.vdot({p}, {q})
        np.tensordot({p}, {q}, axes=1)
        np.tensordot({p}, {q}, axes=([0], [0]))
        np.sum({p} * {q}, axis={axes})
        np.sum(np.exp(-{p}) * {q}, axis=-1)
        np.sum({p}[..., None] * {q}[..., None, :], axis=-2)
        """,
        "fc fc",
        mixes=True,
    ),
    *templates(
        """
        np.sum(({p}[:, None] - {p}) ** 2, axis=-1)
        np.sum(({p}[:, None] - {p}) / (np.sum(({p}[:, None] - {p}) ** 2, axis=-1, keepdims=True) + 0.5), axis=1)
        np.sum(np.tanh({p}.reshape(-1)[:90].reshape(30, 1, 3) - {p}.reshape(-1)[-90:].reshape(30, 3)), axis={axis})
        np.sum(np.cos({p}.reshape(-1)[:96].reshape(24, 1, 4) * {p}.reshape(-1)[:96].reshape(24, 4)), axis=-1)
        np.einsum("ni,ij,nj->n", {p}, {p}.T @ {p}, {p})
        """,
        mixes=True,
        weight=1,
    ),
    *templates("np.sqrt(np.sum(({p}[:, None] - {q}) ** 2, axis=-1) + 0.1)", "f f", mixes=True, weight=1),
    *templates(
        """
        np.max(np.abs({p}[:, None] - {p}), axis=-1)
        np.tanh({p} + {p}.T)
        {p} * {p}.T
        """,
        weight=1,
    ),
    *templates(
        """
        np.outer({p}, {q})
        np.cross(np.stack([{p}, {q}, {p} * 2], axis=-1), np.stack([{q}, {p}, {q}], axis=-1))
        np.kron({p}, {q})
        """,
        "f f",
        mixes=True,
        weight=1,
    ),
    *templates(
        """
        np.convolve({p}, np.array([0.5, 1.0, -0.25], {dtype}), mode="same")
        np.trace({p} @ {p}.T)
        np.linalg.solve({p} @ {p}.T + 3 * np.eye({p}.shape[0], dtype={p}.dtype), {p})
        np.linalg.inv({p}.T @ {p} + 2 * np.eye({p}.shape[1], dtype={p}.dtype))
        """,
        mixes=True,
        weight=1,
    ),
]
