"""Adam and what was made of it: AdamW, AMSGrad, AdaBound, AMSBound."""

from __future__ import annotations

from autodiff.chainer.hyperparameter import HyperparameterProxy, override
from autodiff.chainer.optimizer import GradientMethod
from autodiff.chainer.optimizers.adam_rule import AdamRule, _default_hyperparam, learning_rate, warn_lr

__all__ = ["AMSBound", "AMSGrad", "AdaBound", "Adam", "AdamRule", "AdamW", "_default_hyperparam"]


class Adam(GradientMethod):
    """Adam: ``x -= eta * (alpha_t * m / (sqrt(v) + eps) + weight_decay_rate * x)``.

    ``m`` and ``v`` are the running means of ``g`` and ``g**2``, and
    ``alpha_t = alpha * sqrt(1 - beta2**t) / (1 - beta1**t)``.

    Args:
        alpha: the learning rate.
        beta1: how much of the mean of gradients is kept.
        beta2: how much of the mean of their squares is kept.
        eps: a small number against division by zero.
        eta: a factor of the whole change, to be scheduled.
        weight_decay_rate: the factor of the parameter; it is decoupled from the gradient (AdamW).
        amsgrad: whether ``v`` is replaced by its greatest value so far.
        adabound: whether the rate of each element is kept between bounds that approach ``final_lr``.
        final_lr: where the bounds of AdaBound meet.
        gamma: how fast they do.

    Raises:
        ValueError: at an update, if ``eps`` is zero in the dtype of the parameter.

    D. Kingma, J. Ba, Adam: A Method for Stochastic Optimization, 2014.

    >>> optimizer = Adam(alpha=0.1)
    >>> optimizer.alpha, optimizer.beta1
    (0.1, 0.9)
    """

    alpha = HyperparameterProxy("alpha")
    beta1 = HyperparameterProxy("beta1")
    beta2 = HyperparameterProxy("beta2")
    eps = HyperparameterProxy("eps")
    eta = HyperparameterProxy("eta")
    weight_decay_rate = HyperparameterProxy("weight_decay_rate")
    amsgrad = HyperparameterProxy("amsgrad")
    adabound = HyperparameterProxy("adabound")
    final_lr = HyperparameterProxy("final_lr")
    gamma = HyperparameterProxy("gamma")

    def __init__(
        self,
        alpha: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        eta: float = 1.0,
        weight_decay_rate: float = 0,
        amsgrad: bool = False,
        adabound: bool = False,
        final_lr: float = 0.1,
        gamma: float = 0.001,
    ) -> None:
        super().__init__()
        override(self.hyperparam, alpha=alpha, beta1=beta1, beta2=beta2, eps=eps, eta=eta)
        override(self.hyperparam, weight_decay_rate=weight_decay_rate, amsgrad=amsgrad)
        override(self.hyperparam, adabound=adabound, final_lr=final_lr, gamma=gamma)

    def create_update_rule(self) -> AdamRule:
        return AdamRule(self.hyperparam)

    @property
    def alpha_t(self) -> float:
        """The learning rate of the last update, before the division by ``sqrt(v)``."""
        return learning_rate(self.hyperparam, self.t)

    @property
    def lr(self) -> float:
        """Deprecated name of :attr:`alpha_t`."""
        warn_lr("Adam")
        return self.alpha_t


class AdamW(Adam):
    """Adam with decoupled weight decay.

    Args:
        alpha: the learning rate.
        beta1: how much of the mean of gradients is kept.
        beta2: how much of the mean of their squares is kept.
        eps: a small number against division by zero.
        eta: a factor of the whole change, to be scheduled.
        weight_decay_rate: the factor of the parameter.

    I. Loshchilov, F. Hutter, Decoupled Weight Decay Regularization, 2019.
    """

    def __init__(
        self,
        alpha: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        eta: float = 1.0,
        weight_decay_rate: float = 0,
    ) -> None:
        super().__init__(alpha, beta1, beta2, eps, eta, weight_decay_rate)


class AMSGrad(Adam):
    """Adam that divides by the greatest ``v`` so far, so that rates never grow.

    Args:
        alpha: the learning rate.
        beta1: how much of the mean of gradients is kept.
        beta2: how much of the mean of their squares is kept.
        eps: a small number against division by zero.
        eta: a factor of the whole change, to be scheduled.

    S. Reddi, S. Kale, S. Kumar, On the Convergence of Adam and Beyond, 2018.
    """

    def __init__(
        self, alpha: float = 0.001, beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8, eta: float = 1.0
    ) -> None:
        super().__init__(alpha, beta1, beta2, eps, eta, amsgrad=True)


class AdaBound(Adam):
    """Adam whose rates are kept between bounds that approach ``final_lr``: from Adam to gradient descent.

    Args:
        alpha: the learning rate.
        beta1: how much of the mean of gradients is kept.
        beta2: how much of the mean of their squares is kept.
        final_lr: where the bounds meet.
        gamma: how fast they do.
        eps: a small number against division by zero.
        eta: a factor of the whole change, to be scheduled.

    L. Luo, Y. Xiong, Y. Liu, X. Sun, Adaptive Gradient Methods with Dynamic Bound of Learning Rate, 2019.
    """

    def __init__(
        self,
        alpha: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        final_lr: float = 0.1,
        gamma: float = 0.001,
        eps: float = 1e-8,
        eta: float = 1.0,
    ) -> None:
        super().__init__(alpha, beta1, beta2, eps, eta, adabound=True, final_lr=final_lr, gamma=gamma)


class AMSBound(Adam):
    """AdaBound that divides by the greatest ``v`` so far, as AMSGrad does.

    Args:
        alpha: the learning rate.
        beta1: how much of the mean of gradients is kept.
        beta2: how much of the mean of their squares is kept.
        final_lr: where the bounds meet.
        gamma: how fast they do.
        eps: a small number against division by zero.
        eta: a factor of the whole change, to be scheduled.

    L. Luo, Y. Xiong, Y. Liu, X. Sun, Adaptive Gradient Methods with Dynamic Bound of Learning Rate, 2019.
    """

    def __init__(
        self,
        alpha: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        final_lr: float = 0.1,
        gamma: float = 0.001,
        eps: float = 1e-8,
        eta: float = 1.0,
    ) -> None:
        super().__init__(alpha, beta1, beta2, eps, eta, amsgrad=True, adabound=True, final_lr=final_lr, gamma=gamma)
