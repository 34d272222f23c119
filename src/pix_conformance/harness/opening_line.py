"""The first lines of a run: which target is tested, and with which inputs."""

from __future__ import annotations

from importlib.metadata import version

from pix_conformance.model.target import Target


def opening(target: Target) -> str:
    """Return the first line of a run, which names the target. Nothing is sent before it is printed."""
    name = f"pix-conformance {version('pix-conformance')}"
    if target.embedded:
        return f"{name}: no target given: the EMBEDDED REFERENCE is tested; this says nothing about other servers"
    address = "" if target.name == target.base_url else f" at {target.base_url}"
    return f"{name}: {target.name}{address} ({', '.join(target.apis)})"


def seed(target: Target) -> str:
    """Return the line that says how to have the same generated requests again."""
    return f"generated requests: {target.examples} examples, --seed {target.seed}"


def fewer_examples(count: int, seconds: float) -> str:
    """Return the line that says why a run has fewer generated inputs than the first line said."""
    return f"generated requests: {count} examples only, as a request takes {seconds * 1_000:.0f} ms (see --examples)"
