"""scipy.differentiate, numerical derivatives: SciPy's own, which refuse traced values by name."""

from autodiff.scipy.mirror import mirrored

INSTEAD = "it takes differences of values; use autodiff.grad, jacobian or hessian, which are exact"
__getattr__ = mirrored("scipy.differentiate", dict.fromkeys(("derivative", "hessian", "jacobian"), INSTEAD))
