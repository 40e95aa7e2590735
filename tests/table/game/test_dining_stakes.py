"""Stakes against a dealer: a unit in any order or none, more and side bets by his consent, first comers covered."""

import pytest

from schemas.events import BetPlaced, BetsClosed, RoundVoided
from schemas.seats import BetAgreed, BetAsked, BetRefused, TurnPassed
from services.table.game import salon
from services.table.game.dining_coup import Matching, Offering, begin, evolve
from services.table.game.impossible import ImpossibleError
from services.table.game.seats import Standing, Terms
from services.table.game.stakes import Stakes
from tests.table.game.dinner import Dinner, limits_of, rules_of
from tests.table.game.sitting import kinds, refusal

A_UNIT = ["stake player 1", "stake banker 1", "pass"]


def dealt_by_a(*, bank: int = 12, unit: int = 1, **changes: int | str) -> Dinner:
    """Let a deal against b, c and d: they have twelve units each, or as much as he who is too poor to match them."""
    stacks = {"a": bank} | dict.fromkeys("bcd", 12 * unit if bank >= 3 * unit else bank)
    dinner = Dinner(rules_of(unit=unit, **changes), **dict.fromkeys(stacks, 3 * unit)).drawn(("Kd", "2d", "3d", "4d"))
    dinner.table.stacks |= stacks
    dinner.opened()
    if dinner.may("a"):
        dinner.stake("a", "bank", bank)
    return dinner


def units(dinner: Dinner, *patrons: str, bet: str = "player") -> None:
    """Let patrons stake a unit each."""
    for patron in patrons:
        dinner.stake(patron, bet, dinner.table.rules.stakes.unit or 1)  # type: ignore[union-attr]  # the dining-room's


def test_everybody_but_the_dealer_stakes_a_unit_in_any_order_or_passes() -> None:
    dinner = dealt_by_a()

    for patron in "bcd":
        assert [may for may in dinner.may(patron) if not may.startswith("ask")] == A_UNIT
    assert dinner.may("a") == []
    units(dinner, "d")
    dinner.passes("b")
    assert dinner.stake("c", "banker", 1) == [BetPlaced(round=1, patron="c", bet="banker", amount=1)]
    assert dinner.may() == ["close"]


def test_a_stake_of_anything_but_a_unit_is_refused() -> None:
    dinner = dealt_by_a(unit=5, bank=100)

    assert refusal(dinner.table, salon.place, patron="b", bet="player", amount=10).code == "out-of-bounds"
    assert refusal(dinner.table, salon.place, patron="b", bet="tie", amount=5).code == "not-asked"
    assert refusal(dinner.table, salon.place, patron="a", bet="player", amount=5).code == "not-asked"
    assert refusal(dinner.table, salon.withdraw, patron="b", bet="player").code == "not-asked"


def test_who_has_passed_says_nothing_more() -> None:
    dinner = dealt_by_a()

    dinner.passes("b")

    assert dinner.may("b") == []


def test_the_dealer_waits_for_all() -> None:
    dinner = dealt_by_a()
    units(dinner, "b", "c")

    assert refusal(dinner.table, salon.close_bets).code == "still-asked"
    dinner.passes("d")
    assert isinstance(dinner.does(salon.close_bets(dinner.table))[-1], BetsClosed)


def test_a_poor_dealer_covers_first_comers_and_then_the_bets_may_be_closed() -> None:
    dinner = dealt_by_a(bank=2)
    units(dinner, "d")
    assert dinner.may() == []

    units(dinner, "b")

    assert dinner.may("c") == ["pass"]
    assert dinner.may() == ["close"]
    assert refusal(dinner.table, salon.place, patron="c", bet="player", amount=1).right == "pass"


def test_both_sides_count_against_the_bank() -> None:
    dinner = dealt_by_a(bank=2)
    units(dinner, "d")
    units(dinner, "b", bet="banker")

    assert dinner.may("c") == ["pass"]


def test_a_part_of_a_unit_covers_nobody() -> None:
    dinner = dealt_by_a(unit=5, bank=9)
    units(dinner, "b")

    assert dinner.may("c") == ["pass"]


def test_more_than_a_unit_is_asked_and_placed_when_the_dealer_agrees() -> None:
    dinner = dealt_by_a()

    assert dinner.ask("b", "banker", 4) == [BetAsked(round=1, patron="b", bet="banker", amount=4)]
    assert dinner.may("a") == ["agree b banker 4", "refuse b banker 4"]
    assert dinner.answer("a", "b", "banker") == [
        BetAgreed(round=1, patron="b", bet="banker", amount=4),
        BetPlaced(round=1, patron="b", bet="banker", amount=4),
    ]
    assert dinner.may("a") == []
    assert [may for may in dinner.may("b") if not may.startswith("ask")] == []


def test_what_is_refused_is_not_placed_and_may_be_asked_again() -> None:
    dinner = dealt_by_a()
    units(dinner, "b")
    dinner.ask("b", "player", 4)

    assert dinner.answer("a", "b", "player", agrees=False) == [
        BetRefused(round=1, patron="b", bet="player", amount=4),
    ]
    dinner.ask("b", "player", 2)
    dinner.answer("a", "b", "player")
    assert dinner.table.stack("b") == 12 - 1 - 2


def test_nobody_but_the_dealer_of_the_coup_answers() -> None:
    dinner = dealt_by_a()
    dinner.ask("b", "player", 2)

    no = refusal(dinner.table, salon.answer, patron="c", of="b", bet="player", agrees=True)

    assert no.code == "not-asked"


def test_a_main_bet_leaves_the_dealer_a_unit_for_each_who_waits() -> None:
    dinner = dealt_by_a(bank=10)
    units(dinner, "b")

    assert dinner.may("b")[0] == "ask player 1-7"  # 10 - 1 staked - c's and d's
    assert dinner.may("c")[3] == "ask player 2-8"  # 10 - 1 staked - d's: his own is what he asks
    dinner.passes("d")
    assert dinner.may("b")[0] == "ask player 1-8"


def test_what_is_no_longer_covered_can_only_be_refused() -> None:
    dinner = dealt_by_a(bank=10)
    units(dinner, "b", "c", "d")
    dinner.ask("b", "player", 5)
    dinner.ask("c", "player", 5)
    dinner.answer("a", "b", "player")

    assert dinner.may("a") == ["refuse c player 5"]


def test_a_bet_that_its_patron_can_no_longer_pay_can_only_be_refused() -> None:
    dinner = dealt_by_a(bank=100)
    units(dinner, "b")
    dinner.ask("b", "final-6", 7)
    dinner.ask("b", "final-5", 7)
    dinner.answer("a", "b", "final-5")

    assert dinner.may("a") == ["refuse b final-6 7"]


def test_nobody_stakes_on_both_sides() -> None:
    dinner = dealt_by_a()
    units(dinner, "b")

    assert not any("banker" in may for may in dinner.may("b"))


def test_who_stakes_unasked_takes_his_request_back() -> None:
    dinner = dealt_by_a()
    dinner.ask("b", "player", 3)
    dinner.ask("b", "banker", 4)

    units(dinner, "b", bet="banker")

    assert dinner.may("a") == []


def test_a_side_bet_needs_a_main_bet_and_the_dealers_consent_but_no_cover() -> None:
    dinner = dealt_by_a(bank=3)
    assert not any("final" in may for may in dinner.may("b"))
    units(dinner, "b", "c", "d")

    assert dinner.may("b") == ["ask final-6 1-11", "ask final-5 1-11", "ask winning-8 1-11", "ask winning-7 1-11"]
    dinner.ask("b", "winning-7", 11)
    dinner.answer("a", "b", "winning-7")
    assert dinner.table.stack("b") == 0


def test_what_is_asked_is_in_whole_units() -> None:
    dinner = dealt_by_a(unit=5, bank=99)
    units(dinner, "b")

    assert dinner.may("b")[:2] == ["ask player 5-55", "ask final-6 5-55"]
    no = refusal(dinner.table, salon.ask, patron="b", bet="final-6", amount=12)
    assert (no.code, no.right) == ("out-of-bounds", "5 to 55 by 5")


def test_each_bet_is_asked_for_once_at_a_time() -> None:
    dinner = dealt_by_a()
    units(dinner, "b")
    dinner.ask("b", "final-6", 1)

    assert refusal(dinner.table, salon.ask, patron="b", bet="final-6", amount=2).code == "not-asked"


def test_limits_bind_what_is_asked_and_staked_and_leave_the_bank_out() -> None:
    rules = rules_of()
    limits = limits_of(rules, patron=5, table=6)
    dinner = Dinner(rules, limits, a=60, b=60, c=60).drawn(("Kd", "2d", "3d"))
    dinner.opened()
    dinner.stake("a", "bank", 60)
    units(dinner, "b")

    assert dinner.may("b")[0] == "ask player 1-4"
    dinner.ask("b", "player", 4)
    dinner.answer("a", "b", "player")
    assert dinner.may("b") == []
    assert dinner.may("c") == ["stake player 1", "stake banker 1", "pass"]
    units(dinner, "c")
    assert dinner.may("c") == []


def test_closing_lapses_what_is_asked() -> None:
    dinner = dealt_by_a()
    units(dinner, "b", "c", "d")
    dinner.ask("b", "player", 2)

    events = dinner.does(salon.close_bets(dinner.table))

    assert kinds(events) == ["bets-closed"]
    assert dinner.table.stack("b") == 11


def test_when_all_have_passed_the_coup_is_void_for_want_of_stakes() -> None:
    dinner = dealt_by_a()
    dinner.passes("d", "b")

    assert dinner.passes("c") == [
        TurnPassed(round=1, patron="c"),
        RoundVoided(round=1, reason="no-stakes", approved_by=()),
    ]
    assert dinner.by_system == [RoundVoided(round=1, reason="no-stakes", approved_by=())]
    assert dinner.table.stack("a") == 12


def silenced(absent: str, bank: int) -> list[BetPlaced | TurnPassed]:
    """Let d stake, and the others be silent."""
    dinner = dealt_by_a(absent=absent, bank=bank)
    units(dinner, "d")
    dinner.by_system.clear()
    dinner.does(salon.silence(dinner.table))
    assert dinner.may() == ["close"]
    return dinner.by_system  # type: ignore[return-value]  # compared below


def test_who_is_silent_is_out() -> None:
    assert silenced("out", bank=12) == [TurnPassed(round=1, patron="b"), TurnPassed(round=1, patron="c")]


@pytest.mark.parametrize("side", ["player", "banker"])
def test_who_is_silent_stakes_a_unit_where_the_rules_say_so(side: str) -> None:
    assert silenced(side, bank=12) == [
        BetPlaced(round=1, patron="b", bet=side, amount=1),
        BetPlaced(round=1, patron="c", bet=side, amount=1),
    ]


def test_who_is_silent_and_not_covered_passes() -> None:
    assert silenced("banker", bank=2) == [
        BetPlaced(round=1, patron="b", bet="banker", amount=1),
        TurnPassed(round=1, patron="c"),
    ]


def test_when_nobody_is_asked_silence_says_nothing() -> None:
    dinner = dealt_by_a()
    units(dinner, "b", "c", "d")
    dinner.ask("b", "player", 2)

    assert refusal(dinner.table, salon.silence).right == "close the bets"


def test_silence_of_all_voids_the_coup() -> None:
    dinner = dealt_by_a()

    assert kinds(dinner.does(salon.silence(dinner.table))) == ["turn-passed"] * 3 + ["round-voided"]


TERMS = Terms(rules=rules_of(), limits=limits_of(rules_of()), seats={1: "a", 2: "b", 3: "c"}, before=Standing(turn=1))
MATCHING = Matching(dealer=1, bank=9, waiting=(2, 3))


@pytest.mark.parametrize(
    ("stage", "event"),
    [
        (begin(TERMS), BetPlaced(round=1, patron="b", bet="player", amount=1)),
        (begin(TERMS), BetAsked(round=1, patron="b", bet="player", amount=1)),
        (MATCHING, BetPlaced(round=1, patron="b", bet="bank", amount=1)),
        (MATCHING, BetPlaced(round=1, patron="z", bet="player", amount=1)),
        (MATCHING, TurnPassed(round=1, patron="z")),
        (MATCHING, BetAgreed(round=1, patron="b", bet="player", amount=1)),
        (MATCHING, BetRefused(round=1, patron="b", bet="player", amount=1)),
    ],
)
def test_what_cannot_be_said_at_a_stage_is_impossible(stage: Offering | Matching, event: BetPlaced) -> None:
    with pytest.raises(ImpossibleError):
        evolve(TERMS, stage, event, Stakes())
