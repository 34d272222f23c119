"""The command line of a run: its help, which words are options of ours, and the command that runs a test again."""

import shlex
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pix_conformance.integration.description import OPTIONS
from pix_conformance.session.options import SETTINGS, Setting

THIS_RUN_ONLY = frozenset({"again", "only", "plan", "quick", "report_dir"})
TAKING_A_VALUE = frozenset(setting.option for setting in SETTINGS if setting.option and not setting.flag)
UV = "UV_RUN_RECURSION_DEPTH"
"""A variable that `uv run` sets for the programs that it starts."""
WIDTH, COLUMN = 118, 30
USAGE = """\
usage: pix-conformance [options] [suites/payments | suites/business | one of their files]
       pix-conformance doctor [options]   says what is wrong with the set-up; it creates nothing
       pix-conformance todo [REPORT] [--watch DIR -- options]   says what to build next (docs/building.md)
       pix-conformance integration [options]   tests a client and a webhook endpoint of yours (docs/integration.md)

Tests a server against the documents of two PIX APIs. Without --base-url it tests its own reference implementation.
Each option may also stand in the environment, as PIX_ and its name (PIX_BASE_URL), or in a target file (base_url).
"""
INTEGRATION_USAGE = """\
usage: pix-conformance integration [options]

Tests a client and a webhook endpoint of yours against the sandbox, which it starts (docs/integration.md). Without an
option it tests the example shop. The options are also the keys of the table [integration] of a target file.
"""
ENDING = """\
Exit status: 0 every tested must passes; 1 a must fails, or the gate does; 2 interrupted (143 by SIGTERM); 3 the suite
itself failed; 4 usage; 6 nothing failed, but a must is inconclusive, or nothing was judged.
Options of pytest work too, such as -k and -x; -vv shows the source of the tests. --help-pytest lists them."""
LOAD_TEXT = """\
usage: pix-load [--users N] [--rate N] [--run-time S] [--workers N] [options of pix-conformance]

Lets users send requests to a server at the same time: they create, pay and cancel charges, send and complete transfers,
and repeat all of it. Then it judges what they were answered, and writes a report as pix-conformance does.

  --users N       users at the same time (default: 5)
  --rate N        requests per second of all users together (default: 20)
  --run-time S    seconds for which they send requests, at most 300 (default: 30)
  --workers N     processes of Locust in which the users run (default: 2)

Address, credentials and the other settings are those of pix-conformance: pix-conformance --help lists them. Without an
address the embedded reference is tested. The exit status is that of pix-conformance. Locust's own page and its table of
response times are locust.html and locust_stats.csv in the report directory. It needs pix-conformance[load]."""


def started_as(words: Sequence[str], environment: Mapping[str, str]) -> str:
    """Write the program and the options of the target as the user typed them, without the variables.

    >>> started_as(["/venv/bin/pytest", "-q", "--base-url=http://h", "--only", "PAY-BAL-01"], {UV: "1"})
    'uv run pytest --base-url http://h'
    >>> started_as(["/venv/bin/pix-load", "--rate=5"], {})
    'pix-load --rate 5'
    """
    rest = [part for key, given in options(words[1:]) if key not in THIS_RUN_ONLY for part in given]
    return shlex.join([*(["uv", "run"] if environment.get(UV) else []), *_program(words[0]), *rest])


def options(words: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield our options among the words: the key of each setting, then option and value as two words."""
    ours = {setting.option: setting for setting in SETTINGS if setting.option}
    left = iter(words)
    for word in left:
        name, equals, value = word.partition("=")
        if name not in ours:
            continue
        if ours[name].flag:
            yield ours[name].key, [name]
        elif equals:
            yield ours[name].key, [name, value]
        elif (following := next(left, None)) is not None:
            yield ours[name].key, [name, following]


def paths(words: Sequence[str]) -> list[str]:
    """Return the words that are neither an option nor the value of one of our options.

    >>> paths(["--report-dir", "suites-report", "-q", "suites/payments"])
    ['suites/payments']
    """
    values, left = [], iter(words)
    for word in left:
        if word in TAKING_A_VALUE:
            next(left, None)
        elif not word.startswith("-"):
            values.append(word)
    return values


def _program(path: str) -> list[str]:
    if Path(path).name == "__main__.py":
        return ["python", "-m", Path(path).parent.name]
    known = {"pix-conformance", "pix-load", "pytest", "py.test"}
    return [Path(path).stem if Path(path).stem in known else "pytest"]


def help_text() -> str:
    """Return the text that `pix-conformance --help` prints."""
    options = _of_settings()
    others = [line for setting in SETTINGS if not setting.option for line in _help_of(setting.environment, setting)]
    title = "Credentials and other settings without an option: in the environment or in the target file"
    return "\n".join([USAGE, "Options", *options, "", title, *others, "", ENDING])


def integration_help_text() -> str:
    """Return the text that `pix-conformance integration --help` prints."""
    own = [line for name, (takes, text) in OPTIONS.items() for line in _described(f"--{name} {takes}", text)]
    title = "Options of every run: those of a target and of webhooks have no meaning here"
    return "\n".join(
        [INTEGRATION_USAGE, "Options, and keys of the table", *own, "", title, *_of_settings(), "", ENDING]
    )


def _of_settings() -> list[str]:
    return [
        line
        for setting in SETTINGS
        if setting.option
        for line in _help_of(f"{setting.option} {setting.metavar or ''}", setting)
    ]


def _help_of(name: str, setting: Setting) -> Iterator[str]:
    yield from _described(
        name, setting.meaning if setting.usual == "none" else f"{setting.meaning} (default: {setting.usual})"
    )


def _described(name: str, text: str) -> Iterator[str]:
    first, *rest = textwrap.wrap(text, WIDTH - COLUMN)
    yield f"  {name:{COLUMN - 3}} {first}"
    yield from (" " * COLUMN + line for line in rest)
