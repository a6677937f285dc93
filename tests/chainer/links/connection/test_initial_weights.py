"""What links hold at first is what Chainer 7.8.1 draws: the same numbers in the same order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autodiff.chainer.links as L
from autodiff.chainer.initializers import Normal

NORMAL = Normal(1.0)

SUMS: list[tuple[Callable[[], Any], dict[str, float | None], float]] = [  # sums, and the next random number
    (lambda: L.Linear(3, 2, initial_bias=NORMAL), {'W': 3.62237, 'b': 0.79873}, 0.963663),
    (lambda: L.Linear(None, 2, initial_bias=NORMAL), {'W': None, 'b': 2.16421}, 0.602763),
    (lambda: L.Convolution2D(3, 2, 2, initial_bias=NORMAL), {'W': 2.77405, 'b': 0.81539}, 0.018790),
    (lambda: L.Convolution2D(2, 2, initial_bias=NORMAL), {'W': None, 'b': 2.16421}, 0.602763),
    (lambda: L.Convolution2D(4, 2, 2, groups=2, initial_bias=NORMAL), {'W': 3.76138, 'b': 1.28892}, 0.118274),
    (lambda: L.Convolution1D(3, 2, 2, initial_bias=NORMAL), {'W': 3.66548, 'b': 0.88271}, 0.071036),
    (lambda: L.ConvolutionND(2, 4, 2, (1, 2), groups=2, initial_bias=NORMAL), {'W': 3.53643, 'b': 0.30738}, 0.791725),
    (lambda: L.Deconvolution2D(4, 2, 2, groups=2, initial_bias=NORMAL), {'W': 5.3194, 'b': 1.28892}, 0.118274),
    (lambda: L.Deconvolution1D(3, 2, 2, initial_bias=NORMAL), {'W': 4.48927, 'b': 0.88271}, 0.071036),
    (lambda: L.DeconvolutionND(2, 3, 2, 2, initial_bias=NORMAL), {'W': 3.3975, 'b': 0.81539}, 0.018790),
    (lambda: L.DilatedConvolution2D(3, 2, 2, initial_bias=NORMAL), {'W': 2.77405, 'b': 0.81539}, 0.018790),
    (lambda: L.DepthwiseConvolution2D(3, 2, 2, initial_bias=NORMAL), {'W': 2.77405, 'b': 3.6761}, 0.943748),
    (lambda: L.LocalConvolution2D(3, 2, (4, 5), (2, 3), initial_bias=NORMAL), {'W': 0.15871, 'b': -1.75156}, 0.924967),
    (lambda: L.DeformableConvolution2D(3, 2, 2, offset_initial_bias=NORMAL, deform_initialW=NORMAL, deform_initial_bias=NORMAL), {'deform_conv/W': 11.16986, 'deform_conv/b': 1.07976, 'offset_conv/W': 1.05526, 'offset_conv/b': 2.55958}, 0.975522),
    (lambda: L.MLPConvolution2D(3, (2, 4), 2, bias_init=NORMAL), {'0/W': 2.77405, '0/b': 0.81539, '1/W': 0.3714, '1/b': 2.24111}, 0.210383),
    (lambda: L.Inception(3, 1, 2, 3, 4, 5, 6, bias_init=NORMAL), {'conv1/W': 1.81458, 'conv1/b': 2.24089, 'conv3/W': -1.9267, 'conv3/b': -2.07471, 'conv5/W': -2.56138, 'conv5/b': -3.68073, 'proj3/W': 1.15262, 'proj3/b': 1.59832, 'proj5/W': -1.34988, 'proj5/b': 1.3185, 'projp/W': -4.03701, 'projp/b': -1.80892}, 0.954334),
    (lambda: L.InceptionBN(3, 1, 2, 3, 4, 5, 'max', 6), {'conv1/W': 0.4285, 'conv1n/beta': 0.0, 'conv1n/gamma': 1.0, 'conv3/W': -0.39459, 'conv33a/W': 1.37515, 'conv33an/beta': 0.0, 'conv33an/gamma': 5.0, 'conv33b/W': -3.51777, 'conv33bn/beta': 0.0, 'conv33bn/gamma': 5.0, 'conv3n/beta': 0.0, 'conv3n/gamma': 3.0, 'poolp/W': 1.95372, 'poolpn/beta': 0.0, 'poolpn/gamma': 6.0, 'proj3/W': 3.62237, 'proj33/W': -2.86394, 'proj33n/beta': 0.0, 'proj33n/gamma': 4.0, 'proj3n/beta': 0.0, 'proj3n/gamma': 2.0}, 0.859581),
    (lambda: L.Bilinear(3, 2, 4, initial_bias=(NORMAL, NORMAL, NORMAL)), {'V1': 1.14907, 'V2': -0.48102, 'W': 3.3975, 'b': -1.42303}, 0.466311),
    (lambda: L.EmbedID(3, 2), {'W': 6.27412}, 0.437587),
    (lambda: L.Highway(3, init_bh=NORMAL, init_bt=NORMAL), {'plain/W': 4.02392, 'plain/b': 2.00892, 'transform/W': -0.08363, 'transform/b': 0.77589}, 0.456150),
    (lambda: L.Maxout(3, 2, 2, initial_bias=NORMAL), {'linear/W': 5.18377, 'linear/b': 1.66025}, 0.978618),
    (lambda: L.SimplifiedDropconnect(3, 2, initial_bias=NORMAL), {'W': 3.62237, 'b': 0.79873}, 0.963663),
    (lambda: L.PReLU((3,), NORMAL), {'W': 3.14295}, 0.423655),
    (lambda: L.Swish((3,), NORMAL), {'beta': 3.14295}, 0.423655),
    (lambda: L.BatchNormalization(3, initial_gamma=NORMAL, initial_beta=NORMAL, initial_avg_mean=NORMAL, initial_avg_var=NORMAL), {'avg_mean': 3.14295, 'avg_var': 3.13117, 'beta': 2.00892, 'gamma': 0.69551}, 0.568045),
    (lambda: L.LayerNormalization(3, initial_gamma=NORMAL, initial_beta=NORMAL), {'beta': 3.13117, 'gamma': 3.14295}, 0.437587),
    (lambda: L.GroupNormalization(3, 3, initial_gamma=NORMAL, initial_beta=NORMAL), {'beta': 3.13117, 'gamma': 3.14295}, 0.437587),
]  # fmt: skip


@pytest.mark.parametrize(("build", "sums", "following"), SUMS)
def test_random_numbers_are_drawn_as_in_chainer(build: Any, sums: Any, following: float) -> None:
    np.random.seed(0)  # noqa: NPY002
    link = build()
    found = {path[1:]: param.array for path, param in link.namedparams()}
    found.update({name: getattr(link, name) for name in link._persistent if name != "N"})
    found = {name: None if array is None else round(float(array.astype("d").sum()), 5) for name, array in found.items()}
    assert found == sums
    assert round(np.random.rand(), 6) == following  # noqa: NPY002
