"""`chainer.grad` and `Variable.backward` with their options: what is returned, and what is left on Variables."""

import numpy as np

from tests.chainer.recorded.arrays import literal, normal
from tests.chainer.recorded.case import ErrorCase, ScriptCase
from tests.chainer.recorded.names import F, chainer

X, Y = normal(3), normal(3)


def graph(x, y):
    """A small graph with a shared intermediate value."""
    z = x * y
    return z, F.exp(z) + z * x


def left(**variables):
    """The gradients that a call left on Variables."""
    return {f"{name}.grad": variable.grad for name, variable in variables.items()}


def called(name, **options):
    """grad of one output with respect to two inputs."""

    def script(x, y):
        z, w = graph(x, y)
        gx, gy = chainer.grad([w], [x, y], **options)
        facts = {"gx": gx, "gy": gy, "recorded": str(gx.creator_node is not None), "requires": str(gx.requires_grad)}
        return {**facts, **left(x=x, y=y, z=z, w=w)}

    return ScriptCase(f"grad {name}", script, (X, Y))


def cotangent(given):
    def script(x, y):
        z, w = graph(x, y)
        seed = given(x)
        (gx,) = chainer.grad([w], [x], grad_outputs=[seed])
        return {"gx": gx, **left(x=x, z=z, w=w)}

    return script


def added(x, y):
    _, w = graph(x, y)
    gx, gy = chainer.grad([w], [x, y], grad_inputs=[chainer.Variable(np.ones_like(x.array)), None])
    return {"gx": gx, "gy": gy, **left(x=x, y=y)}


def intermediate(x, y):
    z, w = graph(x, y)
    gz, gw = chainer.grad([w], [z, w])
    return {"gz": gz, "gw": gw}


def two_outputs(x, y):
    z, w = graph(x, y)
    gx, gz = chainer.grad([w, z], [x, z], grad_outputs=[None, chainer.Variable(np.full_like(x.array, 2))])
    return {"gx": gx, "gz": gz}


def unreachable(x, y):
    (gy,) = chainer.grad([x * x], [y])
    return {"gy": gy}


def duplicated(x, y):
    _, w = graph(x, y)
    first, second = chainer.grad([w], [x, x])
    return {"first": first, "second": second}


def repeated(x, y):
    """One output twice, as where two gradients are one Variable."""
    z, w = graph(x, y)
    return {"gx": chainer.grad([w, w], [x], [z, x])[0]}


def preset(x, y):
    _, w = graph(x, y)
    w.grad = np.full_like(w.array, 3)
    (gx,) = chainer.grad([w], [x])
    return {"gx": gx, "w.grad": w.grad}


def third_order(x, y):
    w = graph(x, y)[1]
    grads = [w]
    for _ in range(3):
        grads.append(chainer.grad([grads[-1]], [x], enable_double_backprop=True)[0])
    return {f"order {i}": grad for i, grad in enumerate(grads)}


def swept(name, prepare=lambda x, y, z, w: None, **options):
    """backward from a non-scalar with a gradient that was set."""

    def script(x, y):
        z, w = graph(x, y)
        w.grad = np.full_like(w.array, 2)
        prepare(x, y, z, w)
        w.backward(**options)
        facts = {"recorded": str(x.grad_var is not None and x.grad_var.creator_node is not None)}
        return {**facts, **left(x=x, y=y, z=z, w=w)}

    return ScriptCase(f"backward {name}", script, (X, Y))


def scalar(**options):
    def script(x, y):
        z, w = graph(x, y)
        loss = F.sum(w)
        loss.backward(**options)
        return left(x=x, z=z, loss=loss)

    return script


def set_intermediate(x, y, z, w):
    z.grad = np.full_like(z.array, 7)


def set_leaf(x, y, z, w):
    x.grad = np.full_like(x.array, 7)


def cut(x, y, z, w):
    z.unchain()


def cut_all(x, y, z, w):
    z.unchain_backward()


def joint(x, y):
    z, w = graph(x, y)
    w.grad, z.grad = np.ones_like(w.array), np.full_like(z.array, 2)
    chainer.backward([w, z])
    return left(x=x, y=y, z=z, w=w)


def joint_given(x, y):
    z, w = graph(x, y)
    chainer.backward([w, z], [chainer.Variable(np.ones_like(w.array)), chainer.Variable(np.ones_like(z.array))])
    return left(x=x, y=y, z=z, w=w)


def penalty(x, y):
    """The gradient of a gradient's norm, as in gradient penalties."""
    w = graph(x, y)[1]
    (gx,) = chainer.grad([w], [x], enable_double_backprop=True)
    loss = F.sum(gx * gx)
    loss.backward()
    return {"loss": loss, **left(x=x, y=y)}


def twice(x, y):
    loss = F.sum(graph(x, y)[1])
    loss.backward()
    loss.backward()
    return left(x=x, y=y)


def guide(x):
    """The function of the guide, differentiated twice with backward."""
    y = x**2 - 2 * x + 1
    y.backward(enable_double_backprop=True)
    gx = x.grad_var
    x.cleargrad()
    gx.backward()
    return {"gx": gx, **left(x=x)}


def raised(name, call):
    return ErrorCase(f"grad error {name}", lambda x, y: call(x, y, *graph(x, y)), (X, Y), "f")


CASES = [
    called("default"),
    called("set_grad", set_grad=True),
    called("retain_grad", retain_grad=True),
    called("set and retain", set_grad=True, retain_grad=True),
    called("enable_double_backprop", enable_double_backprop=True),
    called("loss_scale", loss_scale=4.0),
    called("set_grad loss_scale", loss_scale=4.0, set_grad=True),
    ScriptCase("grad cotangent", cotangent(lambda x: chainer.Variable(np.full_like(x.array, 2))), (X, Y)),
    ScriptCase("grad cotangent array", cotangent(lambda x: np.full_like(x.array, 2)), (X, Y)),
    ScriptCase("grad cotangent None", cotangent(lambda x: None), (X, Y)),
    *(ScriptCase(f"grad {script.__name__}", script, (X, Y)) for script in (added, intermediate, two_outputs, unreachable, duplicated, repeated, preset, third_order)),
    swept("default"),
    swept("retain_grad", retain_grad=True),
    swept("enable_double_backprop", enable_double_backprop=True),
    swept("loss_scale", loss_scale=4.0),
    swept("intermediate preset", set_intermediate),
    swept("intermediate preset retained", set_intermediate, retain_grad=True),
    swept("leaf preset", set_leaf),
    swept("unchain", cut),
    swept("unchain_backward", cut_all),
    ScriptCase("backward scalar", scalar(), (X, Y)),
    ScriptCase("backward scalar loss_scale", scalar(loss_scale=4.0), (X, Y)),
    ScriptCase("backward scalar retain_grad", scalar(retain_grad=True), (X, Y)),
    *(ScriptCase(f"backward {script.__name__}", script, (X, Y)) for script in (joint, joint_given, penalty, twice)),
    ScriptCase("backward guide", guide, (literal(3.0),)),
    raised("outputs type", lambda x, y, z, w: chainer.grad(w, [x])),
    raised("inputs type", lambda x, y, z, w: chainer.grad([w], x)),
    raised("grad_outputs type", lambda x, y, z, w: chainer.grad([w], [x], grad_outputs=w)),
    raised("grad_outputs length", lambda x, y, z, w: chainer.grad([w], [x], grad_outputs=[w, w])),
    raised("grad_inputs type", lambda x, y, z, w: chainer.grad([w], [x], grad_inputs=x)),
    raised("grad_inputs length", lambda x, y, z, w: chainer.grad([w], [x], grad_inputs=[x, x])),
]  # fmt: skip
