"""The table service is killed as by a power cut, at every step of a coup, and goes on where it was."""

import contextlib
import threading
from typing import Any

import httpx

from services.table.game.shoe import derive, mix
from tests.table.http.conftest import MakeService
from tests.table.http.service import Desk, entries_of, new_key, open_table
from tests.table.http.test_bad_input import BET

CURRENT = "/rounds/current"
STEPS: tuple[tuple[str, Any], ...] = (
    ("/shoes", None),
    ("/shoes/current/entropy", {"source": "patron:p1", "value": "00ff"}),
    ("/shoes/current/shuffle", None),
    ("/rounds", None),
    (f"{CURRENT}/bets", BET),
    (f"{CURRENT}/bets", [{**BET, "bet": "banker"}, {**BET, "patron": "p2", "bet": "tie"}]),
    (f"{CURRENT}/close", None),
    (f"{CURRENT}/card", None),
    (f"{CURRENT}/card", None),
    (f"{CURRENT}/card", None),
    (f"{CURRENT}/deal", None),
    ("/rounds", None),
    (f"{CURRENT}/bets", BET),
    (f"{CURRENT}/coup", None),
    ("/shoes/current/close", {"reason": "test"}),
)


def test_a_service_killed_at_every_step_of_a_coup_goes_on_with_the_same_shoe(make_service: MakeService) -> None:
    """Each command is killed at one moment or another of its way: as it is sent, or one or two other answers later."""
    service = make_service()
    at = open_table(service.client())
    answers: list[Any] = []
    for number, (path, body) in enumerate(STEPS):
        key, desk = new_key(), service.client()
        interrupted = threading.Thread(target=try_to_post, args=[desk, at + path, body, key])
        interrupted.start()
        for _ in range(number % 3):
            service.client().get("/log/vkey")
        service.process.kill()
        interrupted.join()
        service.kill()

        desk = service.start().client()

        assert not answers or desk.ask(at)["version"] >= answers[-1]["version"]
        answers.append(desk.tell(at + path, body, Idempotency_Key=key))

    was_dealt_from_one_sealed_shoe(desk, at)
    no_bet_was_settled_twice(desk, at, answers)


def try_to_post(desk: Desk, path: str, body: Any, key: str) -> None:
    with contextlib.suppress(httpx.TransportError):
        desk.post(path, body, Idempotency_Key=key)


def was_dealt_from_one_sealed_shoe(desk: Desk, at: str) -> None:
    """Compare every card with the shoe that was committed to, in order, none left out and none twice."""
    events = events_of(desk, at)
    end = next(event for event in events if event["type"] == "shoe-closed")
    added = [
        (event["source"], bytes.fromhex(event["value"])) for event in events if event["type"] == "entropy-contributed"
    ]
    shoe = derive(seed=bytes.fromhex(end["seed"]), shoe_id=f"{at.rpartition('/')[2]}/1", decks=8, mix=mix(added))
    opened = [event for event in events if event["type"] == "card-dealt"]
    burned = next(event["count"] for event in events if event["type"] == "cards-burned")
    assert [event["position"] for event in opened] == list(range(burned, burned + len(opened)))
    assert all(shoe.cards[event["position"]] == event["card"] for event in opened)


def no_bet_was_settled_twice(desk: Desk, at: str, answers: list[Any]) -> None:
    """Compare what the patrons have with what every settlement, each there once, gave them."""
    events = events_of(desk, at)
    settled = [event for event in events if event["type"] == "round-settled"]
    assert [event["round"] for event in settled] == [1, 2]
    assert len([event for event in events if event["type"] == "bet-placed"]) == 4
    assert len({answer["position"] for answer in answers}) == len(STEPS)
    won = sum(line["returned"] - line["stake"] for event in settled for line in event["lines"])
    assert sum(desk.ask(at)["stacks"].values()) == 2_000_000 + won


def events_of(desk: Desk, at: str) -> list[Any]:
    entries = entries_of(desk, at[1:].replace("tables", "table"))
    assert [entry["version"] for entry in entries] == list(range(1, len(entries) + 1))
    return [entry["event"] for entry in entries]
