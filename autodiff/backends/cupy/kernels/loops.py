"""What one thread does, as lines of C++: what loops have in common, and loops over elements without rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from autodiff.backends.cupy.kernels.constants import Constants
from autodiff.backends.cupy.kernels.epilogues import Epilogue
from autodiff.backends.cupy.kernels.expressions import expression, statements, typename
from autodiff.backends.cupy.kernels.sharing import (
    Sharing,
    share_elements,
    width_of,
)
from autodiff.backends.cupy.kernels.totals import folded, total_lines
from autodiff.backends.kernels.folds import beginning, fold_of, reduces
from autodiff.backends.kernels.forms import COLUMN, COLUMN_TOTAL, FULL, PASSING, ROW, TOTAL, Shape
from autodiff.backends.kernels.rows.schedule import Level
from autodiff.backends.kernels.rows.values import RowValues
from autodiff.backends.kernels.scalars import cast
from autodiff.trace.caching import cached_property
from autodiff.trace.tape import Equation, Tape


class Loop(RowValues):
    """What all kernels of grids have in common: the text of values, packs of elements, totals.

    Attributes:
        sharing: how elements are shared out.
        epilogue: what is computed of the totals; entered when the loop is made.
        cut: whether blocks share a row, whose reductions a second pass puts together.
        constants: the numbers that are parameters.
        packs: for each level the inputs that are loaded in packs.
        stores: for each level the outputs that are stored in packs.
        staged: the inputs whose row a block keeps in shared memory.
        stage: the bytes of it.
    """

    sharing: Sharing
    epilogue: Epilogue
    cut = False
    staged: Collection[int] = ()
    stage: int = 0

    def __init__(self, tape: Tape, shape: Shape) -> None:
        super().__init__(tape, shape)
        self.constants = Constants()
        self.packs: dict[int, set[int]] = {}
        self.stores: dict[int, set[int]] = {}
        self.sums: list[int] = [
            e.results[0] for e in tape.equations if self.forms[e.results[0]] in (TOTAL, COLUMN_TOTAL)
        ]

    def in_blocks(self) -> bool:
        return False  # threads of a team load neighbouring columns together, however short rows are

    def kept_dtype(self, slot: int) -> np.dtype[Any]:
        """The dtype in which blocks leave what a total is made of."""
        dtype = self.specs[slot].dtype
        double = self.forms[slot] == TOTAL and self.is_sum(slot) and dtype.kind == "f"
        return np.dtype(np.float64) if double else dtype

    @cached_property
    def width(self) -> int:
        """How many neighbouring elements a pack has."""
        sizes = [self.specs[s].dtype.itemsize for s, form in self.forms.items() if form == FULL and self.in_memory(s)]
        return width_of(max(sizes, default=4))

    def in_memory(self, slot: int) -> bool:
        return slot not in self.made or slot in self.outputs

    # The text of values.

    def computed(self, slot: int, level: int) -> str:
        if slot in self.kept and self.known_at[slot] < level:
            return f"{self.kept[slot]}[i]"
        if slot not in self.made and self.forms[slot] in (FULL, COLUMN):
            return self.loaded(slot, level)
        return super().computed(slot, level)

    def written(self, equation: Equation, name: Any) -> str:
        if equation.primitive.name == "place":
            return super().written(equation, name)
        if equation.primitive.name in PASSING:
            (given,) = equation.operands
            dtype = equation.specs[0].dtype
            return str(name(given)) if isinstance(given, int) else self.constants.number(equation, 0, dtype)
        texts = [name(o) if isinstance(o, int) else "" for o in equation.operands]
        return self.constants.expression(equation, texts, self.specs)

    def loaded(self, slot: int, level: int) -> str:
        """An element of what is loaded in packs."""
        self.packs.setdefault(level, set()).add(slot)
        return f"pack{slot}[e]"

    def kept_at(self, slot: int, column: str = "j") -> str:
        return "i"

    def store(self, slot: int, level: int, value: str) -> None:
        """Store an element with its neighbours."""
        self.stores.setdefault(level, set()).add(slot)
        self.levels[level].body.append(f"store_{self.specs[slot].dtype}(result{slot}, e, {value})")

    def out_of_range(self, name: str) -> list[str]:
        test = f"({name} < 0) | ({name} >= columns)"
        return [f"if {test}:", "    store_int32(status, 0, 1)", f"    {name} = i8(0)"]

    # Text around it.

    def pack(self, level: int) -> Iterator[str]:
        """What is done to a pack of elements; ``begin`` is the place of the first one."""
        loads, stores = sorted(self.packs.get(level, ())), sorted(self.stores.get(level, ()))
        for slot in loads:
            first = slot not in self.staged or level == min(k for k, slots in self.packs.items() if slot in slots)
            place = f"in{slot} + {self.place_of_pack(slot)}" if first else f"stage{slot} + first"
            yield f"const auto pack{slot} = load_pack<width>({place});"
            if first and slot in self.staged:
                yield f"store_pack(stage{slot} + first, pack{slot});"
        for slot in stores:
            yield f"Pack<{typename(self.specs[slot].dtype)}, width> result{slot};"
        yield "#pragma unroll"
        yield "for (int e = 0; e < width; ++e) {"
        yield from (f"  {line}" for line in self.element_head(level))
        yield from (f"  {line}" for line in statements(self.levels[level].body, self.assigned()))
        yield "}"
        for slot in stores:
            yield f"store_pack(out{slot} + {self.place_of_pack(slot)}, result{slot});"

    def place_of_pack(self, slot: int) -> str:
        """The name of the place of a pack: in a row, or in everything."""
        return "first" if self.forms[slot] == COLUMN else "begin"

    def element_head(self, level: int) -> Iterator[str]:
        """The names of places in the body of a loop, as far as it names them."""
        raise NotImplementedError

    def names_in(self, level: int) -> set[str]:
        """The words of the body of a loop."""
        text = " ".join(self.levels[level].body)
        return set("".join(c if c.isalnum() or c == "_" else " " for c in text).split())

    def assigned(self) -> set[str]:
        """Names that are there before loops assign to them."""
        return {f"total{slot}" for slot in self.sums} | {f"sum{s}" for s in self.made} | set(self.checked)

    def numbers(self) -> Iterator[str]:
        """Inputs that are one number in an array."""
        for slot, spec in enumerate(self.tape.inputs):
            if self.is_number(slot) and spec.kind == "array":
                yield f"const {typename(spec.dtype)} in{slot} = at{slot}[0];"

    def begun(self) -> Iterator[str]:
        """The totals of a thread."""
        for slot in self.sums:
            dtype = self.specs[slot].dtype
            if self.forms[slot] == TOTAL:
                begin = beginning(fold_of(self.made[slot]), dtype)
                yield f"{typename(dtype)} total{slot} = {expression(begin)};"

    def well_placed(self) -> str:
        """Whether all that is loaded and stored in packs begins at whole packs."""
        arrays = {f"in{slot}" for own in self.packs.values() for slot in own}
        arrays |= {f"out{slot}" for own in self.stores.values() for slot in own}
        return " && ".join(f"aligned<{self.width}>({name})" for name in sorted(arrays)) or "true"

    def ended(self) -> Iterator[str]:
        """What is done with the totals of threads."""
        totals = [slot for slot in self.sums if self.forms[slot] == TOTAL]
        late = {*totals, *self.epilogue.made}
        wanted = [out for out in self.epilogue.tape.outputs if isinstance(out, int) and out in late]
        yield from total_lines(self, totals, list(self.epilogue.lines(self.constants)), wanted)

    def lines(self) -> Iterator[str]:
        raise NotImplementedError


class ElementLoop(Loop):
    """Elements that know nothing of rows: a thread takes a pack of them, then the next one far behind."""

    def __init__(self, tape: Tape, shape: Shape) -> None:
        super().__init__(tape, shape)
        self.forms.update({slot: FULL for slot, form in self.forms.items() if form == ROW})  # a row is one element
        self.size("size", self.grid.rows)
        self.sharing = share_elements(self.grid.rows, self.width, bool(self.sums))
        for level in sorted(self.roots):
            self.levels[level] = Level()
            for slot in self.roots[level]:
                self.root(slot, level)

    def root(self, slot: int, level: int) -> None:
        equation = self.made[slot]
        if reduces(equation):
            (operand,) = equation.operands
            assert isinstance(operand, int)
            value = cast(self.element(operand, level), self.specs[operand].dtype, self.specs[slot].dtype)
            self.levels[level].body.append(folded(equation, f"total{slot}", value))
        else:
            self.store(slot, level, self.element(slot, level))

    def element_head(self, level: int) -> Iterator[str]:
        if "r" in self.names_in(level):
            yield "const Index r = begin + e;"

    def lines(self) -> Iterator[str]:
        (level,) = self.levels
        yield from self.numbers()
        yield from self.begun()
        yield "auto elements = [&](auto pack_width, const Index begin) {"
        yield "  constexpr int width = decltype(pack_width)::value;"
        yield from (f"  {line}" for line in statements(self.levels[level].before, self.assigned()))
        yield from (f"  {line}" for line in self.pack(level))
        yield "};"
        threads = self.sharing.threads
        yield f"const Index thread = Index(blockIdx.x) * {threads} + threadIdx.x;"
        yield f"const Index threads = Index(gridDim.x) * {threads};"
        width = self.width
        if width == 1:
            yield "for (Index begin = thread; begin < size; begin += threads) elements(Width<1>{}, begin);"
        else:
            yield f"const Index whole = {self.well_placed()} ? size / {width} * {width} : 0;"
            yield f"for (Index begin = thread * {width}; begin < whole; begin += threads * {width})"
            yield f"  elements(Width<{width}>{{}}, begin);"
            yield "for (Index begin = whole + thread; begin < size; begin += threads) elements(Width<1>{}, begin);"
        yield from self.ended()
