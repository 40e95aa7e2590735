"""A whole shoe of baccarat banque over REST: auction, banco, stakes, three hands, until the cut card is out."""

from collections.abc import Iterator
from itertools import cycle
from typing import Any

from tests.table.http.service import AUDITOR, Desk, Service, entries_of, open_table

CURRENT = "/rounds/current"
SEATS = {"p1": 1, "p2": 2, "p3": 10, "p4": 9}
CHIPS = 20_000
LIMITS = {
    "bets": {
        "bank": {"min": 1000, "max": 50_000},
        **{bet: {"min": 50, "max": 9000} for bet in ("right", "left", "cheval")},
        **{bet: {"min": 1000, "max": 50_000} for bet in ("banco-right", "banco-left")},
    }
}
# What is staked, round after round; nothing is a coup without stakes.
STAKES: tuple[list[tuple[str, str, int]], ...] = (
    [("p2", "right", 100), ("p3", "left", 150), ("p5", "cheval", 80)],
    [("p3", "right", 300)],
    [],
    [("p4", "cheval", 90), ("p4", "left", 60), ("p2", "right", 50)],
)


def salon(desk: Desk) -> str:
    """Open a table with two on either side and one standing by, and a shoe; give its path."""
    at = open_table(desk, patrons=5, chips=CHIPS, rules="banque", limits=LIMITS)
    for patron, seat in SEATS.items():
        desk.tell(f"{at}/seats", {"seat": seat, "patron": patron})
    desk.tell(f"{at}/shoes/start")
    return at


def actions(desk: Desk, at: str) -> list[Any]:
    """Give what each may do now."""
    found: list[Any] = desk.ask(f"{at}/actions")["actions"]
    return found


def banks(desk: Desk, at: str) -> None:
    """Have the bank named again, or auctioned in three bids; nobody calls banco."""
    bids = iter((500, 700, 900))
    while asked := actions(desk, at):
        first = asked[0]
        said = {"patron": first.get("patron"), "amount": first.get("least", 0)}
        if first["does"] == "bank":
            desk.tell(f"{at}{CURRENT}/bank", said)
        elif first["does"] == "ask" and (more := next(bids, None)):
            desk.tell(f"{at}{CURRENT}/ask", {**said, "bet": "bank", "amount": said["amount"] + more})
        elif any(action["does"] == "pass" for action in asked):
            desk.tell(f"{at}{CURRENT}/pass", {"patron": first["patron"]})
        else:
            return


def stakes(desk: Desk, at: str, wanted: list[tuple[str, str, int]]) -> None:
    """Stake as far as the banker does not, and take one stake back and place it again."""
    for patron, bet, amount in wanted:
        if desk.post(f"{at}{CURRENT}/bets", {"patron": patron, "bet": bet, "amount": amount}).is_success:
            desk.tell(f"{at}{CURRENT}/bets/withdraw", {"patron": patron, "bet": bet})
            desk.tell(f"{at}{CURRENT}/bets", {"patron": patron, "bet": bet, "amount": amount})


def played(desk: Desk, at: str) -> None:
    """Close the bets and play the hands: sides stand on 5, and the banker is silent."""
    closed = desk.tell(f"{at}{CURRENT}/close")
    if closed["phase"] == "between":
        return
    while True:
        coup = desk.post(f"{at}{CURRENT}/deal")
        if coup.is_success and coup.json()["state"] == "settled":
            return
        (action,) = actions(desk, at)
        assert action["does"] == "decide"
        if action["hand"] == "banker":
            advice = desk.ask(f"{at}{CURRENT}/hands/{action['patron']}")["advice"]
            assert advice["banker"] in action["choices"]
            desk.tell(f"{at}{CURRENT}/silence")
        else:
            said = {"patron": action["patron"], "hand": action["hand"], "choice": "stand"}
            desk.tell(f"{at}{CURRENT}/decide", said)


def shoe(desk: Desk, at: str, tape: Iterator[list[tuple[str, str, int]]]) -> int:
    """Play until the shoe is over, and close it; give the number of its rounds."""
    rounds = 0
    while (opened := desk.post(f"{at}/rounds")).is_success:
        rounds += 1
        banks(desk, at)
        stakes(desk, at, next(tape))
        played(desk, at)
    assert opened.json()["type"] == "urn:shoelog:problem:shoe-over", opened.text
    desk.tell(f"{at}/shoes/current/close")
    return rounds


def test_a_whole_shoe_is_played_and_every_chip_is_accounted_for(desk: Desk, shared_service: Service) -> None:
    at = salon(desk)

    rounds = shoe(desk, at, cycle(STAKES))

    stream = at.replace("/tables", "table", 1)
    events = [entry["event"] for entry in entries_of(shared_service.client(AUDITOR), stream)]
    of = {kind: [event for event in events if event["type"] == kind] for kind in {event["type"] for event in events}}
    assert len(of["seats-set"]) == rounds == len(of["round-settled"]) + len(of["round-voided"])
    assert {event["reason"] for event in of["round-voided"]} == {"no-stakes"}
    assert len(of["cut-card-reached"]) == 1
    assert {event["hand"] for event in of["card-dealt"]} == {"right", "left", "banker"}
    levied = 0
    for settled in of["round-settled"]:
        lines = settled["lines"]
        assert set(settled) >= {"right", "left", "banker", "winners"}
        assert sum(line["stake"] for line in lines) == sum(line["returned"] + line["commission"] for line in lines)
        levied += lines[0]["commission"]
    assert sum(desk.ask(at)["stacks"].values()) == 5 * CHIPS - levied


def test_at_an_auction_everybody_who_is_asked_has_the_time_for_a_bank(desk: Desk) -> None:
    at = salon(desk)
    desk.tell(f"{at}/rounds")
    desk.tell(f"{at}{CURRENT}/ask", {"patron": "p3", "bet": "bank", "amount": CHIPS})

    asked = actions(desk, at)

    assert [(action["patron"], action["does"]) for action in asked] == [("p1", "pass"), ("p2", "pass"), ("p4", "pass")]
    assert {action["seconds"] for action in asked} == {30}


def test_a_list_of_stakes_is_placed_as_one_command_with_a_receipt_for_each(desk: Desk) -> None:
    at = salon(desk)
    desk.tell(f"{at}/rounds")
    banks(desk, at)
    wanted = [("p2", "right", 100), ("p2", "cheval", 50), ("p5", "left", 150)]
    bets = [{"patron": patron, "bet": bet, "amount": amount} for patron, bet, amount in wanted]

    refused = desk.post(f"{at}{CURRENT}/bets", [*bets, {"patron": "p5", "bet": "banco-left", "amount": 5000}])
    none = desk.ask(f"{at}{CURRENT}")["stakes"]
    placed = desk.tell(f"{at}{CURRENT}/bets?receipt=true", bets)

    assert (refused.status_code, refused.json()["where"]) == (422, "[3].bet")
    assert [stake["bet"] for stake in none] == ["bank"]
    assert placed["stacks"] == {"p2": CHIPS - 150, "p5": CHIPS - 150}
    assert [placed["version"] - receipt["version"] for receipt in placed["receipts"]] == [2, 1, 0]
    there = desk.ask(f"{at}{CURRENT}")["stakes"][1:]
    assert [(stake["patron"], stake["bet"], stake["amount"]) for stake in there] == wanted
