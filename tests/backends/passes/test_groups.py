"""Groups of operations that become one kernel: what may not lie between them."""

import numpy as np

from autodiff import grad, make_tape
from autodiff.backends.passes.fusion.groups import SHARED, Fusion
from autodiff.backends.passes.rewrite.simplify import simplify


def test_what_lies_between_two_groups_is_found_however_they_have_grown(monkeypatch):
    """The search leaves out what was done before; a group that has grown over that place may still need it."""

    def everything_between(fusion, first, last):
        waiting = [unit for unit in fusion.producers(last) if unit not in (first, last)]
        seen = set(waiting)
        while waiting:
            for unit in fusion.producers(waiting.pop()):
                if unit is first:
                    return True
                if unit is not last and unit not in seen:
                    seen.add(unit)
                    waiting.append(unit)
        return False

    quick, asked = Fusion.between, []

    def compared(fusion, first, last):
        asked.append(everything_between(fusion, first, last))
        assert quick(fusion, first, last) == asked[-1]
        return asked[-1]

    def layers(x, ws):
        for w in ws:
            shares = np.exp(x - np.max(x, axis=1, keepdims=True))
            x = x + np.tanh(x @ w) * shares / np.sum(shares, axis=1, keepdims=True)
        return np.sum(x * x)

    monkeypatch.setattr(Fusion, "between", compared)
    rng = np.random.default_rng(0)
    tape = simplify(make_tape(grad(layers, (0, 1)))(rng.normal(size=(16, 24)), rng.normal(size=(5, 24, 24))))
    for shared, together in ((SHARED, 0), (0, 0), (0, 1 << 20)):
        units = Fusion(tape, numbers=together > 0, shared=shared, together=together).ordered()
        assert sum(len(unit.equations) for unit in units) == len(tape.equations)
    assert any(asked)
    assert not all(asked)
