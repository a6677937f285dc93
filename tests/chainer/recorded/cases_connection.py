"""Layers: convolutions, linear maps, embeddings."""

from tests.chainer.recorded.arrays import constant, fixed, literal, normal
from tests.chainer.recorded.differentiation import case, row
from tests.chainer.recorded.names import F

IMAGE = normal(2, 2, 4, 3)
WEIGHT = normal(3, 2, 3, 2)
SMALL = (normal(1, 2, 5, 4), normal(2, 2, 2, 2))

CASES = [
    row(F.linear, normal(3, 4), normal(2, 4), dtypes="fde"),
    row(F.linear, normal(3, 4), normal(2, 4), normal(2), dtypes="fde"),
    row(F.linear, normal(3, 2, 2), normal(2, 4), normal(2), note="flattens"),
    row(F.linear, normal(2, 3, 4), normal(2, 4), normal(2), n_batch_axes=2),
    row(F.bilinear, normal(3, 2), normal(3, 4), normal(2, 4, 3), dtypes="fde"),
    row(F.bilinear, normal(3, 2), normal(3, 4), normal(2, 4, 3), normal(2, 3), normal(4, 3), normal(3), note="biases"),
    row(F.embed_id, fixed([2, 0, 2]), normal(4, 3), dtypes="fde"),
    row(F.embed_id, fixed([[2, 0], [1, 2]]), normal(4, 3), note="2d"),
    row(F.embed_id, fixed([2, -1, 2]), normal(4, 3), ignore_label=-1),
    row(F.embed_id, fixed([2, 0, 3]), normal(4, 3), ignore_label=0),
    # Convolutions
    row(F.convolution_2d, IMAGE, WEIGHT, dtypes="fde"),
    row(F.convolution_2d, IMAGE, WEIGHT, normal(3), note="bias"),
    row(F.convolution_2d, *SMALL, stride=2, pad=1),
    row(F.convolution_2d, *SMALL, stride=(1, 2), pad=(0, 1)),
    row(F.convolution_2d, *SMALL, stride=2, cover_all=True),
    row(F.convolution_2d, *SMALL, pad=1, dilate=2),
    row(F.convolution_2d, *SMALL, dilate=(1, 2)),
    row(F.convolution_2d, normal(1, 4, 3, 3), normal(2, 2, 2, 2), normal(2), groups=2),
    row(F.convolution_1d, normal(2, 2, 5), normal(3, 2, 2), normal(3)),
    row(F.convolution_1d, normal(2, 2, 5), normal(3, 2, 2), stride=2, pad=1, cover_all=True),
    row(F.convolution_3d, normal(1, 2, 3, 3, 2), normal(2, 2, 2, 2, 2), normal(2)),
    row(F.convolution_nd, normal(1, 2, 5), normal(2, 2, 2), dilate=2),
    row(F.convolution_nd, normal(1, 4, 5), normal(2, 2, 2), groups=2),
    row(F.convolution_nd, normal(1, 1, 3, 3, 3), normal(2, 1, 2, 2, 2), stride=(1, 2, 1), pad=(0, 1, 1)),
    row(F.dilated_convolution_2d, *SMALL, dilate=2),
    row(F.dilated_convolution_2d, *SMALL, normal(2), stride=2, pad=1, dilate=(2, 1)),
    row(F.depthwise_convolution_2d, normal(2, 2, 4, 4), normal(3, 2, 2, 2), normal(6)),
    row(F.depthwise_convolution_2d, normal(2, 2, 4, 4), normal(1, 2, 2, 2), stride=2, pad=1),
    row(F.deconvolution_2d, normal(1, 3, 2, 3), normal(3, 2, 2, 2), dtypes="fde"),
    row(F.deconvolution_2d, normal(1, 3, 2, 3), normal(3, 2, 2, 2), normal(2), note="bias"),
    row(F.deconvolution_2d, normal(1, 3, 2, 3), normal(3, 2, 3, 3), stride=2, pad=1),
    row(F.deconvolution_2d, normal(1, 3, 2, 2), normal(3, 2, 3, 3), stride=2, pad=1, outsize=(4, 4)),
    row(F.deconvolution_2d, normal(1, 3, 2, 2), normal(3, 2, 2, 2), dilate=2),
    row(F.deconvolution_2d, normal(1, 4, 2, 2), normal(4, 1, 2, 2), normal(2), groups=2),
    row(F.deconvolution_1d, normal(1, 3, 4), normal(3, 2, 2), normal(2), stride=2),
    row(F.deconvolution_1d, normal(1, 3, 4), normal(3, 2, 3), pad=1, outsize=(4,)),
    row(F.deconvolution_3d, normal(1, 2, 2, 2, 2), normal(2, 1, 2, 2, 2), normal(1)),
    row(F.deconvolution_nd, normal(1, 3, 4), normal(3, 2, 2), dilate=2),
    row(F.deconvolution_nd, normal(1, 4, 4), normal(4, 1, 2), groups=2),
    row(F.local_convolution_2d, normal(2, 2, 3, 4), normal(3, 2, 3, 2, 2, 2), normal(3, 2, 3)),
    row(F.local_convolution_2d, normal(1, 2, 5, 5), normal(2, 2, 2, 2, 3, 3), stride=2),
    row(
        F.deformable_convolution_2d_sampler,
        normal(1, 2, 4, 4),
        normal(1, 8, 3, 3, scale=0.3),
        normal(2, 2, 2, 2),
        normal(2),
    ),
    row(
        F.deformable_convolution_2d_sampler,
        normal(1, 2, 4, 4),
        normal(1, 8, 3, 3, scale=0.3),
        normal(2, 2, 2, 2),
        stride=2,
        pad=1,
    ),
    row(F.shift, normal(1, 9, 3, 3)),
    row(F.shift, normal(1, 9, 5, 5), ksize=3, dilate=2),
    case(
        "convolution_2d array weight",
        lambda x, w: F.convolution_2d(x, w),
        normal(1, 1, 3, 3),
        constant([[[[1.0, 2.0], [3.0, 4.0]]]]),
    ),
    case("linear literal", lambda x, w: F.linear(x, w), literal([[1.0, 2.0]]), literal([[3.0, 4.0], [5.0, 6.0]])),
]
