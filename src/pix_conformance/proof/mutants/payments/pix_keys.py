"""Mutants of PAY-KEY: PIX keys."""

import re

from pix_conformance.proof.mutants.operators.payments.fields import (
    CNPJ_LENGTH,
    CPF_LENGTH,
    RANDOM_KEY,
    Accepts,
    Refuses,
    begins_with_zero,
    digits,
    failing,
    like,
    passing,
)
from pix_conformance.proof.mutants.table import family

globals().update(
    family(__name__, "limits", Refuses, {
        "CpfKeyWithoutZero": ("A CPF that begins with a zero is no key.", "PAY-KEY-01",
            failing("pixKey", begins_with_zero(CPF_LENGTH))),
        "RefusesCpfKey": ("A CPF is no key.", "PAY-KEY-01", failing("pixKey", digits(CPF_LENGTH))),
        "CnpjKeyWithoutZero": ("A CNPJ that begins with a zero is no key.", "PAY-KEY-02",
            failing("pixKey", begins_with_zero(CNPJ_LENGTH))),
        "RefusesCnpjKey": ("A CNPJ is no key.", "PAY-KEY-02", failing("pixKey", digits(CNPJ_LENGTH))),
        "EmailKeyOfShortEnds": ("An e-mail as key has plain letters, and ends in two or three.", "PAY-KEY-03",
            failing("pixKey", lambda text: "@" in text and not re.fullmatch(r"[\w.+-]+@[\w.-]+\.[a-z]{2,3}", text))),
        "RefusesEmailKey": ("An e-mail is no key.", "PAY-KEY-03", failing("pixKey", lambda value: "@" in value)),
        "RefusesPhoneKey": ("A phone is no key.", "PAY-KEY-04", failing("pixKey", lambda value: value[:1] == "+")),
        "RefusesEvpKey": ("A random key is no key.", "PAY-KEY-05",
            failing("pixKey", lambda value: "-" in value and "@" not in value)),
    })
)  # fmt: skip


globals().update(
    family(__name__, "validation", Accepts, {
        "CpfKeyPunctuated": ("Punctuation is taken out of a CPF as key.", "PAY-KEY-06",
            passing("pixKey", like(r"\d{3}\.\d{3}\.\d{3}-\d{2}"), RANDOM_KEY)),
        "CnpjKeyPunctuated": ("Punctuation is taken out of a CNPJ as key.", "PAY-KEY-07",
            passing("pixKey", like(r"\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}"), RANDOM_KEY)),
        "EmailKeyWithoutDomain": ("An e-mail with nothing after its @ is accepted as key.", "PAY-KEY-08",
            passing("pixKey", like(r"[^@]+@"), RANDOM_KEY)),
        "EmailKeyWithoutName": ("An e-mail with nothing before its @ is accepted as key.", "PAY-KEY-08",
            passing("pixKey", like(r"@[^@]+"), RANDOM_KEY)),
        "PhoneKeyOfAnyCountry": ("A phone of another country is accepted as key.", "PAY-KEY-09",
            passing("pixKey", like(r"\+(?!55)\d+"), RANDOM_KEY)),
        "EvpKeyTooShort": ("A UUID with a character too few is accepted as key.", "PAY-KEY-10",
            passing("pixKey", like(r"[0-9a-fA-F-]{35}"), RANDOM_KEY)),
        "DigitsKeyOfAnyLength": ("Digits of any length are accepted as key.", "PAY-KEY-11",
            passing("pixKey", lambda v: isinstance(v, str) and v.isdigit() and len(v) not in {11, 14}, RANDOM_KEY)),
        "PixKeyEmpty": ("An empty pixKey is accepted.", "PAY-KEY-15", passing("pixKey", like(r""), RANDOM_KEY)),
    })
)  # fmt: skip
