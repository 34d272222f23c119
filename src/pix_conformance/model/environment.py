"""The environment of a process that the suite starts."""

import os


def without_settings(**more: str) -> dict[str, str]:
    """Return the variables of this process except those of settings (PIX_...), and `more` variables."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PIX_")} | more
