"""`badge.json`: a shields endpoint, so that a README can show the last run."""

import json

from reports.bundle import Bundle
from reports.outcomes import counts, verdict
from specs.vocabulary import Level, Outcome

COLORS = {Outcome.PASS: "brightgreen", Outcome.FAIL: "red"}


def render_badge(bundle: Bundle) -> str:
    """Write how many of the musts that were asked passed; anything unsure is never green."""
    musts, outcome = counts(bundle.entries)[Level.MUST], verdict(bundle)
    asked = musts.total() - musts[Outcome.NOT_APPLICABLE]
    partial = " (partial)" if bundle.partial else ""
    badge = {
        "schemaVersion": 1,
        "label": "pix conformance",
        "message": f"{musts[Outcome.PASS]} of {asked} must{partial}",
        "color": COLORS.get(outcome, "yellow") if asked else "lightgrey",
        "isError": outcome is Outcome.FAIL,
    }
    return json.dumps(badge) + "\n"
