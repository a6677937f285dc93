"""What one thread does: loops over elements, or over rows that it shares with a team, as lines of C++."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from autodiff.backends.cupy.kernels.expressions import expression, statements, typename
from autodiff.backends.cupy.kernels.sharing import (
    MOST,
    REGISTERS,
    Sharing,
    long_rows,
    share_columns,
    share_elements,
    share_long_rows,
    share_rows,
    width_of,
)
from autodiff.backends.cupy.kernels.tails import Tail
from autodiff.backends.cupy.kernels.totals import REDUCERS, folded, total_lines
from autodiff.backends.kernels.forms import COLUMN, COLUMN_TOTAL, FULL, REDUCTIONS, ROW, TOTAL, Shape
from autodiff.backends.kernels.row_schedule import ONCE, Level
from autodiff.backends.kernels.row_values import RowValues
from autodiff.backends.kernels.rows import start
from autodiff.backends.kernels.scalars import cast
from autodiff.trace.tape import Equation, Tape


class Loop(RowValues):
    """What all kernels of grids have in common: the text of values, packs of elements, totals.

    Attributes:
        sharing: how elements are shared out.
        tail: what is computed of the totals; entered when the loop is made.
        cut: whether blocks share a row, whose reductions a second pass puts together.
        packs: for each level the inputs that are loaded in packs.
        stores: for each level the outputs that are stored in packs.
    """

    sharing: Sharing
    tail: Tail
    cut = False

    def __init__(self, tape: Tape, shape: Shape) -> None:
        super().__init__(tape, shape)
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

    def loaded(self, slot: int, level: int) -> str:
        """An element of what is loaded in packs."""
        self.packs.setdefault(level, set()).add(slot)
        return f"pack{slot}[e]"

    def kept_at(self, slot: int) -> str:
        return "i"

    def store(self, slot: int, level: int, value: str) -> None:
        """Store an element with its neighbours."""
        self.stores.setdefault(level, set()).add(slot)
        self.levels[level].body.append(f"store_{self.specs[slot].dtype}(result{slot}, e, {value})")

    def index(self, equation: Equation, length: int) -> str:
        slot = equation.operands[1]
        assert isinstance(slot, int)
        name = f"column{slot}"
        if name not in self.checked:
            self.checked.add(name)
            level = self.level(slot)
            raw = cast(self.row_value(slot, level), self.specs[slot].dtype, np.dtype(np.int64))
            first = slot not in self.made
            place = self.levels[min(self.levels.keys() - {ONCE})] if first else self.levels[level]
            place.before += [
                f"{name} = where({raw} < 0, {raw} + columns, {raw})",
                f"if ({name} < 0) | ({name} >= columns):",
                "    store_int32(status, 0, 1)",
                f"    {name} = i8(0)",
            ]
        return name

    # Text around it.

    def pack(self, level: int) -> Iterator[str]:
        """What is done to a pack of elements; ``begin`` is the place of the first one."""
        loads, stores = sorted(self.packs.get(level, ())), sorted(self.stores.get(level, ()))
        for slot in loads:
            yield f"const auto pack{slot} = load_pack<width>(in{slot} + {self.place_of_pack(slot)});"
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
            name = self.made[slot].primitive.name
            if self.forms[slot] == TOTAL:
                yield f"{typename(dtype)} total{slot} = {expression(start(name, dtype))};"

    def well_placed(self) -> str:
        """Whether all that is loaded and stored in packs begins at whole packs."""
        arrays = {f"in{slot}" for own in self.packs.values() for slot in own}
        arrays |= {f"out{slot}" for own in self.stores.values() for slot in own}
        return " && ".join(f"aligned<{self.width}>({name})" for name in sorted(arrays)) or "true"

    def ended(self) -> Iterator[str]:
        """What is done with the totals of threads."""
        totals = [slot for slot in self.sums if self.forms[slot] == TOTAL]
        late = {*totals, *self.tail.made}
        wanted = [out for out in self.tail.tape.outputs if isinstance(out, int) and out in late]
        yield from total_lines(self, totals, list(self.tail.lines()), wanted)

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
        if equation.primitive.name in REDUCTIONS:
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


class RowLoop(Loop):
    """Rows, each of which a team of threads takes together."""

    def __init__(self, tape: Tape, shape: Shape) -> None:
        super().__init__(tape, shape)
        if self.grid.flat:
            return
        self.size("rows", self.grid.rows)
        self.size("columns", self.grid.columns)
        share = share_columns(self.grid, self.width) if self.sums_alone() else None
        self.cut = long_rows(self.grid) and self.reductions_alone()
        if self.cut:
            share = share_long_rows(self.grid, self.width)
            step = share.team * share.width
            self.size("tile", -(-self.grid.columns // (share.tiles * step)) * step)
            self.size("tiles", share.tiles)
        shared = sum(dtype.itemsize for dtype in {self.specs[slot].dtype for slot in self.column_totals()})
        again = self.needed_again()
        held = [*again, *self.column_totals()]
        words = sum(-(-self.specs[slot].dtype.itemsize // 4) for slot in held)
        self.sharing = share or share_rows(self.grid, self.width, bool(self.sums), shared, words)
        if self.column_totals():
            self.size("blocks", self.sharing.blocks)
        if words * self.sharing.each <= REGISTERS // (2 if self.sharing.threads == MOST else 1):
            self.hold(again)
        for level in sorted(self.roots):
            self.levels[level] = Level()
            for slot in self.roots[level]:
                self.root(slot, level)

    def sums_alone(self) -> bool:
        """Whether nothing is wanted of rows as wholes: then they may be cut into tiles."""
        forms = {self.forms[slot] for slot in self.outputs}
        reduced = [e.operands[0] for e in self.tape.equations if e.primitive.name in REDUCTIONS]
        rows = any(isinstance(o, int) and self.forms[o] == ROW for o in reduced)
        return COLUMN_TOTAL in forms and set(self.roots) == {0} and ROW not in forms and not rows

    def reductions_alone(self) -> bool:
        """Whether nothing is wanted of rows but reductions that nobody here waits for, and elements."""
        reduced = {e.results[0] for e in self.tape.equations if e.primitive.name in REDUCTIONS}
        rows = {slot for slot in self.outputs if self.forms[slot] == ROW}
        forms = {self.forms[slot] for slot in self.outputs}
        waiting = any(o in reduced for e in self.tape.equations for o in e.operands)
        return bool(rows) and rows <= reduced and forms <= {ROW, FULL} and not waiting

    def needed_again(self) -> dict[int, int]:
        """What is loaded, or dear to compute, in more than one loop, with the first of them."""
        first: dict[int, int] = {}
        again: dict[int, None] = {}
        for level in sorted(self.roots.keys() - {ONCE}):
            waiting = [(slot, True) for slot in reversed(self.roots[level])]
            seen: set[int] = set()
            while waiting:
                slot, root = waiting.pop()
                if slot in seen:
                    continue
                seen.add(slot)
                equation, form = self.made.get(slot), self.forms[slot]
                reduces = root and equation is not None and equation.primitive.name in REDUCTIONS
                held = form == FULL and (equation is None or slot in self.outputs or self.dear(equation))
                if held and not reduces and first.setdefault(slot, level) < level:
                    again[slot] = None
                    continue
                if equation is not None and (reduces or form in (FULL, COLUMN)):
                    waiting.extend((o, False) for o in equation.operands if isinstance(o, int))
        return {slot: first[slot] for slot in again}

    def hold(self, again: dict[int, int]) -> None:
        """Let threads hold what later loops need again in registers."""
        if self.sharing.each:
            self.kept = {slot: f"row{slot}" for slot in again}
            self.known_at.update(again)

    def lone(self, slot: int, column: str, level: int) -> str:
        kept, self.kept = self.kept, {}  # registers are those of another thread
        try:
            return super().lone(slot, column, level)
        finally:
            self.kept = kept

    # Roots.

    def root(self, slot: int, level: int) -> None:
        equation, form, dtype = self.made[slot], self.forms[slot], self.specs[slot].dtype
        if equation.primitive.name in REDUCTIONS:
            self.reduction(slot, equation, level)
        elif form in (FULL, COLUMN):
            self.store(slot, level, self.element(slot, level))
        else:
            value = self.row_value(slot, level)
            self.levels[level].before += ["if lane == 0:", f"    store_{dtype}(out{slot}, r, {value})"]

    def reduction(self, slot: int, equation: Equation, level: int) -> None:
        operand = equation.operands[0]
        assert isinstance(operand, int)
        form, dtype, place = self.forms[slot], self.specs[slot].dtype, self.levels[level]
        if self.forms[operand] == ROW:
            value = cast(self.row_value(operand, level), self.specs[operand].dtype, dtype)
            place.before += ["if lane == 0:", f"    {folded(equation, f'total{slot}', value)}"]
            return
        value = cast(self.element(operand, level), self.specs[operand].dtype, dtype)
        if form == TOTAL:
            place.body.append(folded(equation, f"total{slot}", value))
        elif form == COLUMN_TOTAL:
            array, at = (f"column_total{slot}", "i") if self.sharing.each else (f"mine{slot}", "j")
            place.body.append(f"store_{dtype}({array}, {at}, {array}[{at}] + {value})")
        else:
            place.body.append(folded(equation, f"sum{slot}", value))
            self.row_names[slot] = f"sum{slot}"
            place.begin.append(f"{typename(dtype)} sum{slot} = {expression(start(equation.primitive.name, dtype))};")
            reducer = REDUCERS[equation.primitive.name]
            place.end.append(f"sum{slot} = reduce_team<{reducer}, {self.sharing.team}>(sum{slot});")
            if self.cut:
                place.end.append(f"if (lane == 0) part{slot}[Index(blockIdx.y) * rows + r] = sum{slot};")
            elif slot in self.outputs:
                place.end.append(f"if (lane == 0) out{slot}[r] = sum{slot};")

    # Text.

    def element_head(self, level: int) -> Iterator[str]:
        names = self.names_in(level)
        if "j" in names:
            yield "const Index j = first + e;"
        if "i" in names:
            yield "const int i = k * width + e;"

    def columns_loop(self, level: int) -> Iterator[str]:
        """The loop over the columns of a row."""
        team, each = self.sharing.team, self.sharing.each
        if each:
            yield "#pragma unroll"
            yield f"for (int k = 0; k < {each} / width; ++k) {{"
            tile = f"Index(blockIdx.y) * {team * each} + " if self.sharing.tiles > 1 else ""
            yield f"  const Index first = {tile}(lane + Index(k) * {team}) * width;"
        elif self.cut:
            yield "const Index begun = Index(blockIdx.y) * tile, end = min(columns, begun + tile);"
            yield f"for (Index first = begun + Index(lane) * width; first < end; first += {team} * width) {{"
        else:
            yield f"for (Index first = Index(lane) * width; first < columns; first += {team} * width) {{"
        yield "  if (first < columns) {" if each else "  {"
        moved = self.packs.get(level, set()) | self.stores.get(level, set())
        if any(self.place_of_pack(slot) == "begin" for slot in moved):
            yield "    const Index begin = at + first;"
        yield from (f"    {line}" for line in self.pack(level))
        yield "  }"
        yield "}"

    def lines(self) -> Iterator[str]:
        sharing, width = self.sharing, self.width
        teams = sharing.threads // sharing.team
        yield from self.numbers()
        yield from self.begun()
        yield from self.begun_columns()
        yield f"const int lane = threadIdx.x % {sharing.team};"
        yield f"const Index team = Index(blockIdx.x) * {teams} + threadIdx.x / {sharing.team};"
        if not self.cut:
            yield f"const Index teams = Index(gridDim.x) * {teams};"
        once = self.levels.get(ONCE)
        yield "auto row = [&](auto pack_width, const Index r) {"
        yield "  constexpr int width = decltype(pack_width)::value;"
        yield "  const Index at = r * columns;"
        for slot, name in self.kept.items():
            yield f"  {typename(self.specs[slot].dtype)} {name}[{sharing.each}];"
        if once is not None:
            yield "  if (r == 0) {"
            yield from (f"    {line}" for line in self.columns_loop(ONCE))
            yield "  }"
        for place in sorted(self.levels.keys() - {ONCE}):
            level = self.levels[place]
            yield from (f"  {line}" for line in statements(level.before, self.totals_there()))
            yield from (f"  {line}" for line in level.begin)
            if level.body:
                yield from (f"  {line}" for line in self.columns_loop(place))
            yield from (f"  {line}" for line in level.end)
        yield "};"
        each_row = "" if self.cut else "for (Index r = team; r < rows; r += teams) "
        first = "team" if self.cut else "r"  # a block of a row that is cut has no other one
        if width == 1:
            yield f"{each_row}row(Width<1>{{}}, {first});"
        else:
            yield f"const bool whole = columns % {width} == 0 && {self.well_placed()};"
            yield "if (whole)"
            yield f"  {each_row}row(Width<{width}>{{}}, {first});"
            yield "else"
            yield f"  {each_row}row(Width<1>{{}}, {first});"
        yield from self.ended_columns()
        yield from self.ended()

    def totals_there(self) -> set[str]:
        return {f"total{slot}" for slot in self.sums}

    def column_totals(self) -> list[int]:
        return [slot for slot in self.sums if self.forms[slot] == COLUMN_TOTAL]

    def begun_columns(self) -> Iterator[str]:
        """The sums of columns: in registers, or where a block leaves them."""
        for slot in self.column_totals():
            kind = typename(self.specs[slot].dtype)
            target = f"gridDim.x == 1 ? out{slot} : part{slot} + Index(blockIdx.x) * columns"
            yield f"{kind}* const mine{slot} = {target};"
            if self.sharing.each:
                yield f"{kind} column_total{slot}[{self.sharing.each}] = {{}};"
            else:
                yield f"for (Index j = threadIdx.x; j < columns; j += {self.sharing.threads}) mine{slot}[j] = 0;"
        if self.column_totals() and not self.sharing.each:
            yield "__syncthreads();"

    def ended_columns(self) -> Iterator[str]:
        if not self.sharing.each:
            return
        for slot in self.column_totals():
            shape = f"{self.sharing.team}, {self.sharing.threads}, {self.sharing.each}"
            tile = (
                f"Index(blockIdx.y) * {self.sharing.team * self.sharing.each}" if self.sharing.tiles > 1 else "Index(0)"
            )
            call = f"(column_total{slot}, mine{slot}, {tile}, columns);"
            if self.width == 1:
                yield f"leave_columns<1, {shape}>{call}"
            else:
                yield f"if (whole) leave_columns<{self.width}, {shape}>{call}"
                yield f"else leave_columns<1, {shape}>{call}"
