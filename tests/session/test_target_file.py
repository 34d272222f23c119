"""Tests of the target file: what takes precedence over its settings, and its usage errors."""

import re
from pathlib import Path

import pytest

from pix_conformance.model.vocabulary import UsageError
from pix_conformance.session.options import gather
from pix_conformance.session.target_settings import settings_of


def test_options_outrank_the_environment_which_outranks_the_target_file(tmp_path: Path) -> None:
    file = tmp_path / "target.toml"
    file.write_text('base_url = "http://f"\nseed = 1\nrate = 1\napi_key = { env = "MINE" }\nrequire = ["sandbox"]')
    given = {"PIX_TARGET": str(file), "PIX_SEED": "2", "PIX_RATE": "2", "MINE": "ak_test_x"}

    settings = settings_of(gather({"rate": "3"}, given))

    assert (settings.target.base_url, settings.generation.seed, settings.bounds.rate) == ("http://f", 2, 3.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[target]\nbase_url = "http://h"', "t.toml has a table [target], and its settings stand in none: remove the"),
        ('[target]\nbase_urll = "http://h"', "t.toml has a table [target], and its settings stand in none: remove the"),
        (
            'base_url = { host = "h" }',
            't.toml has a table, where base_url is one value: base_url = "VALUE", or base_url',
        ),
    ],
)
def test_a_table_in_the_place_of_a_value_is_a_usage_error(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "t.toml").write_text(text)
    with pytest.raises(UsageError, match=re.escape(words)):
        gather({}, {"PIX_TARGET": str(tmp_path / "t.toml")})
