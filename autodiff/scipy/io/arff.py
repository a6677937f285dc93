"""scipy.io.arff, files of Weka: SciPy's own, which refuse traced values by name."""

from autodiff.scipy.mirror import mirrored

__getattr__ = mirrored("scipy.io.arff")
