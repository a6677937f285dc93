"""The public names and attributes of Chainer that autodiff.chainer leaves out, and why."""

from __future__ import annotations

import re

from tests.chainer.names import Name

KERNELS = "the text of CUDA kernels, and what prints it"
CAFFE = "files of Caffe: their format needs a library, protobuf 3, that is of another time"
INTERNAL = "constants and helpers of a module, of which programs have no use"
IMPORTED = "what a module imports for itself, and has no part in its interface; it is where it is defined"
COMPILED = "parts of Chainer's own schedule of graphs that never change; here `static_graph` changes nothing"
NCCL = "functions by which processes exchange parameters, which `MultiprocessParallelUpdater` does in its own way"
GRADIENTS = (
    "the gradients of functions as functions: gradients are read from what functions did, none is written by hand"
)
CUDNN_RNN = "classes behind which stands cuDNN; `n_step_lstm` and its kin are one node of that name without a class"
NO_CLASS = "functions that have no class of their own here"

LEFT_OUT = {
    r".*Grad(2|3|W|Data|Weight|SP|Cudnn|CuDNN)?|.*\.(Assign|Cumprodsum|DiagEinSum|MaxPoolingNDWithIndexes)": GRADIENTS,
    r"chainer\.functions\.rnn\..*\.(NStep.*|BaseNStepRNN|CudnnRNNWeightConcat)": CUDNN_RNN,
    r".*\.(SelectorBase|IndexSelectorBase|RsqrtGPU|AsLayout|BinaryHierarchicalSoftmaxFunction)": NO_CLASS,
    r"chainer\.distributions\..*\.(BernoulliLogProb|LaplaceI?CDF|TriangularInv|ModifiedXLogX)": NO_CLASS,
    r"chainer\.(functions|links)\.theano.*": "Theano is no more",
    r"chainer\.(exporters|links\.caffe\.protobuf3).*": CAFFE,
    r"chainer\.links\.caffe(\.protobuf3)?": CAFFE,
    r".*(_nd|_1d|_2d)_kernel(\..*)?": KERNELS,
    r"chainer\.functions\.pooling\.pooling_nd(\..*)?": KERNELS,
    r".*\.(LOGPROBC|ENTROPYC|PROBC|EULER|BACKWORDC|einsum_symbols(_set)?|argone|index_dtype|TensorGeometry)": INTERNAL,
    r"chainer\.distributions(\.utils)?": INTERNAL,
    r".*\.install_variable_(arithmetics|get_item)": INTERNAL,
    r".*\.(log_softmax\.logsumexp|(lstm|slstm)\.s?lstm_grad_grad)": INTERNAL,
    r"chainer\.distributions\.utils": INTERNAL,
    r".*resize_images\.(compute|interpolate)_.*": INTERNAL,
    r".*n_step_rnn\.(cudnn_rnn_weight_concat|n_step_rnn_impl)": INTERNAL,
    r".*\.GeneralBatchNormalizationImpl": INTERNAL,
    r".*\.discriminative_loss\..*": INTERNAL,
    r".*\.CupyMemoryCumulativeHook": INTERNAL,
    r".*\.fix_avg_(mean|projection)": INTERNAL,
    r".*\.is_(graphviz_available|return_code_zero)": INTERNAL,
    r".*\.FunctionTestBase": INTERNAL,
    r"chainer\.testing\.doctest_helper(\..*)?": "help for the examples in Chainer's own documentation",
    r".*\.im2col\.(im2col|col2im)_(cpu|gpu)": IMPORTED,
    r".*_iterator\.ShuffleOrderSampler": IMPORTED,
    r".*\.(linear|batch_normalization)\.static_code": IMPORTED,
    r".*\.vision\..*\.(average|reshape|sum)": IMPORTED,
    r".*\.loss\.crf1d\.(argsort_list_descent|permutate_list)": IMPORTED,
    r"chainer\.initializers\.(backend|types)": IMPORTED,
    r".*\.(ArrayInfo|ScheduleInfo|ScheduleManager|StaticScheduleFunction)": COMPILED,
}
"""Reasons by patterns of whole dotted names."""

CHAINERX = "ChainerX is not there"
EXPRESSION = "expressions are of one class, whose objects know their text and their value"
KEPT = "what the class itself needed for its gradient or for cuDNN; creators have what their functions close over"
STATE = "state of a method that is none of the interface"

ATTRIBUTES_LEFT_OUT = {
    r"ChainerxDevice\.(device|fallback_device)": CHAINERX,
    r"TimerHook\.(xp|table)|EarlyStoppingTrigger\.already_warning|MSVAGRule\.beta_power": STATE,
    r"BatchRenormalization\.[rd]|cached_property\.func|TreeParser\.(code|path)": STATE,
    r"MultiprocessParallelUpdater\.comm": NCCL,
    r"PolynomialShift\.invoke_before_training": "removed from Chainer 2 on, and read by nothing",
    r"(Atom|BinaryOperator|BoolBinaryOperator|Call|Constant|Expr|GetAttr|GetItem|UnaryOperator|Variable)\."
    r"(priority|eval|exp|func|lhs|rhs|term|right_associative|inv|expect|args|obj|name|key|value)": EXPRESSION,
}
"""Reasons by patterns of a class and its attribute."""

SET_IN_A_LOOP = r"VGG(16|19)?Layers\.conv\d_\d|GlobalConfig\.\w+"
"""Attributes that are there, though no text of a class says so: tests of models and of the configuration see to them."""


def reason(name: Name) -> str | None:
    """Why a name is left out; None if it is not."""
    return next((why for pattern, why in LEFT_OUT.items() if re.fullmatch(pattern, name.path)), None)


def reason_of_attribute(attribute: str, function_class: bool = False) -> str | None:
    """Why an attribute, as ``Class.attribute``, is left out; None if it is not."""
    if function_class:
        return KEPT
    return next((why for pattern, why in ATTRIBUTES_LEFT_OUT.items() if re.fullmatch(pattern, attribute)), None)
