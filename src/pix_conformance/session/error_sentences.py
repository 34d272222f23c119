"""What a command says of an error that nothing else caught: one sentence, and a file with the trace."""

import os
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable

from pix_conformance.model.command_options import USAGE
from pix_conformance.model.printable import for_terminal
from pix_conformance.model.vocabulary import UsageError
from pix_conformance.recording.redaction import Redactor
from pix_conformance.session.options import SETTINGS

OUR_ERROR = 3
LONGEST_SENTENCE = 2_000


def status_of(error: Exception) -> int:
    """Say an error that ends a command. Return its exit status: 4 for a usage error, 3 for any other error."""
    if isinstance(error, UsageError):
        say(without_secrets(str(error)))
        return USAGE
    say(sentence_of(error))
    return OUR_ERROR


def sentence_of(error: BaseException, redact: Callable[[str], str] | None = None) -> str:
    """Write the trace of an error to a file, and return the sentence that names the error and the file."""
    mask = redact or without_secrets
    kind = type(error).__name__
    words = f"an error of the suite itself, which says nothing about the target: {kind}: {mask(str(error))}"
    return f"{words}; {trace_in_file(mask(''.join(traceback.format_exception(error))))}"


def trace_in_file(trace: str) -> str:
    """Write a trace to a new file and return where it is; without room for a file, the trace itself."""
    try:
        number, name = tempfile.mkstemp(prefix="pix-conformance-error-", suffix=".txt")
        with os.fdopen(number, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(trace)
    except OSError as reason:
        return f"its trace could not be written ({reason.strerror}):\n{trace}"
    return f"its trace is in {name}"


def stacks() -> str:
    """Return where every thread of this process is."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    frames = sys._current_frames().items()  # noqa: SLF001  # documented, though its name begins with _
    return "\n".join(f"{names.get(ident, ident)}:\n{''.join(traceback.format_stack(frame))}" for ident, frame in frames)


def without_secrets(text: str) -> str:
    """Mask what looks like a secret, and what the environment has for settings that are secrets."""
    redact = Redactor()
    redact.learn(*(os.environ.get(setting.environment, "") for setting in SETTINGS if setting.secret))
    return redact(text)


def say(sentence: str) -> None:
    """Print the last words of a command."""
    print(for_terminal(sentence, LONGEST_SENTENCE), file=sys.stderr)  # noqa: T201  # a command line speaks
