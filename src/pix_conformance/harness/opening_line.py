"""The first lines of a run: which target is tested, and what is created in production."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from importlib.metadata import version

from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Role


def opening(target: Target) -> str:
    """Return the first line of a run, which names the target. Nothing is sent before it is printed."""
    name = f"pix-conformance {version('pix-conformance')}"
    if target.embedded:
        return f"{name}: no target given: the EMBEDDED REFERENCE is tested; this says nothing about other servers"
    address = "" if target.name == target.base_url else f" at {target.base_url}"
    share = f", shard {target.shard}" if target.shard else ""
    return f"{name}: {target.name}{address} ({', '.join(target.apis)}){share}"


def seed(target: Target) -> str:
    """Return the line that says how to have the same generated requests again."""
    return f"generated requests: {target.examples} examples, --seed {target.seed}"


def fewer_examples(count: int, seconds: float) -> str:
    """Return the line that says why a run has fewer generated inputs than the first line said."""
    return f"generated requests: {count} examples only, as a request takes {seconds * 1_000:.0f} ms (see --examples)"


def production_warning(target: Target, fixtures: AbstractSet[str]) -> list[str]:
    """Return a line on what these tests create with production credentials; empty if they use none."""
    apis = [api for api in target.apis if Role.LIVE_MERCHANT in target.roles(api) and f"live_{api}" in fixtures]
    if target.embedded or target.plan or not apis:
        return []
    return [f"WARNING: this run creates one charge in production, which stays there: {' and '.join(apis)} API".upper()]
