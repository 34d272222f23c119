"""`python -m tools.ordinary_run`: what its server decides, and nginx before it."""

import itertools

import pytest

from pix_conformance.proof.plan import can_join
from pix_conformance.proof.suite_run import ROOT
from pix_conformance.sandbox.variants.registry import all_variants
from tools.ordinary_run import CHOICES, TOO_FAST, further
from tools.served_sandbox import configuration

DEBIAN = """user www-data;
pid /run/nginx.pid;
error_log /var/log/nginx/error.log;
http {
	access_log /var/log/nginx/access.log;
	gzip on;
	include /etc/nginx/sites-enabled/*;
}
"""


def choices(variants: list[str]) -> list[str]:
    return [all_variants()[name].choice for name in variants]


@pytest.mark.parametrize("seed", range(5))
def test_one_server_can_have_all_variants_of_a_run(seed: int) -> None:
    variants = [*CHOICES, *further(6, seed)]
    assert len(variants) == len(CHOICES) + 6
    assert len(set(choices(variants))) == len(variants)
    assert all(itertools.starmap(can_join, itertools.combinations(variants, 2)))


def test_a_variant_that_late_responses_keep_from_being_tested_is_not_drawn() -> None:
    assert set(TOO_FAST) <= all_variants().keys()
    assert not set(TOO_FAST) & set(further(100, 1))


def test_nginx_differs_from_the_package_in_its_site_and_its_files_only() -> None:
    lines = configuration(DEBIAN, "server {}", "directory").splitlines()
    assert [line for line in DEBIAN.splitlines() if line not in lines] == [
        "pid /run/nginx.pid;",
        "error_log /var/log/nginx/error.log;",
        "	access_log /var/log/nginx/access.log;",
        "	include /etc/nginx/sites-enabled/*;",
    ]
    assert "	server {}" in lines


def test_another_configuration_of_the_package_is_refused() -> None:
    with pytest.raises(ValueError, match="sites-enabled"):
        configuration("http {}", "", "")


def test_every_change_and_each_week_are_tested_by_whole_runs() -> None:
    command = "uv run python -m tools.ordinary_run"
    assert f"{command} --latency 60 " in (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert command in (ROOT / ".github/workflows/ordinary.yml").read_text(encoding="utf-8")
