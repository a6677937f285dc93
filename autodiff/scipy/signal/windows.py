"""scipy.signal.windows for plain and traced values alike: windows by their parameters."""

from autodiff.scipy.python_code import with_formulas

__getattr__ = with_formulas(
    "scipy.signal.windows", "gaussian general_gaussian exponential general_cosine general_hamming kaiser"
)
