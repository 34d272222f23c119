"""The reference that the tests of one file share."""

from collections.abc import Iterator

import pytest

from pix_conformance.reference.process import Running, start


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    """Yield one reference for the file."""
    with start() as reference:
        yield reference
