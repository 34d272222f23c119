"""The exception for wrong settings."""


class UsageError(Exception):
    """The settings contradict each other or are malformed (exit status 4, before any request)."""
