"""The user's lines of several operations, written briefly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from autodiff.trace.tape import Equation, Tape, inner_tapes


def lines_of(equations: Iterable[Equation]) -> str:
    """The lines of operations and of what they carry: ``model.py:3-5, 9; loss.py:12``."""
    files: dict[str, set[int]] = {}
    for source in sources(equations):
        file, _, line = source.rpartition(":")
        files.setdefault(file, set()).add(int(line))
    return "; ".join(f"{file}:{', '.join(ranges(sorted(numbers)))}" for file, numbers in files.items())


def sources(equations: Iterable[Equation]) -> Iterator[str]:
    """The sources that are known; those inside of an operation count where there are any."""
    for equation in equations:
        found = [source for _, tape in inner_tapes(equation) for source in sources(tape.equations)]
        if equation.source and not found:
            found = [equation.source]
        yield from found


def ranges(numbers: list[int]) -> Iterator[str]:
    """Rising numbers, with neighbours put together: 3, 4, 5, 9 become 3-5 and 9."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return (str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def names_of(tape: Tape) -> str:
    """What the operations of a tape are called, in their order, equal ones once: ``multiply x 3, exp, sum``."""
    counts: dict[str, int] = {}
    for equation in tape.equations:
        name = equation.primitive.name
        bodies = [names_of(body) for _, body in inner_tapes(equation)]
        label = f"{name}({'; '.join(bodies)})" if bodies else name
        counts[label] = counts.get(label, 0) + 1
    return ", ".join(f"{name} x {times}" if times > 1 else name for name, times in counts.items())
