"""The exceptions that end a run: wrong settings, and a signal."""


class UsageError(Exception):
    """The settings contradict each other or are malformed (exit status 4, before any request)."""


class Interrupted(KeyboardInterrupt):
    """Ends pytest after a signal. It gives no test a verdict."""

    __module__ = "builtins"
