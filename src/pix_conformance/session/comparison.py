"""What a run is held against when it has ended: an earlier report, a baseline, assumptions."""

from __future__ import annotations

from dataclasses import replace

from pix_conformance.recording.bundle.values import Bundle
from pix_conformance.session.again_sentences import sentences
from pix_conformance.session.state import Session


def compared(ours: Session, bundle: Bundle) -> Bundle:
    """Return the bundle with what became of earlier failures, what is better or worse, and what is not as assumed."""
    again = sentences(ours.again, bundle) if ours.again else []
    changes = ours.baseline.changes(bundle.entries) if ours.baseline else []
    bundle = replace(bundle, notices=(*bundle.notices, *again, *changes))
    return ours.assumptions.held_against(bundle) if ours.assumptions else bundle
