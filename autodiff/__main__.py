"""`python -m autodiff`: the commands of the package."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from autodiff import info
from autodiff.demo import command as demo


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command named on the command line; its exit code. Without one: the usage, and 0."""
    parser = argparse.ArgumentParser(
        prog="python -m autodiff", description="Automatic differentiation of plain NumPy code."
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    demo.complete(commands.add_parser("demo", help=demo.SUMMARY, description=f"{demo.SUMMARY.capitalize()}."))
    info.complete(commands.add_parser("info", help=info.SUMMARY, description=f"{info.SUMMARY.capitalize()}."))
    options = parser.parse_args(arguments)
    if "run" not in options:
        parser.print_help()
        return 0
    exit_code: int = options.run(options)
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
