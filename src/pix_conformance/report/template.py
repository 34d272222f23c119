"""One self-contained HTML page from a template: everything inline, everything escaped, nothing fetched."""

import json
from base64 import b64encode
from gzip import compress
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pix_conformance.model.editions import since
from pix_conformance.model.printable import clip, visible
from pix_conformance.report.counts import GLYPH

TEMPLATES = Path(__file__).parent / "templates"


def render(template: str, **context: Any) -> str:
    """Fill a template. Its policy lets the browser run the page's own script and nothing else."""
    style, script = (_inline(name) for name in ("page.css", "page.js"))
    policy = f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; base-uri 'none'"
    return _environment().get_template(template).render(policy=policy, style=style, script=script, **context)


def packed(value: Any) -> str:
    """Write `value` as base64 of compressed JSON: a tenth of the size, and nothing that a parser could obey."""
    return b64encode(compress(json.dumps(value).encode(), mtime=0)).decode()


def slug(outcome: str) -> str:
    """Write an outcome or kind as a CSS class."""
    return outcome.replace(" ", "-")


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.filters |= {"slug": slug, "thousands": "{:,}".format, "ms": milliseconds, "since": since}
    environment.globals["glyph"] = GLYPH
    return environment


def milliseconds(value: float) -> str:
    """Write a time in ms with as many digits as it deserves."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"  # noqa: PLR2004 # three digits are enough


def _shown(value: Any) -> Any:
    """Clip and disarm each text before it is escaped; markup of ours passes."""
    return visible(clip(value)) if isinstance(value, str) and not isinstance(value, Markup) else value


def _inline(name: str) -> Markup:
    return Markup((TEMPLATES / name).read_text("utf-8"))  # noqa: S704 # a file of this project


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
