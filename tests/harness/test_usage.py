"""Every usage error: exit status 4, one sentence, no request."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pix_conformance.harness.options import gather
from pix_conformance.harness.target_settings import from_settings
from pix_conformance.model.target import Target
from pix_conformance.model.usage_error import UsageError
from pix_conformance.proof.suite_run import run_suite

PAIR = {"PIX_CLIENT_ID": "a", "PIX_CLIENT_SECRET": "b"}
ADDRESS = {"PIX_BASE_URL": "http://127.0.0.1:1"}


def settled(**environment: str) -> Target:
    return from_settings(gather({}, environment))


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        (ADDRESS, "no credential"),
        (PAIR, "no address"),
        ({"PIX_BASE_URL": ""}, "PIX_BASE_URL is empty"),
        ({"PIX_BASE_URL": "", **PAIR}, "PIX_BASE_URL is empty"),
        ({**ADDRESS, "PIX_CLIENT_ID": "a"}, "PIX_CLIENT_SECRET is missing"),
        ({**ADDRESS, "PIX_CLIENT_SECRET": "a"}, "PIX_CLIENT_ID is missing"),
        ({**ADDRESS, **PAIR, "PIX_OTHER_CLIENT_ID": "a", "PIX_OTHER_CLIENT_SECRET": "c"}, "two roles"),
        ({**ADDRESS, "PIX_API_KEY": "ak_test_a", "PIX_OTHER_API_KEY": "ak_test_a"}, "two roles"),
        ({**ADDRESS, "PIX_API_KEY": "ak_test_a", "PIX_REVOKED_API_KEY": "ak_test_a"}, "two roles"),
        ({**ADDRESS, "PIX_API_KEY": "ak_test_a", "PIX_REVOKED_API_KEY": "revoked"}, "must begin with ak_test_"),
        ({**ADDRESS, "PIX_API_KEY": "ak_live_a"}, "must begin with ak_test_"),
        ({**ADDRESS, "PIX_LIVE_API_KEY": "ak_test_a"}, "must begin with ak_live_"),
        ({**ADDRESS, **PAIR, "PIX_ONLY": "PAY-NONE-01"}, "no requirement is called PAY-NONE-01"),
        ({**ADDRESS, **PAIR, "PIX_LEVEL": "open"}, "must or should"),
        ({**ADDRESS, **PAIR, "PIX_REQUIRE": "magic"}, "does not know magic"),
        ({**ADDRESS, **PAIR, "PIX_API": "banking"}, "does not know banking"),
        ({**ADDRESS, **PAIR, "PIX_RATE": "-1"}, "not a number above 0"),
        *(({**ADDRESS, **PAIR, "PIX_SHARD": one}, "is not a shard") for one in ("0/4", "5/4", "2", "2/", "a/b")),
        ({"PIX_SHARD": "1/2"}, "--shard needs a target"),
        ({**ADDRESS, **PAIR, "PIX_SHARD": "1/2", "PIX_BUDGET": "9"}, "--shard and --budget 9 exclude each other"),
        ({**ADDRESS, **PAIR, "PIX_BUDGET": "10m"}, "of requests, such as 200, or of seconds, such as 10s"),
        ({**ADDRESS, **PAIR, "PIX_MAX_CENTS": "0"}, "max-cents is '0', not a number above 0"),
        *(({**ADDRESS, **PAIR, "PIX_CONCURRENCY": one}, "or auto") for one in ("0", "-1", "many", "1.5")),
        ({**ADDRESS, **PAIR, "PIX_SEED": "x"}, "not a whole number"),
        ({**PAIR, "PIX_BASE_URL": "ftp://x"}, "not an http"),
        ({**PAIR, "PIX_BASE_URL": "http://x/api"}, "without /v1 and /api"),
        ({**ADDRESS, **PAIR, "PIX_WAIVERS": "no-such-file"}, "is not there"),
        ({**ADDRESS, **PAIR, "PIX_TARGET": "no-such-file"}, "cannot be read"),
    ],
)
def test_a_usage_error_is_named(environment: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        settled(**environment)


def test_a_usage_error_ends_the_run_with_4_and_no_traceback(tmp_path: Path) -> None:
    done = run_suite(tmp_path / "out", **ADDRESS)

    assert done.exit == 4
    assert "no credential" in done.output
    assert "Traceback" not in done.output
    assert not (tmp_path / "out").exists()


def test_options_outrank_the_environment_which_outranks_the_target_file(tmp_path: Path) -> None:
    file = tmp_path / "target.toml"
    file.write_text('base_url = "http://f"\nseed = 1\nrate = 1\napi_key = { env = "MINE" }\nrequire = ["sandbox"]')
    given = {"PIX_TARGET": str(file), "PIX_SEED": "2", "PIX_RATE": "2", "MINE": "ak_test_x"}

    target = from_settings(gather({"rate": "3"}, given))

    assert (target.base_url, target.seed, target.rate) == ("http://f", 2, 3.0)


def test_the_seed_is_the_date_unless_it_is_given() -> None:
    assert from_settings(gather({"seed": "7"}, {})).seed == 7
    before, seed, after = (
        f"{datetime.now(UTC):%Y%m%d}",
        from_settings(gather({}, {})).seed,
        f"{datetime.now(UTC):%Y%m%d}",
    )
    assert str(seed) in {before, after}


@pytest.mark.parametrize("flag", ["plan", "no_waiting"])
@pytest.mark.parametrize(("word", "on"), [(word, False) for word in ("0", "false", "No", "off", "")] + [("1", True)])
def test_a_word_switches_a_flag_on_or_off(tmp_path: Path, flag: str, word: str, on: bool) -> None:  # noqa: FBT001  # a value of the table
    """The environment, which takes precedence, and a target file accept the same words."""
    (tmp_path / "on.toml").write_text(f"{flag} = true")
    (tmp_path / "word.toml").write_text(f'{flag} = "{word}"')
    by_environment = gather({}, {"PIX_TARGET": str(tmp_path / "on.toml"), f"PIX_{flag.upper()}": word})
    by_file = gather({}, {"PIX_TARGET": str(tmp_path / "word.toml")})
    assert bool(by_environment[flag]) is bool(by_file[flag]) is on


def test_a_flag_is_no_other_word() -> None:
    with pytest.raises(UsageError, match="plan is 'maybe': yes or no"):
        settled(PIX_PLAN="maybe")


def test_without_settings_the_embedded_reference_is_tested() -> None:
    assert settled().embedded


def test_a_path_prefix_is_part_of_the_base_url() -> None:
    assert settled(PIX_BASE_URL="https://h/pix/", PIX_API_KEY="ak_test_x").base_url == "https://h/pix"
