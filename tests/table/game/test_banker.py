"""The banker: every line of the worked examples, and what stands on either side of every coup is the same."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.events import Line
from schemas.rules import Levy, Rules, StakeRules
from services.table.game.banker import levy_due, settle
from services.table.game.broken import Broken, settle_from_what_is_there, shared
from services.table.game.rules import builtin
from services.table.game.tableau import Facts, Sides, facts_of
from tests.table.game.sitting import ruled

PLAYER, BANKER, TIE = (("9d", "Kd"), ("Kh", "Ac")), (("Kd", "Ac"), ("Kh", "9d")), (("Kd", "9c"), ("Kh", "9d"))
CHEMIN, BANQUE = builtin("chemin-de-fer").rules, builtin("banque").rules
NET = ruled("banque", levy={"rate": "1/80", "on": "net"})
# The dining-room text's coup: Player 7 and 9, Banker 5 and a king, then 3.
TEXT = facts_of(("7d", "9c"), ("5h", "Kd", "3c"))
RIGHT_LOST_LEFT_WON = Sides(right_winner="banker", left_winner="player")
BOTH_LOST = Sides(right_winner="banker", left_winner="banker")


def told(lines: list[Line]) -> list[str]:
    """Write lines as the format page does."""
    return [
        f"{line.patron} {line.bet} {line.stake} {line.won} {line.commission} {line.returned}"
        for line in lines
        if line.marked is msgspec.UNSET
    ]


@pytest.mark.parametrize(
    ("hands", "stakes", "lines"),
    [
        pytest.param(
            BANKER,
            [("a", "bank", 100), ("b", "player", 100)],
            ["a bank 100 100 5 195", "b player 100 0 0 0"],
            id="C1 a bank that wins stands at 195",
        ),
        pytest.param(
            BANKER,
            [("a", "bank", 100), ("b", "player", 60)],
            ["a bank 100 60 3 157", "b player 60 0 0 0"],
            id="C2 what is not covered is not at risk",
        ),
        pytest.param(
            PLAYER,
            [("a", "bank", 100), ("b", "player", 60)],
            ["a bank 100 0 0 40", "b player 60 60 0 120"],
            id="C3 the same, lost",
        ),
        pytest.param(
            BANKER,
            [("a", "bank", 100), ("b", "player", 40), ("c", "player", 30), ("d", "player", 30)],
            ["a bank 100 100 5 195", "b player 40 0 0 0", "c player 30 0 0 0", "d player 30 0 0 0"],
            id="C4 what was over is trimmed",
        ),
        pytest.param(
            PLAYER,
            [("a", "bank", 195), ("c", "banco", 195)],
            ["a bank 195 0 0 0", "c banco 195 195 0 390"],
            id="C5 banco suivi wins",
        ),
        pytest.param(
            TIE,
            [("a", "bank", 100), ("b", "player", 60)],
            ["a bank 100 0 0 100", "b player 60 0 0 60"],
            id="a tie returns everything",
        ),
    ],
)
def test_a_coup_of_chemin_de_fer_is_settled_as_the_page_works_it(
    hands: Any, stakes: list[tuple[str, str, int]], lines: list[str]
) -> None:
    assert told(settle(CHEMIN, facts_of(*hands), stakes)) == lines


@pytest.mark.parametrize(
    ("rules", "sides", "bank"),
    [
        pytest.param(BANQUE, RIGHT_LOST_LEFT_WON, "e bank 100000 30000 1500 103500", id="B1 a levy on the gross"),
        pytest.param(NET, RIGHT_LOST_LEFT_WON, "e bank 100000 30000 62 104938", id="B2 a levy on the net"),
        pytest.param(NET, BOTH_LOST, "e bank 100000 75000 937 174063", id="B3 both sides lose"),
    ],
)
def test_a_bank_at_two_tableaux_is_settled_as_the_page_works_it(rules: Rules, sides: Sides, bank: str) -> None:
    stakes = [("e", "bank", 100000), ("a", "right", 30000), ("b", "left", 25000), ("c", "cheval", 20000)]

    lines = told(settle(rules, sides, stakes))

    won = ["b left 25000 25000 0 50000", "c cheval 20000 0 0 20000"]
    lost = ["b left 25000 0 0 0", "c cheval 20000 0 0 0"]
    assert lines == [bank, "a right 30000 0 0 0", *(won if sides.left_winner == "player" else lost)]


def test_the_dining_room_texts_example_leaves_dealer_and_winner_as_it_says() -> None:
    stakes = [("a", "bank", 6), ("c", "banker", 1), ("b", "player", 1)]

    lines, broken = settle_from_what_is_there(ruled("dining-room", stakes={"unit": 1}), TEXT, stakes, seats("abc"))

    assert told(lines) == ["a bank 6 1 0 6", "c banker 1 1 0 2", "b player 1 0 0 0"]
    assert broken is None


def test_a_broken_bank_is_shared_a_unit_each_clockwise_passing_over_who_has_his_due() -> None:
    rules = ruled("dining-room", stakes={"unit": 5})
    stakes = [
        ("a", "bank", 25),
        ("b", "banker", 5),
        ("c", "player", 5),
        ("d", "player", 5),
        ("b", "final-5", 10),
        ("b", "winning-7", 5),
        ("c", "winning-8", 5),
        ("d", "final-5", 5),
    ]

    lines, broken = settle_from_what_is_there(rules, TEXT, stakes, seats("abcd"))

    assert told(lines) == [
        "a bank 25 15 0 0",
        "b banker 5 5 0 10",
        "c player 5 0 0 0",
        "d player 5 0 0 0",
        "b final-5 10 10 0 20",
        "b winning-7 5 0 0 0",
        "c winning-8 5 15 0 20",
        "d final-5 5 10 0 15",
    ]
    assert broken == Broken(patron="a", due=45, paid=35)


def test_where_the_rules_name_no_unit_a_broken_bank_is_shared_by_ones() -> None:
    rules = msgspec.structs.replace(ruled("dining-room"), stakes=StakeRules())
    stakes = [("a", "bank", 3), ("b", "final-5", 1), ("c", "final-5", 1), ("d", "final-5", 1)]

    lines, broken = settle_from_what_is_there(rules, TEXT, stakes, seats("abcd"))

    assert [line.won for line in lines] == [0, 1, 1, 1]
    assert broken is not None


def test_a_bank_that_can_just_pay_its_side_bets_is_not_broken() -> None:
    stakes = [("a", "bank", 25), ("b", "banker", 5), ("c", "player", 5), ("d", "winning-8", 5), ("c", "final-5", 5)]

    lines, broken = settle_from_what_is_there(ruled("dining-room", stakes={"unit": 5}), TEXT, stakes, seats("abcd"))

    assert told(lines)[0] == "a bank 25 5 0 0"
    assert sum(line.won for line in lines[1:]) == 30
    assert broken is None


def seats(patrons: str) -> dict[int, str]:
    """Seat patrons from 1 on."""
    return dict(enumerate(patrons, start=1))


def test_a_net_levy_is_nothing_when_the_bank_has_lost() -> None:
    levy = Levy(rate="99/100", on="net", mode="half-up", unit=1)

    assert levy_due(levy, took=100, paid=900) == 0
    assert levy_due(levy, took=100, paid=99) == 1


FACTS = st.sampled_from([facts_of(*hands) for hands in (PLAYER, BANKER, TIE)])
SIDES = st.builds(
    Sides,
    right_winner=st.sampled_from(["player", "banker", "tie"]),
    left_winner=st.sampled_from(["player", "banker", "tie"]),
)
AMOUNTS = st.integers(1, 10**9)
LEVIES = st.fixed_dictionaries(
    {
        "rate": st.sampled_from(["1/20", "1/80", "0/1", "99/100"]),
        "on": st.sampled_from(["gross", "net"]),
        "mode": st.sampled_from(["floor", "half-up", "half-even"]),
        "unit": st.sampled_from([1, 5, 100]),
    }
)


def balanced(lines: list[Line]) -> bool:
    """Whether what was staked is what returned and what the house took."""
    return sum(line.stake for line in lines) == sum(line.returned + line.commission for line in lines)


@given(FACTS, st.lists(AMOUNTS, min_size=1, max_size=6), LEVIES)
def test_every_chip_at_chemin_de_fer_returns_or_is_levied(facts: Facts, amounts: list[int], levy: Any) -> None:
    stakes = [(f"p{seat}", "player", amount) for seat, amount in enumerate(amounts)]

    lines = settle(ruled("chemin-de-fer", levy=levy), facts, [("z", "bank", sum(amounts)), *stakes])

    assert balanced(lines)
    assert all(line.won >= 0 for line in lines)


@given(
    SIDES, st.lists(st.tuples(st.sampled_from(["right", "left", "cheval"]), AMOUNTS), min_size=1, max_size=6), LEVIES
)
def test_every_chip_at_banque_returns_or_is_levied(sides: Sides, bets: list[tuple[str, int]], levy: Any) -> None:
    stakes = [(f"p{seat}", bet, amount) for seat, (bet, amount) in enumerate(bets)]
    bank = sum(amount for _, amount in bets)

    assert balanced(settle(ruled("banque", levy=levy), sides, [("z", "bank", bank), *stakes]))


COUPS = st.sampled_from([TEXT, *(facts_of(*hands) for hands in (PLAYER, BANKER, TIE))])
SIDE_STAKES = st.dictionaries(
    st.tuples(st.integers(1, 4), st.sampled_from(["final-6", "final-5", "winning-8", "winning-7"])),
    st.integers(1, 50),
    max_size=8,
)


@given(COUPS, st.integers(4, 60), SIDE_STAKES, st.sampled_from([1, 3, 5]))
def test_a_dealer_pays_out_of_what_is_there_and_no_more(
    facts: Facts, bank: int, sides: dict[tuple[int, str], int], unit: int
) -> None:
    main = [(f"p{seat}", "player" if seat % 2 else "banker", 1) for seat in range(1, 5)]
    side = [(f"p{seat}", bet, amount) for (seat, bet), amount in sides.items()]
    rules = ruled("dining-room", stakes={"unit": unit})

    lines, broken = settle_from_what_is_there(
        rules, facts, [("z", "bank", bank), *main, *side], {9: "z"} | {seat: f"p{seat}" for seat in range(1, 5)}
    )

    assert balanced(lines)
    assert lines[0].returned >= 0
    assert broken is None or (lines[0].returned == 0 and broken.paid < broken.due)


DUES = st.dictionaries(st.sampled_from("bcde"), st.integers(1, 40), min_size=1)


@given(st.integers(0, 170), DUES, st.permutations("abcde"), st.sampled_from([1, 3, 5]))
def test_a_purse_is_shared_as_by_hand_a_unit_after_another(
    purse: int, dues: dict[str, int], order: list[str], unit: int
) -> None:
    by_hand, left, turn = dict.fromkeys(dues, 0), purse, 0
    while left and by_hand != dues:
        patron = order[turn % len(order)]
        came = min(unit, left, dues.get(patron, 0) - by_hand.get(patron, 0))
        by_hand |= {patron: by_hand[patron] + came} if came else {}
        left, turn = left - came, turn + 1

    assert shared(purse, dues, order=order, unit=unit) == by_hand
