"""How programs of ``jit`` are looked at: what runs, in which kernels, at what cost, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodiff.trace.tape import Tape

if TYPE_CHECKING:
    from autodiff.backends.reports.cost import Cost
    from autodiff.backends.reports.explanation import Explanation
    from autodiff.backends.reports.kernels import Kernels
    from autodiff.backends.reports.plan import Plan
    from autodiff.transforms.jit.recorded import Recorded


class Looking:
    """Methods that show the program for arguments like the given ones, which may be specs. None of them runs it."""

    name: str

    def recorded(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Recorded, list[Any]]:
        """The program for these arguments, and their leaves."""
        raise NotImplementedError

    def tape(self, *args: Any, **kwargs: Any) -> Tape:
        """The tape of the program as it was recorded."""
        return self.recorded(args, kwargs)[0].program.tape

    def schedule(self, *args: Any, **kwargs: Any) -> Tape:
        """The tape as it is run: with kernels in the places of what they do, also in the bodies of loops and branches.

        >>> import numpy as np
        >>> from autodiff import jit
        >>> found = jit(lambda x: np.sum(np.exp(x)), backend="numpy").schedule(np.ones(3))
        >>> [equation.primitive.name for equation in found.equations]
        ['exp', 'sum']
        """
        return plan_of(self, args, kwargs).whole

    def source(self, *args: Any, **kwargs: Any) -> str:
        """The program as the text of a Python function: one line for each call of a kernel or of NumPy."""
        return self.recorded(args, kwargs)[0].source

    def kernels(self, *args: Any, **kwargs: Any) -> Kernels:
        """The texts of the program's kernels; print them to read them.

        Each begins with what it does, the user's lines, and how far its loops run. Where there are none, that is
        what is printed, and why.

        >>> import numpy as np
        >>> from autodiff import jit
        >>> print(jit(np.exp, backend="numpy").kernels(1.0))
        # no kernels: backend='numpy'
        """
        from autodiff.backends.reports.kernels import kernels  # noqa: PLC0415 - most programs are never looked at

        return kernels(plan_of(self, args, kwargs))

    def cost(self, *args: Any, **kwargs: Any) -> Cost:
        """What the program costs, by counting: operations, bytes that are moved, bytes alive at the peak.

        Print it for a table of its kernels and calls. Nothing is run, and no clock is read.

        >>> import numpy as np
        >>> from autodiff import jit
        >>> found = jit(lambda x, w: np.tanh(x @ w)).cost(np.ones((32, 64)), np.ones((64, 8)))
        >>> found.total.operations, found.total.functions, found.peak >= 32 * 64 * 8
        (32768.0, 256.0, True)
        """
        from autodiff.backends.reports.cost import cost  # noqa: PLC0415 - most programs are never looked at

        return cost(plan_of(self, args, kwargs))

    def explain(self, *args: Any, **kwargs: Any) -> Explanation:
        """Which operations of the program became kernels, which did not, and why; print it to read it.

        >>> import numpy as np
        >>> from autodiff import jit
        >>> found = jit(np.exp, backend="numpy").explain(1.0)
        >>> found.kernels, [(call.name, call.reason) for call in found.calls]
        ((), [('exp', "backend='numpy'")])
        """
        from autodiff.backends.reports.explanation import explanation  # noqa: PLC0415 - most programs are never looked at

        found = self.recorded(args, kwargs)[0]
        return explanation(plan_of(self, args, kwargs), self.name, found.replayed())


def plan_of(function: Looking, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Plan:
    """How a function's program for these arguments is run."""
    from autodiff.backends.reports.plan import plan  # noqa: PLC0415 - most programs are never looked at

    found = function.recorded(args, kwargs)[0]
    return plan(found.program.tape, found.backend)
