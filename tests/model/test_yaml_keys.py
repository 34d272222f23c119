"""No mapping of an OpenAPI file has a key twice: of two, YAML's reader keeps the last without a word."""

from collections import Counter
from collections.abc import Iterator

import pytest
import yaml

from pix_conformance.model.openapi import LOADER
from pix_conformance.model.paths import SPECS
from pix_conformance.model.vocabulary import Api


def keys_stated_twice(node: yaml.Node | None) -> Iterator[str]:
    """Yield each key that stands twice in a mapping, with its line."""
    if isinstance(node, yaml.MappingNode):
        counts = Counter(key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
        yield from (f"{name}, from line {node.start_mark.line + 1} on" for name, count in counts.items() if count > 1)
        for _, value in node.value:
            yield from keys_stated_twice(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from keys_stated_twice(item)


@pytest.mark.parametrize("api", Api)
def test_no_key_stands_twice(api: Api) -> None:
    text = (SPECS / api / "openapi.yaml").read_text(encoding="utf-8")
    assert list(keys_stated_twice(yaml.compose(text, LOADER))) == [], f"specs/{api}/openapi.yaml"


def test_a_key_that_stands_twice_is_named() -> None:
    node = yaml.compose("a:\n  event: 1\n  event: 2\n", LOADER)
    assert list(keys_stated_twice(node)) == ["event, from line 2 on"]
