"""A shoe of real cards over REST: told card by card, agreed on by two readers, held when irregular, proved."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from schemas.note import parse_vkey
from services.audit.log import Trust
from services.audit.verdict import judge
from services.table.game.cards import CARDS
from tests.audit.page.node import NODE, verify
from tests.table.http.conftest import MakeService
from tests.table.http.service import Desk, entries_of, new_key, open_table
from tests.table.http.test_bad_input import told

BET = {"patron": "p1", "bet": "banker", "amount": 500}
PLAYER_WINS = ["9d", "Kd", "Kh", "Ac"]
SIX_CARDS = ["Kd", "Kh", "Qd", "3h", "2c", "5h"]
CARDS_TOLD = "shoes/current/cards"
IRREGULAR_AFTER = 3


def real_shoe(desk: Desk, **more: Any) -> str:
    """Open a table with a shoe of real cards, burned by an ace, and give its path."""
    at = open_table(desk, **more)
    desk.tell(f"{at}/shoes", {"source": "scanned"})
    desk.tell(f"{at}/{CARDS_TOLD}", {"cards": ["As"]})
    return at


def dealing(desk: Desk, at: str, bet: Any = BET) -> None:
    """Go on to where cards fall."""
    desk.tell(f"{at}/rounds")
    desk.tell(f"{at}/rounds/current/bets", bet)
    desk.tell(f"{at}/rounds/current/close")


def irregular(desk: Desk, at: str, **body: Any) -> dict[str, Any]:
    """Tell cards that cannot have come, and give the problem's facts; no card was taken."""
    before = desk.ask(at)
    answer = desk.post(f"{at}/{CARDS_TOLD}", body)
    assert answer.status_code == 409, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["type"] == "urn:shoelog:problem:irregular-card"
    assert problem["would_be_right"]
    after = desk.ask(at)
    assert after["suspended"] == f"irregular-{problem['values']['irregularity']}"
    assert after["shoe"]["position"] == before["shoe"]["position"]
    assert after.get("round") == before.get("round")
    return dict(problem["values"])


def test_the_service_says_where_each_card_goes_and_what_comes_next(desk: Desk) -> None:
    at = open_table(desk)
    shoe = desk.tell(f"{at}/shoes/start", {"source": "scanned"})
    assert not {"seed_commitment", "root", "entropy"} & shoe.keys()
    assert desk.ask(f"{at}/shoes/1")["expects"] == "burn"

    burned = desk.tell(f"{at}/{CARDS_TOLD}", {"cards": ["7c"], "position": 0})
    assert (burned["went"], burned["burned"]) == ([{"card": "7c", "to": "burn", "position": 0}], 8)
    assert (burned["expects"], burned["next_position"]) == ("no-card", 8)
    dealing(desk, at)
    went: list[Any] = []
    for card in SIX_CARDS:
        answer = desk.tell(f"{at}/{CARDS_TOLD}", {"cards": [card]})
        went += answer["went"]

    assert [card["to"] for card in went] == ["player", "banker"] * 3
    assert [card["position"] for card in went] == [8, 9, 10, 11, 12, 13]
    assert (answer["state"], answer["expects"]) == ("settled", "no-card")
    assert answer["totals"] == {"player": 2, "banker": 8, "winner": "banker"}
    assert answer["lines"][0]["returned"] == 975
    assert desk.ask(f"{at}/shoes/1/rounds/1")["player"] == ["Kd", "Qd", "2c"]


def test_a_repeat_under_the_same_key_tells_no_card_twice(desk: Desk) -> None:
    at = real_shoe(desk)
    dealing(desk, at)
    key, body = new_key(), {"cards": ["9d"], "position": 2}

    first = desk.tell(f"{at}/{CARDS_TOLD}", body, Idempotency_Key=key)
    again = desk.tell(f"{at}/{CARDS_TOLD}", body, Idempotency_Key=key)

    assert again == first
    told(desk.post(f"{at}/{CARDS_TOLD}", body), 409, "cards-known")
    assert desk.ask(at)["round"]["player"] == ["9d"]


def test_a_card_that_cannot_have_come_holds_play_and_people_decide(desk: Desk) -> None:
    at = real_shoe(desk)
    desk.tell(f"{at}/rounds")

    facts = irregular(desk, at, cards=["2c"])

    assert facts == {"irregularity": "card-before-last-call", "came": "2c", "expected": "no-card", "position": 2}
    told(desk.post(f"{at}/rounds/current/bets", BET), 409, "table-suspended")
    desk.tell(f"{at}/resume")
    desk.tell(f"{at}/rounds/current/bets", BET)
    desk.tell(f"{at}/rounds/current/close")
    assert irregular(desk, at, cards=[*PLAYER_WINS, "2c"])["irregularity"] == "card-after-coup"
    told(desk.post(f"{at}/{CARDS_TOLD}", {"cards": PLAYER_WINS}), 409, "table-suspended")
    desk.tell(f"{at}/rounds/current/void", {"reason": "surplus-card"})
    desk.tell(f"{at}/resume")
    assert desk.ask(at)["stacks"]["p1"] == 1_000_000
    assert irregular(desk, at, cards=["2c"])["irregularity"] == "card-between-coups"


def test_an_irregularity_is_answered_alike_when_it_is_told_again(desk: Desk) -> None:
    at, key, body = real_shoe(desk), new_key(), {"cards": ["2c"]}

    first, again = (desk.post(f"{at}/{CARDS_TOLD}", body, Idempotency_Key=key) for _ in range(2))
    under_another = desk.post(f"{at}/{CARDS_TOLD}", body)

    assert first.status_code == again.status_code == under_another.status_code == 409
    assert first.json() == again.json() == under_another.json()
    kinds = [entry["event"]["type"] for entry in entries_of(desk, at.removeprefix("/").replace("tables", "table"))]
    assert kinds[-2:] == ["cards-burned", "table-suspended"]


def test_two_readers_agree_before_anything_is_paid(desk: Desk) -> None:
    at = real_shoe(desk)
    dealing(desk, at)

    early = desk.tell(f"{at}/{CARDS_TOLD}", {"cards": PLAYER_WINS[:1], "reader": "b"})
    assert (early["entries"], early["expects"]) == (0, "player")
    whole = desk.tell(f"{at}/{CARDS_TOLD}", {"cards": PLAYER_WINS, "reader": "a"})
    assert (whole["state"], whole["expects"], whole["lines"]) == ("dealing", "second-reader", [])
    settled = desk.tell(f"{at}/{CARDS_TOLD}", {"cards": PLAYER_WINS, "reader": "b"})
    assert (settled["state"], settled["totals"]["winner"]) == ("settled", "player")
    again = desk.tell(f"{at}/{CARDS_TOLD}", {"cards": PLAYER_WINS, "reader": "b"})
    assert (again["state"], again["entries"], again["lines"]) == ("settled", 0, settled["lines"])


def test_what_the_second_reader_tells_too_early_is_compared_when_he_tells_it_again(desk: Desk) -> None:
    at, key = real_shoe(desk), new_key()
    dealing(desk, at)
    saw = {"cards": PLAYER_WINS, "reader": "b"}

    early = desk.tell(f"{at}/{CARDS_TOLD}", saw, Idempotency_Key=key)
    desk.tell(f"{at}/{CARDS_TOLD}", {"cards": PLAYER_WINS, "reader": "a"})
    again = desk.tell(f"{at}/{CARDS_TOLD}", saw, Idempotency_Key=key)

    assert (early["entries"], early["state"], again["state"]) == (0, "dealing", "settled")
    assert desk.tell(f"{at}/{CARDS_TOLD}", saw, Idempotency_Key=key) == again


def test_readers_who_disagree_stop_the_coup_and_the_second_may_look_again(desk: Desk) -> None:
    at = real_shoe(desk)
    dealing(desk, at)
    desk.tell(f"{at}/{CARDS_TOLD}", {"cards": PLAYER_WINS, "reader": "a"})

    facts = irregular(desk, at, cards=["9d", "Kd", "Qh"], reader="b")

    assert facts == {"irregularity": "readers-disagree", "came": "Qh", "expected": "Kh", "position": 4}
    told(desk.post(f"{at}/{CARDS_TOLD}", {"cards": PLAYER_WINS, "reader": "b"}), 409, "table-suspended")
    desk.tell(f"{at}/resume")
    assert desk.tell(f"{at}/{CARDS_TOLD}", {"cards": PLAYER_WINS, "reader": "b"})["state"] == "settled"


def test_what_is_known_of_real_cards_survives_a_power_cut(make_service: MakeService) -> None:
    service = make_service()
    desk = service.client()
    at = real_shoe(desk)
    dealing(desk, at)
    desk.tell(f"{at}/{CARDS_TOLD}", {"cards": PLAYER_WINS[:2], "reader": "a"})

    service.kill()
    desk = service.start().client()

    assert desk.ask(at)["shoe"]["expects"] == "player"
    desk.tell(f"{at}/{CARDS_TOLD}", {"cards": PLAYER_WINS[2:], "reader": "a", "position": 4})
    key, saw = new_key(), {"cards": ["9d", "2c"], "reader": "b"}
    held = desk.post(f"{at}/{CARDS_TOLD}", saw, Idempotency_Key=key)

    service.kill()
    desk = service.start().client()

    assert desk.ask(at)["suspended"] == "irregular-readers-disagree"
    again = desk.post(f"{at}/{CARDS_TOLD}", saw, Idempotency_Key=key)
    assert (again.status_code, again.json()) == (held.status_code, held.json())
    desk.tell(f"{at}/resume")
    again = desk.post(f"{at}/{CARDS_TOLD}", saw, Idempotency_Key=key)
    assert (again.status_code, again.json()) == (409, held.json())
    assert "suspended" not in desk.ask(at)
    assert desk.tell(f"{at}/{CARDS_TOLD}", {"cards": PLAYER_WINS, "reader": "b"})["state"] == "settled"
    assert desk.tell(f"{at}/shoes/current/close", {"reason": "test"})["phase"] == "idle"


def test_real_and_sealed_cards_are_not_mixed(desk: Desk) -> None:
    real = real_shoe(desk)
    desk.tell(f"{real}/rounds")
    told(desk.post(f"{real}/rounds/current/coup"), 409, "shoe-source")
    desk.tell(f"{real}/rounds/current/close")
    told(desk.post(f"{real}/rounds/current/deal"), 409, "shoe-source")
    told(desk.post(f"{real}/rounds/current/card"), 409, "shoe-source")

    at = open_table(desk)
    told(desk.post(f"{at}/{CARDS_TOLD}", {"cards": ["2c"]}), 409, "wrong-phase")
    final = {"source": "scanned", "final_source": "drand:" + "0" * 64 + ":7"}
    told(desk.post(f"{at}/shoes", final), 422, "entropy")
    told(desk.post(f"{at}/shoes/start", final), 422, "entropy")
    desk.tell(f"{at}/shoes/start")
    told(desk.post(f"{at}/{CARDS_TOLD}", {"cards": ["2c"]}), 409, "shoe-source")


@pytest.mark.parametrize("body", [{}, {"cards": []}, {"cards": ["1c"]}, {"cards": ["2c"] * 13}, {"cards": "2c"}])
def test_what_is_no_card_is_an_error_to_retype(desk: Desk, body: Any) -> None:
    at = real_shoe(desk)

    told(desk.post(f"{at}/{CARDS_TOLD}", body), 400, "misshapen")

    assert "suspended" not in desk.ask(at)


def bets(chance: random.Random) -> Iterator[list[dict[str, Any]]]:
    """What patrons stake, coup after coup."""
    while True:
        names = chance.sample(["player", "banker", "tie", "player-pair"], chance.randint(0, 2))
        yield [{"patron": f"p{number}", "bet": bet, "amount": 500} for number, bet in enumerate(names, 1)]


def deal(desk: Desk, at: str, cards: Sequence[str], position: int, *, readers: str | None) -> int:
    """Tell a coup's cards, four and then one by one, by one reader or by two; give the place of the next card."""
    named = {} if readers is None else {"reader": readers}
    first, many = position, 4
    while True:
        told_now = {"cards": cards[position : position + many], "position": position, **named}
        answer = desk.tell(f"{at}/{CARDS_TOLD}", told_now)
        position, many = answer["next_position"], 1
        if answer["expects"] == "second-reader":
            answer = desk.tell(f"{at}/{CARDS_TOLD}", {"cards": cards[first:position], "reader": "b"})
            assert answer["state"] == "settled"
        if answer["expects"] == "no-card":
            return position


def play(desk: Desk, at: str, cards: Sequence[str], chance: random.Random) -> int:
    """Deal a real shoe to its end, and close it; give how many coups it had."""
    staked = bets(chance)
    position = desk.tell(f"{at}/{CARDS_TOLD}", {"cards": cards[:1], "position": 0})["next_position"]
    coups = 0
    while (opened := desk.post(f"{at}/rounds")).is_success:
        coups += 1
        for bet in next(staked):
            desk.tell(f"{at}/rounds/current/bets", bet)
        desk.tell(f"{at}/rounds/current/close")
        position = deal(desk, at, cards, position, readers=(None, "a")[coups % 2])
        if coups == IRREGULAR_AFTER:
            irregular(desk, at, cards=["2c"])
            desk.tell(f"{at}/resume")
    told(opened, 409, "shoe-over")
    desk.tell(f"{at}/shoes/current/close")
    return coups


def test_a_real_shoe_dealt_through_rest_passes_both_verifiers(desk: Desk, tmp_path: Path) -> None:
    chance = random.Random("a real shoe")
    cards = chance.sample([*CARDS] * 2, 104)
    rules = desk.ask("/rules/punto-banco")
    rules["rules"]["procedure"] = {"decks": 2, "burn": "first-card", "cut": 14, "after_cut": "one-more"}
    at = open_table(desk, rules=rules["rules"], limits=rules["limits"])
    desk.tell(f"{at}/shoes", {"source": "scanned"})

    coups = play(desk, at, cards, chance)

    table, path = at.rpartition("/")[2], tmp_path / "real.zip"
    path.write_bytes(desk.get(f"{at}/shoes/1/bundle").content)
    of_a_round = tmp_path / "round.zip"
    of_a_round.write_bytes(desk.get(f"{at}/shoes/1/rounds/2/bundle").content)
    vkey = desk.get("/log/vkey").text.strip()
    judged = judge(path, Trust(log_key=parse_vkey(vkey)))
    assert (judged.exit_code, judged.report.complete, judged.report.entropy) == (0, True, None), judged
    assert judge(of_a_round, Trust(log_key=parse_vkey(vkey))).exit_code == 2
    dealt = [e["event"] for e in entries_of(desk, f"table/{table}") if e["event"]["type"] == "card-dealt"]
    burned = desk.ask(f"{at}/shoes/1")["burned"]
    assert [event["card"] for event in dealt] == cards[burned : burned + len(dealt)]
    assert coups > 8
    if NODE is not None:
        status, (report,) = verify("--log-key", vkey, files=[path])
        assert (status, report["entropy"]) == (0, None)
        assert {check["result"] for check in report["checks"] if check["check"] != "ledger"} == {"passed"}
