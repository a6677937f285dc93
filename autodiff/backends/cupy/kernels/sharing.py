"""How the elements of a grid are shared out among the threads of a GPU, by counting.

Sizes decide, and whether arrays begin at whole packs, not the device: the same program gives the same bits on all of
them.
"""

from __future__ import annotations

from dataclasses import dataclass

from autodiff.backends.kernels.forms import Grid

THREADS = 256
"""Threads of a block, unless a row asks for more."""

WARP, MOST = 32, 1024
"""Threads that go together, and the most of a block."""

FEW, MANY = 16, 32
"""Elements of a row for each thread, where several warps share it, and where one does."""

BUSY = 1 << 16
"""So many threads keep a device busy: teams are larger where there are few rows."""

RESIDENT = 1056
"""Blocks that have sums of their own: all that run at once on a large device, and few enough to be summed quickly."""

REGISTERS = 64
"""Words that hold what later loops over a row need again, and sums of columns; half as many in the largest teams."""

STAGE = 63 << 10
"""Bytes of a row that a block keeps in shared memory: every device has 64 KiB for those who ask."""

LARGE = 1024
"""Threads of a team whose registers leave room for one of them on a multiprocessor."""

CREW = 512
"""Threads of a block that keeps a row there: several blocks run at once, and load while others compute."""

CREWS = 3
"""So many of them a multiprocessor has registers for."""

LONG = 1 << 14
"""Rows of so many columns are long."""

SHARED = 1 << 15
"""Bytes of a block's memory that sums of columns take at most."""

ROWS = 8
"""So many rows for each team make a block of its own worth the second pass over what blocks leave."""

SMALL = 1 << 30
"""Places below this are counted with 32 bits."""


@dataclass(frozen=True)
class Sharing:
    """How rows are shared out.

    Attributes:
        team: so many threads take a row together, a power of 2.
        threads: of a block.
        width: so many neighbouring elements are loaded at once where they lie well.
        each: so many elements of a row a thread has; 0 where it is not known when the kernel is written.
        blocks: of the grid, each with rows of its own.
        tiles: into so many parts rows are cut, each with blocks of its own.
    """

    team: int
    threads: int
    width: int
    each: int
    blocks: int
    tiles: int = 1


def width_of(itemsize: int) -> int:
    """How many neighbouring elements are loaded at once: 16 bytes of the longest."""
    return max(1, 16 // itemsize)


def share_elements(size: int, width: int, sums: bool) -> Sharing:
    """The sharing of elements that know nothing of rows."""
    blocks = max(1, -(-size // (THREADS * width)))
    return Sharing(1, THREADS, width, 0, min(blocks, RESIDENT) if sums else blocks)


def share_rows(grid: Grid, width: int, sums: bool, shared: int = 0, words: int = 0) -> Sharing:
    """The sharing of rows that are taken whole.

    Args:
        grid: of the rows.
        width: of a pack.
        sums: whether blocks have sums of their own.
        shared: bytes that an element of each thread takes in the memory of a block, where teams of a block put sums of
            columns together.
        words: of 32 bits that a thread holds for each element of its own.
    """
    packs = -(-grid.columns // width)
    many = min(MANY, SHARED // (THREADS * shared)) if shared else MANY
    team = 1
    while team < WARP and -(-packs // team) * width > MANY // 4:
        team *= 2
    while team < MOST and -(-packs // team) * width > (many if team == WARP else FEW):
        team *= 2
    while team < min(MOST, packs) and (grid.rows * team < BUSY or -(-packs // team) * width * words > REGISTERS):
        team *= 2
    each = -(-packs // team) * width
    threads = max(team, THREADS) if team <= WARP else team
    blocks = -(-grid.rows // (threads // team))
    return Sharing(team, threads, width, each if each <= MANY else 0, min(blocks, RESIDENT) if sums else blocks)


def share_staged_rows(grid: Grid, width: int, sums: bool) -> Sharing:
    """The sharing of rows that blocks keep in shared memory."""
    return Sharing(CREW, CREW, width, 0, min(grid.rows, RESIDENT) if sums else grid.rows)


def stage_bytes(columns: int, itemsize: int) -> int:
    """What so many elements take in shared memory: whole packs."""
    return -(-columns * itemsize // 16) * 16


def long_rows(grid: Grid) -> bool:
    """Whether there are so few rows, and so long ones, that one block for each would leave most of a device idle."""
    return not grid.flat and grid.columns >= LONG and grid.rows * MOST < BUSY


def share_long_rows(grid: Grid, width: int) -> Sharing:
    """The sharing of such rows of which nothing is wanted but reductions: cut into tiles, each with a block."""
    tiles = min(-(-grid.columns // (THREADS * width * ROWS)), max(1, RESIDENT // grid.rows))
    return Sharing(THREADS, THREADS, width, 0, grid.rows, tiles)


def share_columns(grid: Grid, width: int) -> Sharing:
    """The sharing of rows of which nothing is wanted but sums over them: cut into tiles, each with teams of its own."""
    team = 1
    while team < WARP and team * width < grid.columns:
        team *= 2
    tiles = -(-grid.columns // (team * width))
    blocks = -(-grid.rows // (THREADS // team * ROWS))
    return Sharing(team, THREADS, width, width, max(1, min(blocks, RESIDENT // tiles)), tiles)
