"""``python -m tests.scipy.programs [module ...]`` checks the programs, of all modules or of some."""

import sys
import time

from tests.scipy.programs.check import check
from tests.scipy.programs.table import PAGE, all_programs, page

programs = all_programs()
wrong = []
for module in sys.argv[1:] or programs:
    begin = time.perf_counter()
    for name, program in programs[module].items():
        try:
            check(program)
        except Exception as error:  # whatever it is, the next program has its turn
            wrong.append(name)
            sys.stdout.write(f"scipy.{module}.{name}: {type(error).__name__}: {error}\n")
    sys.stdout.write(f"scipy.{module}: {len(programs[module])} programs, {time.perf_counter() - begin:.0f} s\n")
    sys.stdout.flush()
if wrong:
    sys.exit(f"{len(wrong)} are wrong: {', '.join(wrong)}")
if not sys.argv[1:]:
    PAGE.write_text(page(programs))
