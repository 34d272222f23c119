"""`badge.json`: a shields endpoint, so that a README can show the last run."""

import json

from pix_conformance.model.vocabulary import Level, Outcome
from pix_conformance.recording.bundle.values import Bundle
from pix_conformance.verdicts.exit_status import (
    FAILED,
    INTERRUPTED,
    NOT_JUDGED,
    OUR_ERROR,
    PASSED,
    TERMINATED,
    whole_run_of,
)

GREEN, WAIVED, PARTIAL, RED, UNKNOWN, NOTHING = "brightgreen", "green", "blue", "red", "yellow", "lightgrey"
ENDINGS = {
    INTERRUPTED: ("interrupted", UNKNOWN),
    TERMINATED: ("interrupted", UNKNOWN),
    OUR_ERROR: ("the suite failed", UNKNOWN),
}


def render_badge(bundle: Bundle) -> str:
    """Write how many of the musts that were asked passed; only a whole run that passes is bright green."""
    exit_status = bundle.run.exit
    message, color = ENDINGS.get(exit_status) or _judged(bundle, exit_status)
    badge = {
        "schemaVersion": 1,
        "label": "pix conformance",
        "message": message,
        "color": color,
        "isError": exit_status == FAILED,
    }
    return json.dumps(badge) + "\n"


def _judged(bundle: Bundle, exit_status: int) -> tuple[str, str]:
    run, musts = whole_run_of(bundle), bundle.totals[Level.MUST]
    if exit_status == FAILED and run.gate and not run.red:
        return "gate failed", RED
    if exit_status == NOT_JUDGED and not run.judged:
        return "nothing judged", NOTHING
    asked = musts.total() - musts[Outcome.NOT_APPLICABLE]
    more = [f"{musts[Outcome.WAIVED]} waived"] if musts[Outcome.WAIVED] else []
    more += [f"{bundle.apis[0]} only"] if len(bundle.apis) == 1 else []
    more += ["partial"] if bundle.partial else []
    remark = f" ({', '.join(more)})" if more else ""
    message = f"{musts[Outcome.PASS]} of {asked} must{remark}"
    passed = PARTIAL if bundle.partial else WAIVED if musts[Outcome.WAIVED] else GREEN
    return message, {PASSED: passed, FAILED: RED}.get(exit_status, UNKNOWN)
