"""Makes pydantic 2 models of the OpenAPI files by datamodel-code-generator, and parses every example of the files."""

import importlib
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, TypeAdapter

SPECS = Path(__file__).parents[2] / "specs"
MADE = Path(__file__).parent / "made" / "models"
AMOUNTS = re.compile(r"_cents$|InCents$|^(net)?[aA]mount$|^fees$")
NULLABLE = {"payments": [], "business": ["Finance.reserve_cents"]}
"""Amounts that may be null: the reserve of an account that has none (BUS-FIN-05)."""


def media(node: Any) -> Iterator[Mapping[str, Any]]:
    """Yield each media type with a schema, of requests and of responses."""
    for item in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        if isinstance(item, dict) and "schema" in item and "in" not in item and {"example", "examples"} & item.keys():
            yield item
        yield from media(item)


def description(api: str) -> dict[str, Any]:
    """Return the OpenAPI file of an API."""
    return dict(yaml.safe_load((SPECS / api / "openapi.yaml").read_text(encoding="utf-8")))


def examples(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each example of a body with the name of its schema, which has to be a component."""
    for part in media({name: document[name] for name in ("paths", "webhooks")} | document["components"]["responses"]):
        several = part.get("examples", {"": {"value": part.get("example")}}).values()
        for example in several:
            target = (
                document["components"]["examples"][example["$ref"].rpartition("/")[2]] if "$ref" in example else example
            )
            yield part["schema"]["$ref"].rpartition("/")[2], target["value"]


def permitted() -> list[tuple[str, str, Any]]:
    """Return values, by API and schema, that break only a should: no model may refuse them."""
    shown = {name: value for api in ("payments", "business") for name, value in examples(description(api))}
    transfer, charge = shown["TransferCreatedAnswer"]["data"], shown["Charge"]
    return [
        ("payments", "FreeWallet", {"balance": "1050,25"}),  # PAY-BAL-08
        ("payments", "CreatedTransfer", {**transfer, "fees": -1}),  # PAY-TRF-44
        ("payments", "StatusOfCompletion", "completed"),  # PAY-EVT-70
        ("business", "Charge", {**charge, "expires_at": "2026-01-02T03:04:05"}),  # BUS-CHG-71
    ]


def models(api: str) -> Any:
    """Generate the models of one API and import them."""
    path = MADE / f"{api}_models.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    source = SPECS / api / "openapi.yaml"
    command = ["datamodel-codegen", "--input", source, "--input-file-type", "openapi", "--output", path]
    command += ["--output-model-type", "pydantic_v2.BaseModel", "--disable-warnings"]
    subprocess.run(command, check=True)  # noqa: S603  # of fixed words and our own paths
    sys.path.insert(0, str(path.parent))
    return importlib.import_module(path.stem)


def check_names(api: str, classes: Mapping[str, Any]) -> None:
    """Check that no model has a number for a name, and that an amount is an int."""
    assert [name for name in classes if re.search(r"[0-9]$", name)] == []
    fields = [
        (f"{name}.{field}", info.annotation)
        for name, model in classes.items()
        if issubclass(model, BaseModel)
        for field, info in model.model_fields.items()
        if AMOUNTS.search(field)
    ]
    assert fields
    assert [name for name, annotation in fields if annotation is not int] == NULLABLE[api]


def main() -> None:
    """Parse each example, and what breaks a should only."""
    for api in ("payments", "business"):
        module = models(api)
        classes = {
            name: model for name, model in vars(module).items() if getattr(model, "__module__", "") == module.__name__
        }
        check_names(api, classes)
        values = list(examples(description(api)))
        for name, value in [*values, *((name, value) for where, name, value in permitted() if where == api)]:
            TypeAdapter(classes[name]).validate_python(value)
        sys.stdout.write(f"datamodel-code-generator: {len(values)} examples of the {api} API.\n")


main()
