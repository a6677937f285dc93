"""scipy.constants for plain and traced values alike: numbers, and formulas that turn one unit into another."""

from autodiff.scipy.python_code import with_formulas

__getattr__ = with_formulas("scipy.constants", "convert_temperature lambda2nu nu2lambda")
