"""Real cards over REST where a player banks: hands, choices between the cards, the draw for the deal, and bundles."""

from pathlib import Path
from typing import Any

from schemas import keyfile
from tests.table.http.service import AUDITOR, ORIGIN, Desk, Service, open_table
from tests.table.http.test_bad_input import told
from tests.table.http.test_banque_tape import LIMITS as BANQUE_LIMITS
from tests.table.http.test_banque_tape import SEATS as BANQUE_SEATS
from tests.table.http.test_banque_tape import banks
from tests.table.http.test_dining_room import actions_of, do
from tests.table.http.test_salon import CURRENT, LIMITS, covered, may
from tests.table.http.test_witnesses import log_check, verify

CARDS = "/shoes/current/cards"
FIVE_AND_THREE = ["2d", "2c", "3h", "Ac"]  # Player 5, who chooses, and Banker 3


def at_a_real_shoe(desk: Desk, *, seats: dict[str, int], **more: Any) -> str:
    """Open a table where these sit, with a shoe of real cards; give its path."""
    at = open_table(desk, patrons=5, chips=20_000, **more)
    for patron, seat in seats.items():
        desk.tell(f"{at}/seats", {"seat": seat, "patron": patron})
    desk.tell(f"{at}/shoes", {"source": "scanned"})
    return at


def chemin(desk: Desk) -> str:
    return at_a_real_shoe(desk, seats={"p1": 1, "p2": 2, "p3": 3}, rules="chemin-de-fer", limits=LIMITS)


def cards(desk: Desk, at: str, *read: str, **more: Any) -> Any:
    """Tell cards as they leave the shoe."""
    return desk.tell(f"{at}{CARDS}", {"cards": list(read), **more})


def test_a_choice_is_awaited_between_real_cards_and_the_last_card_pays(desk: Desk) -> None:
    at = chemin(desk)
    covered(desk, at)
    desk.tell(f"{at}{CURRENT}/close")
    assert may(desk, at) == ["read"]

    dealt = cards(desk, at, *FIVE_AND_THREE, position=0)
    assert [(card["to"], card["position"]) for card in dealt["went"]] == [
        ("player", 0),
        ("banker", 1),
        ("player", 2),
        ("banker", 3),
    ]
    assert (dealt["expects"], dealt["player"], dealt["face_down"]) == ("decision", [], {"player": 2, "banker": 2})
    assert desk.ask(f"{at}{CURRENT}/hands/p2")["hands"] == {"player": ["2d", "3h"]}
    assert desk.ask(f"{at}/shoes/1")["expects"] == "decision"
    desk.tell(f"{at}{CURRENT}/decide", {"patron": "p2", "hand": "player", "choice": "draw"})
    assert desk.ask(f"{at}/shoes/1")["expects"] == "player"
    coup = cards(desk, at, "4h")
    coup = cards(desk, at, "Kd") if coup["state"] == "dealing" else coup

    assert (coup["state"], coup["phase"], coup["expects"]) == ("settled", "between", "no-card")
    assert coup["totals"] == {"player": 9, "banker": 3, "winner": "player"}
    assert [line["bet"] for line in coup["lines"]] == ["bank", "player"]


def test_a_card_before_a_decision_is_irregular_and_people_decide(desk: Desk) -> None:
    at = chemin(desk)
    covered(desk, at)
    desk.tell(f"{at}{CURRENT}/close")
    cards(desk, at, *FIVE_AND_THREE)

    early = told(desk.post(f"{at}{CARDS}", {"cards": ["4h"]}), 409, "irregular-card")

    assert (early["values"]["irregularity"], early["values"]["came"]) == ("card-before-decision", "4h")
    assert (desk.ask(at)["suspended"], may(desk, at)) == ("irregular-card-before-decision", [])
    desk.tell(f"{at}/resume")
    desk.tell(f"{at}{CURRENT}/decide", {"patron": "p2", "hand": "player", "choice": "draw"})
    assert cards(desk, at, "4h")["went"][0]["to"] == "player"


def test_when_the_last_choice_is_to_stand_the_dealer_settles(desk: Desk) -> None:
    whole = desk.ask("/rules/chemin-de-fer")["rules"] | {"play": {"mode": "free"}}
    at = at_a_real_shoe(desk, seats={"p1": 1, "p2": 2, "p3": 3}, rules=whole, limits=LIMITS)
    covered(desk, at)
    told(desk.post(f"{at}{CURRENT}/coup"), 409, "shoe-source")
    desk.tell(f"{at}{CURRENT}/close")
    told(desk.post(f"{at}{CURRENT}/deal"), 409, "shoe-source")
    cards(desk, at, *FIVE_AND_THREE)
    for patron, hand in (("p2", "player"), ("p1", "banker")):
        desk.tell(f"{at}{CURRENT}/decide", {"patron": patron, "hand": hand, "choice": "stand"})

    assert may(desk, at) == ["deal"]
    coup = desk.tell(f"{at}{CURRENT}/deal")

    assert (coup["state"], coup["totals"]["winner"]) == ("settled", "player")


def test_at_two_tableaux_two_readers_agree_and_the_bundle_is_verified(
    desk: Desk, shared_service: Service, tmp_path: Path
) -> None:
    at = at_a_real_shoe(desk, seats=BANQUE_SEATS, rules="banque", limits=BANQUE_LIMITS)
    desk.tell(f"{at}/rounds")
    banks(desk, at)
    desk.tell(f"{at}{CURRENT}/bets", {"patron": "p5", "bet": "cheval", "amount": 80})
    desk.tell(f"{at}{CURRENT}/close")
    first = ["Kd", "Kh", "9d", "7d", "6h", "Kc"]  # the banker has a natural

    dealt = cards(desk, at, *first, reader="a")
    assert [card["to"] for card in dealt["went"][:3]] == ["right", "left", "banker"]
    assert dealt["expects"] == "second-reader"
    coup = cards(desk, at, *first, reader="b")
    desk.tell(f"{at}/shoes/current/close", {"reason": "end-of-day"})

    assert (coup["state"], coup["right"], coup["left"], coup["banker"]) == (
        "settled",
        ["Kd", "7d"],
        ["Kh", "6h"],
        ["9d", "Kc"],
    )
    path = tmp_path / "shoe.zip"
    path.write_bytes(shared_service.client(AUDITOR).get(f"{at}/shoes/1/bundle").content)
    checks = verify(path, "--log-key", log_key(shared_service)).stdout
    assert '"failed"' not in checks
    assert log_check(verify(path, "--log-key", log_key(shared_service))) == ("passed", "")


def log_key(service: Service) -> str:
    """The key of a service's log."""
    return keyfile.load(service.directory / "log.key", ORIGIN).verifier.vkey


def test_a_game_of_the_dining_room_begins_with_a_draw_of_real_cards(desk: Desk) -> None:
    at = at_a_real_shoe(desk, seats={"p1": 1, "p2": 2, "p3": 3}, rules="dining-room")
    assert cards(desk, at, "As")["expects"] == "draw"
    told(desk.post(f"{at}/shoes/current/draw"), 409, "shoe-source")

    drawn = cards(desk, at, "Kd", "2c")
    assert [(card["to"], card["seat"]) for card in drawn["went"]] == [("draw", 1), ("draw", 2)]
    assert (drawn["phase"], drawn["expects"]) == ("drawing", "draw")
    assert cards(desk, at, "3c")["expects"] == "no-card"
    while (action := actions_of(desk, at))[:1] and action[0]["does"] != "deal":
        do(desk, at, action[0])
    coup = cards(desk, at, "9h", "Kc", "Kh", "2s")

    assert (coup["state"], coup["totals"]["winner"]) == ("settled", "player")
