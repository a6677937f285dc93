"""Where autodiff.chainer differs from Chainer 7.8.1 on purpose, and why."""

FINITE = "Chainer's derivative here is NaN; ours is the limit, or zero"

STEPS = "the function is composed of other steps, whose conditions are told"
OPERATORS = "operators call their operands in_types[0] and in_types[1], and say what broadcasting needs"
FLOATS = "every floating-point dtype is taken, float32 alone in Chainer"
WARNING = "Chainer takes it without a word, and the result is not what was meant"
TERMS = "Chainer's double gradient leaves terms out: it is not the derivative of its gradient"

DEVIATIONS = {
    "connection": {
        "local_convolution_2d": TERMS,
        "local_convolution_2d stride=2": TERMS,
    },
    "math": {
        "add one": "the sum of one Variable is the Variable itself",
        "operator div constant": "the node is named after what was written, `_ / 3`, not after the multiplication",
    },
    "array": {
        "get_item two arrays": "indexing by several arrays is several nodes",
    },
    "normalization": {
        "fixed_decorrelated_batch_normalization variables": "Chainer's gradients of mean and projection have other shapes than these",
    },
    "kinks": {
        "power zero exponent": FINITE,
        "power variables at zero": FINITE,
        "arctan2 axes": FINITE,
        "maximum nan": "NaN as the first argument keeps the gradient here",
    },
    "optimizers": {
        "SGD loss scale GradientClipping": "gradients are clipped as if the loss was not scaled; Chainer compares scaled ones with the threshold",
    },
    "gradient": {
        "grad repeated": "an output that is given twice counts twice, with both gradients; in Chainer the last one counts",
    },
    "mixed": {
        "fixed_batch_normalization": "double gradients have the dtype of what they belong to; Chainer's are float16 throughout",
    },
    "errors": {
        **dict.fromkeys(
            ("absolute ints", "add shapes", "operator add shapes", "operator mul ints", "operator div shapes"),
            OPERATORS,
        ),
        **dict.fromkeys(("operator pow ints", "operator matmul"), OPERATORS),
        **dict.fromkeys(
            ("gaussian_kl_divergence dtypes", "gaussian_kl_divergence shapes", "gaussian_kl_divergence ints"), STEPS
        ),
        **dict.fromkeys(
            ("bernoulli_nll ints", "average weights", "black_out shapes", "gaussian_nll", "maxout pool_size=2"), STEPS
        ),
        **dict.fromkeys(("batch_matmul dtypes", "batch_matmul shapes", "batch_matmul ints"), FLOATS),
        **dict.fromkeys(("sum_to shape=(2,2)", "gumbel_softmax ints"), WARNING),
    },
}
