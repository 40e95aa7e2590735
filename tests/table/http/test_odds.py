"""Odds of a shoe in progress, and surveillance, by REST; rules that are refused or doubted when a table is opened."""

from typing import Any

import msgspec

from services.table.game.deals import unseen_after
from services.table.game.odds import bet_told, fresh_odds, odds_of
from services.table.game.rules import builtin
from tests.table.http.service import (
    AUDITOR,
    DASHBOARD,
    Desk,
    Service,
    entries_of,
    new_name,
    open_round,
    open_table,
    opening,
)

RULES = builtin("punto-banco").rules


def own_rules(**bets: Any) -> dict[str, Any]:
    """Say how a table is opened with rules of one's own."""
    tree = msgspec.to_builtins(RULES)
    rules = tree | {"name": "evening", "bets": tree["bets"] | bets}
    limits = {"bets": {bet: {"min": 1, "max": 1000} for bet in rules["bets"]}}
    return opening(new_name("t"), rules=rules, limits=limits)


def in_json(told: Any) -> Any:
    """Give what a reader of JSON finds."""
    return msgspec.json.decode(msgspec.json.encode(told))


def seen_in(desk: Desk, at: str) -> list[str]:
    """Give every card that the log shows."""
    return [
        entry["event"]["card"]
        for entry in entries_of(desk, at[1:].replace("tables", "table", 1))
        if "card" in entry["event"]
    ]


def test_the_odds_follow_the_cards_that_were_seen_and_no_other(desk: Desk, shared_service: Service) -> None:
    at = open_round(desk)
    desk.tell(f"{at}/rounds/current/coup")

    shown = shared_service.client(DASHBOARD).ask(f"{at}/shoes/current/odds")

    seen = seen_in(desk, at)
    shoe = desk.ask(f"{at}")["shoe"]
    expected = odds_of(RULES, unseen_after(8, seen), left=416 - shoe["position"])
    assert shown["bets"] == in_json({name: bet_told(bet) for name, bet in expected.bets.items()})
    assert (shown["round"], shown["seen"], shown["unseen"]) == (1, len(seen), 416 - len(seen))
    assert (shown["left"], shown["decks"]) == (416 - shoe["position"], 8)


def test_before_the_first_card_the_odds_are_those_of_a_fresh_shoe(desk: Desk) -> None:
    at = open_table(desk)
    desk.tell(f"{at}/shoes")

    shown = desk.ask(f"{at}/shoes/current/odds")

    assert shown["seen"] == 0
    assert shown["bets"]["banker"] == in_json(bet_told(fresh_odds(RULES).bets["banker"]))


def test_a_table_without_a_shoe_has_no_odds(desk: Desk) -> None:
    answer = desk.get(f"{open_table(desk)}/shoes/current/odds")

    assert (answer.status_code, answer.json()["type"]) == (404, "urn:shoelog:problem:unknown-shoe")


def test_auditors_see_which_coups_were_in_the_favour_of_patrons_and_what_was_staked(
    desk: Desk, shared_service: Service
) -> None:
    at = open_round(desk, rules="simplified")
    desk.tell(f"{at}/rounds/current/bets", {"patron": "p1", "bet": "banker", "amount": 700})
    desk.tell(f"{at}/rounds/current/coup")
    auditor = shared_service.client(AUDITOR)

    seen = auditor.ask(f"{at}/shoes/1/surveillance")

    assert (seen["coups"], [coup["round"] for coup in seen["favourable"]]) == (1, [1])
    assert seen["favourable"][0]["bets"][0]["bet"] == "banker"
    (patron,) = seen["patrons"]
    assert (patron["patron"], patron["in_favour"]) == ("p1", {"coups": 1, "staked": 700})
    assert auditor.get(f"{at}/shoes/2/surveillance").status_code == 404
    assert shared_service.client(DASHBOARD).get(f"{at}/shoes/1/surveillance").status_code == 403


def test_a_rung_that_no_coup_reaches_is_refused_with_a_pointer_to_it(desk: Desk) -> None:
    lucky = {"ladder": [{"winner": "tie", "pays": "8/1"}, {"winner": "tie", "player": 6, "pays": "20/1"}]}

    answer = desk.post("/tables", own_rules(lucky=lucky))

    problem = answer.json()
    assert (answer.status_code, problem["type"]) == (422, "urn:shoelog:problem:rules-unsound")
    assert problem["where"] == "/rules/bets/lucky/ladder/1"
    assert problem["would_be_right"] == "move it up, or leave it out"
    assert [told["pointer"] for told in problem["values"]["complaints"]] == ["/rules/bets/lucky/ladder/1"]


def test_rules_of_the_wrong_shape_are_refused_with_a_pointer_to_every_part(desk: Desk) -> None:
    wrong = own_rules(lucky={"ladder": [{"winner": "tie", "pays": 8.5}]})
    wrong["rules"]["procedure"] |= {"decks": 13}
    wrong["limits"]["bets"]["lucky"] = {"min": 0, "max": 5}

    answer = desk.post("/tables", wrong)

    problem = answer.json()
    assert (answer.status_code, problem["type"]) == (400, "urn:shoelog:problem:misshapen")
    assert (problem["where"], problem["would_be_right"]) == ("/rules/procedure/decks", "1 to 12")
    assert [told["pointer"] for told in problem["values"]["complaints"]] == [
        "/rules/procedure/decks",
        "/rules/bets/lucky/ladder/0/pays",
        "/limits/bets/lucky/min",
    ]


def test_doubtful_rules_open_a_table_with_a_warning(desk: Desk) -> None:
    lucky = {"ladder": [{"winner": "tie", "pays": "8/1"}, {"player": 6, "pays": "20/1"}]}

    told = desk.tell("/tables", own_rules(lucky=lucky))

    (warning,) = told["warnings"]
    assert warning.startswith("bets.lucky.ladder[1]: shares coups with bets.lucky.ladder[0]")


def test_a_table_is_opened_with_a_version_of_a_rule_set(desk: Desk) -> None:
    at = open_table(desk, rules="ez@1")

    assert desk.ask(at)["rules"]["version"] == 1
    assert desk.ask("/rules/ez?version=1") == desk.ask("/rules/ez")
    assert desk.get("/rules/ez?version=2").status_code == 404
    assert {"name": "ez", "version": 1, "is_retired": False} in desk.ask("/rules")["editions"]
    assert desk.post("/tables", opening(new_name("t"), rules="ez@2")).status_code == 422
