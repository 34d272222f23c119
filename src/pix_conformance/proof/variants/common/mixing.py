"""Makes variants of mixins that serve both APIs."""

from __future__ import annotations

import sys

from pix_conformance.proof.variants.knobs import Variant
from pix_conformance.reference.business import BusinessRules
from pix_conformance.reference.payments import PaymentsRules

RULES: dict[str, type] = {"payments": PaymentsRules, "business": BusinessRules}


def mixed(module: str, name: str, silent_in: tuple[str, ...], **values: type) -> Variant:
    """Make a variant of each mixin for the API that the name begins with, in the module that lists it.

    The reference imports the classes from there by name.
    """
    api = name.partition("-")[0]
    classes = {}
    for value, mixin in values.items():
        word = f"{api.title()}{mixin.__name__}"
        classes[value] = type(word, (mixin, RULES[api]), {"__module__": module, "__doc__": mixin.__doc__})
        setattr(sys.modules[module], word, classes[value])
    return Variant(name, silent_in, classes)
