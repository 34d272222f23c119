"""What a run says of a wrong shop: one card for each cause, and what the client was refused where a command failed."""

import json
from pathlib import Path

from pix_conformance.proof.integration_proof import changed, run_shop
from pix_conformance.proof.shop_mutants import MUTANTS
from pix_conformance.proof.shop_mutants.changes import IF_PAID
from pix_conformance.proof.shop_mutants.endpoints import NOTES_IDS

NO_ORDER = 'if not self.database.row("SELECT id FROM orders WHERE id = ?", event["data"]["external_ref"])'
UNKNOWN_ORDER_FAILS = f"        {NO_ORDER}:\n            return 500\n{IF_PAID}"


def cards(directory: Path) -> list[set[str]]:
    rows = json.loads((directory / "report" / "failures.json").read_text("utf-8"))["cards"]
    return [{row["id"] for row in card["requirements"]} for card in rows]


def test_two_causes_of_one_status_stand_on_two_cards(tmp_path: Path) -> None:
    """It answers 500 to an event about an unknown order, and also where the service fails, which it then forgets."""
    program = changed(
        (
            *((text, other) for text, other in MUTANTS["BUS-HOOK-26/notes-what-failed"].changes if text != IF_PAID),
            (IF_PAID, NOTES_IDS + UNKNOWN_ORDER_FAILS.replace("self.credit(", "self.look_after(")),
        )
    )
    run = run_shop(tmp_path, program, {}, "--only", "BUS-HOOK-01,BUS-HOOK-26,BUS-HOOK-29")
    assert sorted(map(sorted, cards(tmp_path))) == [["BUS-HOOK-26"], ["BUS-HOOK-29"]], run.output


def test_one_status_of_all_answers_stands_on_one_card(tmp_path: Path) -> None:
    """It answers 500 to each event."""
    program = changed(((IF_PAID, f"        if event:\n            return 500\n{IF_PAID}"),))
    run = run_shop(tmp_path, program, {}, "--only", "BUS-HOOK-01,BUS-HOOK-03,BUS-HOOK-29")
    assert cards(tmp_path) == [{"BUS-HOOK-01", "BUS-HOOK-03", "BUS-HOOK-29"}], run.output


def test_a_command_that_failed_is_told_with_what_the_client_was_refused(tmp_path: Path) -> None:
    """Its key is refused, and its command says only that it failed."""
    key = """f"Bearer {self.variables['PIX_API_KEY']}\""""
    run = run_shop(tmp_path, changed(((key, '"Bearer ak_test_none"'),)), {}, "--only", "BUS-HOOK-03")
    (row,) = [row for row in run.results["requirements"] if row["id"] == "BUS-HOOK-03"]
    assert "the command order ended with status" in row["reason"]
    assert "got 401" in row["reason"], run.output


def test_a_charge_of_another_amount_is_one_cause(tmp_path: Path) -> None:
    """It asks for a cent less than the price, and credits the price: the crediting of orders is right."""
    program = changed(MUTANTS["BUS-CLI-02/float"].changes)
    asked = "BUS-CLI-02,BUS-CLI-14,BUS-HOOK-03,BUS-HOOK-06,BUS-HOOK-11,BUS-HOOK-25,BUS-HOOK-26"
    run = run_shop(tmp_path, program, {}, "--only", asked)
    assert cards(tmp_path) == [{"BUS-CLI-02"}], run.output
    (reason,) = [row["reason"] for row in run.results["requirements"] if row["id"] == "BUS-CLI-02"]
    assert "* 100), of a float, is" in reason
    assert run.with_outcome("inconclusive") == []
