"""Figures of variants whose accounts are used by others at the same time."""

from __future__ import annotations

OFTEN = 0.4
MORE_CENTS = 131_337
"""By how much theirs differ from ours: by so much that none of theirs has the amount of another one of ours."""
