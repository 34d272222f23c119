"""Checks of the fields of a request body: presence, JSON type, limits."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pix_conformance.reference.call import Refusal
from pix_conformance.reference.strict_json import is_clean


@dataclass(frozen=True)
class Field:
    """One row of a field table. `rule` names the method that returns what is wrong with a value, or None."""

    name: str
    kind: str
    required: bool = False
    rule: str = ""
    fields: tuple["Field", ...] = ()
    default: Any = None


class FieldRules:
    """Reads objects by field tables. A path looks like `items[].title`. Unknown fields are ignored."""

    whole_floats_are_integers = False
    null_is_absent = True
    largest_integer = 999_999_999_999

    def read_body(self, value: Any, fields: tuple[Field, ...]) -> dict[str, Any]:
        """Return every field of the table; an absent one has its default. Raises Refusal."""
        if not isinstance(value, dict):
            raise self.invalid("body", "must be an object")
        return self.read_object(value, fields, "")

    def read_object(self, holder: dict[str, Any], fields: tuple[Field, ...], where: str) -> dict[str, Any]:
        """Read one object, whose path is `where`. Raises Refusal."""
        return {field.name: self.read_field(holder, field, where) for field in fields}

    def read_field(self, holder: dict[str, Any], field: Field, where: str) -> Any:
        """Read one field of an object. Raises Refusal."""
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
        """Read the fields of an object or of an array of objects."""
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
        """Return whether a field counts as sent."""
        del key
        return name in holder and not (self.null_is_absent and holder[name] is None)

    def is_required(self, key: str, field: Field) -> bool:
        """Return whether a field must be sent."""
        del key
        return field.required

    def has_kind(self, key: str, value: Any, kind: str) -> bool:
        """Return whether a value has the JSON type `kind`."""
        del key
        if isinstance(value, bool):
            return kind == "boolean"
        is_integer = isinstance(value, int) or (
            self.whole_floats_are_integers and isinstance(value, Decimal) and value == value.to_integral_value()
        )
        kinds = {"string": str, "number": int | Decimal, "object": dict, "array": list}
        return is_integer if kind == "integer" else kind in kinds and isinstance(value, kinds[kind])

    def complaint(self, key: str, value: Any, field: Field) -> str | None:
        """Return what is wrong with a value of the right type, or None."""
        if isinstance(value, str) and not self.is_storable(key, value):
            return "contains characters that are not allowed"
        if field.kind == "integer" and abs(value) > self.largest_integer:
            return "is out of range"
        complaint: str | None = getattr(self, field.rule)(value) if field.rule else None
        return complaint

    def is_storable(self, key: str, text: str) -> bool:
        """Return whether the database can store a text."""
        del key
        return is_clean(text)

    def invalid(self, path: str, words: str) -> Refusal:
        """Return the refusal of a field, by its path."""
        return Refusal("invalid", self.field_message(path, words))

    def field_message(self, path: str, words: str) -> str:
        """Return the text of a refusal that names a field."""
        return f"{path} {words}"


def text_of_at_most(limit: int, value: str) -> str | None:
    """Return what is wrong with a text of more than `limit` characters, or None."""
    return f"must have at most {limit} characters" if len(value) > limit else None
