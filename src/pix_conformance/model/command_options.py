"""The options of a command, whose usage errors end it as those of a run do."""

import sys
from argparse import ArgumentParser
from typing import Never

USAGE = 4


class CommandOptions(ArgumentParser):
    """An argparse parser that ends a command with exit status 4, after the usage and one sentence."""

    def error(self, message: str) -> Never:
        """Print what is wrong, and end."""
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog.partition(' ')[0]}: {message}\n")
