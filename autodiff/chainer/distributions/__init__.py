"""Probability distributions."""

from autodiff.chainer.distributions.bernoulli import Bernoulli
from autodiff.chainer.distributions.beta import Beta
from autodiff.chainer.distributions.categorical import Categorical
from autodiff.chainer.distributions.cauchy import Cauchy
from autodiff.chainer.distributions.chisquare import Chisquare
from autodiff.chainer.distributions.dirichlet import Dirichlet
from autodiff.chainer.distributions.exponential import Exponential
from autodiff.chainer.distributions.gamma import Gamma
from autodiff.chainer.distributions.geometric import Geometric
from autodiff.chainer.distributions.gumbel import Gumbel
from autodiff.chainer.distributions.independent import Independent
from autodiff.chainer.distributions.laplace import Laplace
from autodiff.chainer.distributions.log_normal import LogNormal
from autodiff.chainer.distributions.multivariate_normal import MultivariateNormal
from autodiff.chainer.distributions.normal import Normal
from autodiff.chainer.distributions.one_hot_categorical import OneHotCategorical
from autodiff.chainer.distributions.pareto import Pareto
from autodiff.chainer.distributions.poisson import Poisson
from autodiff.chainer.distributions.uniform import Uniform

__all__ = [
    "Bernoulli",
    "Beta",
    "Categorical",
    "Cauchy",
    "Chisquare",
    "Dirichlet",
    "Exponential",
    "Gamma",
    "Geometric",
    "Gumbel",
    "Independent",
    "Laplace",
    "LogNormal",
    "MultivariateNormal",
    "Normal",
    "OneHotCategorical",
    "Pareto",
    "Poisson",
    "Uniform",
]
