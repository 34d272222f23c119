"""What is wrong with how the run was asked for."""


class UsageError(Exception):
    """The run was asked for in a way that cannot be carried out (exit 4, before any request)."""
