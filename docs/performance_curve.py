"""The pictures of docs/performance.md: how many mutants a tool has killed after so many requests, or seconds (SVG)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 60, 720, 76, 370
"""The plot inside the picture, in pixels."""
LEGEND_STEP, LEGEND_LINE = 220, 28
DASHES = ("none", "9 5", "3 4")
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1d1f23; }
path { fill: none; stroke-width: 2.5; }
.grid { stroke: #d5d6d3; }
.line0 { stroke: #3451b2; } .line1 { stroke: #935600; } .line2 { stroke: #b92c2c; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6e8ec; }
  .grid { stroke: #3a404a; }
  .line0 { stroke: #93aeff; } .line1 { stroke: #e2a84b; } .line2 { stroke: #f07474; } .point { fill: #93aeff; }
}
"""
Point = tuple[float, float]


@dataclass(frozen=True)
class Curve:
    """The line of one tool."""

    name: str
    points: tuple[Point, ...]
    """Requests or seconds, and the share of mutants that are killed until then (0 to 1)."""


def curve(name: str, kills: Iterable[float], mutants: int, end: float) -> Curve:
    """Make the steps of a line: each kill, after so many requests or seconds, is one mutant more; it goes to `end`."""
    steps = [(at, number / mutants) for number, at in enumerate(sorted(kills), 1)]
    last = steps[-1] if steps else (0.0, 0.0)
    return Curve(name, (*steps, (max(end, last[0]), last[1])))


def picture(lines: Sequence[Curve], unit: str) -> str:
    """Draw the lines. The x axis is logarithmic, from 1."""
    longest = max((point[0] for one in lines for point in one.points), default=1)
    decades = max(1, math.ceil(math.log10(max(longest, 10))))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>Share of mutants killed after so many {escape(unit)}</title>",
        f"<style>{STYLE}</style>",
        *_grid(decades, unit),
        *(part for at, one in enumerate(lines) for part in _line(at, one, decades)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _grid(decades: int, unit: str) -> Iterator[str]:
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = _y(share)
        yield f'<line class="grid" x1="{LEFT}" y1="{y}" x2="{RIGHT}" y2="{y}"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{share:.0%}</text>'
    for power in range(decades + 1):
        x = _x(10**power, decades)
        yield f'<line class="grid" x1="{x}" y1="{TOP}" x2="{x}" y2="{BOTTOM}"/>'
        yield f'<text x="{x}" y="{BOTTOM + 20}" text-anchor="middle">{10**power:,}</text>'
    yield f'<text x="{(LEFT + RIGHT) / 2}" y="{BOTTOM + 42}" text-anchor="middle">{escape(unit)}</text>'
    yield f'<text x="{LEFT}" y="20">mutants killed</text>'


def _line(at: int, one: Curve, decades: int) -> Iterator[str]:
    words, before = [f"M {_x(one.points[0][0], decades)} {_y(0)}"], 0.0
    for place, share in one.points:
        words.append(f"L {_x(place, decades)} {_y(before)} L {_x(place, decades)} {_y(share)}")
        before = share
    yield f'<path class="line{at}" stroke-dasharray="{DASHES[at]}" d="{" ".join(words)}"/>'
    x, y = LEFT + at * LEGEND_STEP, 46
    yield f'<path class="line{at}" stroke-dasharray="{DASHES[at]}" d="M {x} {y} h {LEGEND_LINE}"/>'
    yield f'<text x="{x + LEGEND_LINE + 8}" y="{y + 4}">{escape(one.name)}</text>'


def _x(place: float, decades: int) -> float:
    return round(LEFT + (RIGHT - LEFT) * math.log10(max(place, 1)) / decades, 1)


def _y(share: float) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * share, 1)
