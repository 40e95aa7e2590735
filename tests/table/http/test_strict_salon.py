"""Strict play where a player banks: the first card is held until witnesses have cosigned that bets are closed."""

import json
from typing import Any

import pytest

from schemas import note, submission
from tests.table.http.service import Desk, Service, entries_of, in_thread
from tests.table.http.test_banque_tape import banks, stakes
from tests.table.http.test_banque_tape import salon as banque_salon
from tests.table.http.test_dining_room import actions_of, dining_room, do
from tests.table.http.test_salon import CURRENT, covered, played, salon
from tests.table.stranger import AWAY, Stranger, cosign, cosign_when_told


def events_at(desk: Desk, at: str) -> list[Any]:
    """The events of a table, in order."""
    return [entry["event"] for entry in entries_of(desk, f"table/{at.rpartition('/')[2]}")]


def cards_at(desk: Desk, at: str) -> list[Any]:
    """The cards that were dealt at a table."""
    return [event for event in events_at(desk, at) if event["type"] == "card-dealt"]


def over(desk: Desk, at: str) -> None:
    """Have p1 name a bank of 200, against which p2 and p3 stake 240."""
    desk.tell(f"{at}/rounds")
    desk.tell(f"{at}{CURRENT}/bank", {"patron": "p1", "amount": 200})
    for patron in ("p2", "p3"):
        desk.tell(f"{at}{CURRENT}/pass", {"patron": patron})
    for patron, amount in (("p2", 150), ("p3", 90)):
        desk.tell(f"{at}{CURRENT}/bets", {"patron": patron, "bet": "player", "amount": amount})
    desk.tell(f"{at}{CURRENT}/pass", {"patron": "p1"})


def held(strict: tuple[Service, Stranger], at: str, dealing: str) -> tuple[list[Any], Any]:
    """Deal; give the events of the table while the witness is asked, and the answer once he has cosigned."""
    service, stranger = strict
    desk, watcher = service.client(), service.client()
    asked_before, stranger.script = len(stranger.asked), cosign_when_told
    answer = in_thread(lambda: desk.post(f"{at}{CURRENT}/{dealing}"))
    while watcher.ask(at)["phase"] != "playing" or len(stranger.asked) == asked_before:
        pass
    before = events_at(watcher, at)
    stranger.may_answer.set()
    said = answer()
    assert said.status_code == 200, said.text
    return before, said.json()


@pytest.mark.parametrize("dealing", ["coup", "deal", "card"])
def test_the_first_card_waits_for_the_witnesses_and_trimmed_stakes_are_of_what_they_cosign(
    strict: tuple[Service, Stranger], dealing: str
) -> None:
    service, stranger = strict
    desk = service.client()
    at = salon(desk)
    over(desk, at)
    if dealing != "coup":
        desk.tell(f"{at}{CURRENT}/close")

    before, answer = held(strict, at, dealing)

    *_, withdrawn, placed, closed = before
    assert answer["phase"] in ("playing", "between")
    assert [event["type"] for event in (withdrawn, placed, closed)] == ["bet-withdrawn", "bet-placed", "bets-closed"]
    assert (placed["amount"], closed["count"]) == (50, 5)
    assert len(cards_at(desk, at)) >= (1 if dealing == "card" else 4)
    lines = [json.loads(line)["event"]["type"] for line in desk.get("/log/entries").text.splitlines()]
    sizes = [int(note.parse(submission.parse(each).checkpoint).text.split(b"\n")[1]) for each in stranger.asked]
    assert any(lines.index("bets-closed") < size <= lines.index("card-dealt") for size in sizes)


def test_when_the_witnesses_are_away_nothing_is_dealt_and_once_they_have_cosigned_all_goes_on(
    strict: tuple[Service, Stranger],
) -> None:
    service, stranger = strict
    desk = service.client()
    at = salon(desk)
    covered(desk, at)
    stranger.script = AWAY

    no = desk.post(f"{at}{CURRENT}/coup", Idempotency_Key="coup-1")
    assert (no.status_code, no.json()["type"]) == (503, "urn:shoelog:problem:unwitnessed")
    assert (desk.ask(at)["phase"], cards_at(desk, at)) == ("playing", [])
    stranger.script = cosign
    dealt = desk.tell(f"{at}{CURRENT}/coup", Idempotency_Key="coup-1")
    stranger.script = AWAY

    assert desk.tell(f"{at}{CURRENT}/coup", Idempotency_Key="coup-1") == dealt
    assert (dealt if dealt["state"] == "settled" else played(desk, at))["phase"] == "between"


def test_at_two_tableaux_the_first_card_is_held_and_choices_are_not(strict: tuple[Service, Stranger]) -> None:
    service, stranger = strict
    desk = service.client()
    at = banque_salon(desk)
    desk.tell(f"{at}/rounds")
    banks(desk, at)
    stakes(desk, at, [("p2", "right", 100), ("p3", "left", 150), ("p1", "left", 150)])

    before, dealt = held(strict, at, "coup")
    stranger.script = AWAY

    assert before[-1]["type"] == "bets-closed"
    assert (dealt if dealt["state"] == "settled" else played(desk, at))["phase"] == "between"


def test_a_coup_that_the_last_call_leaves_void_waits_for_nobody(strict: tuple[Service, Stranger]) -> None:
    service, stranger = strict
    desk = service.client()
    at = banque_salon(desk)
    desk.tell(f"{at}/rounds")
    banks(desk, at)
    stranger.script = AWAY

    voided = desk.tell(f"{at}{CURRENT}/coup")

    assert (voided["state"], voided["voided"]["reason"]) == ("voided", "no-stakes")


def test_the_draw_for_the_deal_waits_for_nobody_and_the_first_card_of_its_round_does(
    strict: tuple[Service, Stranger],
) -> None:
    service, stranger = strict
    desk = service.client()
    at = dining_room(desk)
    stranger.script = AWAY
    desk.tell(f"{at}/shoes/current/draw")
    while (action := actions_of(desk, at)[0])["does"] != "deal":
        do(desk, at, action)

    before, dealt = held(strict, at, "deal")

    assert before[-1]["type"] == "bets-closed"
    assert dealt["state"] == "settled"
