"""Rounds as they are played over REST, and as they are read back."""

import concurrent.futures
from typing import Any

import pytest

from tests.table.http.service import Desk, Service, entries_of, open_round, open_table
from tests.table.http.test_bad_input import BET, told
from tests.table.http.test_wrong_phase import COUNT, UNDO

CURRENT = "/rounds/current"


def test_a_bet_is_answered_with_what_is_left(desk: Desk) -> None:
    at = open_round(desk)

    one = desk.tell(f"{at}{CURRENT}/bets", BET)
    two = desk.tell(f"{at}{CURRENT}/bets", [BET, {**BET, "patron": "p2", "bet": "tie"}])

    table = at.rpartition("/")[2]
    assert one == {
        "table": table,
        "round": 1,
        "version": one["version"],
        "stack": 999_000,
        "position": one["position"],
    }
    assert two["stacks"] == {"p1": 998_000, "p2": 999_000}
    assert two["version"] == one["version"] + 2


def test_a_bet_is_taken_back_whole(desk: Desk) -> None:
    at = open_round(desk)
    for _ in range(3):
        desk.tell(f"{at}{CURRENT}/bets", BET)

    back = desk.tell(f"{at}{CURRENT}/bets/withdraw", {"patron": "p1", "bet": "player"})

    assert back["stack"] == 1_000_000
    assert desk.ask(f"{at}{CURRENT}")["stakes"] == []
    told(desk.post(f"{at}{CURRENT}/bets/withdraw", {"patron": "p1", "bet": "player"}), 422, "no-such-stake")


def test_a_coup_card_by_card_tells_what_one_in_one_go_tells(desk: Desk) -> None:
    at = open_round(desk)
    desk.tell(f"{at}{CURRENT}/bets", BET)
    closed = desk.tell(f"{at}{CURRENT}/close")
    assert closed["bets"] == 1
    seen: list[Any] = []

    while (said := desk.tell(f"{at}{CURRENT}/card"))["state"] == "dealing":
        seen.append(said)
        assert desk.ask(f"{at}{CURRENT}")["player"] == said["player"]

    fell = [len(one["player"]) + len(one["banker"]) for one in [*seen, said]]
    assert fell == list(range(1, len(fell) + 1))
    assert said["state"] == "settled"
    assert said["lines"][0]["stake"] == 1000
    kept = desk.ask(f"{at}/shoes/1/rounds/1")
    assert {part: kept[part] for part in ("player", "banker", "totals", "lines", "state")} == {
        part: said[part] for part in ("player", "banker", "totals", "lines", "state")
    }
    assert kept == desk.ask(f"{at}{CURRENT}")


def test_a_round_is_told_alike_while_it_is_open_and_from_the_log(desk: Desk) -> None:
    at = open_round(desk)
    for bet in (BET, {**BET, "patron": "p2"}, BET, {**BET, "bet": "tie"}):
        desk.tell(f"{at}{CURRENT}/bets", bet)
    desk.tell(f"{at}{CURRENT}/bets/withdraw", {"patron": "p2", "bet": "player"})

    assert desk.ask(f"{at}/shoes/1/rounds/1") == desk.ask(f"{at}{CURRENT}")
    desk.tell(f"{at}{CURRENT}/coup")
    assert desk.ask(f"{at}/shoes/1/rounds/1") == desk.ask(f"{at}{CURRENT}")
    assert desk.get(f"{at}/shoes/1/rounds/2").status_code == 404
    assert desk.get(f"{at}/shoes/2/rounds/1").status_code == 404


def test_a_free_round_takes_no_bets(desk: Desk) -> None:
    at = open_table(desk)
    desk.tell(f"{at}/shoes/start")
    desk.tell(f"{at}/rounds", {"free": True})

    told(desk.post(f"{at}{CURRENT}/bets", BET), 422, "free-coup")

    assert desk.tell(f"{at}{CURRENT}/coup")["lines"] == []
    assert desk.ask(f"{at}/shoes/1/rounds/1")["free"] is True


def test_a_voided_round_gives_every_stake_back(desk: Desk) -> None:
    at = open_round(desk)
    desk.tell(f"{at}{CURRENT}/bets", [BET, {**BET, "patron": "p2", "bet": "tie"}])
    desk.tell(f"{at}{CURRENT}/close")
    desk.tell(f"{at}{CURRENT}/card")

    desk.tell(f"{at}{CURRENT}/void", {"reason": "exposed-card"}, Shoelog_Actor="staff:inspector")

    assert desk.ask(at)["stacks"] == {"p1": 1_000_000, "p2": 1_000_000}
    kept = desk.ask(f"{at}/shoes/1/rounds/1")
    assert kept["voided"] == {"reason": "exposed-card", "approved_by": ["staff:inspector"]}
    assert desk.tell(f"{at}/rounds")["round"] == 2


@pytest.mark.parametrize("then", ["void", "settle"])
def test_a_settlement_is_reversed_by_two_people(desk: Desk, then: str) -> None:
    at = open_round(desk)
    desk.tell(f"{at}{CURRENT}/bets", BET)
    first = desk.tell(f"{at}{CURRENT}/coup")
    told(desk.post(f"{at}{CURRENT}/reverse", {**UNDO, "approved_by": ["staff:a"]}), 422, "approval-missing")

    done = desk.tell(f"{at}{CURRENT}/reverse", {**UNDO, "then": then})

    kept = desk.ask(f"{at}/shoes/1/rounds/1")
    assert (kept["reversals"], kept["state"]) == (1, {"void": "voided", "settle": "settled"}[then])
    assert done["lines"] == kept["lines"] == (first["lines"] if then == "settle" else [])
    stack = 999_000 + first["lines"][0]["returned"] if then == "settle" else 1_000_000
    assert desk.ask(at)["stacks"]["p1"] == stack


def test_a_table_is_closed_when_nobody_has_chips_on_it(desk: Desk) -> None:
    at = open_table(desk, chips=500)
    told(desk.post(f"{at}/close", COUNT), 422, "chips-left")

    for patron in ("p1", "p2"):
        desk.tell(f"{at}/chips/cash", {"patron": patron, "amount": 500})
    desk.tell(f"{at}/close", COUNT)

    assert desk.ask(at)["phase"] == "closed"


def test_money_moves_between_account_and_table_in_one_command(desk: Desk) -> None:
    at = open_table(desk, patrons=0)
    table = at.rpartition("/")[2]
    patron = f"mover-{table}"
    desk.tell(f"/patrons/{patron}/account", {"currency": "EUR"})
    desk.tell(f"/patrons/{patron}/deposit", {"amount": 5000})

    there = desk.tell(f"/patrons/{patron}/to-table", {"table": table, "amount": 3000})
    back = desk.tell(f"/patrons/{patron}/from-table", {"table": table, "amount": 1000})

    assert (there["balance"], there["stack"]) == (2000, 3000)
    assert (back["balance"], back["stack"]) == (3000, 2000)
    moved = entries_of(desk, f"patron/{patron}")[-1]
    cashed = entries_of(desk, f"table/{table}")[-1]
    assert moved["command"] == cashed["command"]
    assert cashed["event"] == {"type": "chips-cashed", "patron": patron, "amount": 1000, "means": "account"}


def test_a_hundred_bets_race_the_close_and_the_money_matches(desk: Desk, shared_service: Service) -> None:
    at = open_round(desk, patrons=10, chips=100_000)
    desks = [shared_service.client() for _ in range(10)]

    def bet(number: int) -> bool:
        placed = desks[number % 10].post(f"{at}{CURRENT}/bets", {**BET, "patron": f"p{number % 10 + 1}"})
        if not placed.is_success:
            told(placed, 409, "wrong-phase")
        return placed.is_success

    with concurrent.futures.ThreadPoolExecutor(11) as crowd:
        first = [crowd.submit(bet, number) for number in range(50)]
        closing = crowd.submit(desk.tell, f"{at}{CURRENT}/close")
        last = [crowd.submit(bet, number) for number in range(50, 100)]
        accepted = sum(placed.result() for placed in first + last)

    assert closing.result()["bets"] == accepted
    table = desk.ask(at)
    assert sum(table["stacks"].values()) == 1_000_000 - accepted * 1000
    assert sum(stake["amount"] for stake in table["round"]["stakes"]) == accepted * 1000
    events = [entry["event"]["type"] for entry in entries_of(desk, at[1:].replace("tables", "table"))]
    assert "bet-placed" not in events[events.index("bets-closed") :]


def test_marked_commission_is_owed_until_it_is_collected_or_waived(desk: Desk) -> None:
    rules = desk.ask("/rules/punto-banco")
    rules["rules"]["commission"]["collect"] = "marked"
    at = open_table(desk, rules=rules["rules"], limits=rules["limits"])
    desk.tell(f"{at}/shoes/start")
    owed = 0
    while not owed:
        desk.tell(f"{at}/rounds")
        desk.tell(f"{at}{CURRENT}/bets", {**BET, "bet": "banker", "amount": 10_000})
        owed = desk.tell(f"{at}{CURRENT}/coup")["lines"][0]["marked"]

    assert desk.ask(at)["owed"] == {"p1": owed}
    told(desk.post(f"{at}/commission/collect", {"patron": "p1", "amount": owed + 1}), 422, "not-owed")
    assert desk.tell(f"{at}/commission/collect", {"patron": "p1", "amount": owed - 1})["owed"] == 1
    waiver = {"patron": "p1", "amount": 1, "reason": "goodwill", "approved_by": ["staff:a"]}
    told(desk.post(f"{at}/commission/waive", waiver), 422, "approval-missing")
    assert desk.tell(f"{at}/commission/waive", {**waiver, "approved_by": ["staff:a", "staff:b"]})["owed"] == 0


def test_versions_of_a_tables_entries_have_no_gap(desk: Desk) -> None:
    at = open_round(desk)
    desk.tell(f"{at}{CURRENT}/bets", [BET] * 100)
    desk.tell(f"{at}{CURRENT}/coup")

    versions = [entry["version"] for entry in entries_of(desk, at[1:].replace("tables", "table"))]

    assert len(versions) > 100
    assert versions == list(range(1, len(versions) + 1))
