"""How a tape is run: as one kernel, as kernels and NumPy's functions, or as NumPy's functions alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from autodiff.backends.kernels.products.convolutions import with_convolutions
from autodiff.backends.kernels.programs.call import whole_equation
from autodiff.backends.kernels.programs.program import WholeKernel, whole_kernel
from autodiff.backends.kernels.programs.storage import Impossible
from autodiff.backends.passes.complex_parts.border import on_parts
from autodiff.backends.passes.fusion.coordinates import coordinates_apart
from autodiff.backends.passes.fusion.cost import LAUNCH, calls, work
from autodiff.backends.passes.fusion.fuse import fuse
from autodiff.backends.passes.fusion.islands import around_islands
from autodiff.backends.passes.fusion.loop_invariants import LOOPS
from autodiff.backends.passes.fusion.loop_residuals import keep_residuals
from autodiff.backends.passes.fusion.products import fuse_products
from autodiff.backends.passes.fusion.row_gathers import pick_by_rows
from autodiff.backends.passes.fusion.short_loops import short_loops_written_out
from autodiff.backends.passes.fusion.stacks import STACKS
from autodiff.backends.passes.fusion.windows import with_windows
from autodiff.backends.passes.preparation.doubles import DOUBLES
from autodiff.backends.passes.preparation.expand import EXPANSIONS
from autodiff.backends.passes.preparation.pieces import PIECES
from autodiff.backends.passes.preparation.slices import SLICES
from autodiff.backends.passes.preparation.softmax_shares import SHARES
from autodiff.backends.passes.preparation.transposes import TRANSPOSES
from autodiff.backends.passes.preparation.triangles import TRIANGLES
from autodiff.backends.passes.rewrite.reductions import SPLIT_LARGE_SUMS
from autodiff.backends.passes.rewrite.rewriting import concerned, joined, rewrite
from autodiff.backends.passes.rewrite.simplify import simplified, simplify
from autodiff.backends.passes.rolling.roll import is_long, rolled
from autodiff.backends.passes.turns import with_turns
from autodiff.trace.tape import Tape

ON_CPUS = joined(EXPANSIONS, TRIANGLES, DOUBLES)

EXPANDED = {**ON_CPUS, "<general>": ()}
"""Operations that are expanded, or have bodies in which some are."""

PARTS = joined(PIECES, SLICES)
"""What is done with parts of arrays before loops are looked for: sums of parts of all steps become stacks."""

BEFORE_FUSION = joined(SHARES, PIECES, STACKS, LOOPS, SLICES, TRANSPOSES)

THREADS = 2.0
"""How much faster kernels of rows are taken to be than one thread, where their work is large."""

SAVING = 5_000.0
"""Nanoseconds that one kernel must save where several would share their work too."""

LONG = 1024
"""From so many rows on, blocks of them are worth it."""

MOST_ON_PARTS = 2000
"""Programs that have more operations on parts of complex numbers run on whole ones: it takes long to schedule them."""

LARGE = 50_000.0
"""Nanoseconds of work that threads share."""


@dataclass(frozen=True)
class Schedule:
    """How a tape is run.

    Attributes:
        tape: with kernels in the places of what they do.
        reason: why it is not one kernel; empty where it is.
    """

    tape: Tape
    reason: str


def plain(tape: Tape, why: str) -> Schedule:
    """A tape without constants as calls of NumPy's functions, for a reason."""
    return Schedule(simplify(tape), why)


def schedule(tape: Tape) -> Schedule:
    """How a tape without constants is run by kernels of CPUs."""
    simple = simplified_with_loops(tape)
    border = on_parts(simple)
    if border is None or len(border.core.equations) > MOST_ON_PARTS:
        return schedule_as_it_is(simple)
    core = schedule_as_it_is(simplify(border.core))
    found = Schedule(border.around(core.tape), core.reason)
    if core.reason or calls(simple) < calls(found.tape):
        plain = schedule_as_it_is(simple)
        if calls(plain.tape) < calls(found.tape):
            return plain
    return found


def simplified_with_loops(tape: Tape) -> Tape:
    """A tape simplified, with loops in the places of steps that a Python loop has written out."""
    simple = simplify(rolled(tape))  # first of all: a loop is simplified once, and its steps would be one by one
    if not is_long(simple):
        return simple
    apart = rewrite(simple, PARTS, merge=True)
    found = rolled(apart)
    return simple if found is apart else simplify(found)


def schedule_as_it_is(tape: Tape) -> Schedule:
    """How a simplified tape is run on CPUs: its complex numbers, if it has some, are no kernel's."""
    turned = with_turns(tape)
    expanded = simplified(turned, ON_CPUS) if concerned(turned, EXPANDED) else turned
    changed = rewrite(coordinates_apart(keep_residuals(short_loops_written_out(expanded))), BEFORE_FUSION, merge=True)
    simple = tape if changed is tape else simplify(changed, stable=False)
    fused = cache(lambda: kernels_of_rows(simple))
    try:
        kernel = worthwhile_kernel(simple, fused)
    except Impossible as refused:
        parts = around_islands(
            simple, refused.position, lambda part: worthwhile_kernel(part, lambda: kernels_of_rows(part))
        )
        return Schedule(fused() if parts is simple else kernels_of_rows(parts), str(refused))
    if kernel is None:
        return Schedule(fused(), "kernels of rows share the work among threads")
    return Schedule(one_kernel(simple, kernel), "")


def of_numbers(tape: Tape) -> bool:
    """Whether all values are single ones: there is nothing for kernels of rows then."""
    return all(own.size == 1 for own in tape.specs)


def kernels_of_rows(tape: Tape) -> Tape:
    """A tape with kernels in the places of operations on one grid, of products, convolutions and windows."""
    if of_numbers(tape):
        return tape
    apart = rewrite(fuse_products(pick_by_rows(tape)), SPLIT_LARGE_SUMS)
    return with_convolutions(fuse(with_windows(apart)))


def worthwhile_kernel(tape: Tape, fused: Callable[[], Tape]) -> WholeKernel | None:
    """The one kernel that does all of a tape; None where kernels of rows, which share the work, take less time.

    Args:
        tape: the program.
        fused: gives it with kernels of rows. It takes long to make; little work is not shared, and several calls then
            take longer than one.

    Raises:
        Impossible: if it would take less time, and there is none.
    """
    effort = work(tape)
    if effort <= LARGE:
        return whole_kernel(tape) if tape.equations else None
    shared = effort / THREADS
    spread = calls(fused()) + shared
    if spread > shared + SAVING:
        rows = common_length(tape)
        if rows is not None:
            try:
                return whole_kernel(tape, rows)
            except Impossible:
                pass
    return None if effort + LAUNCH >= spread else whole_kernel(tape)


def common_length(tape: Tape) -> int | None:
    """The length of the axis that most values have, if it is long."""
    lengths = Counter(
        length for equation in tape.equations for s in equation.specs for length in set(s.shape) if length >= LONG
    )
    return lengths.most_common(1)[0][0] if lengths else None


def one_kernel(tape: Tape, kernel: WholeKernel | None = None) -> Tape:
    """A tape whose one operation does all that another one does."""
    equation = whole_equation(tape, None if kernel is None else kernel.rows)
    return Tape(tape.inputs, (equation,), equation.results, (), tape.arguments, tape.results)
