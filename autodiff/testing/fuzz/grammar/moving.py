"""Operations that only move elements: shapes, indices, joining and splitting."""

from autodiff.testing.fuzz.grammar.template import templates

MOVING = [
    *templates(
        """
        {p}.T
        np.transpose({p}, {order})
        np.swapaxes({p}, 0, -1)
        np.moveaxis({p}, 0, -1)
        {p}[..., None]
        {p}[None]
        np.expand_dims({p}, {axis})
        np.squeeze({p})
        np.flip({p}, {axis})
        np.diagonal({p})
        np.broadcast_to({p}, (3, *{p}.shape))
        """,
        "fibc",
        "view",
    ),
    *templates(
        """
        {p}.reshape(-1)
        np.ravel({p})
        {p}.reshape({p}.shape[0], -1)
        {p}.reshape(-1, {p}.shape[-1])
        {p}.reshape({p}.shape + (1,))
        {p}.flatten()
        np.tile({p}, 2)
        np.tile({p}, (2, 1))
        np.repeat({p}, 3, axis={axis})
        np.roll({p}, 1, axis={axis})
        np.roll({p}, -2)
        np.rot90({p})
        np.tril({p})
        np.triu({p}, 1)
        np.diag({p})
        np.pad({p}, 1)
        np.pad({p}, 1, mode="edge")
        np.pad({p}, 1, mode="reflect")
        np.pad({p}, (0, 2), mode="wrap")
        np.pad({p}, 1, constant_values=0.5)
        np.copy({p})
        """,
        "fic",
        "exact",
        weight=1,
    ),
    *templates(
        """
        np.concatenate([{p}, {q}], axis={axis})
        np.concatenate([{p}, {p} * 2], axis={axis})
        np.stack([{p}, {q}], axis={axis})
        np.stack([{p}, {q}], axis=0)
        np.hstack([{p}, {q}])
        np.vstack([{p}, {q}])
        np.append({p}, {q})
        np.concatenate([np.exp(-np.abs({p})), {q}])
        np.concatenate([np.ravel({p}), np.ravel({q})])
        """,
        "fc fic",
        "exact",
    ),
]

INDEXING = [
    *templates("{p}[{index}]", "fibc", "view", weight=12),
    *templates(
        """
        np.take({p}, [0, -1], axis={axis})
        np.take({p}, 0, axis={axis})
        {p}[np.array([0, -1, 0])]
        np.split({p}, [1], axis={axis})[-1]
        np.array_split({p}, 2, axis={axis})[0]
        np.delete({p}, 0, axis={axis})
        np.insert({p}, 1, 0.5, axis={axis})
        """,
        "f",
        "exact",
        weight=1,
    ),
    *templates(
        """
        {p}[{q} % {p}.shape[0]]
        np.take({p}, {q} % {p}.shape[-1], axis=-1)
        np.take_along_axis({p}, {q} % {p}.shape[-1], axis=-1)
        {p}[..., {q} % {p}.shape[-1]]
        {p}[np.arange({p}.shape[0]), {q} % {p}.shape[-1]]
        """,
        "f i",
        "exact",
        weight=3,
        traced=True,
    ),
]
