"""What one thread does, as lines of C++, with rows that it shares with a team."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from autodiff.backends.cupy.kernels.expressions import expression, statements, typename
from autodiff.backends.cupy.kernels.loops import Loop
from autodiff.backends.cupy.kernels.online import ended, joined, sums_of_exponentials
from autodiff.backends.cupy.kernels.sharing import (
    BUSY,
    CREW,
    LARGE,
    MOST,
    REGISTERS,
    STAGE,
    long_rows,
    share_columns,
    share_long_rows,
    share_rows,
    share_staged_rows,
    stage_bytes,
)
from autodiff.backends.cupy.kernels.totals import REDUCERS, folded
from autodiff.backends.kernels.folds import beginning, fold_of, reduces
from autodiff.backends.kernels.forms import COLUMN, COLUMN_TOTAL, FULL, ROW, TOTAL, Shape
from autodiff.backends.kernels.halves import is_half
from autodiff.backends.kernels.rows.schedule import ONCE, Level
from autodiff.backends.kernels.scalars import cast
from autodiff.trace.caching import cached_property
from autodiff.trace.tape import Equation, Tape


class RowLoop(Loop):
    """Rows, each of which a team of threads takes together.

    Attributes:
        online: the sums of exponentials that are taken with the maximum of their row, each with it.
    """

    online: Mapping[int, int] = MappingProxyType({})

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
        words = self.words((*again, *self.column_totals()))
        self.sharing = share or share_rows(self.grid, self.width, bool(self.sums), shared, words)
        if self.column_totals():
            self.size("blocks", self.sharing.blocks)
        room = REGISTERS // (2 if self.sharing.threads == MOST else 1)
        loaded = {slot: level for slot, level in again.items() if slot not in self.made}
        if self.to_be_staged(loaded):
            self.staged, self.stage = tuple(loaded), sum(map(self.stage_bytes, loaded))
            again, loaded = {}, {}
            self.sharing = share_staged_rows(self.grid, self.width, bool(self.sums))
        for some, most in ((again, room), (loaded, room * 3 // 4)):  # to compute the others again takes some, too
            if some and not self.kept and self.words((*some, *self.column_totals())) * self.sharing.each <= most:
                self.hold(some)
        if not self.kept and not self.cut and not self.staged:  # a row that is not on chip is read for each loop
            self.online = sums_of_exponentials(self.made, self.forms, self.specs)
            self.find_levels()
            del self.roots
        for level in sorted(self.roots):
            self.levels[level] = Level()
            for slot in self.roots[level]:
                self.root(slot, level)

    @cached_property
    def rounded(self) -> bool:
        """Whether float32 goes to memory as 16 bits, but for sums over rows."""
        kinds = [self.specs[s].dtype for s in self.outputs if self.forms[s] not in (TOTAL, COLUMN_TOTAL)]
        return any(map(is_half, kinds)) and all(is_half(kind) or kind.kind in "biu" for kind in kinds)

    def written(self, equation: Equation, name: Any) -> str:
        if self.rounded and equation.primitive.name == "divide" and equation.specs[0].dtype == np.float32:
            x, divisor = equation.operands
            alike = all(isinstance(o, int) and self.specs[o].dtype == np.float32 for o in (x, divisor))
            if alike and self.is_of_row(divisor) and not self.is_of_row(equation.results[0]):  # type: ignore[arg-type]
                return f"quotient({name(x)}, {name(divisor)})"
        return super().written(equation, name)

    def reduced_at(self, slot: int) -> int:
        return super().reduced_at(self.online.get(slot, slot))

    def words(self, slots: Iterable[int]) -> int:
        """Words of 32 bits that an element of each value takes."""
        return sum(-(-self.specs[slot].dtype.itemsize // 4) for slot in slots)

    def to_be_staged(self, loaded: Collection[int]) -> bool:
        """Whether a block keeps the rows of inputs in shared memory.

        The many registers of large teams leave room for one of them on a multiprocessor: it waits for memory, then it
        computes. Smaller ones take turns.
        """
        large = self.sharing.team >= LARGE and self.grid.rows * CREW >= BUSY
        room = sum(map(self.stage_bytes, loaded)) <= STAGE
        return large and room and bool(loaded) and not self.cut and not self.column_totals()

    def stage_bytes(self, slot: int) -> int:
        """What a row of an input takes in shared memory."""
        return stage_bytes(self.grid.columns, self.specs[slot].dtype.itemsize)

    @property
    def stage_level(self) -> int:
        """The loop that loads the rows which a block keeps."""
        return min(level for level, slots in self.packs.items() if not slots.isdisjoint(self.staged))

    def sums_alone(self) -> bool:
        """Whether nothing is wanted of rows as wholes: then they may be cut into tiles."""
        forms = {self.forms[slot] for slot in self.outputs}
        reduced = [e.operands[0] for e in self.tape.equations if reduces(e)]
        rows = any(isinstance(o, int) and self.forms[o] == ROW for o in reduced)
        return COLUMN_TOTAL in forms and set(self.roots) == {0} and ROW not in forms and not rows

    def reductions_alone(self) -> bool:
        """Whether nothing is wanted of rows but reductions that nobody here waits for, and elements."""
        reduced = {e.results[0] for e in self.tape.equations if reduces(e)}
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
                total = root and equation is not None and reduces(equation)
                held = form == FULL and (equation is None or slot in self.outputs or self.dear(equation))
                if held and not total and first.setdefault(slot, level) < level:
                    again[slot] = None
                    continue
                if equation is not None and (total or form in (FULL, COLUMN)):
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
        if reduces(equation):
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
        if slot in self.online.values():
            return  # the sum of exponentials finds it, too
        if slot in self.online:
            self.reduction_online(slot, self.online[slot], level)
            return
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
            place.begin.append(f"{typename(dtype)} sum{slot} = {expression(beginning(fold_of(equation), dtype))};")
            reducer = REDUCERS[fold_of(equation)]
            place.end.append(f"sum{slot} = reduce_team<{reducer}, {self.sharing.team}>(sum{slot});")
            if self.cut:
                place.end.append(f"if (lane == 0) part{slot}[{self.tile} * rows + r] = sum{slot};")
            elif slot in self.outputs:
                place.end.append(f"if (lane == 0) out{slot}[r] = sum{slot};")

    def reduction_online(self, slot: int, most: int, level: int) -> None:
        """The maximum of a row, and the sum of exponentials of what is below it."""
        place, spec, kind = self.levels[level], self.specs[slot], typename(self.specs[slot].dtype)
        (operand,) = self.made[most].operands
        assert isinstance(operand, int)
        names = self.row_names[most], self.row_names[slot] = f"sum{most}", f"sum{slot}"
        place.begin += [f"{kind} {names[0]} = -infinity<{kind}>();", f"{kind} {names[1]} = 0;"]
        place.body += joined(*names, self.element(operand, level), spec)
        place.end += ended(*names, kind, self.sharing.team)
        place.end += [f"if (lane == 0) out{own}[r] = sum{own};" for own in (most, slot) if own in self.outputs]

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
            tile = f"{self.tile} * {team * each} + " if self.sharing.tiles > 1 else ""
            yield f"  const Index first = {tile}(lane + Index(k) * {team}) * width;"
        elif self.cut:
            yield f"const Index begun = {self.tile} * tile, end = min(columns, begun + tile);"
            yield f"for (Index first = begun + Index(lane) * width; first < end; first += {team} * width) {{"
        else:
            if self.staged:  # loads that wait for memory go side by side; what lies in shared memory is near
                yield f"#pragma unroll {4 if level == self.stage_level else 1}"
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
        if teams == 1:
            yield "const int lane = threadIdx.x;"
            yield f"const Index team = {self.block};"
        else:
            yield f"const int lane = threadIdx.x % {sharing.team};"
            yield f"const Index team = {self.block} * {teams} + threadIdx.x / {sharing.team};"
        if not self.cut:
            yield f"const Index teams = {self.block_count}{f' * {teams}' if teams > 1 else ''};"
        yield from self.begun_stage()
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

    @property
    def block(self) -> str:
        """The number of a block among those that have other rows. Of tiles there may be more than y counts."""
        return "Index(blockIdx.y)" if self.sharing.tiles > 1 else "Index(blockIdx.x)"

    @property
    def block_count(self) -> str:
        return "Index(gridDim.y)" if self.sharing.tiles > 1 else "Index(gridDim.x)"

    @property
    def tile(self) -> str:
        """The number of a block's tile of the columns."""
        return "Index(blockIdx.x)" if self.sharing.tiles > 1 else "Index(0)"

    def column_totals(self) -> list[int]:
        return [slot for slot in self.sums if self.forms[slot] == COLUMN_TOTAL]

    def begun_columns(self) -> Iterator[str]:
        """The sums of columns: in registers, or where a block leaves them."""
        for slot in self.column_totals():
            kind = typename(self.specs[slot].dtype)
            target = f"{self.block_count} == 1 ? out{slot} : part{slot} + {self.block} * columns"
            yield f"{kind}* const mine{slot} = {target};"
            if self.sharing.each:
                yield f"{kind} column_total{slot}[{self.sharing.each}] = {{}};"
            else:
                yield f"for (Index j = threadIdx.x; j < columns; j += {self.sharing.threads}) mine{slot}[j] = 0;"
        if self.column_totals() and not self.sharing.each:
            yield "__syncthreads();"

    def begun_stage(self) -> Iterator[str]:
        """Where the rows lie that a block keeps: each thread reads what it has written itself."""
        if self.staged:
            yield "extern __shared__ __align__(16) unsigned char stage[];"
        place = "stage"
        for slot in self.staged:
            kind = typename(self.specs[slot].dtype)
            yield f"{kind}* const stage{slot} = reinterpret_cast<{kind}*>({place});"
            place = f"stage_end<{kind}>(stage{slot}, columns)"

    def ended_columns(self) -> Iterator[str]:
        if not self.sharing.each:
            return
        for slot in self.column_totals():
            shape = f"{self.sharing.team}, {self.sharing.threads}, {self.sharing.each}"
            tile = f"{self.tile} * {self.sharing.team * self.sharing.each}"
            call = f"(column_total{slot}, mine{slot}, {tile}, columns);"
            if self.width == 1:
                yield f"leave_columns<1, {shape}>{call}"
            else:
                yield f"if (whole) leave_columns<{self.width}, {shape}>{call}"
                yield f"else leave_columns<1, {shape}>{call}"
