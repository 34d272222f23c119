"""Validation by jsonschema with one validator for all schemas, which jsonschema copies for each of their parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend


def one_for_all(formats: FormatChecker) -> Any:
    """Return a validator whose `descend(instance, schema)` yields the errors of a schema without `$ref`."""
    kind: Any = extend(Draft202012Validator)  # type: ignore[no-untyped-call]
    kind.descend = _descend
    return kind({}, format_checker=formats)


def _descend(
    self: Validator,
    instance: Any,
    schema: Any,
    path: str | int | None = None,
    schema_path: str | int | None = None,
) -> Iterator[ValidationError]:
    """Yield the errors of a part, as jsonschema's own method does. The copy that it makes only resolves `$ref`."""
    for keyword, wanted in schema.items():
        check = self.VALIDATORS.get(keyword)
        for error in (check and check(self, wanted, instance, schema)) or ():
            error._set(  # noqa: SLF001  # as jsonschema itself completes an error
                validator=keyword,
                validator_value=wanted,
                instance=instance,
                schema=schema,
                type_checker=self.TYPE_CHECKER,
            )
            error.schema_path.appendleft(keyword)
            if path is not None:
                error.path.appendleft(path)
            if schema_path is not None:
                error.schema_path.appendleft(schema_path)
            yield error
