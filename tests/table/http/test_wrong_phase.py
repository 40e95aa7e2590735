"""A command in the wrong phase is refused, says what phase would be right, and changes nothing: all of them in all."""

from typing import Any, NamedTuple

import pytest

from tests.table.http.service import Desk, Service, open_round, open_table, opening
from tests.table.http.test_bad_input import BET, told

PHASES = ("closed", "idle", "committed", "between", "betting", "dealing")
OPEN = PHASES[1:]
SLIP = {
    "slip": "s1",
    "amount": 500,
    "chips": [[100, 5]],
    "requested_by": "dealer:anna",
    "issued_by": "staff:cage",
    "received_by": "dealer:anna",
}
COUNT = {"float": [], "counted_by": "staff:cashier", "verified_by": "staff:pit-boss"}
WHY = {"reason": "test"}
LIMITS = {"limits": {"bets": {"player": {"min": 1, "max": 1000}}}}
UNDO = {**WHY, "approved_by": ["staff:a", "staff:b"], "then": "void"}


class Case(NamedTuple):
    """A command, and the phases that it is for."""

    path: str
    body: Any
    right: tuple[str, ...]


CASES = (
    Case("/close", COUNT, ("idle",)),
    Case("/suspend", WHY, OPEN),
    Case("/resume", None, ()),
    Case("/dealer", {"dealer": "dealer:anna"}, OPEN),
    Case("/limits", LIMITS, OPEN),
    Case("/fills", SLIP, OPEN),
    Case("/credits", SLIP, OPEN),
    Case("/chips/buy", {"patron": "p1", "amount": 5}, OPEN),
    Case("/shoes", None, ("idle",)),
    Case("/shoes/start", None, ("idle",)),
    Case("/shoes/current/entropy", {"source": "patron:p1", "value": "00"}, ("committed",)),
    Case("/shoes/current/shuffle", None, ("committed",)),
    Case("/shoes/current/close", WHY, ("between",)),
    Case("/shoes/current/void", WHY, OPEN[1:]),
    Case("/rounds", None, ("between",)),
    Case("/rounds/current/bets", BET, ("betting",)),
    Case("/rounds/current/bets", [BET, BET], ("betting",)),
    Case("/rounds/current/bets/withdraw", {"patron": "p1", "bet": "player"}, ("betting",)),
    Case("/rounds/current/close", None, ("betting",)),
    Case("/rounds/current/deal", None, ("dealing",)),
    Case("/rounds/current/card", None, ("dealing",)),
    Case("/rounds/current/coup", None, ("betting", "dealing")),
    Case("/rounds/current/void", WHY, ("betting", "dealing")),
    Case("/rounds/current/reverse", UNDO, ("between",)),
)
WRONG = [(phase, case) for phase in PHASES for case in CASES if phase not in case.right]


def bring_to(desk: Desk, phase: str) -> str:
    """Bring a new table into a phase, and give its path."""
    if phase in ("betting", "dealing"):
        at = open_round(desk)
        if phase == "dealing":
            desk.tell(f"{at}/rounds/current/bets", BET)
            desk.tell(f"{at}/rounds/current/close")
            desk.tell(f"{at}/rounds/current/card")
        return at
    at = open_table(desk, patrons=0 if phase == "closed" else 1)
    match phase:
        case "closed":
            desk.tell(f"{at}/close", COUNT)
        case "committed":
            desk.tell(f"{at}/shoes")
        case "between":
            desk.tell(f"{at}/shoes/start")
        case _:
            assert phase == "idle"
    return at


@pytest.fixture(scope="module")
def tables(shared_service: Service) -> dict[str, str]:
    """A table in each phase: what is refused leaves it as it is."""
    desk = shared_service.client()
    return {phase: bring_to(desk, phase) for phase in PHASES}


@pytest.mark.parametrize(("phase", "case"), WRONG, ids=[f"{phase}{case.path}" for phase, case in WRONG])
def test_a_command_in_the_wrong_phase_changes_nothing(
    desk: Desk, tables: dict[str, str], phase: str, case: Case
) -> None:
    before = desk.ask(tables[phase])
    assert before["phase"] == phase

    told(desk.post(tables[phase] + case.path, case.body), 409, "wrong-phase")

    assert desk.ask(tables[phase]) == before


def test_every_command_is_done_in_the_phases_it_is_for(desk: Desk) -> None:
    take_more = ("/close", "/rounds/current/bets/withdraw", "/rounds/current/reverse")  # than a phase: see test_rounds
    for case in CASES:
        for phase in case.right if case.path not in take_more else ():
            desk.tell(bring_to(desk, phase) + case.path, case.body)


def test_a_table_that_is_open_is_not_opened_again(desk: Desk) -> None:
    at = bring_to(desk, "idle")

    told(desk.post("/tables", opening(at.rpartition("/")[2])), 409, "wrong-phase")


def test_a_closed_table_is_opened_again_and_its_shoe_numbers_go_on(desk: Desk) -> None:
    at = open_table(desk, patrons=0)
    desk.tell(f"{at}/shoes/start")
    desk.tell(f"{at}/shoes/current/void", WHY)
    desk.tell(f"{at}/close", COUNT)

    desk.tell("/tables", opening(at.rpartition("/")[2], rules="berlin", name="Again"))

    assert desk.tell(f"{at}/shoes/start")["shoe"] == 2
    table = desk.ask(at)
    assert (table["name"], table["rules"]["name"]) == ("Again", "berlin")


def test_a_suspended_table_stands_still(desk: Desk) -> None:
    at = bring_to(desk, "betting")
    desk.tell(f"{at}/suspend", WHY)
    before = desk.ask(at)
    assert before["suspended"] == "test"

    for path, body in (("bets", BET), ("close", None), ("coup", None)):
        told(desk.post(f"{at}/rounds/current/{path}", body), 409, "table-suspended")

    assert desk.ask(at) == before
    desk.tell(f"{at}/resume")
    desk.tell(f"{at}/rounds/current/coup")
