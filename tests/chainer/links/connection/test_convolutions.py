"""Links of convolutions: shapes that are learned later, arguments, texts, errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autodiff.chainer.links as L
from autodiff.chainer.link_hooks import SpectralNormalization
from autodiff.facade import Variable

X = np.ones((2, 4, 5, 6), "f")
ROW = np.ones((2, 4, 5), "f")
CUBE = np.ones((1, 4, 3, 3, 3), "f")


def test_convolution_2d_is_printed_as_in_chainer():
    text = (
        "Convolution2D(in_channels=3, out_channels=2, ksize=(3, 4), stride=(1, 2), pad=(0, 1), nobias=False, "
        "dilate=(1, 1), groups=1)"
    )
    assert str(L.Convolution2D(3, 2, (3, 4), (1, 2), (0, 1))) == text
    text = (
        "Convolution2D(in_channels=None, out_channels=2, ksize=3, stride=(1, 1), pad=(0, 0), nobias=True, "
        "dilate=(2, 2), groups=2)"
    )
    assert str(L.Convolution2D(None, 2, 3, nobias=True, dilate=2, groups=2)) == text


LAZY: list[tuple[Any, Any, Any, Any]] = [  # the link, what it is called with, shapes of W and of the result
    (lambda: L.Convolution2D(2, 3), X, (2, 4, 3, 3), (2, 2, 3, 4)),
    (lambda: L.Convolution2D(None, 2, 3, groups=2), X, (2, 2, 3, 3), (2, 2, 3, 4)),
    (lambda: L.Convolution1D(None, 2, 3), ROW, (2, 4, 3), (2, 2, 3)),
    (lambda: L.Convolution3D(None, 2, 2), CUBE, (2, 4, 2, 2, 2), (1, 2, 2, 2, 2)),
    (lambda: L.ConvolutionND(1, 2, 3), ROW, (2, 4, 3), (2, 2, 3)),
    (lambda: L.ConvolutionND(1, 2, 2, stride=2, cover_all=True), ROW, (2, 4, 2), (2, 2, 3)),
    (lambda: L.Deconvolution2D(2, 3), X, (4, 2, 3, 3), (2, 2, 7, 8)),
    (lambda: L.Deconvolution2D(None, 2, 3, 2, 1, outsize=(9, 12), groups=2), X, (4, 1, 3, 3), (2, 2, 9, 12)),
    (lambda: L.Deconvolution1D(None, 2, 3, dilate=2), ROW, (4, 2, 3), (2, 2, 9)),
    (lambda: L.Deconvolution3D(None, 2, 2), CUBE, (4, 2, 2, 2, 2), (1, 2, 4, 4, 4)),
    (lambda: L.DeconvolutionND(1, 2, 3), ROW, (4, 2, 3), (2, 2, 7)),
    (lambda: L.DilatedConvolution2D(2, 2, dilate=2), X, (2, 4, 2, 2), (2, 2, 3, 4)),
    (lambda: L.DepthwiseConvolution2D(None, 2, 3), X, (2, 4, 3, 3), (2, 8, 3, 4)),
    (lambda: L.LocalConvolution2D(None, 2, None, 3), X, (2, 3, 4, 4, 3, 3), (2, 2, 3, 4)),
    (lambda: L.LocalConvolution2D(4, 2, ksize=3, stride=2), X, (2, 2, 2, 4, 3, 3), (2, 2, 2, 2)),
]


@pytest.mark.parametrize(("build", "x", "weight", "result"), LAZY)
def test_kernels_get_their_shape_from_the_first_images(build: Any, x: Any, weight: Any, result: Any):
    link = build()
    assert link.W.array is None
    assert link(x).shape == result
    assert link.W.shape == weight
    assert link(x).creator is not None


def test_deformable_convolution_gets_its_shapes_from_the_first_images():
    link = L.DeformableConvolution2D(None, 2, 3)
    assert link(X).shape == (2, 2, 3, 4)
    shapes = {name: param.shape for name, param in link.namedparams()}
    assert shapes == {
        "/deform_conv/W": (2, 4, 3, 3),
        "/deform_conv/b": (2,),
        "/offset_conv/W": (18, 4, 3, 3),
        "/offset_conv/b": (18,),
    }


def test_from_params_copies_kernels():
    W = np.ones((2, 2, 3, 3))
    link = L.Convolution2D.from_params(Variable(W), None, 1, 1, groups=2, dilate=2)
    assert str(link) == (
        "Convolution2D(in_channels=4, out_channels=2, ksize=(3, 3), stride=(1, 1), pad=(1, 1), nobias=False, "
        "dilate=(2, 2), groups=2)"
    )
    assert link.W.dtype == np.float32
    np.testing.assert_array_equal(link.b.array, [0, 0])
    assert L.ConvolutionND.from_params(W, np.ones(2), nobias=True, cover_all=True).b is None
    assert L.Convolution1D.from_params(np.ones((2, 4, 3)))(ROW).array.max() == 12


def test_from_params_refuses_unknown_keywords():
    text = r"^from_params\(\) got unexpected keyword argument\(s\) 'foo' \(test_convolutions.py:\d+\)$"
    for kind in (L.Convolution2D, L.ConvolutionND):
        with pytest.raises(TypeError, match=text):
            kind.from_params(np.ones((2, 2, 3, 3)), foo=1)
    text = r"^Deconvolution2D cannot be made of parameters: it has no from_params\(\)$"
    with pytest.raises(NotImplementedError, match=text):
        L.Deconvolution2D.from_params(np.ones((2, 2, 3, 3)))


@pytest.mark.parametrize("kind", [L.Convolution2D, L.Deconvolution2D])
def test_unknown_and_removed_keywords(kind: Any):
    text = r"^__init__\(\) got unexpected keyword argument\(s\) 'use_cudnn', 'wscale' \(test_convolutions.py:\d+\)$"
    with pytest.raises(TypeError, match=text):
        kind(3, 2, 3, wscale=1, use_cudnn=True)
    text = r"^deterministic= is gone; use chainer.using_config\('cudnn_deterministic', value\) \(test_convolutions.py:\d+\)"
    with pytest.raises(ValueError, match=text):
        kind(3, 2, 3, deterministic=True)


@pytest.mark.parametrize(
    "build",
    [
        lambda *channels: L.Convolution2D(*channels, 3, groups=2),
        lambda *channels: L.ConvolutionND(2, *channels, 3, groups=2),
        lambda *channels: L.Deconvolution2D(*channels, 3, groups=2),
        lambda *channels: L.DeconvolutionND(2, *channels, 3, groups=2),
    ],
)
def test_groups_must_divide_the_channels(build: Any):
    for channels, kind in (((3, 4), "input"), ((4, 3), "output")):
        text = f"^the number of {kind} channels must be divisible by the number of groups, got 3 channels and 2 groups "
        with pytest.raises(ValueError, match=text + r"\(test_convolutions.py:\d+\)$"):
            build(*channels)


def test_a_local_convolution_needs_the_size_of_its_kernels():
    text = r"^LocalConvolution2D needs a ksize \(test_convolutions.py:\d+\): the size of its kernels$"
    with pytest.raises(TypeError, match=text):
        L.LocalConvolution2D(3, 2, (4, 4))


@pytest.mark.parametrize("kind", [L.Convolution2D, L.Deconvolution2D, L.DepthwiseConvolution2D])
def test_hooks_make_kernels_that_wait_for_images(kind: Any):
    link = kind(None, 3, 2)
    link.add_hook(SpectralNormalization())
    y = link(X)
    link.cleargrads()
    y[0, 0, 0, 0].backward()
    assert link.W.grad.shape == link.W.shape


def test_mlp_convolution_is_a_list_of_convolutions():
    link = L.MLPConvolution2D((3, 2), 3, conv_init=1, bias_init=2)
    assert [layer.out_channels for layer in link] == [3, 2]
    assert link(X).array[0, 0, 0, 0] == 3 * (4 * 9 + 2) + 2
    assert str(link[1]) == (
        "Convolution2D(in_channels=3, out_channels=2, ksize=1, stride=(1, 1), pad=(0, 0), nobias=False, "
        "dilate=(1, 1), groups=1)"
    )


def test_mlp_convolution_refuses_wscale():
    text = "wscale= is gone; use conv_init= and bias_init= to fill the parameters at first"
    with pytest.raises(ValueError, match=f"^{text} "):
        L.MLPConvolution2D(3, (4, 2), 3, wscale=1)
    with pytest.raises(TypeError, match=f"^{text} "):
        L.MLPConvolution2D(3, (4, 2), 3, 1, 0, abs, 1)
    with pytest.raises(TypeError, match=r"^__init__\(\) got unexpected keyword argument\(s\) 'foo' "):
        L.MLPConvolution2D(3, (4, 2), 3, foo=2)


def test_inception_names_its_convolutions():
    link = L.Inception(None, 1, 2, 3, 4, 5, 6)
    assert link(X).shape == (2, 15, 5, 6)
    assert sorted(child.name for child in link.children()) == ["conv1", "conv3", "conv5", "proj3", "proj5", "projp"]


@pytest.mark.parametrize(
    ("arguments", "shape"),
    [
        ((1, 2, 3, 4, 5, "max", 6), (2, 15, 5, 6)),
        ((0, 2, 3, 4, 5, "avg"), (2, 12, 5, 6)),
        ((0, 2, 3, 4, 5, "max", None, 2), (2, 12, 3, 3)),
    ],
)
def test_inception_bn_has_branches(arguments: Any, shape: Any):
    assert L.InceptionBN(4, *arguments)(X).shape == shape


def test_inception_bn_passes_pooled_images_as_they_are():
    link = L.InceptionBN(1, 0, 2, 3, 4, 5, "max")
    assert link(np.full((2, 1, 3, 3), -2.0, "f")).array[0, -1].tolist() == [[-2.0] * 3] * 3


def test_inception_bn_refuses_branches_that_do_not_fit():
    with pytest.raises(
        NotImplementedError, match=r"^pooltype is 'max' or 'avg', got 'sum' \(test_convolutions.py:\d+\)$"
    ):
        L.InceptionBN(3, 2, 2, 2, 2, 2, "sum")
    text = r"^with out1=2 the stride must be 1 and proj_pool a number, got stride=2 and proj_pool=None \(.*:\d+\)$"
    with pytest.raises(AssertionError, match=text):
        L.InceptionBN(3, 2, 2, 2, 2, 2, "max", stride=2)


def test_convolutions_of_images_do_without_cudnn():
    link = L.Convolution2D(2, 3, 3)
    assert (link.x_layout, link.cudnn_fast) == (None, False)
