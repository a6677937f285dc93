"""Programs in the style of autograd's examples. Recorded under autograd itself, run by the tests under autodiff."""

import warnings

import autograd.numpy as np
import autograd.numpy.random as npr
import autograd.scipy.stats.norm as norm
from autograd import (
    checkpoint,
    deriv,
    elementwise_grad,
    grad,
    grad_and_aux,
    grad_named,
    hessian,
    hessian_tensor_product,
    hessian_vector_product,
    holomorphic_grad,
    jacobian,
    make_ggnvp,
    make_hvp,
    make_jvp,
    make_vjp,
    multigrad_dict,
    tensor_jacobian_product,
    value_and_grad,
    vector_jacobian_product,
)
from autograd.builtins import isinstance as is_instance
from autograd.builtins import tuple as ag_tuple
from autograd.differential_operators import make_jvp_reversemode
from autograd.extend import defjvp, defvjp, notrace_primitive, primitive
from autograd.misc import flatten
from autograd.misc.fixed_points import fixed_point
from autograd.misc.optimizers import adam, rmsprop, sgd
from autograd.scipy import integrate, special, stats
from autograd.scipy import linalg as sla
from autograd.scipy.signal import convolve
from autograd.scipy.special import logsumexp
from autograd.scipy.stats import multivariate_normal as mvn
from autograd.scipy.stats import t as student
from autograd.test_util import check_grads

X = np.linspace(-1.0, 1.5, 5)


def tanh_and_its_derivatives():
    def tanh(x):
        return (1.0 - np.exp(-2 * x)) / (1.0 + np.exp(-2 * x))

    f, found = tanh, []
    for _ in range(4):
        f = elementwise_grad(f)
        found.append(f(X))
    return found


def logistic_regression():
    inputs = np.array([[0.52, 1.12, 0.77], [0.88, -1.08, 0.15], [0.52, 0.06, -1.30], [0.74, -2.49, 1.39]])
    targets = np.array([True, True, False, True])

    def loss(weights):
        preds = 0.5 * (np.tanh(np.dot(inputs, weights) / 2) + 1)
        return -np.sum(np.log(preds * targets + (1 - preds) * (1 - targets)))

    weights = np.array([0.0, 0.0, 0.0])
    for _ in range(30):
        weights = weights - 0.1 * grad(loss)(weights)
    return weights, hessian(loss)(weights)


def network_of_lists_and_dictionaries():
    rs = npr.RandomState(0)
    sizes = [(3, 4), (4, 2)]
    params = [{"w": 0.5 * rs.randn(m, n), "b": np.zeros(n)} for m, n in sizes]
    inputs, targets = rs.randn(6, 3), np.eye(2)[rs.randint(2, size=6)]

    def loss(params, i):
        h = inputs
        for layer in params:
            outputs = np.dot(h, layer["w"]) + layer["b"]
            h = np.tanh(outputs)
        return -np.sum((outputs - logsumexp(outputs, axis=1, keepdims=True)) * targets) + 0.1 * l2(params)

    def l2(params):
        vector, _ = flatten(params)
        return np.dot(vector, vector)

    found = []
    for optimizer in (sgd, rmsprop, adam):
        seen = []
        end = optimizer(
            grad(loss), params, lambda p, i, g, seen=seen: seen.append(loss(p, i)), num_iters=5, step_size=0.05
        )
        found.append((seen, flatten(end)[0]))
    return found


def gaussian_process():
    x, y = np.linspace(-2, 2, 7)[:, None], np.sin(np.linspace(-2, 2, 7))

    def negative_log_likelihood(params):
        mean, log_scale, log_length, log_noise = params[0], params[1], params[2], params[3]
        squares = np.sum((x[:, None, :] / np.exp(log_length) - x[None] / np.exp(log_length)) ** 2, axis=2)
        cov = np.exp(log_scale) * np.exp(-0.5 * squares) + np.exp(log_noise) * np.eye(len(y))
        return -mvn.logpdf(y, mean * np.ones(len(y)), cov)

    return value_and_grad(negative_log_likelihood)(np.array([0.1, 0.2, -0.3, -1.0]))


def variational_inference():
    rs = npr.RandomState(1)

    def log_density(x):
        mu, log_sigma = x[:, 0], x[:, 1]
        return norm.logpdf(log_sigma, 0, 1.35) + norm.logpdf(mu, 0, np.exp(log_sigma))

    def objective(params):
        mean, log_std = params[:2], params[2:]
        samples = rs.randn(20, 2) * np.exp(log_std) + mean
        return -(np.sum(log_std) + np.mean(log_density(samples)))

    return grad(objective)(np.array([-1.0, -1.0, -2.0, -3.0]))


def mixture_of_students():
    def density(params, x):
        weights = params["w"] - logsumexp(params["w"])
        parts = np.array([student.logpdf(x, 3.0, loc, np.exp(scale)) for loc, scale in zip(params["mu"], params["s"])])
        return np.sum(logsumexp(weights[:, None] + parts, axis=0))

    params = {"w": np.array([0.1, 0.4]), "mu": np.array([-1.0, 1.0]), "s": np.array([0.2, -0.1])}
    return grad(density)(params, X)


def recurrent_network():
    rs = npr.RandomState(2)
    w, u = 0.4 * rs.randn(3, 3), 0.4 * rs.randn(2, 3)
    xs = rs.randn(4, 5, 2)

    def outputs(w, u):
        state, seen = np.zeros((5, 3)), []
        for x in xs:
            state = np.tanh(np.dot(np.hstack((state, x)), np.vstack((w, u))))
            seen.append(state)
        return np.array(seen)

    both = grad(lambda w, u: np.sum(outputs(w, u) ** 2), argnum=[0, 1])(w, u)
    return both, np.concatenate(outputs(w, u))


def image_convolution():
    rs = npr.RandomState(3)
    images, kernels = rs.randn(2, 3, 6, 5), rs.randn(3, 4, 3, 2)

    def loss(images, kernels, mode):
        return np.sum(np.sin(convolve(images, kernels, axes=([2, 3], [2, 3]), dot_axes=([1], [0]), mode=mode)))

    found = [(loss(images, kernels, m), grad(loss, (0, 1))(images, kernels, m)) for m in ("full", "valid")]
    return found, convolve(rs.randn(4), rs.randn(7), mode="valid"), convolve(rs.randn(4, 3), rs.randn(2, 2))


def a_rule_of_ones_own():
    @primitive
    def log_sum_exp(x):
        largest = np.max(x)
        return largest + np.log(np.sum(np.exp(x - largest)))

    defvjp(log_sum_exp, lambda ans, x: lambda g: np.full(x.shape, g) * np.exp(x - np.full(x.shape, ans)))

    @primitive
    def scaled(x, y, power=2):
        return x * y**power

    defvjp(scaled, lambda ans, x, y, power=2: lambda g: g * y**power, None)
    defjvp(scaled, lambda g, ans, x, y, power=2: g * y**power, None)

    def example(y):
        return log_sum_exp(y * y) + log_sum_exp(3.0 * y)

    check_grads(example, modes=["rev"])(X)
    return (
        grad(example)(X),
        jacobian(grad(example))(X),
        grad(lambda x: np.sum(scaled(x, 2.0, power=3) ** 2))(X),
        make_jvp(lambda x: scaled(x, 2.0))(X)(np.ones(5)),
        grad(lambda x: np.sum(scaled(x, x)))(X),
    )


def all_operators():
    def f(x, y):
        return np.sum(x**3 * y) + np.dot(x, y)

    def vector(x):
        return np.sin(x)[:3] * np.sum(x)

    y, v = np.arange(5.0), np.cos(np.arange(5.0))
    hvp, slope = make_hvp(f)(X, y)
    vjp, value = make_vjp(vector)(X)
    found = multigrad_dict(f)(X, y=y)
    return [
        grad(f, (0, 1))(X, y), grad_named(f, "y")(X, y), value_and_grad(f, 1)(X, y), hessian(f)(X, y),
        hessian_vector_product(f)(X, y, v), hessian_tensor_product(f, 1)(X, y, v), hvp(v), slope, vjp(np.ones(3)), value,
        make_jvp(vector)(X)(v), make_jvp_reversemode(vector)(X)(v), jacobian(vector)(X), deriv(np.tanh)(X),
        tensor_jacobian_product(vector)(X, np.ones(3)), vector_jacobian_product(vector)(X, np.ones(3)),
        make_ggnvp(vector)(X)(v), grad_and_aux(lambda x: (np.sum(x**2), x * 2))(X), [found["x"], found["y"]],
        grad(checkpoint(lambda x: np.sum(np.sin(x) ** 2)))(X), grad(lambda x: np.sum(x * 1.5))(np.arange(3)),
    ]  # fmt: skip


def complex_functions():
    z = np.array([0.3 + 0.2j, -1.0 + 0.5j])

    def norm_of_wave(x):
        return np.sum(np.abs(np.fft.fft(x * np.exp(1j * x))) ** 3)

    return (
        holomorphic_grad(lambda z: np.sum(z**2 * np.exp(z)))(z),
        grad(norm_of_wave)(X),
        grad(lambda z: np.real(np.sum(z * z * np.conj(z))))(z),
    )


def fixed_points():
    def newton(a):
        return lambda x: 0.5 * (x + a / x)

    def distance(x, y):
        return np.abs(x - y)

    def root(a):
        return fixed_point(newton, a, 1.0, distance, 1e-10)

    return root(2.0), grad(root)(2.0), grad(grad(root))(2.0)


def differential_equation():
    def lotka(state, t, a, b):
        return np.array([state[0] * (a - state[1]), state[1] * (b * state[0] - 1.0)])

    def loss(start, a, b):
        return np.sum(
            integrate.odeint(lotka, start, np.linspace(0.0, 1.0, 4), ag_tuple((a, b)), rtol=1e-10, atol=1e-10)
        )

    return grad(loss, (0, 1, 2))(np.array([1.0, 0.5]), 1.2, 0.7)


def linear_algebra():
    rs = npr.RandomState(4)
    a = rs.randn(3, 3)
    spd, b = np.dot(a, a.T) + np.eye(3), rs.randn(3)

    def f(spd, b):
        lower = np.linalg.cholesky(spd)
        _, logdet = np.linalg.slogdet(spd)
        values, _ = np.linalg.eigh(spd)
        solved = sla.solve_triangular(lower, b, lower=True)
        return np.sum(solved**2) + logdet + np.sum(np.log(values) * b) + np.linalg.norm(np.linalg.solve(spd, b))

    def symmetric(spd, b):
        return f((spd + spd.T) / 2, b)

    return grad(symmetric, (0, 1))(spd, b), grad(lambda x: np.sum(sla.sqrtm(x) ** 2))(spd)


def special_functions_and_distributions():
    x = np.array([0.2, 0.7, 1.3])
    found = [elementwise_grad(f)(x) for f in (special.gammaln, special.digamma, special.erf, special.i0, special.expit)]
    found += [elementwise_grad(lambda x, d=d: d(x, 3.0))(x) for d in (stats.chi2.logpdf, stats.t.logpdf)]
    found.append(elementwise_grad(lambda x: stats.beta.logpdf(x / 2, 2.0, 3.0))(x))
    found.append(elementwise_grad(lambda x: stats.gamma.logpdf(x, 2.0))(x))
    found.append(grad(lambda m: np.sum(stats.poisson.logpmf(np.array([0, 1, 4]), m)))(2.0))
    found.append(grad(lambda a: stats.dirichlet.logpdf(np.array([0.2, 0.3, 0.5]), a))(np.array([1.0, 2.0, 3.0])))
    found.append([norm.cdf(x), norm.sf(x), norm.logcdf(x), norm.logsf(x), norm.pdf(x)])
    return found


def arrays_made_of_values():
    def f(x):
        rows = np.array([[x[0], 1.0, x[1]], [x[2] ** 2, x[3], 0.0]])
        parts = np.r_[x[0] * x[1], x, 0:3] * 2
        columns = np.c_[x, x**2]
        chosen = np.where(x > 0, np.sqrt(np.abs(x)), x)
        picked = np.select([x > 1, x > 0], [x, x**2])
        joined = np.append(np.column_stack((x, x)), np.vstack([x, 2 * x]).T, axis=0)
        return (
            np.sum(rows**2) + np.sum(parts) * np.sum(columns) + np.sum(chosen) + np.sum(picked) + np.sum(joined**3)
            + np.sum(np.einsum("i,j->ij", x, x)) + np.sum(np.sort(x)[::-1] * np.arange(5)) + np.mean([x[0], x[1]])
        )  # fmt: skip

    return value_and_grad(f)(X)


def values_without_derivatives():
    plain = notrace_primitive(lambda x: float(np.sum(x)))

    def f(x):
        kinds = is_instance(x, np.ndarray), is_instance(x[0], float)
        return np.sum(x**2) * plain(x) * (1 + kinds[0] + kinds[1])

    with warnings.catch_warnings(action="ignore"):
        return grad(f)(X), elementwise_grad(np.floor)(X)


PROGRAMS = {name: found for name, found in list(globals().items()) if getattr(found, "__module__", "") == __name__}
