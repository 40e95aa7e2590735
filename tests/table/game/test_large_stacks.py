"""However much one wins where a player banks, it can be written: all chips of the table may be his."""

from collections.abc import Sequence
from fractions import Fraction

import msgspec
import pytest

from schemas.events import AnyEvent, ShoeCommitted, TableEvent
from schemas.seats import BankBroken
from services.table.game import floor, shoes
from services.table.game.rules import builtin
from services.table.game.scrutiny import most_chips
from services.table.game.state import MAX_STACK
from tests.table.game.dinner import TEXT, Dinner, rules_of
from tests.table.game.party import Party
from tests.table.game.sitting import SEED, chips_on, limited, refusal, ruled

LARGEST = 2**53 - 1
NINE = "abcdefghi"
FULL = dict.fromkeys(NINE, MAX_STACK)
BANKER_WINS = ("Kd", "9d", "Ac", "Kh")
SPAN = (1, MAX_STACK)


def chemin(**stacks: int) -> Party:
    """Seat patrons with so many chips at a table that takes no levy."""
    levy = {"rate": "0/1", "on": "gross", "mode": "floor", "unit": 1}
    made = Party(ruled("chemin-de-fer", levy=levy), limited({"bank": SPAN, "player": SPAN, "banco": SPAN}))
    made.buy(**stacks)
    return made.sit(**{patron: seat for seat, patron in enumerate(stacks, start=1)})


def read_back(events: Sequence[TableEvent]) -> list[AnyEvent]:
    """Write events as the log does, and read them as strictly."""
    return [msgspec.json.decode(msgspec.json.encode(event), type=AnyEvent) for event in events]


def test_one_wins_all_chips_that_a_table_can_have_and_every_entry_can_be_read() -> None:
    made = chemin(**FULL)
    made.shoe(BANKER_WINS * len(NINE))

    for loser in NINE[1:]:
        made.opened()
        made.bet("a", "bank", MAX_STACK)
        while made.asked()[0] != loser:
            made.no(made.asked()[0])
        made.bet(loser, "banco", MAX_STACK)
        made.played()
    made.do(shoes.close(made.table, seed=SEED, reason="enough"))
    (committed, *_) = made.do(shoes.commit(made.table, seed_commitment=SEED))

    assert made.table.stack("a") == chips_on(made.table) == len(NINE) * MAX_STACK
    assert isinstance(committed, ShoeCommitted)
    assert read_back(made.log) == made.log


def test_no_more_chips_are_sold_than_one_may_win() -> None:
    made = chemin(**FULL)
    room = LARGEST - len(NINE) * MAX_STACK

    no = refusal(made.table, floor.buy_chips, patron="j", amount=room + 1, means="cash")
    made.buy(j=room)
    full = refusal(made.table, floor.buy_chips, patron="k", amount=1, means="cash")

    assert (no.code, no.where, no.right) == ("amount-too-large", "amount", f"1 to {room}")
    assert (full.code, full.right) == ("amount-too-large", "no more, until others cash theirs")


def test_chips_that_are_staked_count_too() -> None:
    made = chemin(**FULL)
    made.shoe(BANKER_WINS)
    made.opened()
    made.bet("a", "bank", MAX_STACK)
    room = LARGEST - len(NINE) * MAX_STACK

    assert refusal(made.table, floor.buy_chips, patron="a", amount=room + 1, means="cash").right == f"1 to {room}"


def test_what_a_broken_dealer_owes_can_be_written_too() -> None:
    rules = rules_of(unit=10**13)
    limits = limited({"player": SPAN, "banker": SPAN, "winning-8": SPAN})
    most = 99 * 10**13
    dinner = Dinner(rules, limits, a=2 * 10**14, b=MAX_STACK, c=MAX_STACK).drawn(("Kd", "2d", "3d"), TEXT)
    dinner.opened()
    dinner.stake("a", "bank", 2 * 10**14)
    for patron in "bc":
        dinner.stake(patron, "player", 10**13)
        dinner.ask(patron, "winning-8", most)
        dinner.answer("a", patron, "winning-8")

    events = dinner.whole_coup()

    (broken,) = [event for event in events if isinstance(event, BankBroken)]
    assert (broken.due, broken.paid) == (2 * 3 * most, 2 * 10**14 + 2 * 10**13)
    assert read_back(dinner.log) == dinner.log
    assert refusal(dinner.table, floor.buy_chips, patron="d", amount=LARGEST // 4, means="cash").where == "amount"


@pytest.mark.parametrize(
    ("game", "winnings", "best"),
    [
        ("chemin-de-fer", {}, 1),
        ("banque", {}, 1),
        ("dining-room", {}, 4),
        ("dining-room", {"mode": "half-up", "unit": 1}, 8),
    ],
)
def test_all_chips_at_the_best_odds_can_be_written(game: str, winnings: dict[str, object], best: int) -> None:
    rules = ruled(game, winnings=winnings) if winnings else builtin(game).rules

    assert most_chips(rules) == Fraction(LARGEST, best) // 1
