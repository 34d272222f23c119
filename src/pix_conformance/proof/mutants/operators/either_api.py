"""The base of operators that override what the rules of both APIs have, with the same meaning."""

from typing import TYPE_CHECKING

from pix_conformance.reference.payments import PaymentsRules

if TYPE_CHECKING:
    EitherApi = PaymentsRules  # of the two, to have their methods checked
else:
    EitherApi = object  # a difference adds the rules of the API that its requirement belongs to
