"""Spectral normalization."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autodiff.chainer.link_base import Link
from autodiff.chainer.link_hooks.replaced_weight import ReplacedWeight, is_a
from autodiff.facade.settings.configuration import config
from autodiff.facade.variables.parameter import Parameter
from autodiff.trace.source import at_user_line
from autodiff.trace.traced import Traced
from autodiff.transforms.stop_gradient import stop_gradient


def l2normalize(xp: Any, v: Any, eps: float) -> Any:
    """A vector divided by its length.

    Args:
        xp: the module of arrays; the vector's own is used.
        v: the vector.
        eps: what is added to its length.

    >>> l2normalize(np, np.array([3.0, 4.0]), 0.0)
    array([0.6, 0.8])
    """
    return v / ((v @ v) ** 0.5 + eps)


def update_approximate_vectors(weight_matrix: Any, u: Any, n_power_iteration: int, eps: float) -> tuple[Any, Any]:
    """The first left and right singular vectors after some steps of power iteration, without gradients.

    Args:
        weight_matrix: a Variable, a matrix.
        u: the left vector to begin with.
        n_power_iteration: how many steps, at least one.
        eps: what is added to lengths before something is divided by them.
    """
    matrix = stop_gradient(weight_matrix.array)
    for _ in range(n_power_iteration):
        v = l2normalize(None, u @ matrix, eps)
        u = l2normalize(None, matrix @ v, eps)
    return u, v


def calculate_max_singular_value(weight_matrix: Any, u: Any, v: Any) -> Any:
    """u W v, which is the largest singular value of the matrix W if u and v are its singular vectors.

    >>> calculate_max_singular_value(np.diag([2.0, 1.0]), np.array([1.0, 0.0]), np.array([1.0, 0.0]))
    np.float64(2.0)
    """
    return (u @ weight_matrix) @ v


class SpectralNormalization(ReplacedWeight):
    """The link computes with ``W / sigma(W)``: its weight divided by its largest singular value.

    The weight is seen as a matrix whose rows belong to the output channels. The singular value is estimated by power
    iteration on a vector that is kept from call to call, and saved with the link as ``W_u``; what a call makes of it is
    kept only while ``config.train`` is true. See Miyato et al., "Spectral Normalization for Generative Adversarial
    Networks", https://arxiv.org/abs/1802.05957.

    Args:
        n_power_iteration: how many steps of power iteration a call makes.
        eps: what is added to norms before something is divided by them.
        use_gamma: whether the weight is multiplied by a trained scalar, the link's ``gamma``, which begins with the
            largest singular value.
        factor: what the singular value is divided by; None for 1.
        weight_name: the attribute of the link that holds the weight.
        name: what the hook is registered by.

    Attributes:
        vector_name: under which name the link keeps the left singular vector.
        axis: which axis of the weight belongs to the output channels.
        v: the right singular vector of the last call.
        original_weight: the weight that is trained, while the link computes.

    >>> from autodiff.chainer import Link
    >>> class Product(Link):
    ...     def __init__(self):
    ...         super().__init__()
    ...         with self.init_scope():
    ...             self.W = Parameter(np.array([[3.0, 0.0], [0.0, 4.0]]))
    ...
    ...     def forward(self, x):
    ...         return x @ self.W.T
    >>> product = Product().add_hook(SpectralNormalization(n_power_iteration=50))
    >>> np.round(product(np.array([[1.0, 1.0]])).array, 4)
    array([[0.75, 1.  ]])
    """

    name = "SpectralNormalization"
    v: Any = None

    def __init__(
        self,
        n_power_iteration: int = 1,
        eps: float = 1e-6,
        use_gamma: bool = False,
        factor: float | None = None,
        weight_name: str = "W",
        name: str | None = None,
    ) -> None:
        if n_power_iteration < 1:
            raise ValueError(f"power iteration takes at least one step, got {n_power_iteration}{at_user_line()}")
        super().__init__(weight_name, name)
        self.n_power_iteration, self.eps, self.use_gamma, self.factor = n_power_iteration, eps, use_gamma, factor
        self.vector_name = f"{weight_name}_u"
        self.axis = 0

    def added(self, link: Any) -> None:
        super().added(link)
        self.axis = 1 if is_a(link, "Deconvolution2D", "DeconvolutionND") else 0
        if getattr(link, self.weight_name).array is not None:
            self.prepare(link)

    def deleted(self, link: Any) -> None:
        for name in (self.vector_name, *(["gamma"] if self.use_gamma else [])):
            if hasattr(link, name):
                delattr(link, name)

    def prepare(self, link: Link) -> None:
        """Give the link the vector of the power iteration, and gamma."""
        W = getattr(link, self.weight_name)
        u = np.random.normal(size=W.shape[self.axis]).astype(W.dtype)  # noqa: NPY002 - users seed the global state
        link.add_persistent(self.vector_name, W.device.send(u))
        if self.use_gamma:
            largest = W.xp.linalg.svd(self.reshape_W(W.array), compute_uv=False)[0]
            with link.init_scope():
                link.gamma = Parameter(W.xp.asarray(largest, W.dtype))

    def replacement(self, link: Link) -> Any:
        if not hasattr(link, self.vector_name):
            self.prepare(link)
        return self.normalize_weight(link)

    def normalize_weight(self, link: Any) -> Any:
        """The weight divided by its largest singular value, after some steps of the power iteration.

        Args:
            link: what the weight belongs to.
        """
        W = getattr(link, self.weight_name)
        matrix, u = self.reshape_W(W), getattr(link, self.vector_name)
        if config.in_recomputing:
            v = self.v  # what the call was made with that is run again
        else:
            u, v = update_approximate_vectors(matrix, u, self.n_power_iteration, self.eps)
            if not isinstance(u, Traced):
                self.v = v
                if config.train:
                    getattr(link, self.vector_name)[...] = u
        sigma = calculate_max_singular_value(matrix, u, v)
        if self.factor is not None:
            sigma = sigma / self.factor
        return link.gamma * W / sigma if self.use_gamma else W / sigma

    def reshape_W(self, W: Any) -> Any:
        """The weight as a matrix whose rows belong to the output channels.

        Args:
            W: the weight.
        """
        if self.axis != 0:
            W = np.moveaxis(W, self.axis, 0)
        return W if W.ndim == 2 else W.reshape(W.shape[0], math.prod(W.shape[1:]))
