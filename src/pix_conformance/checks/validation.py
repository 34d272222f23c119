"""Validation by jsonschema with one validator for all schemas, which jsonschema copies for each of their parts."""

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend

MOST_ITEMS = 20_000
"""How many valid items are remembered at most."""


class KnownItems:
    """The keyword `items`, which validates equal items of arrays once: lists show the same charges again and again."""

    def __init__(self) -> None:
        """Begin without items."""
        self._valid: set[tuple[int, str]] = set()
        self._schemas: dict[int, Any] = {}
        """The schemas of these items, kept so that no later one gets the same `id`."""

    def __call__(self, validator: Any, items: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:  # noqa: ARG002  # jsonschema passes all four
        """Yield the errors of an array's items. `repr` tells 1 from 1.0 and from True, as schemas do."""
        for index, item in enumerate(instance if isinstance(instance, list) else ()):
            key = (id(items), repr(item))
            if key not in self._valid:
                errors = list(validator.descend(item, items, path=index))
                yield from errors
                if not errors and len(self._valid) < MOST_ITEMS:
                    self._valid.add(key)
                    self._schemas[id(items)] = items


def one_for_all(formats: FormatChecker) -> Any:
    """Return a validator whose `descend(instance, schema)` yields the errors of a schema without `$ref`."""
    kind: Any = extend(Draft202012Validator, {"items": KnownItems()})  # type: ignore[no-untyped-call]
    kind.descend = _descend
    return kind({}, format_checker=formats)


def _descend(
    self: Validator, instance: Any, schema: Any, path: str | int | None = None, schema_path: str | int | None = None
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
