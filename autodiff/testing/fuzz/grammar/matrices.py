"""Factors and equations of matrices, and Fourier transforms.

Results that are unique only up to a sign or a phase are drawn as what is unique of them.
"""

from autodiff.testing.fuzz.grammar.template import templates

MATRICES = [
    *templates(
        """
        np.linalg.det({p}.T @ {p} + np.eye({p}.shape[1], dtype={p}.dtype))
        np.linalg.slogdet({p}.T @ {p} + np.eye({p}.shape[1], dtype={p}.dtype))[1]
        np.linalg.cholesky({p}.T @ {p} + 2 * np.eye({p}.shape[1], dtype={p}.dtype))
        np.linalg.eigvalsh({p}.T @ {p} + np.diag(np.arange({p}.shape[1])))
        np.linalg.eigh({p} @ {p}.T + np.diag(3.0 * np.arange({p}.shape[0])))[0]
        np.abs(np.linalg.eigh({p} @ {p}.T + np.diag(3.0 * np.arange({p}.shape[0])))[1])
        np.linalg.svd({p}, compute_uv=False)
        np.linalg.svd({p}.T @ {p} + np.diag(np.arange(1.0, {p}.shape[1] + 1)))[1]
        np.abs(np.linalg.qr({p} @ {p}.T + 2 * np.eye({p}.shape[0]))[1])
        np.linalg.solve({p}.T @ {p} + 3 * np.eye({p}.shape[1], dtype={p}.dtype), {p}.T)
        np.linalg.matrix_power({p} @ {p}.T / {p}.size, 3)
        np.linalg.norm({p}, ord="fro")
        np.linalg.norm({p}, ord=2)
        np.linalg.pinv({p}.T @ {p} + np.eye({p}.shape[1]))
        """,
        mixes=True,
        weight=1,
    ),
    *templates(
        """
        np.fft.fft({p}, axis={axis})
        np.fft.ifft({p}, axis={axis})
        np.fft.rfft({p}.real, axis={axis})
        np.abs(np.fft.fft({p}, axis={axis})) ** 2
        np.fft.irfft({p}, axis={axis})
        np.fft.ifft(np.fft.fft({p}) * np.exp(-1j * np.arange({p}.shape[-1]))).real
        np.fft.fftshift({p})
        """,
        "fc",
        mixes=True,
        weight=1,
    ),
]
