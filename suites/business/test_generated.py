"""Requests that schemathesis makes of the OpenAPI description: boundaries first, then random ones (lines 17-25)."""

from __future__ import annotations

import pytest
from hypothesis import given as generated

from fixtures.builders.business import fresh_key
from fixtures.clients.business import Business, listed
from fixtures.expect import expect
from fixtures.generated import Generated, cases, fuzzed, send
from fixtures.requirement import requirement
from specs.judge.matchers import has, said, status, success
from specs.vocabulary import Api

RULES = tuple(f"BUS-CHG-{number}" for number in "03 04 05 07 08 09 10 14 16 19 21 24 28 29 31 33 41".split())
COVERED = tuple(one for one in RULES if one not in {"BUS-CHG-05", "BUS-CHG-29"})
VALID = tuple(cases(Api.BUSINESS, "create_charge", "positive"))
