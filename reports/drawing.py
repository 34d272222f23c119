"""State machines as SVG: states in columns by their distance from creation, one curve per transition."""

from dataclasses import dataclass

from markupsafe import Markup

from reports.lifecycles import NEVER, START, UNDOCUMENTED, Edge, Life
from reports.text import one_line

COLUMN, ROW, WIDTH, HEIGHT, MARGIN = 360, 44, 150, 30, 18
SHORT = 22
"""Characters of a state or trigger that fit."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a state is drawn: its left edge and its middle."""

    x: int
    y: int
    wide: int = WIDTH

    @property
    def right(self) -> int:
        """The right edge."""
        return self.x + self.wide


def svg(life: Life) -> Markup:
    """Draw one machine; colours and dashes are classes of the page's style sheet."""
    spots = _spots(life)
    width = max(spot.right for spot in spots.values()) + MARGIN
    height = max(spot.y for spot in spots.values()) + HEIGHT // 2 + MARGIN
    said = f"State machine of a {life.machine.api} {life.machine.kind}; the table below says the same."
    edges = Markup().join(_edge(edge, spots) for edge in sorted(life.edges, key=_front))
    labels = Markup().join(_label(edge, spots) for edge in _labelled(life))
    nodes = Markup().join(_node(state, spot, life) for state, spot in spots.items())
    frame = Markup('<svg class="machine" role="img" aria-label="{}" viewBox="0 0 {} {}" width="{}" height="{}">')
    return frame.format(said, width, height, width, height) + edges + nodes + labels + Markup("</svg>")


def _front(edge: Edge) -> int:
    """Order so that what was seen is drawn over what was not."""
    return 0 if edge.kind == NEVER else 1


def _columns(life: Life) -> list[list[str]]:
    """Sort the states: creation, those that can be left, documented ends, those that only the run knows."""
    stated = [edge for edge in life.edges if edge.requirements]
    alive = {edge.source for edge in stated} | {edge.target for edge in stated if edge.source == START}
    known = {edge.target for edge in stated} | set(life.documented)
    columns = [
        [START],
        [state for state in life.states if state in alive and state != START],
        [state for state in life.states if state in known - alive],
        [state for state in life.states if state not in known | alive | {START}],
    ]
    return [column for column in columns if column]


def _spots(life: Life) -> dict[str, Spot]:
    columns = _columns(life)
    tallest = max(len(column) for column in columns)
    spots = {}
    for index, column in enumerate(columns):
        top = MARGIN + HEIGHT // 2 + (tallest - len(column)) * ROW // 2
        for place, state in enumerate(column):
            x = MARGIN if index == 0 else MARGIN + 150 + (index - 1) * COLUMN
            spots[state] = Spot(x, top + place * ROW, 12 if state == START else WIDTH)
    return spots


def _node(state: str, spot: Spot, life: Life) -> Markup:
    if state == START:
        return Markup('<circle class="start" cx="{}" cy="{}" r="6"/>').format(spot.x + 6, spot.y)
    reached = any(edge.seen for edge in life.edges if edge.target == state)
    box = Markup('<g class="state {}"><rect x="{}" y="{}" width="{}" height="{}" rx="8"/>').format(
        "reached" if reached else "unreached", spot.x, spot.y - HEIGHT // 2, WIDTH, HEIGHT
    )
    text = Markup('<text x="{}" y="{}">{}</text></g>').format(spot.x + WIDTH // 2, spot.y + 4, _short(state))
    return box + text


def _edge(edge: Edge, spots: dict[str, Spot]) -> Markup:
    path = Markup('<path class="edge {}" d="{}"><title>{}</title></path>')
    said = f"{edge.source or 'new'} to {edge.target} by {edge.trigger}: {edge.kind}, seen {len(edge.seen)} times"
    curve, tip = _curve(spots[edge.source], spots[edge.target])
    kind = edge.kind.replace(" ", "-")
    head = Markup('<path class="tip {}" d="{}"/>').format(kind, tip)
    return path.format(kind, curve, one_line(said)) + head


def _curve(a: Spot, b: Spot) -> tuple[str, str]:
    """Answer the path from state to state, and its arrow head; backwards it swings out to the right."""
    if b.x > a.x:
        bend = max(40, (b.x - a.right) // 2)
        end, head = b.x - 7, f"M{b.x - 9} {b.y - 5}L{b.x} {b.y}L{b.x - 9} {b.y + 5}Z"
        return f"M{a.right} {a.y}C{a.right + bend} {a.y} {end - bend} {b.y} {end} {b.y}", head
    end, head = b.right + 7, f"M{b.right + 9} {b.y - 5}L{b.right} {b.y}L{b.right + 9} {b.y + 5}Z"
    return f"M{a.right} {a.y}C{a.right + 60} {a.y} {end + 60} {b.y} {end} {b.y}", head


def _labelled(life: Life) -> list[Edge]:
    """Choose one edge of those that share trigger and target: their label would overprint itself."""
    first: dict[tuple[str, str], Edge] = {}
    for edge in sorted(life.edges, key=lambda edge: -len(edge.seen)):
        first.setdefault((edge.trigger, edge.target), edge)
    return list(first.values())


def _label(edge: Edge, spots: dict[str, Spot]) -> Markup:
    a, b = spots[edge.source], spots[edge.target]
    x, y = (a.right + b.x) // 2 if b.x > a.x else a.right + 94, (a.y + b.y) // 2
    count = f" ×{len(edge.seen)}" if edge.seen else ""  # noqa: RUF001 # a times sign, meant
    tone = "undocumented" if edge.kind == UNDOCUMENTED else ""
    text = Markup('<text class="label {}" x="{}" y="{}">{}</text>')
    return text.format(tone, x, y - 6, _short(edge.trigger) + count)


def _short(text: str) -> str:
    text = one_line(text, 200)
    return text if len(text) <= SHORT else f"{text[: SHORT - 1]}…"
