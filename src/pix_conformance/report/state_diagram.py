"""State machines as SVG, narrow enough for a phone: states below each other, a numbered lane for each move."""

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup

from pix_conformance.report.observed_states import NEVER, START, Move, ObservedStates
from pix_conformance.report.text import one_line

WIDTH, PORT, GAP, MARGIN = 150, 14, 12, 10
"""The width of a state; the height that each of its lines takes; between two states; around all."""
LANE, FIRST_LANE, RADIUS = 26, MARGIN + WIDTH + 34, 9
"""From lane to lane; where the first one is; the size of a number."""
SHORT = 20
"""Characters of a state that fit."""
MOST = 16
"""Moves that are drawn; the table has all."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a state is drawn: its upper edge and its height."""

    y: float
    height: float

    @property
    def middle(self) -> float:
        """The height of its name."""
        return self.y + self.height / 2


@dataclass(frozen=True, slots=True)
class Lane:
    """The vertical line of a move: its place, and at which heights it meets its sources and its target."""

    move: Move
    x: float
    sources: tuple[float, ...]
    target: float

    @property
    def top(self) -> float:
        """Its upper end."""
        return min(self.target, *self.sources)

    @property
    def bottom(self) -> float:
        """Its lower end."""
        return max(self.target, *self.sources)


def svg(life: ObservedStates) -> Markup:
    """Draw one machine; colours and dashes are classes of the page's style sheet."""
    moves = life.moves[:MOST]
    spots = _spots(life, moves)
    lanes = _lanes(moves, spots)
    width = max((lane.x for lane in lanes), default=MARGIN + WIDTH) + RADIUS + MARGIN
    height = max(spot.y + spot.height for spot in spots.values()) + MARGIN
    title = f"State machine of a {life.machine.api} {life.machine.kind}; the table below names each numbered arrow."
    frame = Markup('<svg class="machine" role="img" aria-label="{}" viewBox="0 0 {} {}" width="{}" height="{}">')
    reached = {move.target for move in life.moves if move.seen}
    return (
        frame.format(title, *map(_number, (width, height, width, height)))
        + Markup().join(_line(lane) for lane in sorted(lanes, key=lambda lane: lane.move.kind != NEVER))
        + Markup().join(_node(state, spot, reached=state in reached) for state, spot in spots.items())
        + Markup().join(_badge(lane) for lane in lanes)
        + Markup("</svg>")
    )


def _spots(life: ObservedStates, moves: Iterable[Move]) -> dict[str, Spot]:
    """Stack the states that are documented or drawn; each is as high as its lines need."""
    ends = [state for move in moves for state in (*move.sources, move.target)]
    spots, y = {}, float(MARGIN)
    for state in life.states:
        if state in ends or state in life.documented:
            spots[state] = Spot(y, max(2, ends.count(state)) * PORT)
            y += spots[state].height + GAP
    return spots


def _lanes(moves: Iterable[Move], spots: dict[str, Spot]) -> list[Lane]:
    """Give each move the innermost lane that no other move uses at these heights; the shortest ones choose first."""
    lanes: list[Lane] = []
    for lane in sorted(_connected(moves, spots), key=lambda lane: lane.bottom - lane.top):
        taken = {
            other.x
            for other in lanes
            if lane.top - RADIUS <= other.bottom + RADIUS and other.top - RADIUS <= lane.bottom + RADIUS
        }
        x = float(FIRST_LANE)
        while x in taken:
            x += LANE
        lanes.append(Lane(lane.move, x, lane.sources, lane.target))
    return lanes


def _connected(moves: Iterable[Move], spots: dict[str, Spot]) -> list[Lane]:
    """Give each line that meets a state its own height there."""
    used = dict.fromkeys(spots, 0)
    ends = [state for move in moves for state in (*move.sources, move.target)]

    def port(state: str) -> float:
        used[state] += 1
        return spots[state].middle + (used[state] - (ends.count(state) + 1) / 2) * PORT

    return [Lane(move, 0, tuple(port(one) for one in move.sources), port(move.target)) for move in moves]


def _node(state: str, spot: Spot, *, reached: bool) -> Markup:
    if state == START:
        dot = Markup('<circle class="start" cx="{}" cy="{}" r="6"/><text x="{}" y="{}">new</text>')
        return dot.format(MARGIN + WIDTH - 6, _number(spot.middle), MARGIN + WIDTH - 32, _number(spot.middle + 4))
    box = Markup('<g class="state {}"><rect x="{}" y="{}" width="{}" height="{}" rx="8"/>').format(
        "reached" if reached else "unreached", MARGIN, _number(spot.y), WIDTH, _number(spot.height)
    )
    text = Markup('<text x="{}" y="{}">{}</text></g>')
    return box + text.format(MARGIN + WIDTH // 2, _number(spot.middle + 4), _short(state))


def _line(lane: Lane) -> Markup:
    """Draw from each source to the lane, along it, and back to the target with an arrow head."""
    right, x, y = MARGIN + WIDTH, _number(lane.x), _number(lane.target)
    stems = "".join(f"M{right} {_number(source)}H{x}" for source in lane.sources)
    path = f"{stems}M{x} {_number(lane.top)}V{_number(lane.bottom)}M{x} {y}H{right + 7}"
    head = f"M{right + 9} {_number(lane.target - 5)}L{right} {y}L{right + 9} {_number(lane.target + 5)}Z"
    kind = lane.move.kind.replace(" ", "-")
    drawn = Markup('<path class="edge {}" d="{}"/><path class="tip {}" d="{}"/>')
    return drawn.format(kind, path, kind, head)


def _badge(lane: Lane) -> Markup:
    y = (lane.top + lane.bottom) / 2
    circle = Markup('<g class="number {}"><circle cx="{}" cy="{}" r="{}"/><text x="{}" y="{}">{}</text></g>')
    kind, x = lane.move.kind.replace(" ", "-"), _number(lane.x)
    return circle.format(kind, x, _number(y), RADIUS, x, _number(y + 4), lane.move.number)


def _number(value: float) -> str:
    return f"{value:g}"


def _short(text: str) -> str:
    text = one_line(text, 200)
    return text if len(text) <= SHORT else f"{text[: SHORT - 1]}…"
