"""Names that old programs use: counted in Chainer's examples (v7 and v1.24), ChainerRL and Chainer Chemistry."""

FUNCTIONS = (
    "relu", "concat", "sum", "reshape", "dropout", "softmax_cross_entropy", "broadcast_to", "tanh", "max_pooling_2d", "accuracy", "softmax",
    "sigmoid", "exp", "mean", "average_pooling_2d", "mean_squared_error", "split_axis", "copy", "identity", "matmul", "softplus",
    "transpose", "expand_dims", "leaky_relu", "local_response_normalization", "squeeze", "where", "maximum", "minimum", "scatter_add",
    "stack", "clip", "huber_loss", "log", "binary_accuracy", "flatten", "max", "mean_absolute_error", "select_item",
    "sigmoid_cross_entropy", "sqrt", "absolute", "argmax", "broadcast", "cast", "gaussian", "linear", "logsumexp", "sparse_matmul",
    "square", "batch_matmul", "bernoulli_nll", "local_convolution_2d", "log_softmax", "pad_sequence", "scale", "separate", "sign",
    "swapaxes", "transpose_sequence",
)  # fmt: skip

LINKS = (
    "Linear", "Classifier", "Convolution2D", "BatchNormalization", "EmbedID", "LSTM", "NStepLSTM", "Deconvolution2D", "GRU", "Inception",
    "InceptionBN", "MLPConvolution2D", "BinaryHierarchicalSoftmax", "Convolution1D", "NStepGRU", "NegativeSampling", "CRF1d",
    "Deconvolution1D", "LayerNormalization", "NStepRNNReLU", "NStepRNNTanh",
)  # fmt: skip

OPTIMIZERS = ("Adam", "MomentumSGD", "SGD", "RMSpropGraves", "AdaGrad", "RMSprop", "AdaDelta", "NesterovAG", "SMORMS3")

INITIALIZERS = ("HeNormal", "LeCunNormal", "Normal", "LeCunUniform", "Uniform", "GlorotUniform", "Zero", "Constant")
