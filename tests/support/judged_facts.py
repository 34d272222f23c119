"""What facts come to: the result of a requirement, and the report."""

from pix_conformance.model.catalogue import catalogue
from pix_conformance.model.settings import Settings
from pix_conformance.model.target import Target
from pix_conformance.recording.bundle.values import Bundle
from pix_conformance.recording.facts import Facts
from pix_conformance.session.bundle_of_run import Ending, bundle_of_run
from pix_conformance.verdicts.evidence import Selection, judge_run
from pix_conformance.verdicts.judge import RequirementResult


def result(facts: Facts, requirement: str, selection: Selection | None = None) -> RequirementResult:
    """Return the result of one requirement; by default of a run that left nothing out."""
    (judged,) = judge_run(facts, selection or Selection(), [catalogue()[requirement]], {}).results
    return judged


def reported(facts: Facts, *requirements: str) -> Bundle:
    """Return the bundle of these facts, with these requirements, of a run against a target that is not embedded."""
    settings = Settings(Target("target", "http://localhost"))
    ending = Ending(narrowed=False, left_out_by="", seconds=1.0, command="pytest")
    verdicts = judge_run(facts, Selection(), map(catalogue().__getitem__, requirements), {})
    return bundle_of_run(facts, settings, verdicts, ending, {})
