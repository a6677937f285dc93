"""Other libraries' gradient checks, each given a function and a vector-Jacobian product in plain NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from subprocess import PIPE, Popen
from typing import Any

import numpy as np

from benchmarks.gradient_testing import chainer_worker
from benchmarks.gradient_testing.chainer_worker import receive, send

Function = Callable[..., Any]
Pullback = Callable[..., Sequence[Any]]
Check = Callable[[Function, Pullback, Sequence[Any]], None]


def cotangent_of(result: Any) -> Any:
    """A fixed cotangent."""
    return 1 + 0.5 * np.sin(np.arange(1.0, np.size(result) + 1)).reshape(np.shape(result))


def torch_gradcheck(fun: Function, pullback: Pullback, args: Sequence[Any]) -> None:
    """torch.autograd.gradcheck with its own tolerances."""
    import torch  # noqa: PLC0415  (a peer is imported only where it takes part)

    class Own(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *tensors: Any) -> Any:
            ctx.save_for_backward(*tensors)
            return torch.tensor(np.array(fun(*(t.detach().numpy() for t in tensors))))

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            found = pullback(np.conj(g.numpy()), *(t.detach().numpy() for t in ctx.saved_tensors))
            return tuple(torch.tensor(np.conj(one)) for one in found)  # torch's gradients are the conjugates

    torch.autograd.gradcheck(Own.apply, tuple(torch.tensor(x, requires_grad=True) for x in args))


def jax_check_grads(fun: Function, pullback: Pullback, args: Sequence[Any]) -> None:
    """jax.test_util.check_grads in reverse mode, of first order, with double precision."""
    import jax  # noqa: PLC0415  (a peer is imported only where it takes part)
    from jax.test_util import check_grads  # noqa: PLC0415

    jax.config.update("jax_enable_x64", True)
    specs = tuple(jax.ShapeDtypeStruct(x.shape, x.dtype) for x in args)
    result = np.asarray(fun(*args))

    @jax.custom_vjp
    def own(*xs: Any) -> Any:
        spec = jax.ShapeDtypeStruct(result.shape, result.dtype)
        return jax.pure_callback(lambda *a: np.asarray(fun(*map(np.asarray, a))), spec, *xs)

    def backward(xs: Any, g: Any) -> Any:
        def pulled(g: Any, *a: Any) -> Any:
            return tuple(
                np.asarray(one, x.dtype) for one, x in zip(pullback(np.array(g), *map(np.asarray, a)), a, strict=True)
            )

        return jax.pure_callback(pulled, specs, g, *xs)

    own.defvjp(lambda *xs: (own(*xs), xs), backward)
    check_grads(own, tuple(args), order=1, modes=("rev",))


class ChainerCheck:
    """check_backward of chainer.gradient_check with its own tolerances, in the Python that has Chainer.

    Args:
        python: that Python.
    """

    def __init__(self, python: str) -> None:
        self.process = Popen([python, "-E", chainer_worker.__file__], stdin=PIPE, stdout=PIPE)
        assert self.process.stdout is not None
        receive(self.process.stdout)

    def __call__(self, fun: Function, pullback: Pullback, args: Sequence[Any]) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        result = np.asarray(fun(*args))
        send(self.process.stdin, "check", [cotangent_of(result).astype(result.dtype), *args])
        while True:
            word, arrays = receive(self.process.stdout)
            if word == "passed":
                return
            if word.startswith("blamed "):
                raise AssertionError(word)
            try:
                found = [fun(*arrays)] if word == "value" else pullback(*arrays)
            except Exception as error:  # what the function raises, Chainer passes on
                send(self.process.stdin, f"{type(error).__name__}: {error}")
            else:
                send(self.process.stdin, "found", found)

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        send(self.process.stdin, "end")
        self.process.wait()


def scipy_check_grad(fun: Function, pullback: Pullback, args: Sequence[Any]) -> None:
    """scipy.optimize.check_grad of a fixed combination of the results, its error held against that of its step."""
    from scipy.optimize import check_grad  # noqa: PLC0415  (a peer is imported only where it takes part)

    shapes, cotangent = [np.shape(x) for x in args], cotangent_of(fun(*args))

    def parts(flat: Any) -> list[Any]:
        ends = np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1]
        return [part.reshape(shape) for part, shape in zip(np.split(flat, ends), shapes, strict=True)]

    def gradient(flat: Any) -> Any:
        return np.concatenate([np.ravel(one) for one in pullback(cotangent, *parts(flat))])

    flat = np.concatenate([np.ravel(x) for x in args])
    error = check_grad(lambda flat: float(np.sum(cotangent * fun(*parts(flat)))), gradient, flat)
    size = np.linalg.norm(gradient(flat))
    if not error <= 1e-5 * max(size, 1.0):
        raise AssertionError(f"check_grad gives {error:.3g} for a gradient of size {size:.3g}")


CHAINER = "Chainer check_backward"
REAL_ONLY = (CHAINER, "scipy check_grad")

PEERS: dict[str, Check] = {
    "torch gradcheck": torch_gradcheck,
    "jax check_grads": jax_check_grads,
    "scipy check_grad": scipy_check_grad,
}
