"""Rules for the fields of a request body: given, of the right kind, within the limits."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pix_conformance.reference.call import Refusal
from pix_conformance.reference.strict_json import is_clean


@dataclass(frozen=True)
class Field:
    """One row of a field table. `rule` names the method that gives a complaint about a value, or None."""

    name: str
    kind: str
    required: bool = False
    rule: str = ""
    fields: tuple["Field", ...] = ()
    default: Any = None


class FieldRules:
    """Reads objects by field tables. Paths look like `items[].title`; unknown fields are ignored."""

    whole_floats_are_integers = False
    null_is_absent = True
    largest_integer = 999_999_999_999

    def read_body(self, value: Any, fields: tuple[Field, ...]) -> dict[str, Any]:
        """Give every field of the table, absent ones with their default."""
        if not isinstance(value, dict):
            raise self.invalid("body", "must be an object")
        return self.read_object(value, fields, "")

    def read_object(self, holder: dict[str, Any], fields: tuple[Field, ...], where: str) -> dict[str, Any]:
        """Read one object, found at `where`."""
        return {field.name: self.read_field(holder, field, where) for field in fields}

    def read_field(self, holder: dict[str, Any], field: Field, where: str) -> Any:
        """Read one field of an object, or refuse."""
        path = f"{where}.{field.name}" if where else field.name
        key = re.sub(r"\[\d+\]", "[]", path)
        if not self.is_given(key, holder, field.name):
            if self.is_required(key, field):
                raise self.invalid(path, "is required")
            return field.default
        value = holder[field.name]
        if not self.has_kind(key, value, field.kind):
            raise self.invalid(path, f"must be of type {field.kind}")
        if complaint := self.complaint(key, value, field):
            raise self.invalid(path, complaint)
        return self.inside(value, field, path)

    def inside(self, value: Any, field: Field, path: str) -> Any:
        """Read what an object or an array of objects holds."""
        if field.kind == "object" and field.fields:
            return self.read_object(value, field.fields, path)
        if field.kind == "array" and field.fields:
            return [self.read_element(element, field, f"{path}[{at}]") for at, element in enumerate(value)]
        return int(value) if field.kind == "integer" else value

    def read_element(self, element: Any, field: Field, path: str) -> dict[str, Any]:
        """Read one element of an array of objects."""
        if not isinstance(element, dict):
            raise self.invalid(path, "must be of type object")
        return self.read_object(element, field.fields, path)

    def is_given(self, key: str, holder: dict[str, Any], name: str) -> bool:
        """Judge whether a field counts as sent."""
        del key
        return name in holder and not (self.null_is_absent and holder[name] is None)

    def is_required(self, key: str, field: Field) -> bool:
        """Judge whether a field may not be left out."""
        del key
        return field.required

    def has_kind(self, key: str, value: Any, kind: str) -> bool:
        """Judge the JSON type of a value."""
        del key
        if isinstance(value, bool):
            return kind == "boolean"
        whole = isinstance(value, int) or (
            self.whole_floats_are_integers and isinstance(value, Decimal) and value == value.to_integral_value()
        )
        kinds = {"string": str, "number": int | Decimal, "object": dict, "array": list}
        return whole if kind == "integer" else kind in kinds and isinstance(value, kinds[kind])

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """What is wrong with a value of the right type, if anything."""
        if isinstance(value, str) and not self.is_storable(key, value):
            return "contains characters that are not allowed"
        if field.kind == "integer" and abs(value) > self.largest_integer:
            return "is out of range"
        complaint: str | None = getattr(self, field.rule)(value) if field.rule else None
        return complaint

    def is_storable(self, key: str, text: str) -> bool:
        """Judge whether a text can be kept at all."""
        del key
        return is_clean(text)

    def invalid(self, path: str, words: str) -> Refusal:
        """Refuse a field by name."""
        return Refusal("invalid", self.field_message(path, words))

    def field_message(self, path: str, words: str) -> str:
        """Wording of a refusal that names a field."""
        return f"{path} {words}"


def text_of_at_most(limit: int, value: str) -> str | None:
    """Complain about more than so many characters."""
    return f"must have at most {limit} characters" if len(value) > limit else None
