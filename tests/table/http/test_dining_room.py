"""A whole game of the dining-room over REST: from the draw for the first deal to the last player with chips."""

from typing import Any

from tests.table.http.service import AUDITOR, Desk, Service, entries_of, open_table
from tests.table.http.test_bad_input import told

CURRENT = "/rounds/current"
# A game for high stakes is over in a dozen rounds; one in many millions is not in so many commands.
MOST_COMMANDS = 5_000
# What is done first, of all that may be done: stakes before requests, answers before the last call.
FIRST = ("draw", "open", "bank", "agree", "stake", "ask", "close", "deal")
PATRONS = ("p1", "p2", "p3")


def dining_room(desk: Desk, *, chips: int = 600) -> str:
    """Open a table of the dining-room for three, with chips of 100, and a shoe; give its path."""
    at = open_table(desk, patrons=len(PATRONS), chips=chips, rules="dining-room")
    for seat, patron in enumerate(PATRONS, start=1):
        desk.tell(f"{at}/seats", {"seat": seat, "patron": patron})
    desk.tell(f"{at}/shoes/start")
    return at


def actions_of(desk: Desk, at: str) -> list[Any]:
    """Read what each may do, in the order in which it is done here; nobody passes, refuses or asks for a side bet."""
    seen = desk.ask(f"{at}/actions")
    actions = [action for action in seen["actions"] if action["does"] in FIRST]
    mains = [action for action in actions if action["does"] != "ask" or action["bet"] in ("player", "banker")]
    return sorted(mains, key=lambda action: FIRST.index(action["does"]))


def do(desk: Desk, at: str, action: Any) -> Any:
    """Do what somebody may, for as much as he may."""
    paths = {"draw": "/shoes/current/draw", "open": "/rounds", "stake": f"{CURRENT}/bets"}
    body = {part: action[part] for part in ("patron", "bet", "of") if part in action}
    match action["does"]:
        case "bank":
            body = {"patron": action["patron"], "amount": action["most"]}
        case "stake" | "ask":
            body |= {"amount": action["most"]}
    return desk.tell(f"{at}{paths.get(action['does'], CURRENT + '/' + action['does'])}", body or {})


def play_to_the_end(desk: Desk, at: str) -> None:
    """Play shoe after shoe until one player is left."""
    for _ in range(MOST_COMMANDS):
        if actions := actions_of(desk, at):
            do(desk, at, actions[0])
            continue
        desk.tell(f"{at}/shoes/current/close")
        if len(desk.ask(f"{at}/actions")["seats"]) == 1:
            return
        desk.tell(f"{at}/shoes/start")
    raise AssertionError("the game goes in circles")


def test_a_game_is_played_from_the_draw_to_the_last_player(desk: Desk, shared_service: Service) -> None:
    at = dining_room(desk)

    play_to_the_end(desk, at)

    entries = entries_of(shared_service.client(AUDITOR), at.replace("/tables", "table", 1).lstrip("/"))
    events = [entry["event"] for entry in entries]
    assert (events[-1]["type"], events[-1]["reason"]) == ("shoe-closed", "last-player")
    assert [event["reason"] for event in events if event["type"] == "seat-left"] == ["eliminated"] * 2
    for event in events:
        if event["type"] == "round-settled":
            lines = event["lines"]
            assert lines[0]["bet"] == "bank"
            assert sum(line["stake"] for line in lines) == sum(line["returned"] for line in lines)
    (winner,) = desk.ask(f"{at}/actions")["seats"]
    assert desk.tell(f"{at}/chips/cash", {"patron": winner["patron"], "amount": 1800, "means": "cash"})["stack"] == 0
    systems = {entry["event"]["type"] for entry in entries if entry["actor"] == "system:table"}
    assert "seat-left" in systems
    assert systems <= {"seat-left", "bet-placed"}


def test_the_draw_tells_every_card_and_who_deals(desk: Desk) -> None:
    at = dining_room(desk)
    assert [action["does"] for action in actions_of(desk, at)] == ["draw"]
    told(desk.post(f"{at}/rounds"), 409, "wrong-phase")

    drawn = desk.tell(f"{at}/shoes/current/draw")

    assert [card["seat"] for card in drawn["drawn"]][:3] == [1, 2, 3]
    ranks = ["A23456789TJQK".index(card["card"][0]) for card in drawn["drawn"]]
    highest = [card["seat"] for card, rank in zip(drawn["drawn"][:3], ranks[:3], strict=True) if rank == max(ranks[:3])]
    assert drawn["turn"] in highest
    opened = desk.tell(f"{at}/rounds")
    assert opened["phase"] == "staking"
    assert desk.ask(f"{at}/actions")["actions"][0]["patron"] == f"p{drawn['turn']}"


def test_a_side_bet_is_asked_for_in_whole_chips_and_agreed_to_by_the_dealer(desk: Desk) -> None:
    at = dining_room(desk, chips=1_000)
    turn = desk.tell(f"{at}/shoes/current/draw")["turn"]
    desk.tell(f"{at}/rounds")
    dealer, other = f"p{turn}", f"p{turn % 3 + 1}"
    desk.tell(f"{at}{CURRENT}/bank", {"patron": dealer, "amount": 1_000})
    desk.tell(f"{at}{CURRENT}/bets", {"patron": other, "bet": "player", "amount": 100})

    ask = {"patron": other, "bet": "final-6"}
    told(desk.post(f"{at}{CURRENT}/ask", ask | {"amount": 150}), 422, "out-of-bounds")
    desk.tell(f"{at}{CURRENT}/ask", ask | {"amount": 200})
    said = desk.tell(f"{at}{CURRENT}/agree", {"patron": dealer, "of": other, "bet": "final-6"})

    final_6 = {"does": "ask", "patron": other, "bet": "final-6", "least": 100, "most": 700, "by": 100}
    assert final_6 in [{part: action.get(part) for part in final_6} for action in said["actions"]]


def test_a_game_that_is_on_closes_seats_and_purses(desk: Desk) -> None:
    at = dining_room(desk)
    desk.tell(f"{at}/shoes/current/draw")
    money = {"patron": "p1", "amount": 100, "means": "cash"}

    told(desk.post(f"{at}/seats", {"seat": 5, "patron": "p9"}), 422, "game-on")
    told(desk.post(f"{at}/chips/buy", money), 422, "game-on")
    told(desk.post(f"{at}/chips/cash", money), 422, "game-on")
    desk.tell(f"{at}/seats/leave", {"patron": "p1"})
    assert desk.tell(f"{at}/chips/cash", money)["stack"] == 500
