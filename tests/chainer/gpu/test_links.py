"""All links on a GPU, with a stand-in for CuPy: outputs, gradients and what they keep are as on the host."""

import importlib
import warnings

import numpy as np
import pytest

import autodiff.chainer as chainer
from tests.chainer.gpu.sweep import configured, fetched
from tests.chainer.recorded.case import seed
from tests.chainer.recorded.differentiation import drawn, flattened
from tests.chainer.recorded.linking import LinkCase, state
from tests.chainer.recorded.tables import cases_of

ROWS = [pytest.param(case, id=case.name) for case in cases_of("links") if isinstance(case, LinkCase)]


@pytest.mark.parametrize("case", ROWS)
def test_as_on_the_host(cupy, monkeypatch, case):
    expected = run(case, chainer.get_device("@numpy"))
    monkeypatch.setattr(importlib.import_module("tests.chainer.recorded.cases_links"), "np", cupy)
    found = run(case, chainer.get_device("@cupy:0"))
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            bound = 1e-5 * max(1.0, float(np.abs(value[np.isfinite(value)]).max(initial=0)))
            np.testing.assert_allclose(found[name], value, 1e-5, bound, err_msg=name)
        else:
            np.testing.assert_equal(found[name], value, err_msg=name)


def run(case, device):
    """What a link computes and keeps; it is made on the host."""
    np.random.seed(seed(case.name) % 2**32)  # noqa: NPY002 - initializers draw from it
    with configured(case), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        link = case.build().to_device(device)
        device.xp.random.seed(seed(case.name) % 2**32)
        variables = [
            chainer.Variable(device.send(array)) if spec.differentiable else device.send(array)
            for array, spec in zip(case.arrays("f"), case.inputs, strict=True)
        ]
        outputs = flattened(case.function(link, *variables))
        found = {f"output {k}": fetched(output, device) for k, output in enumerate(outputs)}
        ends = [y for y in outputs if getattr(y, "creator_node", None) is not None and y.dtype.kind == "f"]
        link.cleargrads()
        for k, output in enumerate(ends):
            output.grad = device.send(drawn(f"{case.name} {k}", output))
        if ends:
            chainer.backward(ends)
        for name, param in link.namedparams(include_uninit=False):
            found[f"gradient of {name}"] = fetched(param.grad, device)
            assert param.device == device
        found.update({f"gradient {k}": fetched(x.grad, device) for k, x in enumerate(variables) if hasattr(x, "grad")})
        found.update(state("final", link))
    return found
