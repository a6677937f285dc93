"""scipy.stats.contingency for plain and traced values alike: tables of counts."""

from autodiff.scipy.python_code import with_formulas

__getattr__ = with_formulas("scipy.stats.contingency", "chi2_contingency expected_freq margins", constant=("lambda_",))
