"""Why something was not asked or not decided, as a value beside the sentence that says it."""

from enum import StrEnum


class Why(StrEnum):
    """Why a requirement, or one test of it, neither passes nor fails. results.json has the value as `why`."""

    NOT_SELECTED = "not selected"
    """By -k, by --only, by --api, or because the command names other files."""
    LEFT_OUT = "left out"
    """By an option that leaves out tests: --quick, --again, --max-cents."""
    LOST_WORKER = "lost worker"
    """The worker that was to ask it left no report."""
    INTERRUPTED = "interrupted"
    """The run was interrupted before its tests ended."""
    NOT_REACHED = "not reached"
    """The test ended on another of its requirements before it."""
    NOT_SET = "not set"
    """A setting that it needs was not given, such as the credential of a role."""
    CAPABILITY = "capability"
    """The target, or the run, does not have what it needs."""
    UNUSABLE = "unusable"
    """Nothing answers at the address, it is another service, or the credential is refused."""
    UNOBSERVABLE = "unobservable"
    """No test from outside can decide it."""
    NO_TEST = "no test"
    """No test asks it."""
    PRECONDITION = "precondition"
    """What must work before it can be asked did not work."""
    NOT_BUILT = "not built"
    """A route that it takes answers each request of the run with 404, 405 or 501."""
    NOT_SHOWN = "not shown"
    """The target does not show what it is about, or not in this run."""
    UNSEEN = "unseen"
    """No response and no webhook of the run contained what it is about."""
    NO_ANSWER = "no answer"
    """A request had no response, or was not sent since earlier ones had none."""
    RATE_LIMITED = "rate limited"
    """The response was 429, also after the waits of the client."""
    GATEWAY = "gateway"
    """A gateway responded in place of the target."""
    NO_RECEIVER = "no receiver"
    """No webhook can come here, or none came."""
    NEWER = "newer"
    """The edition that the run is judged by does not ask it; also where it passes."""
    LATE = "late"
    """A webhook came after its deadline, when the test had ended."""


def is_of_selection(why: Why | None) -> bool:
    """Whether a reason is that something was not to be asked by this run, or by a worker of it that was lost."""
    return why in {Why.NOT_SELECTED, Why.LEFT_OUT, Why.LOST_WORKER}
