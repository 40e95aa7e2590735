"""Odds of a shoe in progress, and surveillance, by REST; rules that are refused or doubted when a table is opened."""

from collections import Counter
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
from tests.table.http.test_dining_room import dining_room
from tests.table.http.test_salon import covered, played, salon

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


def log_of(at: str) -> str:
    """Name a table's stream by its path."""
    return at[1:].replace("tables", "table", 1)


def seen_in(desk: Desk, at: str) -> list[str]:
    """Give every card that the log shows."""
    return [entry["event"]["card"] for entry in entries_of(desk, log_of(at)) if "card" in entry["event"]]


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


def hidden_in(desk: Desk, at: str) -> list[str]:
    """Give the cards of a coup of chemin de fer that lie face down, as the log has them."""
    dealt = [entry["event"] for entry in entries_of(desk, log_of(at)) if entry["event"]["type"] == "card-dealt"]
    down = desk.ask(f"{at}/rounds/current").get("face_down", {})
    hands = {hand: [event["card"] for event in dealt if event["hand"] == hand] for hand in down}
    return [card for hand, count in down.items() for card in hands[hand][:count]]


def test_where_a_player_banks_cards_that_lie_face_down_are_not_counted_before_the_coup_is_over(
    desk: Desk, shared_service: Service
) -> None:
    at = salon(desk)
    covered(desk, at)
    desk.tell(f"{at}/rounds/current/close")
    everybody, rules = shared_service.client(DASHBOARD), builtin("chemin-de-fer").rules
    for _ in range(3):  # the fourth may end the coup
        desk.tell(f"{at}/rounds/current/card")
        shown = everybody.ask(f"{at}/shoes/current/odds")
        hidden, dealt = hidden_in(desk, at), seen_in(desk, at)
        open_ = list((Counter(dealt) - Counter(hidden)).elements())

        expected = odds_of(rules, unseen_after(6, open_), left=312 - len(dealt))

        assert shown["bets"] == in_json({name: bet_told(bet) for name, bet in expected.bets.items()})
        assert (shown["seen"], shown["left"], shown["choices"]) == (len(open_), 312 - len(dealt), "tableau")

    played(desk, at)

    dealt = seen_in(desk, at)
    expected = odds_of(rules, unseen_after(6, dealt), left=312 - len(dealt))
    shown = everybody.ask(f"{at}/shoes/current/odds")
    assert shown["bets"] == in_json({name: bet_told(bet) for name, bet in expected.bets.items()})
    assert (shown["seen"], shown["unseen"], shown["left"]) == (len(dealt), 312 - len(dealt), 312 - len(dealt))


def test_at_two_tableaux_the_odds_are_told_for_either_side(desk: Desk) -> None:
    at = open_table(desk, rules="banque")
    desk.tell(f"{at}/shoes/start")

    shown = desk.ask(f"{at}/shoes/current/odds")

    assert list(shown["bets"]) == ["right", "left", "cheval", "banco-right", "banco-left"]
    assert shown["bets"]["right"]["edge"].startswith("0.0146548042799")
    assert shown["outcomes"]["right"] == shown["outcomes"]["left"]
    assert (shown["choices"], shown["decks"], shown["unseen"]) == ("tableau", 3, 156)


def test_cards_drawn_for_the_first_deal_of_the_dining_room_count(desk: Desk) -> None:
    at = dining_room(desk)
    desk.tell(f"{at}/shoes/current/draw")

    shown = desk.ask(f"{at}/shoes/current/odds")

    cards = seen_in(desk, at)
    rules = builtin("dining-room").rules
    expected = odds_of(rules, unseen_after(2, cards), left=104 - len(cards))
    assert len(cards) >= 4
    assert shown["bets"] == in_json({name: bet_told(bet) for name, bet in expected.bets.items()})
    assert "choices" not in shown


def test_auditors_watch_shoes_in_which_players_bank(desk: Desk, shared_service: Service) -> None:
    at = salon(desk)
    covered(desk, at)
    desk.tell(f"{at}/rounds/current/close")
    played(desk, at)

    seen = shared_service.client(AUDITOR).ask(f"{at}/shoes/1/surveillance")

    assert (seen["rules"], seen["choices"], seen["coups"], seen["favourable"]) == ("chemin-de-fer", "tableau", 1, [])
    banker, player = seen["patrons"]
    assert (banker["patron"], banker["banked"]["otherwise"]) == ("p1", {"coups": 1, "staked": 200})
    assert (player["patron"], player["otherwise"]) == ("p2", {"coups": 1, "staked": 200})
    assert "banked" not in player
