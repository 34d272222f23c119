"""Mutants of PAY-KEY, PIX keys."""

import re

from pix_conformance.proof.mutants.operators.fields import accepts, refuses
from pix_conformance.proof.mutants.operators.values import begins_with_zero, is_digits, is_empty, matches

GROUP = "validation"
RANDOM_KEY = "123e4567-e89b-42d3-a456-426655440000"

MUTANTS = {
    "PAY-KEY-01": {
        "cpf-refused": refuses("pixKey", is_digits(11)),
        "cpf-with-leading-zero-refused": refuses("pixKey", begins_with_zero(11)),
    },
    "PAY-KEY-02": {
        "cnpj-refused": refuses("pixKey", is_digits(14)),
        "cnpj-with-leading-zero-refused": refuses("pixKey", begins_with_zero(14)),
    },
    "PAY-KEY-03": {
        "email-refused": refuses("pixKey", lambda text: "@" in text).says("An e-mail as pixKey is refused."),
        "email-with-long-ending-refused": refuses("pixKey", lambda text: (
            "@" in text and not re.fullmatch(r"[\w.+-]+@[\w.-]+\.[a-z]{2,3}", text)))
            .says("An e-mail as pixKey is refused if its last part has more than three letters."),
    },
    "PAY-KEY-04": {"phone-refused": refuses("pixKey", matches(r"\+.*")).says("A phone as pixKey is refused.")},
    "PAY-KEY-05": {"random-key-refused": refuses("pixKey", lambda text: "-" in text and "@" not in text)
            .says("A random key as pixKey is refused.")},
    "PAY-KEY-06": {"cpf-with-punctuation": accepts("pixKey", matches(r"\d{3}\.\d{3}\.\d{3}-\d{2}"), RANDOM_KEY)
            .says("A CPF with punctuation is accepted as pixKey.")},
    "PAY-KEY-07": {"cnpj-with-punctuation": accepts("pixKey", matches(r"\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}"), RANDOM_KEY)
            .says("A CNPJ with punctuation is accepted as pixKey.")},
    "PAY-KEY-08": {
        "email-without-domain": accepts("pixKey", matches("[^@]+@"), RANDOM_KEY)
            .says("An e-mail with nothing after its @ is accepted as pixKey."),
        "email-without-name": accepts("pixKey", matches("@[^@]+"), RANDOM_KEY)
            .says("An e-mail with nothing before its @ is accepted as pixKey."),
    },
    "PAY-KEY-09": {"phone-of-any-country": accepts("pixKey", matches(r"\+(?!55)\d+"), RANDOM_KEY)
            .says("A phone of another country is accepted as pixKey.")},
    "PAY-KEY-10": {"uuid-of-35-characters": accepts("pixKey", matches("[0-9a-fA-F-]{35}"), RANDOM_KEY)
            .says("A UUID that lacks a character is accepted as pixKey.")},
    "PAY-KEY-11": {"digits-of-any-length": accepts("pixKey", matches(r"(?!(\d{11}|\d{14})$)\d+"), RANDOM_KEY)
            .says("Digits of any length are accepted as pixKey.")},
    "PAY-KEY-16": {"phone-of-any-length": accepts("pixKey", matches(r"\+55(?!\d{10,11}$)\d+"), RANDOM_KEY)
            .says("A phone of any length is accepted as pixKey.")},
    "PAY-KEY-15": {"key-empty": accepts("pixKey", is_empty, RANDOM_KEY)},
}  # fmt: skip
