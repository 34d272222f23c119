"""What the run says of itself in words: the first line."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from importlib.metadata import version

from pix_conformance.model.target import Target
from pix_conformance.model.vocabulary import Role


def opening(target: Target) -> str:
    """Say before anything is sent what is under test."""
    name = f"pix-conformance {version('pix-conformance')}"
    if target.embedded:
        return f"{name}: no target given: the EMBEDDED REFERENCE is tested; this says nothing of other servers"
    address = "" if target.name == target.base_url else f" at {target.base_url}"
    return f"{name}: {target.name}{address} ({', '.join(target.apis)})"


def production_warning(target: Target, fixtures: AbstractSet[str]) -> list[str]:
    """Announce what a run creates with credentials of production, if its tests use them."""
    apis = [api for api in target.apis if Role.LIVE_MERCHANT in target.roles(api) and f"live_{api}" in fixtures]
    if target.embedded or target.plan or not apis:
        return []
    return [f"WARNING: one charge will be created in production and stays there: {' and '.join(apis)} API".upper()]
