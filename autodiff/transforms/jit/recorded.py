"""One recording of a function, and how it is called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff.backends.choice import Backend
from autodiff.backends.gpu import is_gpu_array
from autodiff.backends.reports.watching import open_profiles
from autodiff.trace.spec import Spec
from autodiff.trace.staging import Staged
from autodiff.trace.surroundings import State
from autodiff.transforms.jit.constants import Constants, refuse_chunks, with_known_values
from autodiff.transforms.jit.donating import Donation
from autodiff.transforms.jit.options import Options
from autodiff.transforms.jit.program import Program
from autodiff.transforms.jit.rebuilding import rebuilder
from autodiff.transforms.jit.signatures import Signature, details_of

if TYPE_CHECKING:
    from autodiff.backends.announcing import Listener


class Recorded:
    """A function that was recorded.

    Args:
        staged: the recording; the inputs of its tape are the leaves of the arguments, the captures and the constants.
        signature: of the calls.
        specs: of the leaves of the arguments.
        leaves: of the arguments of the call that recorded it.
        state: what held around the recording.
        options: what ``jit`` was told.
        name: the function's name and line, for error texts.

    Attributes:
        program: the program.
        captures: traced values that it closed over.
        constants: arrays that it closed over.
        kept: which outputs are constants, of which callers get copies.
        details: the shapes and dtypes of the arrays among the leaves, and on which GPUs they are.
        places: of each leaf the GPU that it is on; None for others.
        device: the GPU that the program runs on; None where leaves and constants are on the host.
        donation: which leaves are donated.
        run: gives the outputs for plain leaves.
        direct: the program on its GPU, once a call has shown that its arguments are all there; None before.
        moved: its constants there.
        results: the structure of the result.
        rebuild: gives the result from the outputs; None where there is one, which is the result.
    """

    __slots__ = (
        "captures",
        "constants",
        "details",
        "device",
        "direct",
        "donation",
        "kept",
        "moved",
        "name",
        "places",
        "program",
        "rebuild",
        "results",
        "reusing",
        "run",
        "signature",
        "specs",
        "state",
    )  # fmt: skip

    def __init__(
        self,
        staged: Staged,
        signature: Signature[Recorded],
        specs: Sequence[Spec],
        leaves: Sequence[Any],
        state: State,
        options: Options,
        name: str,
    ) -> None:
        tape = with_known_values(staged.tape)
        given = len(tape.inputs) - len(tape.constants)
        outputs = enumerate(tape.outputs)
        self.kept = tuple(k for k, out in outputs if isinstance(out, int) and given <= out < len(tape.inputs))
        self.name = name
        refuse_chunks(name, tape.constants)
        bare = replace(tape, constants=(), arguments=None, results=None)
        self.program = Program(bare, name, options.choice, fast_math=options.fast_math)
        self.captures, self.constants = staged.captures, Constants(tape.constants)
        self.signature, self.specs, self.state, self.details = signature, tuple(specs), state, details_of(specs, leaves)
        self.places = tuple([leaf.device.id if is_gpu_array(leaf) else None for leaf in leaves])
        self.device = next((place for place in self.places if place is not None), self.constants.device())
        self.donation = Donation(signature.key, options.donated)
        self.program.given_up = self.donation.leaves
        self.reusing: dict[tuple[int, ...], Program] = {(): self.program}
        assert tape.results is not None
        self.results = tape.results
        self.rebuild = rebuilder(self.results)
        self.direct: Callable[..., tuple[Any, ...]] | None = None
        self.moved: tuple[Any, ...] = ()
        plain = not (tape.constants or self.donation.leaves)
        self.run: Callable[[tuple[Any, ...]], tuple[Any, ...]]
        if self.on_gpu:
            self.run = self.run_on_gpu
        else:
            self.run = self.program.evaluate if plain else self.run_unusual

    def run_unusual(self, leaves: tuple[Any, ...]) -> tuple[Any, ...]:
        """The outputs for plain leaves, where there are constants or donated arrays."""
        donation, program = self.donation, self.program
        if donation.leaves and program.alone is None:  # a program that is one kernel reuses nothing
            program = self.reusing_program(donation.usable(leaves))
            self.program.alone = program.alone
        return self.own(program.evaluate((*leaves, *self.constants.arrays)))

    def run_on_gpu(self, leaves: tuple[Any, ...]) -> tuple[Any, ...]:
        """The outputs for plain leaves, where the program runs on a GPU.

        What the first call has found holds for all: calls are told apart by where arrays are.
        """
        if self.direct is not None and not open_profiles:
            return self.own(self.direct(*leaves, *self.moved))
        constants = self.constants.arrays if self.device is None else self.constants.on(self.device)
        outs = self.program.evaluate_on_gpu((*leaves, *constants))
        if self.device is not None and np.ndarray not in self.signature.key.kinds:
            self.moved = constants
            self.direct = self.program.on_gpu.on(self.device).run
        return self.own(outs)

    def own(self, outs: tuple[Any, ...]) -> tuple[Any, ...]:
        """The outputs with copies in the places of constants."""
        return tuple(out.copy() if k in self.kept else out for k, out in enumerate(outs)) if self.kept else outs

    def reusing_program(self, positions: tuple[int, ...]) -> Program:
        """The program that may write to the inputs at some positions."""
        found = self.reusing.get(positions)
        if found is None:
            made = Program(self.program.tape, self.name, self.program.choice, positions)
            found = self.reusing.setdefault(positions, made)
        return found

    def run_for(self, listener: Listener, leaves: Sequence[Any]) -> tuple[Any, ...]:
        """The outputs for plain leaves on the CPU; a listener is told of each as soon as it is there."""
        return self.own(self.program.evaluate_for(listener, (*leaves, *self.constants.arrays)))

    @property
    def on_gpu(self) -> bool:
        """Whether it runs on a GPU: arrays are there, or that was asked for."""
        return self.device is not None or self.program.choice.host is None

    @property
    def backend(self) -> Backend:
        """Who runs it.

        Raises:
            TypeError: if arrays are on a GPU, and nobody does there.
        """
        return self.program.gpu if self.on_gpu else self.program.host

    def replayed(self) -> str:
        """Whether the program runs as a CUDA graph, and if not, why; empty on CPUs."""
        if self.on_gpu:
            return self.program.on_gpu.replayed(self.device)
        return ""

    @property
    def source(self) -> str:
        """The text of the Python function that runs."""
        if self.on_gpu:
            return self.program.on_gpu.straight().source
        return self.program.straight.source

    def call(self, leaves: Sequence[Any]) -> Any:
        """The result for the leaves of the arguments, which may be traced."""
        constants = self.constants.beside((*leaves, *self.captures))
        outs = self.own(self.program(*leaves, *self.captures, *constants))
        return outs[0] if self.rebuild is None else self.rebuild(outs)

    def call_plain(self, leaves: Sequence[Any]) -> Any:
        """The same where none of them is traced."""
        outs = self.run(tuple(leaves))
        return outs[0] if self.rebuild is None else self.rebuild(outs)
