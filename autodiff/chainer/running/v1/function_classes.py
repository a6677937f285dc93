"""The classes behind Chainer's first functions: ``F.Dropout(0.5)(x)`` is ``F.dropout(x, 0.5)``."""

from __future__ import annotations

from typing import Any, ClassVar

from autodiff.chainer import functions
from autodiff.chainer.running.v1.arguments import bound

SIMPLE = (
    "AbsoluteError:absolute_error Accuracy:accuracy Arccos:arccos Arcsin:arcsin Arctan:arctan ArgMax:argmax "
    "ArgMin:argmin BatchDet:batch_det BatchInv:batch_inv BatchL2NormSquared:batch_l2_norm_squared "
    "BatchMatMul:batch_matmul BinaryAccuracy:binary_accuracy Broadcast:broadcast BroadcastTo:broadcast_to CReLU:crelu "
    "Cast:cast Ceil:ceil ClassificationSummary:classification_summary Clip:clip ClippedReLU:clipped_relu Concat:concat "
    "ConnectionistTemporalClassification:connectionist_temporal_classification Contrastive:contrastive Copy:copy "
    "Cos:cos Cosh:cosh CrossCovariance:cross_covariance DeCov:decov Depth2Space:depth2space Dropout:dropout ELU:elu "
    "Exp:exp ExpandDims:expand_dims Expm1:expm1 Flatten:flatten FlipLR:fliplr FlipUD:flipud Floor:floor Fmod:fmod "
    "Gaussian:gaussian GetItem:get_item HardSigmoid:hard_sigmoid Hinge:hinge HuberLoss:huber_loss Identity:identity "
    "Im2Col:im2col Inv:inv LSTM:lstm LeakyReLU:leaky_relu LinearInterpolate:linear_interpolate "
    "LocalResponseNormalization:local_response_normalization Log:log Log10:log10 Log1p:log1p Log2:log2 "
    "LogSoftmax:log_softmax LogSumExp:logsumexp MatMul:matmul Max:max MaxPooling2D:max_pooling_2d "
    "MaxPoolingND:max_pooling_nd Maximum:maximum MeanAbsoluteError:mean_absolute_error "
    "MeanSquaredError:mean_squared_error Min:min Minimum:minimum NormalizeL2:normalize Pad:pad PadSequence:pad_sequence "
    "Permutate:permutate ROIPooling2D:roi_pooling_2d ReLU:relu Reshape:reshape ResizeImages:resize_images "
    "Rollaxis:rollaxis SLSTM:slstm SelectItem:select_item Sigmoid:sigmoid SigmoidCrossEntropy:sigmoid_cross_entropy "
    "SimplifiedDropconnect:simplified_dropconnect Sin:sin Sinh:sinh Softmax:softmax "
    "SoftmaxCrossEntropy:softmax_cross_entropy Softplus:softplus Space2Depth:space2depth "
    "SpatialPyramidPooling2D:spatial_pyramid_pooling_2d SpatialTransformerGrid:spatial_transformer_grid "
    "SpatialTransformerSampler:spatial_transformer_sampler SplitAxis:split_axis Sqrt:sqrt Square:square "
    "SquaredDifference:squared_difference SquaredError:squared_error Squeeze:squeeze Sum:sum Swapaxes:swapaxes Tan:tan "
    "Tanh:tanh Tile:tile Transpose:transpose TransposeSequence:transpose_sequence Triplet:triplet "
    "Unpooling2D:unpooling_2d UnpoolingND:unpooling_nd Upsampling2D:upsampling_2d Where:where Zoneout:zoneout"
)
"""The classes with their functions."""

PARAMETERS = {
    "Accuracy": "ignore_label",
    "ArgMax": "axis",
    "ArgMin": "axis",
    "BatchMatMul": "transa transb",
    "BroadcastTo": "shape",
    "CReLU": "axis",
    "Cast": "typ",
    "ClassificationSummary": "label_num beta ignore_label",
    "Clip": "x_min x_max",
    "ClippedReLU": "z",
    "Concat": "axis",
    "ConnectionistTemporalClassification": "blank_symbol reduce",
    "Contrastive": "margin reduce",
    "Copy": "out_device",
    "CrossCovariance": "reduce",
    "DeCov": "reduce",
    "Depth2Space": "r",
    "Dropout": "dropout_ratio",
    "ELU": "alpha",
    "ExpandDims": "axis",
    "GetItem": "slices",
    "Hinge": "norm reduce",
    "HuberLoss": "delta reduce",
    "Im2Col": "ksize stride pad cover_all dilate",
    "LeakyReLU": "slope",
    "LocalResponseNormalization": "n k alpha beta",
    "LogSoftmax": "use_cudnn",
    "LogSumExp": "axis",
    "MatMul": "transa transb",
    "Max": "axis keepdims",
    "MaxPooling2D": "ksize stride pad cover_all use_cudnn",
    "MaxPoolingND": "ndim ksize stride pad cover_all use_cudnn",
    "Min": "axis keepdims",
    "NormalizeL2": "eps axis",
    "Pad": "pad_width mode",
    "PadSequence": "length padding",
    "Permutate": "axis inv",
    "ROIPooling2D": "outh outw spatial_scale",
    "ReLU": "use_cudnn",
    "Reshape": "shape",
    "ResizeImages": "output_shape",
    "Rollaxis": "axis start",
    "Sigmoid": "use_cudnn",
    "SigmoidCrossEntropy": "use_cudnn normalize reduce",
    "SimplifiedDropconnect": "ratio mask",
    "Softmax": "use_cudnn axis",
    "SoftmaxCrossEntropy": "use_cudnn normalize cache_score class_weight ignore_label reduce",
    "Softplus": "beta",
    "Space2Depth": "r",
    "SpatialPyramidPooling2D": "x_shape pyramid_height pooling_class use_cudnn",
    "SpatialTransformerGrid": "output_shape use_cudnn",
    "SpatialTransformerSampler": "use_cudnn",
    "SplitAxis": "indices_or_sections axis",
    "Squeeze": "axis",
    "Sum": "axis keepdims",
    "Swapaxes": "axis1 axis2",
    "Tanh": "use_cudnn",
    "Tile": "reps",
    "Transpose": "axes",
    "Triplet": "margin reduce",
    "Unpooling2D": "ksize stride pad outsize cover_all",
    "UnpoolingND": "ndim ksize stride pad outsize cover_all",
    "Upsampling2D": "indexes ksize stride pad outsize cover_all",
    "Zoneout": "zoneout_ratio",
}
"""What the constructors take, in their order."""

RENAMED = {"dropout_ratio": "ratio", "out_device": "dst", "zoneout_ratio": "ratio"}
NOT_NEEDED = ("ndim", "x_shape")
OF_A_LIST = ("concat", "pad_sequence", "transpose_sequence")


class OldFunction:
    """A function with its parameters, to be called on its inputs.

    Args:
        args: what the function takes besides its inputs, in the order of Chainer 1.
        kwargs: the same by name.
    """

    function: ClassVar[str]
    names: ClassVar[tuple[str, ...]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        given = bound(type(self).__name__, self.names, args, kwargs)
        self.parameters = {RENAMED.get(name, name): given[name] for name in given if name not in NOT_NEEDED}

    def __call__(self, *inputs: Any) -> Any:
        function = getattr(functions, self.function)
        return function(*([inputs] if self.function in OF_A_LIST else inputs), **self.parameters)


class Forget(OldFunction):
    """A function that is computed again in the backward pass, instead of keeping what it computed.

    Args:
        func: the function.
    """

    names = ("func",)

    def __call__(self, *inputs: Any) -> Any:
        return functions.forget(self.parameters["func"], *inputs)


def old_class(name: str, function: str) -> type[OldFunction]:
    """The class of that name."""
    names = tuple(PARAMETERS.get(name, "").split())
    document = f"``functions.{function}``, which is called instead since Chainer 5."
    return type(
        name, (OldFunction,), {"function": function, "names": names, "__doc__": document, "__module__": __name__}
    )


def install() -> None:
    """Give ``chainer.functions`` the classes."""
    functions.Forget = Forget  # type: ignore[attr-defined]
    for pair in SIMPLE.split():
        name, function = pair.split(":")
        setattr(functions, name, old_class(name, function))
