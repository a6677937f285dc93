"""A loop with a condition and a bound as a scan, whose reverse mode is known."""

from __future__ import annotations

from typing import Any

from autodiff.transforms.control.branch_call import branch
from autodiff.transforms.control.calls import Params, Values
from autodiff.transforms.control.choose import choose_with
from autodiff.transforms.control.cond import falsity
from autodiff.transforms.control.loop import scan_with
from autodiff.transforms.control.repeat import tape_body, tape_condition
from autodiff.transforms.control.scan_call import scanned
from autodiff.transforms.control.staging import leaves_structure
from autodiff.transforms.control.values import all_conformed


def bounded_loop(values: Values, params: Params) -> list[Any]:
    """The last carry of a loop, after as many steps as it may take: those after the last one do nothing."""
    count, body = params["carry"], params["body"]
    outside = values[count:]
    holds, after = tape_condition(params["condition"], outside), tape_body(body, outside)

    def step(carry: Any, _: Any) -> Any:
        branches = [lambda now: all_conformed(after(now), body.inputs[:count]), lambda now: now]
        return choose_with(branch, "while_loop", falsity(holds(carry)), branches, (carry,)), []

    init = all_conformed(values[:count], body.inputs[:count])
    nothing = leaves_structure(0).children[0]
    return scan_with(scanned, "while_loop", step, init, ([], nothing), params["max_steps"])[0]  # type: ignore[no-any-return]
