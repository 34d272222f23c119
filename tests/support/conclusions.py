"""What a matcher concludes of a message, for assertions."""

from pix_conformance.checks.conclusion import Broken, Unknown
from pix_conformance.checks.matchers import Matcher
from pix_conformance.model.subject import Subject


def mismatch(matcher: Matcher, subject: Subject) -> str | None:
    """Return what is wrong with the subject, None if nothing is; fail if the matcher cannot decide."""
    conclusion = matcher.judge(subject)
    assert not isinstance(conclusion, Unknown), conclusion
    return conclusion.sentence if isinstance(conclusion, Broken) else None


def unknown(matcher: Matcher, subject: Subject) -> Unknown:
    """Return why the matcher cannot decide whether the subject meets it."""
    conclusion = matcher.judge(subject)
    assert isinstance(conclusion, Unknown), conclusion
    return conclusion
