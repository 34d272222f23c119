"""`python -m tools.documents NEW_DIRECTORY`: what a new text of the documents touches; `--accept` moves the citations.

The documents that requirements.toml cites are read from PIX_DOCUMENTS, or from ../shared/documents. NEW_DIRECTORY holds
payments.md, business.md, or both, as they are now.
"""

import argparse
import hashlib
import json
import os
import re
import sys
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

from pix_conformance.model import catalogue
from pix_conformance.model.documents import VARIABLE
from pix_conformance.model.paths import SPECS, TEST_TREE
from pix_conformance.model.vocabulary import Api, Level, Requirement
from tools.mentions import files_with, mentions
from tools.requirement import next_free_id

LEAST_RATIO = 0.6
"""A line and its replacement that are less similar are a removed line and a new one, unless its words are kept."""
LEAST_KEPT = 0.8
"""Of the words of a line that became longer, the part that its replacement has, in the same order."""
LEAST_WORDS = 3
"""Lines of fewer words stand within many others."""
BLANK_RATIO = 0.1
"""Blank lines count less than any text."""
NAME = r"\b(?:[A-Z]{2,}_[A-Z_]+|[a-z]+(?:_[a-z]+)+|[a-z]+(?:[A-Z][a-z]+)+)\b"
"""A name of code: with underscores, or with capitals within."""
NUMBER = r"\b[0-9]{2,}\b"
FEW = 2
Range = tuple[int, int]


@dataclass(frozen=True)
class DocumentChange:
    """Both texts of a document, and the new number of each old line that was not removed; numbers begin with 1."""

    old: Sequence[str]
    new: Sequence[str]
    moved: Mapping[int, int]

    def moved_ranges(self, ranges: Iterable[Range]) -> list[Range]:
        """Return the new numbers of old lines, range after range, with the new lines within each that state something.

        A blank line or a heading that was added splits a range.
        """
        return [joined for numbers in self._kept(ranges) for joined in as_ranges(self._with_new_lines(numbers))]

    def _kept(self, ranges: Iterable[Range]) -> list[list[int]]:
        return [[self.moved[n] for n in range(first, last + 1) if n in self.moved] for first, last in ranges]

    def _with_new_lines(self, numbers: Sequence[int]) -> list[int]:
        inside = range(numbers[0], numbers[-1]) if numbers else ()
        return sorted({*numbers, *(n for n in inside if n in self.added and states_something(self.new[n - 1]))})

    def new_lines_of(self, ranges: Iterable[Range]) -> list[int]:
        """Return the numbers of the new lines that state something within some old lines, or directly beside them."""
        touched = {
            n
            for numbers in self._kept(ranges)
            for first, last in as_ranges(self._with_new_lines(numbers))
            for n in range(first - 1, last + 2)
        }
        return [n for n in self.added if n in touched and states_something(self.new[n - 1])]

    def is_split(self, ranges: Iterable[Range]) -> bool:
        """Return whether some old lines that stood together do not do so any more."""
        return any(len(as_ranges(self._with_new_lines(numbers))) > 1 for numbers in self._kept(ranges))

    def context(self, ranges: Iterable[Range]) -> list[Range]:
        """Return the new numbers of the context: its old lines, and new ones that state nothing."""
        numbers = {n for inside in self._kept(ranges) for n in inside}
        return as_ranges(sorted(numbers | {n for n in self.added if not states_something(self.new[n - 1])}))

    @property
    def added(self) -> list[int]:
        """Return the numbers of the new lines."""
        return sorted(set(range(1, len(self.new) + 1)) - set(self.moved.values()))

    @property
    def touched(self) -> list[int]:
        """Return the old numbers of the lines that were changed or removed."""
        return [n for n in range(1, len(self.old) + 1) if self.new_text(n) != self.old[n - 1].rstrip()]

    def new_text(self, number: int) -> str | None:
        """Return what an old line says now; None if it was removed."""
        return self.new[self.moved[number] - 1].rstrip() if number in self.moved else None

    def digest(self, ranges: Iterable[Range]) -> str:
        """Return the hash of new lines, as `text` in requirements.toml has it."""
        cited = (self.new[n - 1].rstrip() for first, last in ranges for n in range(first, last + 1))
        return hashlib.sha256("\n".join(cited).encode()).hexdigest()[:12]

    def section(self, number: int) -> str:
        """Return the nearest heading above a new line."""
        return next(line.lstrip("# ") for line in reversed(self.new[:number]) if line.startswith("#"))


def as_ranges(numbers: Iterable[int]) -> list[Range]:
    """Join ascending numbers to ranges."""
    ranges: list[Range] = []
    for n in numbers:
        if ranges and ranges[-1][1] == n - 1:
            ranges[-1] = (ranges[-1][0], n)
        else:
            ranges.append((n, n))
    return ranges


def states_something(line: str) -> bool:
    """Return whether a line is neither blank nor a heading nor the rule below the head of a table."""
    return not (line.startswith("#") or set(line) <= set("|- "))


def compare(old: Sequence[str], new: Sequence[str]) -> DocumentChange:
    """Find the new number of each line: of all pairs in order, those that are most alike in sum.

    Of equal lines each has the pair that stands as it does among the lines before and after it.
    """
    ratios = [[_ratio(line.rstrip(), other.rstrip()) for other in new] for line in old]
    sums = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]  # of the lines from old[a] and from new[b] on
    for a in reversed(range(len(old))):
        for b in reversed(range(len(new))):
            sums[a][b] = max(sums[a + 1][b], sums[a][b + 1], sums[a + 1][b + 1] + ratios[a][b])
    moved: dict[int, int] = {}
    a = b = 0
    while a < len(old) and b < len(new):
        if ratios[a][b] and sums[a][b] == sums[a + 1][b + 1] + ratios[a][b]:
            a, b = a + 1, b + 1
            moved[a] = b
        elif sums[a][b] == sums[a + 1][b]:
            a += 1
        else:
            b += 1
    return DocumentChange(old, new, moved)


@cache
def _ratio(line: str, other: str) -> float:
    """Return how alike two lines are, up to 1; 0 if the second does not replace the first."""
    if line == other:
        return 1.0 if line else BLANK_RATIO
    matcher = SequenceMatcher(None, line, other, autojunk=False)
    bounds = (matcher.real_quick_ratio, matcher.quick_ratio, matcher.ratio)
    is_alike = all(bound() >= LEAST_RATIO for bound in bounds)
    return matcher.ratio() if is_alike or _has_words_of(other, line) else 0.0


def _has_words_of(longer: str, line: str) -> bool:
    """Return whether a longer line has nearly all words of another one, in the same order."""
    words, others = _words(line), _words(longer)
    least = max(LEAST_WORDS, LEAST_KEPT * len(words))
    if len(others) <= len(words) or len(set(words) & set(others)) < LEAST_KEPT * len(set(words)):
        return False
    return (
        sum(block.size for block in SequenceMatcher(None, words, others, autojunk=False).get_matching_blocks()) >= least
    )


@cache
def _words(line: str) -> list[str]:
    return re.findall(r"\w+", line)


def citing_lines(requirements: Iterable[Requirement]) -> Mapping[int, list[str]]:
    """Return the ids of the requirements that cite each old line."""
    citing: dict[int, list[str]] = defaultdict(list)
    for requirement in requirements:
        for first, last in requirement.lines:
            for number in range(first, last + 1):
                citing[number].append(requirement.id)
    return citing


def report(
    change: DocumentChange, requirements: Sequence[Requirement], files: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """Yield the changed, removed and new lines, and each requirement to reread with the `files` that mention it."""
    citing = citing_lines(requirements)
    for number in filter(lambda n: change.old[n - 1].strip(), change.touched):
        text, cited_by = change.new_text(number), ", ".join(citing[number]) or "no requirement"
        yield f"line {number}, {'removed' if text is None else f'now {change.moved[number]}'}, cited by {cited_by}:"
        yield from (f"  - {change.old[number - 1]}", *([] if text is None else [f"  + {text}"]))
    for number in change.added:
        if states_something(change.new[number - 1]):
            yield from (f"new line {number}, {_place(change, number, requirements)}:", f"  + {change.new[number - 1]}")
    touched = {name for number in change.touched for name in citing[number]}
    for requirement in requirements:
        reasons = list(_reasons(change, requirement))
        if requirement.id in touched or reasons:
            words = "; ".join([str(requirement.level), *reasons])
            yield f"reread {requirement.id} ({words}): {requirement.statement}"
            yield from (f"  {file}" for file in files.get(requirement.id, ()))


def _reasons(change: DocumentChange, requirement: Requirement) -> Iterator[str]:
    """Say what happened to the lines of a requirement, beside changes of their words."""
    ranges = change.moved_ranges(requirement.lines)
    if not ranges:
        yield "none of its lines is left"
    if new := change.new_lines_of(requirement.lines):
        within = [n for n in new if any(first <= n <= last for first, last in ranges)]
        beside = [n for n in new if n not in within]
        yield from (f"new line {n} within its lines, which now have it" for n in within)
        yield from (f"new line {n} beside its lines" for n in beside)
    if change.is_split(requirement.lines):
        yield f"its lines are split: {', '.join(f'{first}-{last}' for first, last in ranges)}"


def _place(change: DocumentChange, number: int, requirements: Iterable[Requirement]) -> str:
    """Say which requirements have a new line now; of one that none has, what it may belong to.

    These are the areas beside it, with their free ids, and the open requirements of its section.
    """
    within, areas, questions, section = [], [], [], change.section(number)
    for requirement in requirements:
        if any(first <= number <= last for first, last in change.moved_ranges(requirement.lines)):
            within.append(requirement.id)
        elif number in change.new_lines_of(requirement.lines):
            areas.append(requirement.id.rpartition("-")[0])
        if requirement.level is Level.OPEN and requirement.section == section:
            questions.append(requirement.id)
    if within:
        return f"now cited by {', '.join(within)}"
    free = [next_free_id(area) for area, _ in Counter(areas).most_common(FEW)]
    parts = {"free ids": free, "open in this section": questions}
    joined = "; ".join(f"{words}: {', '.join(ids)}" for words, ids in parts.items() if ids)
    return f"cited by no requirement{f' ({joined})' if joined else ''}"


def removed_words(change: DocumentChange) -> list[str]:
    """Return the names that the new text has nowhere, and the numbers that a changed line has no more.

    Names are what stands in backticks, and what looks like a name of code.
    """
    old, new = ("\n".join(text) for text in (change.old, change.new))
    names = [name for name in dict.fromkeys(_names(old)) if name not in set(_names(new)) and name not in new]
    numbers = [
        number
        for line in change.touched
        for number in re.findall(NUMBER, change.old[line - 1])
        if number not in re.findall(NUMBER, change.new_text(line) or "")
    ]
    return [*names, *dict.fromkeys(numbers)]


def _names(text: str) -> list[str]:
    return [*re.findall(r"`([^`\n]+)`", text), *re.findall(NAME, text)]


def rewritten(source: str, change: DocumentChange, sha256: str, requirements: Mapping[str, Requirement]) -> str:
    """Return the text of requirements.toml with the numbers, sections and hashes of the new document."""
    head, *blocks = source.split("[[requirement]]\n")
    context = re.search(r"^context = \[\n(.*?)^\]", head, re.MULTILINE | re.DOTALL)
    if context:
        numbers = [(int(first), int(last)) for first, last in re.findall(r"\[(\d+), (\d+)\]", context[1])]
        head = head.replace(context[1], _wrapped(change.context(numbers)))
    head = re.sub(r'^sha256 = ".*"', f'sha256 = "{sha256}"', head, flags=re.MULTILINE)
    return "[[requirement]]\n".join([head, *(_moved(block, change, requirements) for block in blocks)])


def _wrapped(ranges: Iterable[Range]) -> str:
    items = " ".join(f"[{first},~{last}]," for first, last in ranges)
    lines = textwrap.wrap(items, 100, initial_indent="  ", subsequent_indent="  ")
    return "".join(f"{line}\n" for line in lines).replace("~", " ")


def _moved(block: str, change: DocumentChange, requirements: Mapping[str, Requirement]) -> str:
    """Return the table of one requirement with its new lines."""
    name = re.search(r'^id = "(.*)"', block, re.MULTILINE)
    ranges = change.moved_ranges(requirements[name[1]].lines) if name else []
    values = {"lines": json.dumps(ranges), "text": json.dumps(change.digest(ranges))}
    if ranges:
        values["section"] = json.dumps(change.section(ranges[0][0]), ensure_ascii=False)
    for key, value in values.items():
        block = re.sub(rf"^{key} = .*", lambda _, line=f"{key} = {value}": line, block, flags=re.MULTILINE)  # type: ignore[misc]
    return block


def run(directory: Path, *, accept: bool) -> Iterator[str]:
    """Yield what the new documents touch; if they are accepted, write requirements.toml.

    Raises ValueError if there is no new document, or if an old one is not the one that it cites.
    """
    cited = Path(os.environ.get(VARIABLE) or TEST_TREE.parent / "shared" / "documents")
    documents = {api: path for api in Api if (path := directory / f"{api}.md").is_file()}
    if not documents:
        raise ValueError(f"{directory} holds neither payments.md nor business.md")
    files = mentions()
    for api, new in documents.items():
        old = cited / f"{api}.md"
        if not old.is_file() or hashlib.sha256(old.read_bytes()).hexdigest() != catalogue.catalogue().documents[api]:
            raise ValueError(
                f"{old} is not the document that requirements.toml cites: name its directory in {VARIABLE}"
            )
        change = compare(*(path.read_text("utf-8").splitlines() for path in (old, new)))
        yield f"{new}: {len(change.new)} lines, {len(change.old)} before"
        yield from (f"  {line}" for line in report(change, catalogue.catalogue().of_document(api), files))
        for word in removed_words(change):
            yield f"  gone: {word}"
            yield from (f"    {file}" for file in files_with(word))
        if accept:
            path = SPECS / api / "requirements.toml"
            digest = hashlib.sha256(new.read_bytes()).hexdigest()
            before = path.read_text("utf-8")
            if (after := rewritten(before, change, digest, catalogue.catalogue())) != before:
                path.write_text(after, "utf-8")
                yield f"  wrote {path}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what the new documents touch."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument("directory", type=Path, help="where the new payments.md and business.md are")
    parser.add_argument("--accept", action="store_true", help="write lines, sections and hashes of requirements.toml")
    options = parser.parse_args(arguments)
    try:
        for line in run(options.directory, accept=options.accept):
            print(line)  # noqa: T201  # the output of the command
    except ValueError as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
