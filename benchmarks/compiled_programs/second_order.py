"""Second derivatives: a Hessian-vector product where calls cost all, and a Hessian of a regression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.compiled_programs.program import Program, Row, standard_normal

if TYPE_CHECKING:
    from benchmarks.compiled_programs.program import Function, Random


class RosenbrockProduct(Program):
    """The Hessian of Rosenbrock's function times a vector."""

    name = "Hessian-vector product"
    title = "Hessian-vector product of Rosenbrock's function, float64"
    dtype = "float64"
    tolerance = 1e-11
    # fmt: off
    rows = (
        Row("n=10",   (10,),    0.4, "jax", "6.4 us", "1-3 us floor"),
        Row("n=1000", (1_000,), 0.6, "jax", "7.2 us", "1-3 us floor"),
    )
    # fmt: on

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        return tuple(standard_normal(random, self.dtype, *row.parameters) for _ in range(2))

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        return lambda x, direction: autodiff.hvp(rosenbrock(np), (x,), (direction,))

    def jax(self, jax: Any, row: Row) -> Function:
        return lambda x, direction: jax.jvp(jax.grad(rosenbrock(jax.numpy)), (x,), (direction,))[1]

    def autograd(self, autograd: Any, row: Row) -> Function:
        return autograd.hessian_vector_product(rosenbrock(autograd.numpy))  # type: ignore[no-any-return]

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        gradient = torch.func.grad(rosenbrock(torch))
        product = compiled(lambda x, direction: torch.func.jvp(gradient, (x,), (direction,))[1])
        return lambda: product(*inputs)


class BoundProduct(RosenbrockProduct):
    """The same, called again and again on the same memory."""

    name = "Hessian-vector product, bound"
    title = "Hessian-vector product of Rosenbrock's function, float64; ours and CasADi's bound to their memory"
    bound = True
    rows = (Row("n=10", (10,), 1.5, "casadi, C", "0.19 us", "0.1 us"),)

    def casadi(self, casadi: Any, row: Row) -> Any:
        x, direction = (casadi.SX.sym(name, *row.parameters) for name in ("x", "direction"))
        value = casadi.sum1(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
        return casadi.Function("f", [x, direction], [casadi.jtimes(casadi.gradient(value, x), x, direction)])


class DenseHessian(Program):
    """The whole Hessian of Rosenbrock's function, which has three diagonals."""

    name = "dense Hessian"
    title = "Hessian of Rosenbrock's function as a whole, float64; ours and CasADi's bound to their memory"
    dtype = "float64"
    tolerance = 1e-11
    bound = True
    rows = (Row("n=100", (100,), 2.5, "casadi, C", "1.2 us", "1.5 us to write zeros"),)

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        return (standard_normal(random, self.dtype, *row.parameters),)

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        return autodiff.hessian(rosenbrock(np))  # type: ignore[no-any-return]

    def jax(self, jax: Any, row: Row) -> Function:
        return jax.hessian(rosenbrock(jax.numpy))  # type: ignore[no-any-return]

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        hessian = compiled(torch.func.hessian(rosenbrock(torch)))
        return lambda: hessian(*inputs)

    def casadi(self, casadi: Any, row: Row) -> Any:
        x = casadi.SX.sym("x", *row.parameters)
        value = casadi.sum1(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
        return casadi.Function("f", [x], [casadi.densify(casadi.hessian(value, x)[0])])


class LogisticHessian(Program):
    """The whole Hessian of the loss with respect to 30 weights."""

    name = "logistic Hessian"
    title = "Hessian of logistic regression, float64"
    dtype = "float64"
    tolerance = 1e-10
    rows = (Row("569x30", (569, 30), 0.4, "jax", "91 us", "20 us floor"),)

    def inputs(self, row: Row, random: Random) -> tuple[Any, ...]:
        examples, features = row.parameters
        weights = standard_normal(random, self.dtype, features, scale=features**-0.5)
        labels = random.choice([-1.0, 1.0], examples)
        return weights, standard_normal(random, self.dtype, examples, features), labels

    def autodiff(self, autodiff: Any, row: Row) -> Function:
        return autodiff.hessian(logistic_loss(np, lambda x: np.logaddexp(0, x)))  # type: ignore[no-any-return]

    def jax(self, jax: Any, row: Row) -> Function:
        return jax.hessian(logistic_loss(jax.numpy, jax.nn.softplus))  # type: ignore[no-any-return]

    def autograd(self, autograd: Any, row: Row) -> Function:
        numpy = autograd.numpy
        return autograd.hessian(logistic_loss(numpy, lambda x: numpy.logaddexp(0, x)))  # type: ignore[no-any-return]

    def torch(self, torch: Any, compiled: Function, row: Row, inputs: tuple[Any, ...]) -> Function:
        hessian = compiled(torch.func.hessian(logistic_loss(torch, torch.nn.functional.softplus)))
        return lambda: hessian(*inputs)


def rosenbrock(np: Any) -> Function:
    """Rosenbrock's function of n variables, over one library's names."""

    def function(x: Any) -> Any:
        return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    return function


def logistic_loss(np: Any, softplus: Function) -> Function:
    """The mean loss for labels -1 and 1, over one library's names."""

    def loss(weights: Any, features: Any, labels: Any) -> Any:
        return np.mean(softplus(-labels * (features @ weights)))

    return loss
