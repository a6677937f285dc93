"""scipy.io.wavfile, files of sound: SciPy's own, which refuse traced values by name."""

from autodiff.scipy.mirror import mirrored

__getattr__ = mirrored("scipy.io.wavfile")
