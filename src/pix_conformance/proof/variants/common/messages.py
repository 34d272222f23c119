"""Error messages of both APIs: their language, and how they name a field."""

import re
from typing import Any

from pix_conformance.proof.difference import setting
from pix_conformance.reference.call import Refusal


def in_portuguese(rules: Any, refusal: Refusal) -> str:
    """Name the field, as documented, in another language."""
    return f"Requisição recusada: o campo informado não é válido ({refusal.message.split(' ')[0]})"


def by_last_name(rules: Any, path: str, words: str) -> str:
    """Name a field without the path to it."""
    name = re.sub(r"\[[0-9]*\]$", "", path).rpartition(".")[2]
    return f'"{name}" {words}'


def by_pointer(rules: Any, path: str, words: str) -> str:
    """Name a field by its JSON pointer."""
    place = re.sub(r"[.]|\[([0-9]*)\]", r"/\1", path).replace("//", "/")
    return f"/{place}: {words}"


MESSAGES = {
    "portuguese": setting(
        "Error messages are in Portuguese: their language is not stated "
        "(payments.md, line 365; business.md, line 174).",
        error_message=in_portuguese),
    "field-by-last-name": setting(
        "A message names a field without its path: how it names one is not stated "
        "(payments.md, line 369; business.md, line 182).", field_message=by_last_name),
    "field-by-pointer": setting(
        "A message names a field by a JSON pointer: how it names one is not stated "
        "(payments.md, line 369; business.md, line 182).", field_message=by_pointer),
}  # fmt: skip
