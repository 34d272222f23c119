"""The texts of `pix-conformance --help` (options, variables and their defaults) and `pix-load --help`."""

import textwrap
from collections.abc import Iterator

from pix_conformance.session.options import SETTINGS, Setting

WIDTH, COLUMN = 118, 30
USAGE = """\
usage: pix-conformance [options] [suites/payments | suites/business | one of their files]
       pix-conformance doctor [options]   says what is wrong with the set-up; it creates nothing

Tests a server against the documents of two PIX APIs. Without --base-url it tests its own reference implementation.
Each option may also stand in the environment, as PIX_ and its name (PIX_BASE_URL), or in a target file (base_url).
"""
ENDING = """\
Exit status: 0 every tested must passes; 1 a must fails, or the gate does; 2 interrupted (143 by SIGTERM); 3 the suite
itself failed; 4 usage; 6 nothing failed, but a must is inconclusive, or nothing was judged.
Options of pytest work too, such as -k and -x; -vv shows the source of the tests. --help-pytest lists them."""


def help_text() -> str:
    """Return the text that `pix-conformance --help` prints."""
    options = [
        line
        for setting in SETTINGS
        if setting.option
        for line in _lines(f"{setting.option} {setting.metavar or ''}", setting)
    ]
    others = [line for setting in SETTINGS if not setting.option for line in _lines(setting.environment, setting)]
    title = "Credentials and other settings without an option: in the environment or in the target file"
    return "\n".join([USAGE, "Options", *options, "", title, *others, "", ENDING])


def _lines(name: str, setting: Setting) -> Iterator[str]:
    text = setting.meaning if setting.usual == "none" else f"{setting.meaning} (default: {setting.usual})"
    first, *rest = textwrap.wrap(text, WIDTH - COLUMN)
    yield f"  {name:{COLUMN - 3}} {first}"
    yield from (" " * COLUMN + line for line in rest)


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
