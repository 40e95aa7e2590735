"""Tables where a player banks, over REST: seats, turns, what each may do, choices, and cards that lie face down."""

import json
from typing import Any

from tests.table.http.conftest import MakeService
from tests.table.http.service import AUDITOR, DASHBOARD, Desk, Service, entries_of, open_table
from tests.table.http.test_bad_input import told

CURRENT = "/rounds/current"
SPAN = {"min": 100, "max": 9000}
LIMITS = {"bets": {"bank": SPAN, "player": {"min": 50, "max": 9000}, "banco": SPAN}}


def salon(desk: Desk, *, seats: int = 3, **more: Any) -> str:
    """Open a table of chemin de fer with p1, p2 … on its first seats, and a shoe; give its path."""
    at = open_table(desk, patrons=seats + 1, chips=10_000, rules="chemin-de-fer", limits=LIMITS, **more)
    for seat in range(1, seats + 1):
        desk.tell(f"{at}/seats", {"seat": seat, "patron": f"p{seat}"})
    desk.tell(f"{at}/shoes/start")
    return at


def may(desk: Desk, at: str) -> list[str]:
    """Write what each may do."""
    return [
        " ".join(str(action[part]) for part in ("patron", "does", "least", "most", "hand") if part in action)
        for action in desk.ask(f"{at}/actions")["actions"]
    ]


def covered(desk: Desk, at: str) -> None:
    """Have p1 name a bank of 200, which p2 covers."""
    desk.tell(f"{at}/rounds")
    desk.tell(f"{at}{CURRENT}/bank", {"patron": "p1", "amount": 200})
    for patron in ("p2", "p3"):
        desk.tell(f"{at}{CURRENT}/pass", {"patron": patron})
    desk.tell(f"{at}{CURRENT}/bets", {"patron": "p2", "bet": "player", "amount": 200})


def test_each_is_told_what_he_may_do_and_no_more_is_taken(desk: Desk) -> None:
    at = salon(desk)
    assert may(desk, at) == ["open"]

    desk.tell(f"{at}/rounds")
    assert may(desk, at) == ["p1 bank 100 9000", "p1 pass"]
    told(desk.post(f"{at}{CURRENT}/bank", {"patron": "p2", "amount": 200}), 422, "not-asked")
    told(desk.post(f"{at}{CURRENT}/bank", {"patron": "p1", "amount": 50}), 422, "out-of-bounds")

    said = desk.tell(f"{at}{CURRENT}/bank", {"patron": "p1", "amount": 200})
    assert [action["does"] for action in said["actions"]] == ["banco", "pass"]
    desk.tell(f"{at}{CURRENT}/banco", {"patron": "p2"})
    assert may(desk, at) == ["close"]
    assert desk.ask(f"{at}{CURRENT}")["stakes"] == [
        {"patron": "p1", "bet": "bank", "amount": 200},
        {"patron": "p2", "bet": "banco", "amount": 200},
    ]


def test_a_clock_is_told_to_who_is_asked(desk: Desk) -> None:
    at = salon(desk)
    desk.tell(f"{at}/rounds")

    told_ = desk.ask(f"{at}/actions")

    assert [action["seconds"] for action in told_["actions"]] == [30, 30]
    assert told_["seats"] == [{"seat": seat, "patron": f"p{seat}"} for seat in (1, 2, 3)]


def test_what_the_rules_do_is_the_systems_and_of_the_same_command(desk: Desk, shared_service: Service) -> None:
    at = salon(desk)
    desk.tell(f"{at}/rounds")
    for patron in ("p1", "p2"):
        desk.tell(f"{at}{CURRENT}/pass", {"patron": patron}, Shoelog_Actor=f"patron:{patron}")

    said = desk.tell(f"{at}{CURRENT}/pass", {"patron": "p3"}, Shoelog_Actor="patron:p3")

    assert said["voided"] == {"reason": "no-bank", "approved_by": []}
    passed, voided = entries_of(shared_service.client(AUDITOR), at.replace("/tables", "table", 1).lstrip("/"))[-2:]
    assert (passed["actor"], voided["actor"]) == ("patron:p3", "system:table")
    assert passed["command"] == voided["command"]


def test_for_who_is_silent_the_system_passes(desk: Desk, shared_service: Service) -> None:
    at = salon(desk)
    desk.tell(f"{at}/rounds")

    desk.tell(f"{at}{CURRENT}/silence")

    (passed,) = entries_of(shared_service.client(AUDITOR), at.replace("/tables", "table", 1).lstrip("/"))[-1:]
    assert (passed["actor"], passed["event"]) == (
        "system:table",
        {"type": "turn-passed", "round": 1, "patron": "p1"},
    )


def test_trimmed_stakes_are_in_the_digest_of_the_last_call(desk: Desk, shared_service: Service) -> None:
    at = salon(desk)
    desk.tell(f"{at}/rounds")
    desk.tell(f"{at}{CURRENT}/bank", {"patron": "p1", "amount": 200})
    for patron in ("p2", "p3"):
        desk.tell(f"{at}{CURRENT}/pass", {"patron": patron})
    desk.tell(f"{at}{CURRENT}/bets", {"patron": "p2", "bet": "player", "amount": 150})
    desk.tell(f"{at}{CURRENT}/bets", {"patron": "p3", "bet": "player", "amount": 90})
    desk.tell(f"{at}{CURRENT}/pass", {"patron": "p1"})

    closed = desk.tell(f"{at}{CURRENT}/close")

    assert closed["bets"] == 5
    stream = at.replace("/tables", "table", 1).lstrip("/")
    *_, withdrawn, placed, last = entries_of(shared_service.client(AUDITOR), stream)
    assert (withdrawn["actor"], placed["actor"], placed["event"]["amount"]) == ("system:table", "system:table", 50)
    assert (last["event"]["count"], last["event"]["digest"]) == (5, closed["digest"])


def test_what_the_system_takes_back_for_a_late_banco_has_no_receipt(desk: Desk) -> None:
    at = salon(desk)
    desk.tell(f"{at}/rounds")
    desk.tell(f"{at}{CURRENT}/bank", {"patron": "p1", "amount": 200})
    for patron in ("p2", "p3"):
        desk.tell(f"{at}{CURRENT}/pass", {"patron": patron})

    stake, banco = {"patron": "p2", "bet": "player", "amount": 150}, {"patron": "p3", "bet": "banco", "amount": 200}
    placed = desk.tell(f"{at}{CURRENT}/bets?receipt=true", [stake, banco])

    assert [receipt["version"] for receipt in placed["receipts"]] == [placed["version"] - 2, placed["version"]]
    assert [stake["patron"] for stake in desk.ask(f"{at}{CURRENT}")["stakes"]] == ["p1", "p3"]


def test_cards_lie_face_down_for_all_but_who_plays_them(desk: Desk, shared_service: Service) -> None:
    at = salon(desk)
    covered(desk, at)
    desk.tell(f"{at}{CURRENT}/close")
    for _ in range(2):
        desk.tell(f"{at}{CURRENT}/card")

    seen = desk.ask(f"{at}{CURRENT}")
    assert (seen["player"], seen["banker"], seen["face_down"]) == ([], [], {"player": 1, "banker": 1})
    assert desk.ask(f"{at}/shoes/1/rounds/1") == seen
    everybody = shared_service.client(DASHBOARD)
    assert everybody.ask(f"{at}{CURRENT}") == seen
    assert everybody.get(f"{at}{CURRENT}/hands/p2").status_code == 403
    his, bankers = (desk.ask(f"{at}{CURRENT}/hands/{patron}")["hands"] for patron in ("p2", "p1"))
    assert (list(his), list(bankers)) == (["player"], ["banker"])
    assert desk.get(f"{at}{CURRENT}/hands/p3").status_code == 404

    coup = played(desk, at)

    assert coup["state"] == "settled"
    assert "face_down" not in coup
    assert coup["player"][0] == his["player"][0]
    assert coup["banker"][0] == bankers["banker"][0]


def played(desk: Desk, at: str) -> Any:
    """Play the coup to its end; whoever has a choice stands."""
    while True:
        coup = desk.post(f"{at}{CURRENT}/deal")
        if coup.is_success and coup.json()["state"] == "settled":
            return coup.json()
        (action,) = desk.ask(f"{at}/actions")["actions"]
        if action["does"] == "decide":
            desk.tell(f"{at}{CURRENT}/decide", {"patron": action["patron"], "hand": action["hand"], "choice": "stand"})


def test_a_service_that_starts_anew_knows_who_sits_and_whose_turn_it_is(make_service: MakeService) -> None:
    service = make_service()
    desk = service.client()
    at = salon(desk)
    covered(desk, at)
    desk.tell(f"{at}{CURRENT}/close")
    played(desk, at)
    desk.tell(f"{at}/shoes/current/close", {"reason": "end-of-day"})
    desk.tell(f"{at}/seats/leave", {"patron": "p3"})
    desk.tell(f"{at}/shoes/start")
    desk.tell(f"{at}/seats", {"seat": 7, "patron": "p4"})
    before = desk.ask(f"{at}/actions")
    service.kill()

    desk = make_service(service.database).client()

    assert desk.ask(f"{at}/actions") == before
    assert [seated["seat"] for seated in before["seats"]] == [1, 2, 7]
    desk.tell(f"{at}/rounds")


def test_the_house_takes_no_seats_where_it_banks(desk: Desk) -> None:
    at = open_table(desk)

    told(desk.post(f"{at}/seats", {"seat": 1, "patron": "p1"}), 422, "wrong-game")
    told(desk.get(f"{at}/actions"), 422, "wrong-game")


def test_rules_that_leave_out_what_is_usual_are_logged_whole(desk: Desk, shared_service: Service) -> None:
    whole = desk.ask("/rules/chemin-de-fer")["rules"]
    short = {part: whole[part] for part in ("name", "version", "game", "bets")}

    at = open_table(desk, rules=short | {"clocks": {"turn": 5}}, limits=LIMITS)

    opened = entries_of(shared_service.client(AUDITOR), at.replace("/tables", "table", 1).lstrip("/"))[0]["event"]
    assert opened["rules"] == whole | {"clocks": {"bank": 30, "turn": 5, "decide": 15}}
    assert list(opened["rules"]) == list(whole)


def hurried(desk: Desk) -> tuple[str, int]:
    """Open a table where everybody has a second, and a round; give its path, and the round's place in the log."""
    rules = desk.ask("/rules/chemin-de-fer")["rules"] | {"clocks": {"bank": 1, "turn": 1, "decide": 1}}
    at = open_table(desk, patrons=2, chips=10_000, rules=rules, limits=LIMITS)
    for seat in (1, 2):
        desk.tell(f"{at}/seats", {"seat": seat, "patron": f"p{seat}"})
    desk.tell(f"{at}/shoes/start")
    return at, desk.tell(f"{at}/rounds")["position"]


def said_after(service: Service, at: str, position: int) -> list[tuple[str, str]]:
    """Wait for the next three entries of a table; nobody asks about the table."""
    with service.client(AUDITOR).http.stream("GET", f"/v1/log/stream?after={position}") as events:
        lines = (line for line in events.iter_lines() if line.startswith("data:"))
        mine = (entry for line in lines if at.rpartition("/")[2] in (entry := json.loads(line[5:]))["stream"])
        said = [next(mine) for _ in range(3)]
    return [(entry["actor"], entry["event"]["type"]) for entry in said]


NOBODY_BANKS = [
    ("system:table", "turn-passed"),
    ("system:table", "turn-passed"),
    ("system:table", "round-voided"),
]


def test_when_a_clock_has_run_out_the_system_passes_of_itself(desk: Desk, shared_service: Service) -> None:
    at, position = hurried(desk)

    assert said_after(shared_service, at, position) == NOBODY_BANKS
    assert desk.ask(f"{at}/actions")["actions"] == [{"does": "open"}]


def test_a_clock_runs_on_when_the_service_has_died_and_starts_anew(make_service: MakeService) -> None:
    service = make_service()
    at, position = hurried(service.client())
    service.kill()

    assert said_after(make_service(service.database), at, position) == NOBODY_BANKS
